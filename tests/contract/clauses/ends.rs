//! How replies end.

use super::super::subject::Asking;
use planrun::engine::EngineError;
use planrun::generation::{Request, StopReason};

/// The same reply, once let to its end, once with room for that very end, once cut one token before it.
pub(crate) fn ending_and_limit(asking: &mut Asking<'_>) {
    let most = asking.traits.question.1;
    let ended = asking.ask(&asking.question(most));
    assert_eq!(ended.stop, StopReason::Eos, "{:?} does not end within {most} tokens", ended.text);
    let tokens = ended.tokens.unwrap();
    assert!(tokens > 1, "the ending token counts, and something was said: {:?}", ended.text);
    if asking.traits.slow {
        return;
    }
    let just = asking.ask(&asking.question(tokens));
    assert_eq!((just.stop, &just.text), (StopReason::Eos, &ended.text), "the ending token still fits");
    let cut = asking.ask(&asking.question(tokens - 1));
    assert_eq!((cut.stop, cut.tokens), (StopReason::Length, Some(tokens - 1)), "cut before its end");
    assert_eq!(cut.text, ended.text, "without the ending token everything was said");
}

/// A reply that would end goes on to the very token, or the engine says that it cannot.
pub(crate) fn fixed_length(asking: &mut Asking<'_>) {
    let (_, most) = asking.traits.question;
    let length = most + if asking.traits.slow { 1 } else { 10 };
    let request = Request { ignore_eos: true, ..asking.question(length) };
    if asking.traits.able.sampling.contains(&"ignore_eos") {
        let reply = asking.ask(&request);
        assert_eq!((reply.stop, reply.tokens), (StopReason::Length, Some(length)));
        return;
    }
    match asking.try_to_ask(&request) {
        Err(EngineError::Unsupported { field: "ignore_eos", remedy, .. }) => assert!(!remedy.is_empty()),
        other => panic!("it must say that it cannot honour `ignore_eos`: {other:?}"),
    }
}

/// Longest context that is filled: a longer one would take minutes.
const FILLED: u32 = 512;

/// A reply for which the context has no room left says so.
pub(crate) fn full_context(asking: &mut Asking<'_>) {
    let Some(context) = asking.traits.context.filter(|context| *context <= FILLED) else { return };
    if !asking.traits.able.sampling.contains(&"ignore_eos") {
        return;
    }
    let reply = asking.ask(&Request { ignore_eos: true, ..asking.question(2 * context) });
    assert_eq!(reply.stop, StopReason::Context, "{:?} tokens with a context of {context}", reply.tokens);
    // The last token is chosen and need not be read.
    let together = reply.prompt_tokens.unwrap() + reply.tokens.unwrap();
    assert!((context..=context + 1).contains(&together), "{together} tokens in a context of {context}");
}
