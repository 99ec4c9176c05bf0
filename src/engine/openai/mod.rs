//! Servers with the interface of OpenAI: which one it is, what it is asked, and what its stream says. MLX-LM and MLC-LLM speak the
//! same language, and use this room from their own.

mod chunk;
mod dialect;
mod holding;
mod open;
mod refusal;
mod reply;
mod request;
mod server;
mod speaker;

pub(super) use chunk::{Timings, timings};
pub(super) use dialect::{Cold, Dialect, GoOn};
pub(super) use holding::Holding;
pub(super) use open::{client, key, open};
pub(super) use refusal::explained;
pub(super) use request::Form;
pub(super) use server::{fingerprint_of, listed_as};
pub(super) use speaker::{OpenaiSpeaker, went_on};
