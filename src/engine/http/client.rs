//! Requests to one server.

use super::error::HttpError;
use super::lines::Lines;
use super::secret::Secret;
use super::under_way::UnderWay;
use crate::generation::Stopwatch;
use crate::process::shortened;
use serde_json::Value;
use std::io::Read;
use std::time::Duration;
use ureq::{Agent, AgentBuilder, ErrorKind, Request, Response};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes of an answer that is not streamed.
const MOST_ANSWER: u64 = 64 << 20;
/// Characters of a refusal that are kept.
const KEPT: usize = 600;

/// A server, and how it is asked: every request on a connection of its own, nothing repeated by itself. Answers may take as long as the run: a model that is loading or reading a long
/// prompt is silent for minutes.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    key: Option<Secret>,
}

impl Client {
    /// For the server at `url` (`http://127.0.0.1:8080`, a path may follow).
    pub fn new(url: &str, key: Option<Secret>) -> Self {
        let agent = AgentBuilder::new()
            .timeout_connect(CONNECT)
            .redirects(0)
            // What is measured is the server, and not somebody's proxy before it.
            .try_proxy_from_env(false)
            // Each request makes its connection: one that idled may be closed from the other side just as it is taken up.
            .max_idle_connections(0)
            .user_agent(concat!("planrun/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent, base: url.trim_end_matches('/').to_owned(), key }
    }

    /// The server's address.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The JSON at a path.
    pub fn get(&self, path: &str) -> Result<Value, HttpError> {
        let _under_way = UnderWay::begin("GET", path);
        let url = self.url(path);
        let response = self.answered(&url, self.request("GET", &url).call())?;
        self.json(&url, response)
    }

    /// The text at a path.
    pub fn get_text(&self, path: &str) -> Result<String, HttpError> {
        let _under_way = UnderWay::begin("GET", path);
        let url = self.url(path);
        let response = self.answered(&url, self.request("GET", &url).call())?;
        self.text(&url, response)
    }

    /// Posts JSON, and reads the JSON that comes back.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, HttpError> {
        let _under_way = UnderWay::begin("POST", path);
        let url = self.url(path);
        let response = self.answered(&url, self.json_request(&url).send_string(&body.to_string()))?;
        self.json(&url, response)
    }

    /// Posts nothing, to have something done; what comes back is passed over.
    pub fn post_empty(&self, path: &str) -> Result<(), HttpError> {
        let _under_way = UnderWay::begin("POST", path);
        let url = self.url(path);
        self.answered(&url, self.request("POST", &url).call()).map(drop)
    }

    /// Posts JSON, and gives the lines of the answer as they come. The stopwatch is started as the request is sent.
    pub fn stream(&self, path: &str, body: &Value, clock: &Stopwatch) -> Result<Lines, HttpError> {
        let url = self.url(path);
        let text = body.to_string();
        let request = self.json_request(&url);
        let under_way = UnderWay::begin("POST", path);
        let clock = clock.restart();
        let response = self.answered(&url, request.send_string(&text))?;
        let kind = response.content_type().to_owned();
        Ok(Lines::new(url, kind, clock, response.into_reader(), self.key.clone(), under_way))
    }

    /// A whole reply without the key, which may have come in pieces.
    pub fn without_key(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.hidden_in_reply(text),
            None => text,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn json_request(&self, url: &str) -> Request {
        self.request("POST", url).set("Content-Type", "application/json")
    }

    fn request(&self, method: &str, url: &str) -> Request {
        // A packed answer would arrive in other pieces than the server wrote.
        let request = self.agent.request(method, url).set("Accept-Encoding", "identity");
        match &self.key {
            Some(key) => request.set("Authorization", &key.authorization()),
            None => request,
        }
    }

    fn answered(&self, url: &str, result: Result<Response, ureq::Error>) -> Result<Response, HttpError> {
        match result {
            // Redirects are not followed: where a key goes is what the plan says.
            Ok(response) if response.status() < 300 => Ok(response),
            Ok(response) | Err(ureq::Error::Status(_, response)) => Err(self.refusal(url, response)),
            Err(ureq::Error::Transport(problem)) => Err(self.unanswered(url, &problem)),
        }
    }

    fn refusal(&self, url: &str, response: Response) -> HttpError {
        let status = response.status();
        let retry_after = response.header("Retry-After").and_then(|value| value.trim().parse().ok());
        let target = response.header("Location").map(|to| format!("it sends on to {to}; name that address"));
        // Hidden before anything is shortened: half a key is not found any more.
        let said = |body: String| said(&self.hidden(&body));
        let words = target.unwrap_or_else(|| said(self.text(url, response).unwrap_or_default()));
        let variable = self.key.as_ref().map(|key| key.variable().to_owned());
        HttpError::Status { url: url.to_owned(), status, message: self.hidden(&words), retry_after, variable }
    }

    fn unanswered(&self, url: &str, problem: &ureq::Transport) -> HttpError {
        let words = self.hidden(&problem.message().map_or_else(|| problem.kind().to_string(), str::to_owned));
        match problem.kind() {
            ErrorKind::BadStatus | ErrorKind::BadHeader => HttpError::Answer {
                url: url.to_owned(),
                problem: format!("this is no HTTP server ({words})"),
            },
            _ => HttpError::Unreachable { url: url.to_owned(), problem: cause(problem).unwrap_or(words) },
        }
    }

    fn json(&self, url: &str, response: Response) -> Result<Value, HttpError> {
        let text = self.text(url, response)?;
        serde_json::from_str(&text).map_err(|error| HttpError::Answer {
            url: url.to_owned(),
            problem: format!(
                "the answer is no JSON ({error}): {}",
                shortened(self.hidden(&text).trim(), KEPT)
            ),
        })
    }

    fn text(&self, url: &str, response: Response) -> Result<String, HttpError> {
        let mut bytes = Vec::new();
        let read = response.into_reader().take(MOST_ANSWER).read_to_end(&mut bytes);
        let cut = |error: std::io::Error| HttpError::Cut {
            url: url.to_owned(),
            bytes: bytes.len() as u64,
            problem: error.to_string(),
        };
        read.map_err(cut)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(match &self.key {
            Some(key) => key.hidden_in_reply(text),
            None => text,
        })
    }

    fn hidden(&self, words: &str) -> String {
        self.key.as_ref().map_or_else(|| words.to_owned(), |key| key.hidden_in(words))
    }
}

/// What lies at the bottom of a transport error.
fn cause(problem: &ureq::Transport) -> Option<String> {
    let mut cause = std::error::Error::source(problem)?;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Some(cause.to_string())
}

/// The message in an error object of one of the usual shapes, else the text.
fn said(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let message = parsed.as_ref().and_then(message);
    shortened(message.unwrap_or(body).trim(), KEPT)
}

/// The words of an error in JSON: `{"error": {"message": ..}}`, `{"error": ".."}`, `{"message": ..}`, `{"detail": ".."}`.
pub(super) fn message(body: &Value) -> Option<&str> {
    let error = body.get("error").unwrap_or(body);
    error.as_str().or_else(|| ["message", "detail"].iter().find_map(|key| error.get(key)?.as_str()))
}
