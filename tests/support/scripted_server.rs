//! A server of known truth: it answers what a test writes, byte for byte, at the moments that the test wants.

use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A request as it came in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// How the body of an answer is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// HTTP/1.1, each [`Act::Send`] a chunk of its own.
    Chunked,
    /// HTTP/1.0: the answer ends with the connection.
    Http10,
}

/// A step of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Send(Vec<u8>),
    Wait(Duration),
    /// The connection is closed, and no ending follows.
    Cut,
}

#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) framing: Framing,
    pub(crate) acts: Vec<Act>,
}

impl Answer {
    /// A whole answer of this media type.
    pub(crate) fn whole(status: u16, kind: &str, body: &str) -> Self {
        let acts = vec![Act::Send(body.as_bytes().to_vec())];
        Self { status, headers: vec![("Content-Type", kind.to_owned())], framing: Framing::Http10, acts }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::whole(200, "application/json", &body.to_string())
    }

    /// A stream of events.
    pub(crate) fn events(acts: Vec<Act>) -> Self {
        let kind = "text/event-stream; charset=utf-8".to_owned();
        Self { status: 200, headers: vec![("Content-Type", kind)], framing: Framing::Chunked, acts }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

pub(crate) struct ScriptedServer {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    pub(crate) fn new(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (asked, closed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (noted, over, script) = (Arc::clone(&asked), Arc::clone(&closed), Arc::new(script));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let (noted, script) = (Arc::clone(&noted), Arc::clone(&script));
                // A client that hangs up is what some tests are about.
                std::thread::spawn(move || drop(serve(stream, &noted, &*script)));
            }
        });
        Self { address, asked, closed, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The bodies of the requests for this path.
    pub(crate) fn bodies(&self, path: &str) -> Vec<Value> {
        self.asked().iter().filter(|asked| asked.path == path).map(Asked::json).collect()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(stream: TcpStream, noted: &Mutex<Vec<Asked>>, script: &Script) -> io::Result<()> {
    let asked = read(&stream)?;
    noted.lock().unwrap().push(asked.clone());
    stream.set_nodelay(true)?;
    write(stream, &script(&asked))
}

fn read(stream: &TcpStream) -> io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut asked = Asked { method, path, ..Asked::default() };
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        asked.headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    asked.body = String::from_utf8(body).unwrap();
    Ok(asked)
}

fn write(mut stream: TcpStream, answer: &Answer) -> io::Result<()> {
    let chunked = answer.framing == Framing::Chunked;
    let version = if chunked { "HTTP/1.1" } else { "HTTP/1.0" };
    let mut head = format!("{version} {} so\r\n", answer.status);
    for (name, value) in &answer.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str(if chunked { "Transfer-Encoding: chunked\r\n\r\n" } else { "\r\n" });
    stream.write_all(head.as_bytes())?;
    for act in &answer.acts {
        match act {
            Act::Send(bytes) if chunked => {
                let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
                framed.extend_from_slice(bytes);
                framed.extend_from_slice(b"\r\n");
                stream.write_all(&framed)?;
            }
            Act::Send(bytes) => stream.write_all(bytes)?,
            Act::Wait(time) => std::thread::sleep(*time),
            Act::Cut => return stream.shutdown(Shutdown::Both),
        }
    }
    if chunked { stream.write_all(b"0\r\n\r\n") } else { Ok(()) }
}
