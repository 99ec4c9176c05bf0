//! Checkpoints of every family, with weights drawn from a fixed generator: small enough to be made in a test.

use super::gguf::{GgufFile, Value, file};
use super::vocabulary::{integers, texts};

/// Sizes and switches of a checkpoint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiny {
    pub(crate) name: &'static str,
    /// `general.architecture`.
    pub(crate) family: &'static str,
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) inner: usize,
    pub(crate) query_heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_dim: usize,
    /// The head is the embedding table.
    pub(crate) tied: bool,
    /// Base of the rotary frequencies.
    pub(crate) theta: f32,
    pub(crate) stretch: Stretch,
    /// Of the layers that do not see all tokens (Gemma 3).
    pub(crate) window: Option<u32>,
}

/// What the rotary frequencies are changed to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stretch {
    None,
    Linear(f32),
    /// As in Llama 3.1, with [`LLAMA3`].
    Llama3,
}

/// Factor, low and high frequency factor, and original context of [`Stretch::Llama3`].
pub(crate) const LLAMA3: [f64; 4] = [8.0, 1.0, 4.0, 64.0];
/// The letters that the tokens behind the three control tokens stand for.
const LETTERS: &str = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123.,!?";
const CONTEXT: u32 = 2048;
pub(crate) const EPS: f32 = 1e-5;

const LLAMA: Tiny = Tiny {
    name: "llama",
    family: "llama",
    layers: 3,
    hidden: 64,
    inner: 96,
    query_heads: 4,
    kv_heads: 2,
    head_dim: 16,
    tied: true,
    theta: 10_000.0,
    stretch: Stretch::None,
    window: None,
};

/// What is compared with llama.cpp.
pub(crate) fn all() -> Vec<Tiny> {
    let wide_heads = Tiny { query_heads: 6, head_dim: 32, ..LLAMA };
    let gemma = Tiny { family: "gemma3", layers: 7, kv_heads: 1, head_dim: 32, theta: 1e6, ..LLAMA };
    vec![
        LLAMA,
        Tiny { name: "llama-untied-llama3", tied: false, stretch: Stretch::Llama3, ..wide_heads },
        Tiny { name: "llama-linear", stretch: Stretch::Linear(4.0), ..LLAMA },
        Tiny { name: "qwen2", family: "qwen2", theta: 1e6, ..LLAMA },
        Tiny { name: "qwen2-untied", family: "qwen2", kv_heads: 4, tied: false, ..LLAMA },
        Tiny { name: "qwen3", family: "qwen3", theta: 1e6, ..wide_heads },
        Tiny { name: "smollm3", family: "smollm3", layers: 8, theta: 5e6, ..LLAMA },
        Tiny { name: "gemma3", window: Some(8), ..gemma },
        Tiny { name: "gemma3-linear", window: Some(16), stretch: Stretch::Linear(8.0), ..gemma },
    ]
}

/// Wide enough for the blocks of every format.
pub(crate) fn wide() -> Tiny {
    Tiny { name: "wide", layers: 1, hidden: 256, inner: 256, head_dim: 64, ..LLAMA }
}

/// A tensor under the name that GGUF files give it: `rows` of `columns` numbers, or a vector.
pub(crate) struct Weights {
    pub(crate) name: String,
    pub(crate) rows: Option<usize>,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

/// `count` tokens of a text, the first of them BOS.
pub(crate) fn tokens(count: usize) -> Vec<u32> {
    let letters = uniform("text", count - 1).map(|x| 3 + (30.5 * (x + 1.0)) as u32);
    [1].into_iter().chain(letters).collect()
}

impl Tiny {
    pub(crate) fn has_bias(&self) -> bool {
        self.family == "qwen2"
    }

    pub(crate) fn has_head_norms(&self) -> bool {
        matches!(self.family, "qwen3" | "gemma3")
    }

    pub(crate) fn is_gemma(&self) -> bool {
        self.family == "gemma3"
    }

    pub(crate) fn vocabulary() -> Vec<String> {
        let control = ["<unk>", "<s>", "</s>"].map(str::to_owned);
        control.into_iter().chain(LETTERS.chars().map(|letter| letter.to_string())).collect()
    }

    /// All tensors. Matrices keep the size of what goes through them; queries and keys are larger, so that heads choose.
    pub(crate) fn weights(&self) -> Vec<Weights> {
        let rows = Self::vocabulary().len();
        let mut all = vec![
            vector("output_norm.weight", self.hidden, 1.0),
            Weights {
                values: uniform("token_embd", rows * self.hidden).map(|x| x / 2.0).collect(),
                ..matrix("token_embd.weight", rows, self.hidden, 0.0)
            },
        ];
        if !self.tied {
            all.push(matrix("output.weight", rows, self.hidden, 2.5));
        }
        if self.stretch == Stretch::Llama3 {
            all.push(self.divisors());
        }
        all.extend((0..self.layers).flat_map(|layer| self.layer(layer)));
        all
    }

