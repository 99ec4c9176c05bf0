//! The counts and times at the end of `llama-completion`'s standard error:
//!
//! ```text
//! prompt eval time =     192.28 ms /    15 tokens (   12.82 ms per token,    78.01 tokens per second)
//!        eval time =     180.55 ms /     8 runs   (   22.57 ms per token,    44.31 tokens per second)
//! ```
//!
//! <https://github.com/ggml-org/llama.cpp/blob/master/src/llama-context.cpp>, `llama_context::perf_get_data`: a count of 0 is
//! written as 1, with a time of 0.

use crate::generation::Compute;

/// What the program counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Perf {
    /// Prompt tokens.
    pub(super) prompt_tokens: u32,
    /// Seconds for reading them.
    pub(super) prefill: f64,
    /// Forward passes after that: one fewer than the tokens of the reply.
    pub(super) compute: Compute,
}

impl Perf {
    /// Reads the last such lines; `None` where there are none.
    pub(super) fn read(words: &str) -> Option<Self> {
        let prompt = |line: &&str| line.contains("prompt eval time =");
        let (prefill, prompt_tokens) = numbers(words.lines().rev().find(prompt)?)?;
        let (seconds, runs) =
            numbers(words.lines().rev().find(|line| line.contains(" eval time =") && !prompt(line))?)?;
        let steps = if seconds > 0.0 { runs } else { 0 };
        Some(Self { prompt_tokens, prefill, compute: Compute { steps, seconds } })
    }

    /// Tokens of the reply, the end of the turn included: the first one came out of the prompt's own pass.
    pub(super) fn tokens(&self) -> u32 {
        self.compute.steps + 1
    }
}

/// `... = 192.28 ms / 15 ...`: seconds and count.
fn numbers(line: &str) -> Option<(f64, u32)> {
    let mut words = line.split_once('=')?.1.split_whitespace();
    let milliseconds: f64 = words.next()?.parse().ok()?;
    let count = words.nth(2)?.parse().ok()?;
    Some((milliseconds / 1000.0, count))
}

#[cfg(test)]
mod tests {
    use super::Perf;

    const SAID: &str = "0.01.638 I common_perf_print: prompt eval time =     192.28 ms /    15 tokens (   12.82 ms per token)\n\
        0.01.638 I common_perf_print:        eval time =     180.55 ms /     8 runs   (   22.57 ms per token)\n\
        0.01.638 I common_perf_print:       total time =     376.99 ms /    23 tokens\n";

    #[test]
    fn counts_and_times_are_read() {
        let perf = Perf::read(SAID).unwrap();
        assert_eq!((perf.prompt_tokens, perf.tokens(), perf.compute.steps), (15, 9, 8));
        assert!((perf.prefill - 0.19228).abs() < 1e-9 && (perf.compute.seconds - 0.18055).abs() < 1e-9);
    }

    #[test]
    fn a_reply_of_one_token_is_written_as_one_pass_in_no_time() {
        let one = SAID.replace("180.55 ms /     8 runs", "0.00 ms /     1 runs");
        assert_eq!(Perf::read(&one).unwrap().tokens(), 1);
    }

    #[test]
    fn without_these_lines_nothing_is_counted() {
        assert_eq!(Perf::read("error: failed to load model\n"), None);
        assert_eq!(Perf::read("prompt eval time = soon\n eval time = later"), None);
    }
}
