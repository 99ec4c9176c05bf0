//! Engines: who answers. Each is handed [`crate::condition::Settings`] and never sees a plan. What they can do stands in
//! [`crate::abilities`].

mod accounting;
mod candle;
mod contract;
mod facts;
pub mod gguf;
pub mod http;
pub mod hub;
mod llama_cpp;
mod mapped;
mod mlc_llm;
mod mlx_lm;
mod model_files;
mod ollama;
mod open;
mod openai;
mod outside;
pub mod pico;
mod prompts;
mod safetensors_files;
mod scripted;
mod shares;
mod synthetic;
mod template;
mod thinking;
mod transformers;
mod vocabulary;
mod weights_hash;
mod worker;

pub use candle::{CANDLE_TRANSFORMERS_VERSION, CANDLE_VERSION, CandleEngine};
pub use contract::{Engine, EngineError};
pub use facts::model_facts;
pub use model_files::MODELS_VARIABLE;
pub use open::{attached, check_key, foresee, launch, open, open_to_write, own_program, process_environment};
pub use outside::{
    Attached, Endpoint, Launch, OwnProgram, identity, not_started, without_the_shells_settings,
};
pub use scripted::{SALT_VARIABLE, Script, ScriptError};
pub use template::ChatTemplate;
pub use thinking::{Flag, ThinkingSwitch, flag_in, said_by};
pub use vocabulary::Vocabulary;
pub use weights_hash::CACHE_VARIABLE;
