class MlxLm:
    """MLX-LM's own generation, token by token. Its tokenizer is not loaded: ids come in, and ids go out."""

    DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}

    def __init__(self, opening):
        import mlx.core as mx

        # Before MLX-LM is imported: it makes its stream on the device that is the default then.
        if opening["device"]:
            mx.set_default_device(mx.Device(getattr(mx, opening["device"])))
        from pathlib import Path

        from mlx_lm.models.cache import make_prompt_cache
        from mlx_lm.utils import load_model

        self.mx, self.make_cache = mx, make_prompt_cache
        self.model, config = load_model(Path(opening["model"]))
        self.on_gpu = mx.default_device() == mx.Device(mx.gpu)
        self.chunk = opening["prefill_chunk"]
        self.cache, self.held = None, []
        packages, digest = installed(["mlx-lm", "mlx", "mlx-cpu", "mlx-metal", "mlx-cuda-12", "mlx-cuda-13"])
        self.ready = {
            "packages": packages,
            "digest": digest,
            "device": "gpu" if self.on_gpu else "cpu",
            "weights": self.weights(),
            "cache": self.cache_format(),
            "threads": None,
            "context_length": config.get("max_position_embeddings"),
        }

    def format(self, array):
        name = str(array.dtype).rpartition(".")[2]
        return self.DTYPES.get(name, name)

    def weights(self):
        """How many numbers of the layers' matrices stand in which format."""
        from mlx.utils import tree_flatten

        shares = {}
        for name, array in tree_flatten(self.model.parameters()):
            if "layers." in name and array.ndim > 1:
                shares[self.format(array)] = shares.get(self.format(array), 0) + array.size
        return list(shares.items())

    def cache_format(self):
        """Of the keys after one token: read off, since it follows from the model. A model that cannot compute fails here."""
        cache = self.make_cache(self.model)
        self.model(self.mx.array([[0]]), cache=cache)
        self.mx.eval([layer.state for layer in cache])
        keys = getattr(cache[0], "keys", None)
        return self.format(keys) if hasattr(keys, "dtype") else None

    def answer(self, asked, reply):
        from mlx_lm.generate import generate_step
        from mlx_lm.sample_utils import make_sampler

        ids, ends = asked["ids"], set(asked["ends"])
        self.mx.random.seed(asked["seed"])
        sampler = make_sampler(
            temp=asked["temperature"], top_p=asked["top_p"] or 0.0, top_k=asked["top_k"] or 0
        )
        if self.on_gpu:
            self.mx.reset_peak_memory()
        cached = self.begin(ids, asked["warm"])
        tokens, stop = [], "length"
        steps = generate_step(
            self.mx.array(ids[cached:]),
            self.model,
            max_tokens=asked["max_tokens"],
            sampler=sampler,
            prompt_cache=self.cache,
            prefill_step_size=self.chunk,
        )
        for token, _ in steps:
            reply.token(token)
            tokens.append(token)
            if token in ends:
                stop = "eos"
                break
            if len(tokens) == asked["max_tokens"]:
                break
        # MLX-LM has begun to compute one token more: without waiting for it, it would run into the next request.
        steps.close()
        self.mx.eval([layer.state for layer in self.cache])
        self.held = ids + tokens
        peak = self.mx.get_peak_memory() / 2**20 if self.on_gpu else None
        reply.end(stop, len(ids), cached, peak)

    def begin(self, ids, warm):
        """Makes the cache ready and gives the number of the prompt's tokens that it holds."""
        from mlx_lm.models.cache import can_trim_prompt_cache, trim_prompt_cache

        if warm and self.cache and can_trim_prompt_cache(self.cache):
            holds = self.cache[0].offset
            held = self.held[:holds]
            common = next((at for at, (a, b) in enumerate(zip(held, ids)) if a != b), min(len(held), len(ids)))
            # One token at least has to be read for there to be a next one.
            common = min(common, len(ids) - 1)
            trim_prompt_cache(self.cache, holds - common)
        else:
            self.cache = self.make_cache(self.model)
        self.held = []
        return getattr(self.cache[0], "offset", 0)


serve(MlxLm)
