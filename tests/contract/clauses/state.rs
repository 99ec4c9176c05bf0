//! What one request leaves to the next.

use super::super::peers::MISHAP;
use super::super::subject::{Asking, GREEDY};
use planrun::generation::Request;

/// After a prompt that is too long, and on peers that can after a mishap in mid-reply.
pub(crate) fn failures_leave_nothing_behind(asking: &mut Asking<'_>) {
    let long = asking.traits.context.map(|context| asking.engine.synthetic_prompt(context + 40, 4).unwrap());
    let mishap = asking.is_scripted().then(|| asking.rendered(&format!("What now{MISHAP}")));
    let good = asking.anything(2);
    let mut before = None;
    for prompt in long.into_iter().chain(mishap) {
        let earlier = before.unwrap_or_else(|| asking.ask(&good));
        let bad = Request { prompt, max_tokens: 3, sampling: GREEDY, ignore_eos: false };
        let error = asking.try_to_ask(&bad).expect_err("this request fails");
        assert!(!error.to_string().is_empty());
        let after = asking.ask(&good);
        assert_eq!((&after.text, after.tokens, after.stop), (&earlier.text, earlier.tokens, earlier.stop));
        before = Some(after);
    }
}

pub(crate) fn warm(asking: &mut Asking<'_>) {
    let request = asking.anything(if asking.traits.slow { 2 } else { 8 });
    let (cold, warm) = (asking.ask(&request), asking.ask(&request));
    assert_eq!((&cold.text, cold.tokens), (&warm.text, warm.tokens), "the cache changes no token");
    if asking.traits.able.cached_tokens {
        // A server that ran before may hold the beginning of every prompt.
        assert!(warm.cached_tokens > cold.cached_tokens, "the very same prompt is in the cache");
    }
}

/// Counts are shown where something was drafted. A model on its own repeats itself sooner or later.
pub(crate) fn drafts(asking: &mut Asking<'_>) {
    let (_, most) = asking.traits.question;
    let mut request = asking.question(most + 90);
    request.ignore_eos = true;
    let reply = asking.ask(&request);
    assert_eq!(
        reply.speculation.is_some(),
        asking.traits.able.speculation_counts,
        "drafted tokens are counted, and the table says otherwise: {:?}",
        reply.text
    );
}
