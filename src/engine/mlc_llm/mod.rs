//! MLC-LLM, through `mlc_llm serve`: how it is started, and in what its interface differs from OpenAI's.
//!
//! <https://llm.mlc.ai/docs/deploy/rest.html>. Written after that text and the server's source, and tried against scripted peers
//! only.

mod open;

pub(super) use open::{launch, open};
