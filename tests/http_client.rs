//! The HTTP client: what it sends, and how it fails.

use crate::support::scripted_server::{Act, Answer, ScriptedServer};
use planrun::engine::http::{Client, Events, HttpError, Secret};
use planrun::generation::Stopwatch;
use serde_json::json;

fn client(server: &ScriptedServer) -> Client {
    Client::new(&server.url(), None)
}

#[test]
fn nothing_is_packed_and_nothing_is_asked_twice() {
    let server = ScriptedServer::new(|_| Answer::json(&json!({ "a": 1 })));
    assert_eq!(client(&server).get("/x").unwrap(), json!({ "a": 1 }));
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].method.as_str(), asked[0].header("accept-encoding")), ("GET", Some("identity")));
    assert_eq!(asked[0].header("authorization"), None);
}

#[test]
fn lines_carry_the_time_of_the_read_that_completed_them() {
    let acts = vec![
        Act::Send(b"a".to_vec()),
        Act::Wait(crate::support::asking::GAP),
        Act::Send(b"b\nc".to_vec()),
        Act::Wait(crate::support::asking::GAP),
        Act::Send(b"d".to_vec()),
    ];
    let server = ScriptedServer::new(move |_| Answer::events(acts.clone()));
    let mut lines = client(&server).stream("/x", &json!({}), &Stopwatch::real()).unwrap();
    let first = lines.next_line().unwrap().unwrap();
    let last = lines.next_line().unwrap().unwrap();
    assert_eq!((first.text.as_str(), last.text.as_str()), ("ab", "cd"));
    assert!(0.0 < first.at && first.at < last.at);
    assert_eq!(lines.next_line().unwrap(), None);
}

#[test]
fn an_answer_that_is_no_json_is_shown() {
    let server = ScriptedServer::new(|_| Answer::whole(200, "text/html", "<html>hello</html>"));
    let error = client(&server).get("/x").unwrap_err().to_string();
    assert!(error.contains("/x: the answer is no JSON") && error.contains("<html>hello</html>"), "{error}");
}

#[test]
fn each_status_has_a_remedy() {
    for (status, remedy) in [
        (401, "`api_key`"),
        (403, "`api_key`"),
        (404, "check `url`"),
        (413, "shorten the prompt"),
        (422, "take out of the plan"),
        (429, "raise the limit"),
        (500, "the server's own log"),
        (503, "wait until it is ready"),
    ] {
        let server =
            ScriptedServer::new(move |_| Answer::whole(status, "application/json", "{\"detail\": \"no\"}"));
        let error = client(&server).get("/x").unwrap_err();
        assert!(matches!(&error, HttpError::Status { message, .. } if message == "no"), "{error}");
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[test]
fn an_answer_that_is_no_http_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"+OK POP3 ready\r\n\r\n");
    });
    let error = Client::new(&url, None).get("/x").unwrap_err().to_string();
    thread.join().unwrap();
    assert!(error.contains(&url), "{error}");
}

#[test]
fn no_error_repeats_a_key_that_a_server_says_back() {
    // A variable that every test process has, in place of one that holds a key.
    let key = Secret::from_environment("CARGO_MANIFEST_DIR").unwrap();
    let value = env!("CARGO_MANIFEST_DIR");
    let hidden = |error: &HttpError| {
        let error = error.to_string();
        assert!(error.contains("[key]") && !error.contains(value) && !error.contains(&value[..8]), "{error}");
    };
    // Placed so that what is shown of the text would end within the key.
    let padded = |shown: usize| format!("{}{value}", "x".repeat(shown - 8));
    let answers = [
        (200, "text/html", format!("no json: {value}")),
        (200, "text/html", padded(600)),
        (500, "text/html", padded(600)),
    ];
    for (status, kind, body) in answers {
        let server = ScriptedServer::new(move |_| Answer::whole(status, kind, &body));
        hidden(&Client::new(&server.url(), Some(key.clone())).get("/x").unwrap_err());
    }
    for (kind, body) in [
        ("text/html", padded(200)),
        ("text/event-stream", format!("data: {}\n\n", padded(200))),
        ("text/event-stream", format!("data: {{\"error\": {{\"message\": \"bad {value}\"}}}}\n\n")),
    ] {
        let server = ScriptedServer::new(move |_| Answer::whole(200, kind, &body));
        let client = Client::new(&server.url(), Some(key.clone()));
        let lines = client.stream("/x", &json!({}), &Stopwatch::real()).unwrap();
        hidden(&Events::of(lines).and_then(|mut events| events.next_event()).unwrap_err());
    }
}

#[test]
fn a_key_that_a_server_says_in_an_honest_reply_is_hidden_too() {
    let value = env!("CARGO_MANIFEST_DIR");
    let key = Secret::from_environment("CARGO_MANIFEST_DIR").unwrap();
    let body = json!({ "model": format!("served for {value}") }).to_string();
    let whole = body.clone();
    let server = ScriptedServer::new(move |_| Answer::whole(200, "application/json", &whole));
    let told = Client::new(&server.url(), Some(key.clone())).get("/x").unwrap();
    assert_eq!(told["model"], "served for [key]");
    let server =
        ScriptedServer::new(move |_| Answer::whole(200, "text/event-stream", &format!("data: {body}\n\n")));
    let client = Client::new(&server.url(), Some(key));
    let lines = client.stream("/x", &json!({}), &Stopwatch::real()).unwrap();
    let event = Events::of(lines).unwrap().next_event().unwrap().unwrap();
    assert_eq!(event.data["model"], "served for [key]");
}
