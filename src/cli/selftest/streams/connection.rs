//! One connection of the scripted server: as much of HTTP as the clients of inference servers use.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Most bytes of a request.
const MOST: u64 = 1 << 22;

/// A request that was read.
pub(super) struct Asked {
    /// `/v1/completions`
    pub(super) path: String,
    /// `X-Request-ID`.
    pub(super) request_id: Option<String>,
    /// Its JSON; null where there is none.
    pub(super) body: Value,
}

pub(super) struct Connection {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream.try_clone()?), stream })
    }

    /// The next request; `None` when the client has gone.
    pub(super) fn next_request(&mut self) -> io::Result<Option<Asked>> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut request_id) = (0, None);
        loop {
            let mut header = String::new();
            self.reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim().split_once(':') else { break };
            match name.to_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "x-request-id" => request_id = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        self.reader.by_ref().take(length.min(MOST)).read_to_end(&mut body)?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(Some(Asked { path, request_id, body }))
    }

    /// An answer that is not streamed.
    pub(super) fn answer(&mut self, body: &Value) -> io::Result<()> {
        let text = body.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        self.stream.write_all((head + &text).as_bytes())
    }

    pub(super) fn begin_stream(&mut self) -> io::Result<()> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        self.stream.write_all(head.as_bytes())
    }

    /// One event in one chunk, in one call of the system.
    pub(super) fn event(&mut self, data: &str) -> io::Result<()> {
        let event = format!("data: {data}\n\n");
        self.stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
    }

    pub(super) fn end_stream(&mut self) -> io::Result<()> {
        self.event("[DONE]")?;
        self.stream.write_all(b"0\r\n\r\n")
    }
}

/// The chunks of the two interfaces.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    Chat,
}

impl Shape {
    pub(super) fn of(path: &str) -> Self {
        if path.contains("chat") { Self::Chat } else { Self::Text }
    }

    /// The prompt: its text, or that of the last message.
    pub(super) fn prompt(self, body: &Value) -> String {
        let last = |body: &Value| body.get("messages")?.as_array()?.last()?.get("content").cloned();
        let prompt = match self {
            Self::Text => body.get("prompt").cloned(),
            Self::Chat => last(body),
        };
        match prompt.unwrap_or_default() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    pub(super) fn token(self, text: &str) -> String {
        self.chunk(text, &Value::Null)
    }

    pub(super) fn end(self) -> String {
        self.chunk("", &json!("length"))
    }

    fn chunk(self, text: &str, finish_reason: &Value) -> String {
        let (object, choice) = match self {
            Self::Text => {
                ("text_completion", json!({ "index": 0, "text": text, "finish_reason": finish_reason }))
            }
            Self::Chat => (
                "chat.completion.chunk",
                json!({ "index": 0, "delta": { "content": text }, "finish_reason": finish_reason }),
            ),
        };
        json!({ "id": "steady", "object": object, "created": 0, "model": "steady", "choices": [choice] })
            .to_string()
    }
}
