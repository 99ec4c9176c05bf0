//! What engines and models can do, as far as a plan can be checked against it before anything is opened.

mod engines;
mod footprint;
mod model_facts;
mod speculation;
mod upstream;

pub use engines::{
    Abilities, EngineKind, ModelName, PICO, PromptForm, abilities, abilities_with, block_size,
    names_a_command_line, names_an_interpreter,
};
pub use footprint::Footprint;
pub use model_facts::{LookUp, ModelFacts, Recommended};
pub use speculation::{Guesser, UnknownGuesser, guesser};
pub use upstream::{Lack, UPSTREAM_FAMILIES, Wanted, lacks};
