//! What counts as a delivery, and how many tokens it carried. The table of all cases: `docs/accounting.md`.

use crate::support::asking::{answered, apart, delta, done, event, finish, says, send, streamed, usage};
use crate::support::scripted_server::{Act, Answer, Framing};
use planrun::generation::StopReason;
use serde_json::{Value, json};

const RATES: &[&str] = &["ttft", "itl", "icl", "decode_tok_s", "full_reply_s"];

/// Three tokens, one a piece, cut off by the limit; `before` comes first.
fn three(before: Vec<Act>) -> Vec<Act> {
    let tokens = vec![says("one"), says(" two"), says(" three"), finish("length"), usage(5, 3), done()];
    apart(before.into_iter().chain(tokens).collect())
}

fn role() -> Act {
    event(&delta(&json!({ "role": "assistant", "content": "" })))
}

#[test]
fn a_chunk_with_only_a_role_is_no_token() {
    let told = streamed(three(vec![role(), Act::Wait(crate::support::asking::GAP)])).unwrap();
    assert_eq!(told.item.text, "one two three");
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), Some(2)));
    let without = told.item.full_s.unwrap() - told.item.decode_s.unwrap();
    assert!((told.item.ttft_s.unwrap() - without).abs() < 1e-9, "decoding starts with the first token");
    assert_eq!(told.measured(RATES), ["ttft", "itl", "decode_tok_s", "full_reply_s"]);
}

#[test]
fn empty_deltas_and_content_that_is_null_are_no_tokens() {
    let nothing: Vec<Value> = vec![
        json!({}),
        json!({ "content": "" }),
        json!({ "content": null }),
        json!({ "role": "assistant", "content": null }),
    ];
    let told = streamed(three(nothing.iter().map(|nothing| event(&delta(nothing))).collect())).unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), Some(2)));
    assert_eq!(told.measured(&["itl", "icl"]), ["itl"]);
}

#[test]
fn comments_that_keep_a_connection_alive_are_no_tokens() {
    let comments = vec![send(": keepalive 4/5\n\n"), send(": keepalive 5/5\n\n"), send(":\n\n")];
    let told = streamed(three(comments)).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.decode_tokens), ("one two three", Some(2)));
}

#[test]
fn an_answer_in_http_1_0_ends_with_its_connection() {
    let told = answered(Answer { framing: Framing::Http10, ..Answer::events(three(Vec::new())) }).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.reply_tokens), ("one two three", Some(3)));
    assert_eq!(told.measured(RATES), ["ttft", "itl", "decode_tok_s", "full_reply_s"]);
}

#[test]
fn chunks_of_several_tokens_have_an_interval_between_chunks_and_no_rate() {
    let told =
        streamed(apart(vec![says("one two"), says(" three four"), finish("length"), usage(5, 4), done()]));
    let told = told.unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(4), None));
    assert_eq!(told.measured(RATES), ["ttft", "icl", "full_reply_s"]);
    assert!(told.metric("chars_per_s").is_some());
}

#[test]
fn pieces_of_one_read_are_one_delivery_of_several_tokens() {
    let two: Vec<u8> = [says("one"), says(" two")]
        .into_iter()
        .flat_map(|act| if let Act::Send(bytes) = act { bytes } else { Vec::new() })
        .collect();
    let told =
        streamed(apart(vec![send(two), says(" three"), finish("length"), usage(5, 3), done()])).unwrap();
    // Two tokens in the first delivery were not decoded after it.
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), Some(1)));
    assert_eq!(told.measured(RATES), ["ttft", "icl", "decode_tok_s", "full_reply_s"]);
}

#[test]
fn the_end_of_the_turn_is_a_token_that_arrives_with_the_message_that_says_so() {
    let told = streamed(apart(vec![says("one"), says(" two"), finish("stop"), usage(5, 3), done()])).unwrap();
    assert_eq!(told.item.stop, Some(StopReason::Eos));
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), Some(2)));
    assert_eq!(told.measured(&["itl", "decode_tok_s"]), ["itl", "decode_tok_s"]);
}

#[test]
fn a_reply_that_the_limit_cut_off_has_no_such_token() {
    let told =
        streamed(apart(vec![says("one"), says(" two"), finish("length"), usage(5, 3), done()])).unwrap();
    assert_eq!((told.item.stop, told.item.decode_tokens), (Some(StopReason::Context), None));
    assert_eq!(told.measured(&["itl", "icl"]), ["icl"]);
}

#[test]
fn a_tool_call_is_a_delivery_and_its_pieces_are_not_taken_for_tokens() {
    let call = |part: &Value| event(&delta(&json!({ "tool_calls": [{ "index": 0, "function": part }] })));
    let parts = [json!({ "name": "find" }), json!({ "arguments": "{\"q\":" }), json!({ "arguments": "1}" })];
    let mut acts: Vec<Act> = vec![role()];
    acts.extend(parts.iter().map(call));
    acts.extend([finish("tool_calls"), usage(5, 3), done()]);
    let told = streamed(apart(acts)).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.stop), ("find{\"q\":1}", Some(StopReason::Eos)));
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), None));
    assert_eq!(told.measured(RATES), ["ttft", "icl", "full_reply_s"]);
}

#[test]
fn a_reply_of_one_delivery_has_no_rate() {
    let told = streamed(apart(vec![says("one"), finish("length"), usage(5, 1), done()])).unwrap();
    assert_eq!(told.measured(RATES), ["ttft", "full_reply_s"]);
}

#[test]
fn a_reply_without_any_token_has_no_time_to_its_first() {
    let told = streamed(apart(vec![role(), finish("stop"), usage(5, 1), done()])).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.ttft_s, told.item.reply_tokens), ("", None, Some(1)));
    assert_eq!(told.measured(RATES), Vec::<&str>::new());
}

#[test]
fn a_slow_drip_of_bytes_is_stamped_when_a_piece_is_whole() {
    let Act::Send(first) = says("one") else { unreachable!() };
    let drip = first.chunks(9).map(send);
    let rest = [says(" two"), finish("length"), usage(5, 2), done()];
    let told = streamed(apart(drip.chain(rest).collect())).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.decode_tokens), ("one two", Some(1)));
    assert!(told.item.ttft_s.unwrap() > told.item.decode_s.unwrap(), "a dozen gaps before, one after");
}
