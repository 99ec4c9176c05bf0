//! The parts of a decoder, and what the file formats call them.

/// One tensor of a decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::candle) enum Part {
    /// One row per token of the vocabulary.
    Embedding,
    /// The output head.
    Head,
    /// The norm before the head.
    FinalNorm,
    /// A tensor of a layer.
    Layer(usize, LayerPart),
}

/// One tensor of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::candle) enum LayerPart {
    AttentionNorm,
    Query,
    QueryBias,
    QueryNorm,
    Key,
    KeyBias,
    KeyNorm,
    Value,
    ValueBias,
    Output,
    AfterAttentionNorm,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
    AfterFeedForwardNorm,
}

impl LayerPart {
    /// Name inside a layer of a Hugging Face checkpoint. With norms before and after each half (`norms_after`), the name
    /// `post_attention_layernorm` means the norm after attention; else the one before the feed-forward part.
    pub(super) fn hugging_face(self, norms_after: bool) -> &'static str {
        match self {
            Self::AttentionNorm => "input_layernorm.weight",
            Self::Query => "self_attn.q_proj.weight",
            Self::QueryBias => "self_attn.q_proj.bias",
            Self::QueryNorm => "self_attn.q_norm.weight",
            Self::Key => "self_attn.k_proj.weight",
            Self::KeyBias => "self_attn.k_proj.bias",
            Self::KeyNorm => "self_attn.k_norm.weight",
            Self::Value => "self_attn.v_proj.weight",
            Self::ValueBias => "self_attn.v_proj.bias",
            Self::Output => "self_attn.o_proj.weight",
            Self::FeedForwardNorm if norms_after => "pre_feedforward_layernorm.weight",
            Self::AfterAttentionNorm | Self::FeedForwardNorm => "post_attention_layernorm.weight",
            Self::Gate => "mlp.gate_proj.weight",
            Self::Up => "mlp.up_proj.weight",
            Self::Down => "mlp.down_proj.weight",
            Self::AfterFeedForwardNorm => "post_feedforward_layernorm.weight",
        }
    }

    /// Name inside a layer of a GGUF file.
    pub(super) fn gguf(self) -> &'static str {
        match self {
            Self::AttentionNorm => "attn_norm.weight",
            Self::Query => "attn_q.weight",
            Self::QueryBias => "attn_q.bias",
            Self::QueryNorm => "attn_q_norm.weight",
            Self::Key => "attn_k.weight",
            Self::KeyBias => "attn_k.bias",
            Self::KeyNorm => "attn_k_norm.weight",
            Self::Value => "attn_v.weight",
            Self::ValueBias => "attn_v.bias",
            Self::Output => "attn_output.weight",
            Self::AfterAttentionNorm => "post_attention_norm.weight",
            Self::FeedForwardNorm => "ffn_norm.weight",
            Self::Gate => "ffn_gate.weight",
            Self::Up => "ffn_up.weight",
            Self::Down => "ffn_down.weight",
            Self::AfterFeedForwardNorm => "post_ffw_norm.weight",
        }
    }
}
