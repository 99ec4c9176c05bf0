"""The half of a worker that all have: lines of JSON, one for each token, whatever libraries print meanwhile.

`asked`, the pipe that requests come from, is given by the line that starts this program; the half that computes follows
below and ends with `serve(...)`. What the lines say stands in `protocol.rs`.
"""

import hashlib
import json
import os
import platform
import sys
import time
import traceback
from importlib import metadata


def private_output():
    """The pipe to planrun, kept from everybody else: what libraries print to standard output goes to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return pipe


class Teller:
    """Writes lines, each in one piece and at once."""

    def __init__(self, pipe):
        self.pipe = pipe

    def say(self, kind, **words):
        self.write(json.dumps({"kind": kind, **words}))

    def write(self, line):
        rest = line.encode() + b"\n"
        while rest:
            rest = rest[os.write(self.pipe, rest) :]


class Reply:
    """The tokens of one reply, told as they come; seconds run from its making."""

    def __init__(self, teller):
        self.teller = teller
        self.start = time.perf_counter()
        self.count = 0

    def token(self, id):
        at = time.perf_counter() - self.start
        self.count += 1
        self.teller.write(f'{{"kind": "token", "ids": [{id}], "at": {at:.9f}}}')

    def end(self, stop, prompt_tokens, cached_tokens, peak_memory_mib):
        if self.count == 0:
            raise RuntimeError("the model gave no token")
        self.teller.say(
            "end",
            stop=stop,
            tokens=self.count,
            prompt_tokens=prompt_tokens,
            cached_tokens=cached_tokens,
            peak_memory_mib=peak_memory_mib,
        )


def installed(names):
    """Names and versions of those packages that are here, and a digest of their files that does not depend on where they
    lie: of the hashes that the installer wrote down."""
    packages, lines = [], []
    for name in names:
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        packages.append([name, found.version])
        # A package outside its place (`../../bin/...`) is a starter, with the interpreter's path in it.
        record = (found.read_text("RECORD") or "").splitlines()
        hashed = [line for line in record if ",sha256=" in line and not line.startswith("..")]
        lines += sorted(line for line in hashed if ".dist-info/" not in line)
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else None
    return packages, digest


def failure(error):
    """What went wrong, as a line of its own kind."""
    words = f"{type(error).__name__}: {error}".strip()
    lowered = words.lower()
    short = ("out of memory", "can't allocate memory", "unable to allocate", "bad_alloc", "failed to allocate")
    if isinstance(error, ImportError):
        return {"cause": "module", "module": error.name, "message": str(error)}
    if isinstance(error, MemoryError) or any(words in lowered for words in short):
        return {"cause": "memory", "message": words}
    return {"cause": "exception", "message": words}


def serve(backend):
    """Opens the model that the first line names, and answers one request after the other until the pipe is closed."""
    teller = Teller(private_output())
    teller.write("")  # ends a line that somebody may have begun before the pipe was private
    try:
        model = backend(json.loads(asked.readline()))
        executable = os.path.realpath(sys.executable) if sys.executable else None
        teller.say("ready", python=platform.python_version(), executable=executable, **model.ready)
    except BaseException as error:
        traceback.print_exc()
        teller.say("error", **failure(error))
        return
    for line in asked:
        try:
            model.answer(json.loads(line), Reply(teller))
        except Exception as error:
            traceback.print_exc()
            teller.say("error", **failure(error))
