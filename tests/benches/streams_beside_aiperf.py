"""How exactly aiperf times streams, on the very server of `planrun selftest --streams`: the same rows, for the same moments.

    pip install aiperf==0.13.0
    python3 tests/benches/streams_beside_aiperf.py target/release/planrun aiperf TOKENIZER_FOLDER [STREAMS ...]

aiperf needs a tokenizer's folder, and counts with the server's numbers. Errors are absolute: of the time to the first token against
when the server sent it, of each gap between chunks against the gap between the server's sendings. The processor time is that of all
processes of aiperf, its start included; the last column leaves the start out by the time of a run of one stream and one token.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

RATES = [20, 200, 2000]
SECONDS = 2
AT_LEAST = 100


def quantile(values, share):
    values = sorted(values)
    return values[round((len(values) - 1) * share)] if values else float("nan")


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(planrun, aiperf, tokenizer, streams, rate, requests, tokens):
    """Errors in milliseconds (first token, gaps), tokens seen, and processor seconds of aiperf."""
    with tempfile.TemporaryDirectory() as folder:
        truth, prompts = os.path.join(folder, "truth.jsonl"), os.path.join(folder, "prompts.jsonl")
        with open(prompts, "w") as file:
            for index in range(requests):
                file.write(json.dumps({"text": f"stream {index}"}) + "\n")
        server = subprocess.Popen(
            [planrun, "stream-server", "--rate", str(rate), "--truth", truth],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        url = server.stdout.readline().strip()
        before = children()
        subprocess.run(
            [
                aiperf, "profile", "--model", "steady", "--url", url, "--endpoint-type", "chat", "--streaming",
                "--concurrency", str(streams), "--request-count", str(requests), "--input-file", prompts,
                "--custom-dataset-type", "single_turn", "--tokenizer", tokenizer, "--use-server-token-count",
                "--use-legacy-max-tokens", "--extra-inputs", f"max_tokens:{tokens}", "--ui", "none",
                "--artifact-dir", os.path.join(folder, "out"),
            ],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        cpu = children() - before
        server.stdin.close()
        server.wait()
        sent = {line["request_id"]: line for line in map(json.loads, open(truth))}
        first, gaps, seen = [], [], 0
        for line in map(json.loads, open(os.path.join(folder, "out", "profile_export.jsonl"))):
            told = sent.get(line["metadata"]["x_request_id"])
            metrics = line["metrics"]
            chunks = metrics["inter_chunk_latency"]["value"]
            if told is None or len(chunks) != len(told["sent"]) - 1:
                continue
            times = told["sent"]
            first.append(abs(metrics["time_to_first_token"]["value"] - 1e3 * (times[0] - told["received"])))
            gaps += [abs(chunk - 1e3 * (two - one)) for chunk, one, two in zip(chunks, times, times[1:])]
            seen += len(times)
        late = 1e3 * max(line["late"] for line in sent.values())
        return first, gaps, seen, cpu, late, requests - len(first)


def main():
    planrun, aiperf, tokenizer = sys.argv[1:4]
    start = measure(planrun, aiperf, tokenizer, 1, 20, 1, 2)[3]
    print("streams  tok/s each  TTFT error p50  p99 (ms)  ITL error p50  p99 (ms)  CPU a token (us)  without start  "
          "server late by (ms)  unmatched")
    for streams in map(int, sys.argv[4:] or ["1", "10", "64", "256"]):
        for rate in RATES:
            requests = streams * -(-AT_LEAST // streams)
            tokens = rate * SECONDS // (10 if streams < 10 else 1)
            first, gaps, seen, cpu, late, lost = measure(
                planrun, aiperf, tokenizer, streams, rate, requests, tokens
            )
            each = 1e6 / max(seen, 1)
            print(
                f"{streams:>7}  {rate:>10}  {quantile(first, 0.5):>14.3f}  {quantile(first, 0.99):>8.3f}  "
                f"{quantile(gaps, 0.5):>13.3f}  {quantile(gaps, 0.99):>8.3f}  {cpu * each:>16.1f}  "
                f"{max(cpu - start, 0) * each:>13.1f}  {late:>19.1f}  {lost:>9}",
                flush=True,
            )


main()
