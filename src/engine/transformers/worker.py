class Steps:
    """Hears each token as `generate` chooses it. It is called in the loop of `generate` itself: no second thread is between
    the token and its line, and an error in the loop cannot get lost in one."""

    def __init__(self, reply):
        self.reply = reply
        self.prompt_is_told = False
        self.last = None

    def put(self, ids):
        if not self.prompt_is_told:
            self.prompt_is_told = True
            return
        for id in ids.flatten().tolist():
            self.reply.token(id)
            self.last = id

    def end(self):
        pass


class Transformers:
    """`generate` of Hugging Face transformers, with settings that are all said here."""

    def __init__(self, opening):
        import torch
        import transformers

        self.torch, self.transformers = torch, transformers
        if opening["threads"]:
            torch.set_num_threads(opening["threads"])
        self.device = torch.device(opening["device"] or "cpu")
        self.formats = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
        version = tuple(int(part) for part in transformers.__version__.split(".")[:2])
        dtype = {"dtype" if version >= (4, 56) else "torch_dtype": self.formats.get(opening["dtype"], "auto")}
        model = transformers.AutoModelForCausalLM.from_pretrained(
            opening["model"], local_files_only=True, trust_remote_code=False, **dtype
        )
        self.model = model.to(self.device).eval()
        self.read = None
        self.model.register_forward_pre_hook(self.count, with_kwargs=True)
        packages, digest = installed(["transformers", "torch"])
        versions = {"transformers": transformers.__version__, "torch": torch.__version__}
        config = self.model.config.get_text_config()
        self.ready = {
            "packages": [[name, versions[name]] for name, _ in packages],
            "digest": digest,
            "device": str(self.device),
            "weights": self.weights(),
            "cache": self.cache_format(),
            "threads": torch.get_num_threads(),
            "context_length": getattr(config, "max_position_embeddings", None),
        }

    def format(self, tensor):
        names = {dtype: name for name, dtype in self.formats.items()}
        return names.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))

    def weights(self):
        """How many numbers of the layers' matrices stand in which format."""
        shares = {}
        for name, tensor in self.model.named_parameters():
            if "layers." in name and tensor.dim() > 1:
                shares[self.format(tensor)] = shares.get(self.format(tensor), 0) + tensor.numel()
        return list(shares.items())

    def cache_format(self):
        """Of the keys after one token: read off, since it follows from the model. A model that cannot compute fails here."""
        with self.torch.inference_mode():
            output = self.model(input_ids=self.tensor([0]), use_cache=True)
        cache = output.get("cache") or output.get("past_key_values")
        layers = getattr(cache, "layers", None)
        keys = getattr(layers[0], "keys", None) if layers else None
        return self.format(keys) if keys is not None else None

    def tensor(self, ids):
        return self.torch.tensor([ids], dtype=self.torch.long, device=self.device)

    def count(self, _module, _positional, named):
        """How many tokens the first forward pass of a request reads: the others came from a cache."""
        if self.read is None and named.get("input_ids") is not None:
            self.read = named["input_ids"].shape[1]

    def answer(self, asked, reply):
        torch, on_cuda = self.torch, self.device.type == "cuda"
        ids, ends = asked["ids"], asked["ends"]
        torch.manual_seed(asked["seed"])
        if on_cuda:
            torch.cuda.reset_peak_memory_stats(self.device)
        self.read = None
        steps, prompt = Steps(reply), self.tensor(ids)
        # In the model's own configuration too: `generate` takes from there what the given one leaves out.
        self.model.generation_config = config = self.config(asked)
        with torch.inference_mode():
            self.model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                generation_config=config,
                streamer=steps,
            )
        peak = torch.cuda.max_memory_allocated(self.device) / 2**20 if on_cuda else None
        cached = None if self.read is None else len(ids) - self.read
        reply.end("eos" if steps.last in ends else "length", len(ids), cached, peak)

    def config(self, asked):
        """Everything that decides the next token, nothing from the model's files."""
        ends = asked["ends"]
        sampling = {"do_sample": False}
        if asked["temperature"] > 0:
            sampling = {
                "do_sample": True,
                "temperature": asked["temperature"],
                "top_k": asked["top_k"] or 0,
                "top_p": asked["top_p"] or 1.0,
            }
        return self.transformers.GenerationConfig(
            max_new_tokens=asked["max_tokens"],
            eos_token_id=ends or None,
            pad_token_id=ends[0] if ends else 0,
            num_beams=1,
            use_cache=True,
            **sampling,
        )


serve(Transformers)