    fn layer(&self, layer: usize) -> Vec<Weights> {
        let (queries, kv) = (self.query_heads * self.head_dim, self.kv_heads * self.head_dim);
        let name = |part: &str| format!("blk.{layer}.{part}");
        let mut all = vec![
            vector(&name("attn_norm.weight"), self.hidden, 1.0),
            matrix(&name("attn_q.weight"), queries, self.hidden, 1.5),
            matrix(&name("attn_k.weight"), kv, self.hidden, 1.5),
            matrix(&name("attn_v.weight"), kv, self.hidden, 1.0),
            matrix(&name("attn_output.weight"), self.hidden, queries, 1.0),
            vector(&name("ffn_norm.weight"), self.hidden, 1.0),
            matrix(&name("ffn_gate.weight"), self.inner, self.hidden, 1.5),
            matrix(&name("ffn_up.weight"), self.inner, self.hidden, 1.5),
            matrix(&name("ffn_down.weight"), self.hidden, self.inner, 1.0),
        ];
        if self.has_bias() {
            let biases = [("attn_q.bias", queries), ("attn_k.bias", kv), ("attn_v.bias", kv)];
            all.extend(biases.map(|(part, width)| vector(&name(part), width, 0.0)));
        }
        if self.has_head_norms() {
            let norms = ["attn_q_norm.weight", "attn_k_norm.weight"];
            all.extend(norms.map(|part| vector(&name(part), self.head_dim, 1.5)));
        }
        if self.is_gemma() {
            let norms = ["post_attention_norm.weight", "post_ffw_norm.weight"];
            all.extend(norms.map(|part| vector(&name(part), self.hidden, 1.0)));
        }
        all
    }

    /// By how much each frequency is divided: waves that fit into the original context less than `low` times by the whole
    /// factor, those that fit more than `high` times not at all.
    fn divisors(&self) -> Weights {
        let [factor, low, high, original] = LLAMA3;
        let divisor = |pair: usize| {
            let frequency = f64::from(self.theta).powf(-(2.0 * pair as f64) / self.head_dim as f64);
            let times = original * frequency / std::f64::consts::TAU;
            let kept = ((times - low) / (high - low)).clamp(0.0, 1.0);
            (1.0 / ((1.0 - kept) / factor + kept)) as f32
        };
        let values = (0..self.head_dim / 2).map(divisor).collect();
        Weights { values, ..vector("rope_freqs.weight", self.head_dim / 2, 0.0) }
    }

    /// The checkpoint as a GGUF file of `f32` numbers.
    pub(crate) fn gguf(&self) -> GgufFile {
        let mut model = self.header();
        for weights in self.weights() {
            let shape = [Some(weights.columns), weights.rows].into_iter().flatten().map(|side| side as u64);
            let bytes = weights.values.iter().flat_map(|value| value.to_le_bytes()).collect();
            model = model.tensor(&weights.name, &shape.collect::<Vec<_>>(), 0, bytes);
        }
        model
    }

    fn header(&self) -> GgufFile {
        let key = |name: &str| format!("{}.{name}", self.family);
        let sizes = [
            ("context_length", CONTEXT as usize),
            ("embedding_length", self.hidden),
            ("feed_forward_length", self.inner),
            ("block_count", self.layers),
            ("attention.head_count", self.query_heads),
            ("attention.head_count_kv", self.kv_heads),
            ("attention.key_length", self.head_dim),
            ("attention.value_length", self.head_dim),
            ("rope.dimension_count", self.head_dim),
        ];
        let mut model = Self::tokenizer(file().with("general.architecture", Value::Text(self.family)))
            .with(&key("attention.layer_norm_rms_epsilon"), Value::F32(EPS))
            .with(&key("rope.freq_base"), Value::F32(self.theta));
        for (name, size) in sizes {
            model = model.with(&key(name), Value::U32(size as u32));
        }
        if let Stretch::Linear(factor) = self.stretch {
            model = model
                .with(&key("rope.scaling.type"), Value::Text("linear"))
                .with(&key("rope.scaling.factor"), Value::F32(factor));
        }
        match self.window {
            Some(window) => model.with(&key("attention.sliding_window"), Value::U32(window)),
            None => model,
        }
    }

    fn tokenizer(model: GgufFile) -> GgufFile {
        let count = Self::vocabulary().len();
        let kinds = [2, 3, 3].into_iter().chain(std::iter::repeat(1)).take(count);
        model
            .with("tokenizer.ggml.model", Value::Text("llama"))
            .with("tokenizer.ggml.bos_token_id", Value::U32(1))
            .with("tokenizer.ggml.eos_token_id", Value::U32(2))
            .with("tokenizer.ggml.tokens", texts(Self::vocabulary()))
            .with("tokenizer.ggml.scores", Value::Array(6, vec![Value::F32(0.0); count]))
            .with("tokenizer.ggml.token_type", integers(kinds.collect()))
    }
}

fn matrix(name: &str, rows: usize, columns: usize, gain: f32) -> Weights {
    let spread = gain * (3.0 / columns as f32).sqrt();
    let values = uniform(name, rows * columns).map(|x| spread * x).collect();
    Weights { name: name.to_owned(), rows: Some(rows), columns, values }
}

fn vector(name: &str, columns: usize, mean: f32) -> Weights {
    let values = uniform(name, columns).map(|x| mean + x / 2.0).collect();
    Weights { name: name.to_owned(), rows: None, columns, values }
}

/// Multiples of 1/1024 from -1 on and below 1, by splitmix64 (Steele, Lea & Flood 2014) from the FNV-1a hash of a name.
fn uniform(name: &str, count: usize) -> impl Iterator<Item = f32> {
    let hash = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 53) as f32 / 1024.0 - 1.0
    })
    .take(count)
}
