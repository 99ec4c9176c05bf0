"""Makes a Hugging Face folder with f16 weights from a GGUF file of the llama architecture.

The weights are those that the GGUF file holds, brought back from its quantization and rounded to f16: they are *not* the
weights that the model was published with, and the folder says so in its README. What it is good for: the same model for
engines that read no GGUF.

    pip install gguf numpy safetensors
    python tests/benches/dequantize.py MODEL.gguf FOLDER

Only byte-level BPE vocabularies with the pre-tokenizer `smollm` are understood; others are refused.
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

# GGUF's kinds of tokens that are matched in a text before it is cut into words.
CONTROL, USER_DEFINED = 3, 4

LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
WHOLE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


def main(source: Path, folder: Path) -> None:
    reader = GGUFReader(source)
    facts = {name: field.contents() for name, field in reader.fields.items()}
    check(facts)
    folder.mkdir(parents=True, exist_ok=True)
    tensors = weights(reader, facts)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    rows, width = tensors["model.embed_tokens.weight"].shape
    write(folder, "config.json", config(facts, rows, width, tied="lm_head.weight" not in tensors))
    write(folder, "generation_config.json", {"eos_token_id": facts["tokenizer.ggml.eos_token_id"]})
    write(folder, "tokenizer.json", tokenizer(facts))
    write(folder, "tokenizer_config.json", tokenizer_config(facts))
    (folder / "README.md").write_text(readme(source, reader))


def check(facts: dict) -> None:
    wanted = {"general.architecture": "llama", "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm"}
    for key, value in wanted.items():
        if facts.get(key) != value:
            sys.exit(f"{key} is {facts.get(key)!r}; only {value!r} is understood")
    if any(key.startswith("llama.rope.scaling") for key in facts):
        sys.exit("the file scales its positions; that is not understood")


def weights(reader: GGUFReader, facts: dict) -> dict:
    heads = {"attn_q": facts["llama.attention.head_count"], "attn_k": facts["llama.attention.head_count_kv"]}
    tensors = {}
    for tensor in reader.tensors:
        place, _, _ = tensor.name.removesuffix(".weight").rpartition(".")
        kind = tensor.name.removesuffix(".weight").rpartition(".")[2]
        values = np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        values = values.reshape(tuple(reversed(tensor.shape.tolist())))
        if kind in heads:
            values = unpermuted(values, heads[kind])
        name = f"model.layers.{place.removeprefix('blk.')}.{LAYER[kind]}" if place else WHOLE[kind]
        tensors[f"{name}.weight"] = np.ascontiguousarray(values.astype(np.float16))
    return tensors


def unpermuted(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of queries and keys in the order of Hugging Face: llama.cpp keeps the two numbers that a rotation turns side by
    side, Hugging Face half a head apart."""
    half = rows.shape[0] // heads // 2
    return rows.reshape(heads, half, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def config(facts: dict, rows: int, width: int, tied: bool) -> dict:
    heads = facts["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": facts["tokenizer.ggml.bos_token_id"],
        "eos_token_id": facts["tokenizer.ggml.eos_token_id"],
        "hidden_act": "silu",
        "hidden_size": width,
        "head_dim": width // heads,
        "intermediate_size": facts["llama.feed_forward_length"],
        "max_position_embeddings": facts["llama.context_length"],
        "mlp_bias": False,
        "num_attention_heads": heads,
        "num_hidden_layers": facts["llama.block_count"],
        "num_key_value_heads": facts["llama.attention.head_count_kv"],
        "rms_norm_eps": round(float(facts["llama.attention.layer_norm_rms_epsilon"]), 12),
        "rope_theta": float(facts["llama.rope.freq_base"]),
        "tie_word_embeddings": tied,
        "torch_dtype": "float16",
        "vocab_size": rows,
    }


def tokenizer(facts: dict) -> dict:
    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    special = [id for id, kind in enumerate(kinds) if kind in (CONTROL, USER_DEFINED)]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added(id, tokens[id], kinds[id] == CONTROL) for id in special],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": {token: id for id, token in enumerate(tokens)},
            "merges": facts["tokenizer.ggml.merges"],
        },
    }


def added(id: int, content: str, special: bool) -> dict:
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": id, "content": content, **plain, "special": special}


def tokenizer_config(facts: dict) -> dict:
    tokens = facts["tokenizer.ggml.tokens"]
    named = {
        f"{name}_token": tokens[facts[key]]
        for name, key in [
            ("bos", "tokenizer.ggml.bos_token_id"),
            ("eos", "tokenizer.ggml.eos_token_id"),
            ("pad", "tokenizer.ggml.padding_token_id"),
            ("unk", "tokenizer.ggml.unknown_token_id"),
        ]
        if key in facts
    }
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": facts["llama.context_length"],
        **named,
        "chat_template": facts["tokenizer.chat_template"],
    }


def readme(source: Path, reader: GGUFReader) -> str:
    kinds = sorted({tensor.tensor_type.name for tensor in reader.tensors if len(tensor.shape) > 1})
    return (
        f"Dequantized weights: the matrices are those of `{source.name}` ({', '.join(kinds)}), brought back from their\n"
        "quantization and rounded to f16. These are not the weights that the model was published with.\n"
    )


def write(folder: Path, name: str, content: dict) -> None:
    (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
