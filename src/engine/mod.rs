//! Engines: who answers. Each is handed [`crate::condition::Settings`] and never sees a plan. What they can do stands in
//! [`crate::abilities`].

mod candle;
mod chat_template;
mod contract;
pub mod gguf;
mod model_files;
mod open;
pub mod pico;
mod python_json;
mod scripted;
mod template_files;
mod vocabulary;
mod weights_hash;

pub use candle::{CANDLE_VERSION, CandleEngine};
pub use chat_template::ChatTemplate;
pub use contract::{Engine, EngineError};
pub use model_files::MODELS_VARIABLE;
pub use open::{open, process_environment};
pub use scripted::{SALT_VARIABLE, Script, ScriptError};
pub use weights_hash::CACHE_VARIABLE;
