//! Replies that are none: each fails by name, and nothing of it is measured. The table of all cases: `docs/accounting.md`.

use crate::support::asking::{
    answered, apart, ask, event, finish, says, send, server, settings, streamed, usage,
};
use crate::support::scripted_server::{Act, Answer, Framing};
use planrun::abilities::EngineKind;
use serde_json::json;
use std::path::Path;

fn assert_fails(acts: Vec<Act>, words: &[&str]) {
    let error = streamed(acts).unwrap_err();
    for word in words {
        assert!(error.contains(word), "`{word}` is missing in: {error}");
    }
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_told_in_the_servers_words() {
    let error = event(&json!({ "error": { "message": "out of blocks", "code": 500 } }));
    assert_fails(apart(vec![says("one"), error]), &["an error in the middle of its answer: out of blocks"]);
}

#[test]
fn a_connection_that_is_cut_is_no_short_answer() {
    assert_fails(
        apart(vec![says("one"), says(" two"), Act::Cut]),
        &["the connection was cut after", "bytes of the answer"],
    );
    let plain = Answer { framing: Framing::Http10, ..Answer::events(apart(vec![says("one"), Act::Cut])) };
    let error = answered(plain).unwrap_err();
    assert!(error.contains("never said why the reply ended"), "{error}");
}

#[test]
fn a_stream_that_ends_without_a_reason_was_cut() {
    assert_fails(apart(vec![says("one"), send("data: [DONE]\n\n")]), &["it never said why the reply ended"]);
}

#[test]
fn a_connection_that_is_cut_after_the_whole_reply_does_no_harm() {
    let told = streamed(apart(vec![says("one"), finish("length"), usage(5, 1), Act::Cut])).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.reply_tokens), ("one", Some(1)));
}

#[test]
fn a_server_that_never_stops_is_left() {
    // Eight tokens were asked for.
    assert_fails(
        (0..3000).map(|_| says("a")).collect(),
        &["goes on after 1153 pieces, although 8 tokens were to come"],
    );
}

#[test]
fn a_reason_that_is_no_end_is_told() {
    for (reason, words) in
        [("content_filter", "filter ended the reply"), ("abort", "`abort`, which is no end")]
    {
        assert_fails(apart(vec![says("one"), finish(reason)]), &[words]);
    }
}

#[test]
fn an_event_that_is_no_json_is_shown() {
    assert_fails(apart(vec![says("one"), send("data: {oops\n\n")]), &["is no JSON", "{oops"]);
}

#[test]
fn a_page_is_no_stream() {
    let error = answered(Answer::whole(200, "text/html", "<html>Sign in</html>")).unwrap_err();
    assert!(error.contains("the answer is `text/html`: <html>Sign in</html>"), "{error}");
}

#[test]
fn another_media_type_is_no_stream() {
    let plain =
        Answer { headers: vec![("Content-Type", "text/plain".into())], ..Answer::events(vec![says("one")]) };
    let error = answered(plain).unwrap_err();
    assert!(error.contains("a stream of events was asked for, and the answer is `text/plain`"), "{error}");
}

#[test]
fn a_server_that_limits_is_told_with_its_wait_and_not_asked_again() {
    for (status, remedy) in [(429, "raise the limit"), (503, "busy or still loading")] {
        let refusal = move || {
            let body = json!({ "error": { "message": "slow down" } }).to_string();
            Answer::whole(status, "application/json", &body).with_header("Retry-After", "7")
        };
        let server = server(move |_| refusal());
        let error = ask(&settings(EngineKind::Openai, &server.url()), Path::new(".")).unwrap_err();
        for words in
            [&format!("status {status} (ask again after 7 s): slow down"), remedy, "nothing was asked again"]
        {
            assert!(error.contains(words), "`{words}` is missing in: {error}");
        }
        assert_eq!(server.bodies("/v1/chat/completions").len(), 1);
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let away = Answer::whole(307, "text/plain", "").with_header("Location", "http://elsewhere.example/v1");
    let error = answered(away).unwrap_err();
    assert!(error.contains("sends on to http://elsewhere.example/v1"), "{error}");
    assert!(error.contains("set `url`"), "{error}");
}

#[test]
fn nobody_at_the_address_is_told_before_anything_is_asked() {
    let error = ask(&settings(EngineKind::Openai, "http://127.0.0.1:1"), Path::new(".")).unwrap_err();
    assert!(error.contains("http://127.0.0.1:1/v1/models: no answer"), "{error}");
}
