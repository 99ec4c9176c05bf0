//! What decides a reply.

use super::super::subject::Asking;
use planrun::condition::Stated;
use planrun::engine::EngineError;
use planrun::generation::{Request, Sampling};

pub(crate) fn greedy_replies_repeat(asking: &mut Asking<'_>) {
    let request = asking.anything(if asking.traits.slow { 2 } else { 12 });
    let (one, other) = (asking.ask(&request), asking.ask(&request));
    assert_eq!((one.text, one.ids, one.tokens, one.stop), (other.text, other.ids, other.tokens, other.stop));
}

/// A request that uses every setting of the sampler that the engine has.
fn sampled(asking: &Asking<'_>) -> Request {
    let has = |setting: &str| asking.traits.able.sampling.contains(&setting);
    let sampling = Sampling {
        temperature: 0.75,
        top_k: has("top_k").then_some(40),
        top_p: has("top_p").then_some(0.875),
        seed: 11,
    };
    Request { sampling, ..asking.anything(if asking.traits.slow { 1 } else { 9 }) }
}

pub(crate) fn a_seed_decides(asking: &mut Asking<'_>) {
    if !asking.traits.able.sampling.contains(&"seed") {
        return;
    }
    let request = sampled(asking);
    let (one, other) = (asking.ask(&request), asking.ask(&request));
    assert_eq!((one.text, one.tokens), (other.text, other.tokens), "the same seed draws the same reply");
}

pub(crate) fn sampling_reaches_the_peer(asking: &mut Asking<'_>) {
    if !asking.is_scripted() {
        return;
    }
    let ignore_eos = asking.traits.able.sampling.contains(&"ignore_eos");
    let request = Request { ignore_eos, max_tokens: 7, ..sampled(asking) };
    asking.ask(&request);
    let heard = asking.heard().unwrap();
    let sampling = &request.sampling;
    assert_eq!(
        (heard.max_tokens, heard.temperature, heard.top_k, heard.top_p, heard.seed, heard.ignore_eos),
        (7, sampling.temperature, sampling.top_k, sampling.top_p, sampling.seed, ignore_eos)
    );
}

pub(crate) fn thinking_reaches_the_peer(asking: &mut Asking<'_>) {
    if !asking.engine.has_thinking_switch() {
        return;
    }
    let mut read = Vec::new();
    for thinking in [true, false] {
        let prompt = asking.rendered_with("Hi", Stated::Set(thinking));
        let rendered_there = prompt.chat.is_some();
        let request = Request { prompt, ..asking.question(1) };
        asking.ask(&request);
        let heard = asking.heard();
        if let Some(heard) = heard.as_ref().filter(|_| rendered_there) {
            assert_eq!(heard.thinking, Some(thinking), "the switch of the peer's own template");
        }
        read.push(heard.map_or(request.prompt.text, |heard| heard.read));
    }
    assert_ne!(read[0], read[1], "both positions of the switch write the same prompt");
}

pub(crate) fn likelihoods_are_given_or_refused(asking: &mut Asking<'_>) {
    let prompt = asking.rendered("Yes or no?");
    let read = asking.engine.log_likelihoods(&prompt, &["yes".to_owned(), "no".to_owned()]);
    if asking.traits.able.log_likelihoods {
        let read = read.unwrap();
        assert_eq!(read.continuations.len(), 2);
        for continuation in read.continuations {
            let sum = continuation.log_likelihood();
            assert!(!continuation.tokens.is_empty() && sum.is_finite() && sum < 0.0, "{continuation:?}");
        }
        return;
    }
    match read {
        Err(EngineError::Unsupported { field: "scorer", remedy, .. }) => assert!(!remedy.is_empty()),
        other => panic!("it must say that it has none: {other:?}"),
    }
}
