"""llama.cpp's log-probabilities for the tiny checkpoints of tests/engine_reference.rs, which says how to run this.

Keys and values are kept in f32 and attention is computed in one step after the other, so that the only roundings are
those of f32 arithmetic.
"""

import json
import math
import sys
from pathlib import Path

import xllamacpp as llama

VOCABULARY = 64


def server(model: Path) -> llama.Server:
    params = llama.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 256
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cache_type_k = params.cache_type_v = llama.ggml_type.GGML_TYPE_F32
    params.flash_attn_type = llama.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.warmup = False
    params.fit_params = False
    return llama.Server(params)


def log_probs(server: llama.Server, prompt: list[int]) -> dict[int, float]:
    """Of every token, after the prompt."""
    request = {"prompt": prompt, "max_tokens": 1, "logprobs": VOCABULARY, "temperature": 0.0, "cache_prompt": False}
    first = server.handle_completions(request)["choices"][0]["logprobs"]["content"][0]
    return {choice["id"]: choice["logprob"] for choice in first["top_logprobs"]}


def main(folder: Path) -> None:
    tokens = json.loads((folder / "tokens.json").read_text())
    expected = {}
    for model in sorted(folder.glob("*.gguf")):
        running = server(model)
        each = [log_probs(running, tokens[: end + 1]) for end in range(len(tokens))]
        assert all(len(all_of) == VOCABULARY and all(map(math.isfinite, all_of.values())) for all_of in each)
        following = [each[at][token] for at, token in enumerate(tokens[1:])]
        last = [each[-1][token] for token in range(VOCABULARY)]
        expected[model.stem] = {
            "next": [round(number, 5) for number in following],
            "last": [round(number, 5) for number in last],
        }
        del running
    text = json.dumps(expected).replace("}, ", "},\n")
    Path(__file__).with_suffix(".json").write_text(text + "\n")


main(Path(sys.argv[1]))
