"""Writes the embedded model as a GGUF file, so that llama-bench can run it: python3 pico_gguf.py OUT.gguf

Needs `pip install gguf numpy`. The file has f32 weights and a placeholder vocabulary: it is for timing and writes no text.
llama-quantize makes the other formats of it.
"""

import json
import struct
import sys
from pathlib import Path

import gguf
import numpy

ASSETS = Path(__file__).parents[2] / "src/engine/pico/assets"
LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm"}


def tensors():
    """Names and f32 values of the checkpoint (safetensors: a length, a JSON header, then the numbers as bf16)."""
    data = (ASSETS / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    for name, info in header.items():
        if name == "__metadata__":
            continue
        assert info["dtype"] == "BF16", info
        start, end = (8 + length + offset for offset in info["data_offsets"])
        halves = numpy.frombuffer(data[start:end], dtype="<u2").astype("<u4") << 16
        yield name.removesuffix(".weight"), halves.view("<f4").reshape(info["shape"])


def gguf_name(name):
    if name in WHOLE:
        return WHOLE[name] + ".weight"
    _, _, layer, part = name.split(".", 3)
    return f"blk.{layer}.{LAYER[part]}.weight"


def main(out):
    config = json.loads((ASSETS / "config.json").read_text())
    writer = gguf.GGUFWriter(out, "qwen3")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    count = config["vocab_size"]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([f"token{id}" for id in range(count)])
    writer.add_token_scores([0.0] * count)
    writer.add_token_types([1] * count)
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    for name, values in tensors():
        writer.add_tensor(gguf_name(name), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
