"""Stands in for MLX and MLX-LM: a reply is the alphabet, from a letter that the sum of the prompt's ids chooses, and ends after its
last one. It prints where libraries print. Python imports a module of this name at its start, from PYTHONPATH."""

import os
import sys
import types

os.write(1, b"a banner that does not end")

# Ids of pico's tokenizer: `a` and `z`, the end of a turn, and one for which there is no memory.
FIRST, LAST, END, TOO_MUCH = 64, 89, 505, 98


def module(name, **content):
    made = types.ModuleType(name)
    made.__dict__.update(content)
    made.__path__ = []
    sys.modules[name] = made


class Array(list):
    ndim, dtype = 2, "mlx.core.float16"

    @property
    def size(self):
        return 12


class Device(str):
    pass


class Layer:
    def __init__(self):
        self.held, self.keys, self.state = [], None, None

    @property
    def offset(self):
        return len(self.held)


class Model:
    def __call__(self, ids, cache):
        cache[0].keys = Array()

    def parameters(self):
        return [("layers.0.weight", Array()), ("embed.weight", Array())]


def load_model(path):
    print("loading", path, flush=True)
    if not (path / "config.json").is_file():
        raise FileNotFoundError(path)
    return Model(), {"max_position_embeddings": 512}


def trim_prompt_cache(cache, count):
    del cache[0].held[len(cache[0].held) - count :]


def generate_step(prompt, model, *, max_tokens, sampler, prompt_cache, prefill_step_size):
    os.write(1, b'{"kind": "end", "stop": "eos"}\n')
    held = prompt_cache[0].held
    held.extend(prompt)
    if held[-1] == TOO_MUCH:
        raise RuntimeError("[malloc] Unable to allocate 8589934592 bytes.")
    token = FIRST + sum(held) % (LAST - FIRST + 1)
    for _ in range(max_tokens):
        # As the library does it: the pass after a token has begun before the token is handed out.
        held.append(token)
        yield token, None
        token = FIRST if token == END else END if token == LAST else token + 1


module("mlx")
module(
    "mlx.core",
    array=Array,
    eval=lambda values: None,
    random=types.SimpleNamespace(seed=lambda seed: None),
    Device=Device,
    cpu="cpu",
    gpu="gpu",
    default_device=lambda: Device("cpu"),
    set_default_device=lambda device: None,
)
sys.modules["mlx"].core = sys.modules["mlx.core"]
module("mlx.utils", tree_flatten=lambda tree: tree)
module("mlx_lm")
module("mlx_lm.utils", load_model=load_model)
module("mlx_lm.generate", generate_step=generate_step)
module("mlx_lm.sample_utils", make_sampler=lambda **settings: None)
module("mlx_lm.models")
module(
    "mlx_lm.models.cache",
    make_prompt_cache=lambda model: [Layer()],
    can_trim_prompt_cache=lambda cache: True,
    trim_prompt_cache=trim_prompt_cache,
)
