//! `config.json`, as far as all families share it.

use crate::engine::candle::architecture::number_of_layers;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A configuration whose shared part has been understood.
#[derive(Debug, Clone)]
pub(super) struct Configuration {
    pub(super) sizes: Sizes,
    /// Everything, for candle-transformers; what differs between releases of transformers is brought to one form.
    value: Value,
}

/// The sizes under the names of `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Sizes {
    #[serde(rename = "vocab_size")]
    pub(super) vocabulary: usize,
    #[serde(rename = "hidden_size")]
    pub(super) hidden: usize,
    #[serde(rename = "num_hidden_layers")]
    pub(super) layers: usize,
    #[serde(rename = "num_attention_heads")]
    pub(super) heads: usize,
    #[serde(rename = "num_key_value_heads")]
    kv_heads: Option<usize>,
    head_dim: Option<usize>,
    #[serde(rename = "max_position_embeddings")]
    positions: usize,
    #[serde(rename = "sliding_window")]
    pub(super) window: Option<usize>,
}

impl Sizes {
    pub(super) fn kv_heads(&self) -> usize {
        self.kv_heads.unwrap_or(self.heads)
    }

    pub(super) fn head_dim(&self) -> usize {
        self.head_dim.unwrap_or_else(|| self.hidden.checked_div(self.heads).unwrap_or(0))
    }

    /// Tokens up to which the model is right: those it was made for, and where layers slide no more than the window, inside
    /// which sliding changes nothing. candle-transformers leaves sliding out, or does it in every layer.
    pub(super) fn context(&self) -> usize {
        self.window.map_or(self.positions, |window| window.min(self.positions))
    }

    /// Refuses sizes that no decoder can have, and that would make a model panic.
    fn check(&self) -> Result<(), String> {
        const MOST: usize = 1 << 24;
        const WIDE: usize = 1 << 20;
        const LARGEST_HEAD: usize = 1024;
        /// Heads together are one to four times as wide as the hidden state.
        const WIDEST: usize = 16;
        let sizes = [
            ("vocab_size", self.vocabulary, MOST),
            ("hidden_size", self.hidden, WIDE),
            ("num_attention_heads", self.heads, WIDE),
            ("num_key_value_heads", self.kv_heads(), WIDE),
            ("head_dim", self.head_dim(), LARGEST_HEAD),
            ("max_position_embeddings", self.positions, MOST),
            ("sliding_window", self.context(), MOST),
        ];
        if let Some((name, size, _)) = sizes.iter().find(|(_, size, most)| *size == 0 || size > most) {
            return Err(format!("`{name}` is {size}, which no model has"));
        }
        number_of_layers(self.layers)?;
        if self.heads * self.head_dim() > WIDEST * self.hidden {
            let (heads, width) = (self.heads, self.head_dim());
            return Err(format!(
                "{heads} heads of {width} values do not belong to a hidden size of {}",
                self.hidden
            ));
        }
        if !self.heads.is_multiple_of(self.kv_heads()) {
            let (heads, kv) = (self.heads, self.kv_heads());
            return Err(format!("{heads} attention heads are no multiple of {kv} key/value heads"));
        }
        if !self.head_dim().is_multiple_of(2) {
            return Err(format!("a head of {} values cannot be rotated in pairs", self.head_dim()));
        }
        Ok(())
    }
}

impl Configuration {
    /// Reads the shared part of `config.json`.
    pub(super) fn read(mut value: Value) -> Result<Self, String> {
        lift_rope_parameters(&mut value)?;
        // Ends of a turn are read elsewhere, and stand here in more forms than the library knows.
        for key in ["bos_token_id", "eos_token_id", "pad_token_id"] {
            take(&mut value, key);
        }
        let sizes = Sizes::deserialize(&value).map_err(|error| error.to_string())?;
        sizes.check()?;
        Ok(Self { sizes, value })
    }

