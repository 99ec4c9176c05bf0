//! The model's own chat template, rendered as `transformers`' `apply_chat_template` renders it. What a template may do is
//! limited: it comes from strangers. How it switches reasoning is in [`super::thinking`].

mod chat_template;
mod dates;
mod environment;
mod files;
mod generator;
mod json_filter;
mod markup;
mod python_json;
mod source;

pub use chat_template::ChatTemplate;
pub(super) use files::{Framing, end_tokens};
