//! What a server says of itself: `GET /props`.

use crate::engine::http::{Client, HttpError};
use serde_json::Value;

/// The part of the answer that decides numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Props {
    /// Build number and commit, as reported (`b11434-unknown`).
    pub(super) build: String,
    /// Context of one slot, in tokens.
    pub(super) context: u32,
    /// Requests that it answers at once.
    pub(super) slots: u64,
    /// The model's file, as the server was told it.
    pub(super) model: String,
}

impl Props {
    /// Asks the server.
    pub(super) fn read(client: &Client) -> Result<Self, HttpError> {
        let said = client.get("/props")?;
        Self::of(&said).ok_or_else(|| HttpError::Answer {
            url: format!("{}/props", client.base()),
            problem: "this is no llama-server: it gives no `build_info`, `total_slots` and context"
                .to_owned(),
        })
    }

    fn of(said: &Value) -> Option<Self> {
        let text = |key: &str| said.get(key)?.as_str().map(str::to_owned);
        let context = said.pointer("/default_generation_settings/n_ctx")?.as_u64()?;
        Some(Self {
            build: text("build_info")?,
            context: context as u32,
            slots: said.get("total_slots")?.as_u64()?,
            model: text("model_path").unwrap_or_default(),
        })
    }

    /// Name of the model's file, without its folder.
    pub(super) fn model_file(&self) -> &str {
        self.model.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}
