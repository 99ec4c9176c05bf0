//! The clauses by name.

use super::super::subject::Asking;
use super::{ends, prompts, state, words};

/// A name for reports, and what holds.
pub(crate) type Clause = (&'static str, fn(&mut Asking<'_>));

/// Of an engine that is started as every plan starts it.
pub(crate) const COLD: &[Clause] = &[
    ("a greedy reply repeats", words::greedy_replies_repeat),
    ("a seed decides a sampled reply", words::a_seed_decides),
    ("what decides a reply reaches the peer", words::sampling_reaches_the_peer),
    ("a thinking switch reaches the peer", words::thinking_reaches_the_peer),
    ("log-likelihoods are given or refused by name", words::likelihoods_are_given_or_refused),
    ("an ending and a limit are told apart", ends::ending_and_limit),
    ("a fixed length is kept or refused by name", ends::fixed_length),
    ("a full context is told", ends::full_context),
    ("a prompt goes as it was written", prompts::form),
    ("letters beyond ASCII go through unharmed", prompts::unicode),
    ("a text's tokens are those of the prompt, or are refused by name", prompts::tokens_of_a_text),
    ("a synthetic prompt has the length asked for", prompts::synthetic),
    ("a prompt that is too long is never cut in silence", prompts::too_long),
    ("a failed request leaves nothing behind", state::failures_leave_nothing_behind),
];

/// Of one whose prefix cache is to be warm.
pub(crate) const WARM: &[Clause] =
    &[("a prompt is taken from the cache and its reply is the same", state::warm)];

/// Of one that drafts tokens.
pub(crate) const DRAFTING: &[Clause] = &[("drafted tokens are counted", state::drafts)];
