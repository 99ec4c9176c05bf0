//! What engines and models can do, as far as a plan can be checked against it before anything is opened.

mod engines;
mod footprint;
mod upstream;
mod model_facts;

pub use engines::{Abilities, EngineKind, PICO, abilities, block_size};
pub use footprint::Footprint;
pub use upstream::{UPSTREAM_FAMILIES, Lack, Wanted, lacks};
pub use model_facts::{LookUp, ModelFacts, Recommended};