    /// A value, if it is there and not null.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// A switch that is off where nothing is said.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.as_bool() != Some(false))
    }

    /// Gives a key a value where the file says nothing of it; null is something.
    pub(super) fn or(mut self, key: &str, value: impl Into<Value>) -> Self {
        if self.value.get(key).is_none() {
            self.value[key] = value.into();
        }
        self
    }

    /// Gives a key this value, whatever it had.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.value[key] = value.into();
        self
    }

    /// The same with key/value heads, of which there are as many as heads where the file says nothing.
    pub(super) fn with_kv_heads(self) -> Self {
        let kv_heads = self.sizes.kv_heads();
        self.with("num_key_value_heads", kv_heads)
    }

    /// The form that the library reads.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        T::deserialize(&self.value).map_err(|error| error.to_string())
    }

    /// Refuses the keys of a list where they are set to anything but `false`.
    pub(super) fn refuse_set(&self, keys: &[&str]) -> Result<(), String> {
        match keys.iter().find(|key| self.is_set(key)) {
            Some(key) => Err(format!("`{key}` is set, which candle-transformers does not compute")),
            None => Ok(()),
        }
    }

    /// Refuses a key that has another value than this, where it is set.
    pub(super) fn refuse_other(&self, key: &str, right: &str) -> Result<(), String> {
        match self.get(key).filter(|value| value.as_str() != Some(right)) {
            Some(other) => {
                Err(format!("`{key}` is {other}, and candle-transformers computes `{right}` only"))
            }
            None => Ok(()),
        }
    }

    /// Share of a head that turns with the position; `None` for all of it.
    pub(super) fn partial_rotation(&self) -> Option<f64> {
        self.get("partial_rotary_factor").and_then(Value::as_f64).filter(|share| *share < 1.0)
    }

    /// Refuses a share of a head that is no whole number of pairs.
    pub(super) fn refuse_odd_rotation(&self, share: Option<f64>) -> Result<(), String> {
        let Some(share) = share else { return Ok(()) };
        let turning = (share * self.sizes.head_dim() as f64) as usize;
        if turning > 0 && turning.is_multiple_of(2) {
            return Ok(());
        }
        Err(format!("`partial_rotary_factor` {share} makes {turning} values of a head turn: no whole pairs"))
    }

    /// Refuses heads that are wider or narrower than the hidden state divided among them.
    pub(super) fn refuse_own_head_dim(&self) -> Result<(), String> {
        let Sizes { hidden, heads, .. } = self.sizes;
        if self.sizes.head_dim() * heads == hidden {
            return Ok(());
        }
        let width = self.sizes.head_dim();
        Err(format!("candle-transformers divides {hidden} values among {heads} heads, but each has {width}"))
    }
}

/// Newer files keep `rope_theta`, `partial_rotary_factor` and the scaling in `rope_parameters`. Scaled positions are
/// refused: the library does not compute them, or not as they are meant.
fn lift_rope_parameters(value: &mut Value) -> Result<(), String> {
    for key in ["rope_parameters", "rope_scaling"] {
        let Some(parameters) = take(value, key).filter(|parameters| !parameters.is_null()) else { continue };
        let kind = parameters.get("rope_type").or_else(|| parameters.get("type")).and_then(Value::as_str);
        if !matches!(kind, None | Some("default")) || parameters.get("factor").is_some() {
            let kind = kind.unwrap_or("(unnamed)");
            return Err(format!(
                "`{key}` asks for `{kind}`: scaled positions are not computed for this family"
            ));
        }
        for inner in ["rope_theta", "partial_rotary_factor"] {
            if let Some(number) = parameters.get(inner).filter(|number| number.is_number()) {
                value[inner] = number.clone();
            }
        }
    }
    Ok(())
}

fn take(value: &mut Value, key: &str) -> Option<Value> {
    value.as_object_mut().and_then(|object| object.remove(key))
}
