#!/usr/bin/env bash
# What is left when servers and planrun itself are killed, frozen and started again in the middle of a plan.
#
#     tests/benches/servers_killed.sh PLANRUN LLAMA_SERVER MODEL.gguf
#
# Prints each record's outcome, and what still runs afterwards. Three minutes or so on SmolLM2 135M.
set -euo pipefail
[ $# = 3 ] || { grep '^# ' "$0" >&2; exit 2; }
planrun=$(realpath "$1") server=$(realpath "$2") model=$(realpath "$3")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"

write_plan() {  # name, lines of [settings], the factor
  cat > "$1.toml" <<PLAN
[plan]
name = "$1"
question = "What is left when servers die?"
[settings]
model = "$model"
engine = "llama_cpp"
warmup = 0
temperature = 0.7
$2
[grid]
$3
[[workload]]
name = "timing"
prompt_tokens = 64
gen_tokens = 256
[schedule]
blocks = 1
timeout_s = 45
PLAN
}
measured() { ls .planrun/"$1"*/runs 2>/dev/null | wc -l; }
# The server that planrun started, once it computes; its guard has the same words behind its own name.
busy() {
  local pid
  while sleep 0.1; do
    pid=$(ps -eo pid,args | awk -v program="$server" '$2 == program { print $1; exit }')
    [ -n "$pid" ] && [ "$(ps -o cputimes= -p "$pid" || echo 0)" -ge 2 ] && { echo "$pid"; return; }
  done
}
until_runs() { while [ "$(measured "$1")" -lt "$2" ]; do sleep 0.1; done; }
outcomes() {
  python3 - .planrun/"$1"*/runs/*.json <<'PYTHON'
import json, sys
for path in sys.argv[1:]:
    outcome = json.load(open(path))["outcome"]
    print("  ", path.split("/")[-1], outcome["status"], outcome.get("error", "").split("\n")[0][:200])
PYTHON
}
left() {
  echo "   still running:"
  ps -eo pid,args | grep -E "($(basename "$server")|planrun) .*$home|$server" | grep -vE 'grep|servers_killed' || echo "   none"
}

echo "== a server killed (9), another frozen (STOP)"
write_plan killed "program = \"$server\"
threads = 1
context_length = 1024
seed = 1" 'prefill_chunk = [64, 256]'
"$planrun" run killed.toml --allow-exec --beside-servers > log 2>&1 & run=$!
until_runs killed 1; pid=$(busy); echo "   kill -9 $pid"; kill -9 "$pid"
until_runs killed 3; pid=$(busy); echo "   kill -STOP $pid"; kill -STOP "$pid"
wait $run && echo "   exit 0" || echo "   exit $?"
outcomes killed; left
"$planrun" run killed.toml --allow-exec --beside-servers --retry-failed > log 2>&1 && echo "   retried: exit 0" || echo "   retried: exit $?"
outcomes killed; left

echo "== planrun itself killed (9)"
rm -rf .planrun
"$planrun" run killed.toml --allow-exec --beside-servers > log 2>&1 & run=$!
until_runs killed 2; busy > /dev/null; kill -9 $run; wait $run || true; sleep 2; left
"$planrun" run killed.toml --allow-exec --beside-servers > log 2>&1 && echo "   the same command again: exit 0" || echo "   again: exit $?"
outcomes killed; left

echo "== an attached server killed, and started again 5 s later"
start() { "$server" -m "$model" --port 18471 -np 1 -t 1 -c 1024 > /dev/null 2>&1 & attached=$!; }
write_plan attached 'url = "http://127.0.0.1:18471"' 'seed = [1, 2]'
start; sleep 3
"$planrun" run attached.toml --beside-servers > log 2>&1 & run=$!
until_runs attached 2; kill -9 $attached; wait $attached 2> /dev/null || true; sleep 5; start
wait $run && echo "   exit 0" || echo "   exit $?"
grep waiting log || true
outcomes attached
kill $attached; wait $attached 2> /dev/null || true; left
