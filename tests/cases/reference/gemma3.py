"""The tiny Gemma 3 checkpoints of tests/engine_reference.rs by definition, in f64 and with an exact GELU, where llama.cpp
looks it up in a table of f16 numbers: `python tests/cases/reference/gemma3.py FOLDER` (needs `pip install gguf numpy`).
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFReader

EPS = 1e-5
LOCAL_BASE = 1e4
FULL_EVERY = 6


def norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * weight.ravel()


def gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def turn(heads, base, factor):
    """Heads of shape (tokens, heads, width)."""
    half = heads.shape[-1] // 2
    angles = np.outer(np.arange(len(heads)), base ** (-np.arange(half) / half) / factor)[:, None]
    first, second = heads[..., :half], heads[..., half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], -1)


def attend(queries, key, value, window):
    scores = np.einsum("ihd,jd->hij", queries, key[:, 0]) / np.sqrt(key.shape[-1])
    back = np.subtract.outer(np.arange(len(key)), np.arange(len(key)))
    weights = np.where((back >= 0) & (back < window), np.exp(scores), 0)
    return np.einsum("hij,jd->ihd", weights / weights.sum(-1, keepdims=True), value)


def log_probs(path, tokens):
    file = GGUFReader(path)
    weights = {tensor.name: np.float64(tensor.data).reshape(tensor.shape[::-1]) for tensor in file.tensors}

    def number(key, otherwise=None):
        field = file.fields.get(f"gemma3.{key}")
        return otherwise if field is None else field.contents()

    width, window = number("attention.key_length"), number("attention.sliding_window")
    full = (number("rope.freq_base"), number("rope.scaling.factor", 1.0), len(tokens))
    x = weights["token_embd.weight"][tokens] * np.sqrt(number("embedding_length"))
    for layer in range(number("block_count")):
        part = lambda name: weights[f"blk.{layer}.{name}.weight"]
        base, factor, seen = full if (layer + 1) % FULL_EVERY == 0 else (LOCAL_BASE, 1.0, window)
        normed = norm(x, part("attn_norm"))
        heads = lambda name: (normed @ part(name).T).reshape(len(tokens), -1, width)
        queries = turn(norm(heads("attn_q"), part("attn_q_norm")), base, factor)
        key = turn(norm(heads("attn_k"), part("attn_k_norm")), base, factor)
        attended = attend(queries, key, heads("attn_v")[:, 0], seen).reshape(len(tokens), -1)
        x = x + norm(attended @ part("attn_output").T, part("post_attention_norm"))
        normed = norm(x, part("ffn_norm"))
        inner = gelu(normed @ part("ffn_gate").T) * (normed @ part("ffn_up").T)
        x = x + norm(inner @ part("ffn_down").T, part("post_ffw_norm"))
    logits = norm(x, weights["output_norm.weight"]) @ weights["token_embd.weight"].T
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def main(folder):
    tokens = json.loads((folder / "tokens.json").read_text())
    expected = {}
    for path in sorted(folder.glob("gemma3*.gguf")):
        rows = log_probs(path, tokens)
        following = [rows[at][token] for at, token in enumerate(tokens[1:])]
        expected[path.stem] = {"next": np.round(following, 6).tolist(), "last": np.round(rows[-1], 6).tolist()}
    text = json.dumps(expected).replace("}, ", "},\n")
    Path(__file__).with_suffix(".json").write_text(text + "\n")


main(Path(sys.argv[1]))
