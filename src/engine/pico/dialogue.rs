//! A sample as the chat template would render it, cut into parts that are learned and parts that are given.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use tokenizers::Tokenizer;

use super::tasks::Sample;

/// A stretch of a dialogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The text, added tokens included.
    pub text: String,
    /// Weight of its tokens in the loss; 0 for what the model is given.
    pub weight: f32,
}

/// A rendered dialogue: what is given, then the assistant's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// The prompt, then the reply.
    pub parts: [Part; 2],
}

/// Loss weight of the tokens of a direct reply. They are few (3 to 25, against 20 to 200 of a trace), so
/// without it the direct mode would see under a tenth of the gradient.
const DIRECT_WEIGHT: f32 = 3.0;

impl Dialogue {
    /// Renders a sample with thinking on or off. The text equals the chat template's (a test holds it to that).
    pub fn new(sample: &Sample, thinking: bool) -> Self {
        let mut prompt = system_turn(sample);
        push_turn(&mut prompt, "user", &sample.user);
        if let Some(exchange) = &sample.exchange {
            push_turn(&mut prompt, "assistant", &exchange.call);
            let response = format!("<tool_response>\n{}\n</tool_response>", exchange.response);
            push_turn(&mut prompt, "user", &response);
        }
        prompt.push_str("<|im_start|>assistant\n");
        let mut reply = String::new();
        if thinking {
            reply = format!("<think>\n{}\n</think>\n\n", sample.trace);
        } else {
            prompt.push_str("<think>\n\n</think>\n\n");
        }
        reply.push_str(&sample.answer);
        reply.push_str("<|im_end|>");
        let weight = if thinking { 1.0 } else { DIRECT_WEIGHT };
        Self { parts: [Part { text: prompt, weight: 0.0 }, Part { text: reply, weight }] }
    }
}

fn push_turn(text: &mut String, role: &str, content: &str) {
    for part in ["<|im_start|>", role, "\n", content, "<|im_end|>\n"] {
        text.push_str(part);
    }
}

fn system_turn(sample: &Sample) -> String {
    let mut content = sample.system.clone().unwrap_or_default();
    if !sample.tools.is_empty() {
        if !content.is_empty() {
            content.push_str("\n\n");
        }
        content.push_str("<tools>");
        for tool in &sample.tools {
            content.push('\n');
            content.push_str(&spaced_json(tool));
        }
        content.push_str("\n</tools>");
    }
    let mut turn = String::new();
    if !content.is_empty() {
        push_turn(&mut turn, "system", &content);
    }
    turn
}

/// JSON with a space after `,` and `:`, which is what chat templates print with `tojson`.
pub(super) fn spaced_json(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    // Writing a `Value` into memory cannot fail; an empty text would show at once in the tests.
    if value.serialize(&mut serializer).is_err() {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

/// Token ids of a dialogue with the loss weight of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Weight of each token as a target.
    pub weights: Vec<f32>,
}

/// Turns dialogues into token ids.
#[derive(Debug, Clone)]
pub struct Encoder {
    tokenizer: Tokenizer,
}

impl Encoder {
    /// An encoder on a tokenizer.
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer }
    }

    /// The tokenizer behind it.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Ids of a text with added tokens in it; nothing is put before or after.
    pub fn text(&self, text: &str) -> tokenizers::Result<Vec<u32>> {
        Ok(self.tokenizer.encode_fast(text, false)?.get_ids().to_vec())
    }

    /// Encodes a dialogue part by part (the parts meet at a newline or an added token, where no merge crosses).
    pub fn dialogue(&self, dialogue: &Dialogue) -> tokenizers::Result<Encoded> {
        let (mut ids, mut weights) = (Vec::new(), Vec::new());
        for part in &dialogue.parts {
            let part_ids = self.text(&part.text)?;
            weights.resize(weights.len() + part_ids.len(), part.weight);
            ids.extend(part_ids);
        }
        Ok(Encoded { ids, weights })
    }
}
