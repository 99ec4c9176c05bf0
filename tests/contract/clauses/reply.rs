//! What holds for every reply.

use super::super::subject::{Start, Traits};
use planrun::generation::{Generation, Request, StopReason};

/// Holds a reply to what is demanded of each.
pub(crate) fn check_reply(reply: &Generation, request: &Request, traits: &Traits, start: Start) {
    shows_what_the_table_promises(reply, traits);
    counts(reply, request);
    times(reply);
    cache(reply, start);
    let spoken = reply.stop != StopReason::Eos || !reply.text.ends_with("<|im_end|>");
    assert!(spoken, "the end of the turn stands in the text: {:?}", reply.text);
    if let Some(counts) = reply.speculation {
        assert!(start == Start::Drafting, "drafts are counted where nothing was to be drafted: {counts:?}");
        assert!(counts.accepted <= counts.drafted, "{counts:?}");
    }
}

fn shows_what_the_table_promises(reply: &Generation, traits: &Traits) {
    let able = &traits.able;
    assert_eq!(reply.ids.is_some(), able.ids, "the ids of a reply are shown, and the table says otherwise");
    assert_eq!(
        reply.cached_tokens.is_some(),
        able.cached_tokens,
        "cached tokens are told, and the table says otherwise"
    );
}

/// The ending token counts, and a limit is kept to the token.
fn counts(reply: &Generation, request: &Request) {
    let tokens = reply.tokens.expect("tokens are counted");
    assert!(
        (1..=request.max_tokens).contains(&tokens),
        "{tokens} tokens, and {} asked for",
        request.max_tokens
    );
    if reply.stop == StopReason::Length {
        assert_eq!(tokens, request.max_tokens, "a reply that its limit ended has another length");
    }
    if let Some(ids) = &reply.ids {
        assert_eq!(ids.len() as u32, tokens, "as many ids as tokens");
    }
    let read = reply.prompt_tokens.expect("the tokens of the prompt are counted");
    match &request.prompt.ids {
        Some(written) => assert_eq!(read as usize, written.len(), "tokens of the prompt that was written"),
        None => assert!(read > 0, "the prompt has tokens"),
    }
}

/// Deliveries come one after the other, and bring all tokens where each one's are known.
fn times(reply: &Generation) {
    let times = &reply.times;
    let first = times.deliveries.first().expect("something was delivered");
    assert!(first.at >= 0.0 && first.at.is_finite(), "{first:?} comes before the request");
    let in_order = times.deliveries.windows(2).all(|pair| pair[0].at <= pair[1].at);
    assert!(in_order, "deliveries are out of order: {:?}", times.deliveries);
    let brought: Option<u32> = times.deliveries.iter().map(|delivery| delivery.tokens).sum();
    assert!(
        brought.is_none() || brought == reply.tokens,
        "{brought:?} tokens were brought, {:?} counted",
        reply.tokens
    );
    assert!(times.first_answer.is_none_or(|at| at < times.deliveries.len()), "{:?}", times.first_answer);
    assert!(times.prefill.is_none_or(|seconds| seconds > 0.0), "prefill of {:?}", times.prefill);
    if let Some(compute) = times.compute {
        assert!(
            compute.seconds >= 0.0 && reply.tokens.is_some_and(|tokens| compute.steps < tokens),
            "{compute:?}"
        );
    }
}

fn cache(reply: &Generation, start: Start) {
    let Some(cached) = reply.cached_tokens else { return };
    if start == Start::Warm {
        assert!(Some(cached) < reply.prompt_tokens, "one token at least is always read");
    } else {
        assert_eq!(cached, 0, "a cold request was served from a cache");
    }
}
