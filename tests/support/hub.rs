//! A stand-in for the Hugging Face hub on this machine: one repository, listed and served as the hub does it.
//! What the real one answers: <https://huggingface.co/docs/hub/api>.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The commit that `main` and `v1` mean.
pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// The one repository.
pub(crate) const REPOSITORY: &str = "tiny/pico";
/// Files from this size on are large ones: they are kept elsewhere, and their SHA-256 is known.
const LARGE: usize = 10_000;

/// The first byte asked for, and the last where there is one.
type Range = (usize, Option<usize>);

/// What the stand-in does wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    /// A status and the hub's name for it, instead of the list of files.
    pub(crate) listing: Option<(u16, &'static str)>,
    /// The same, instead of each file.
    pub(crate) files: Option<(u16, &'static str)>,
    /// This file breaks off half-way.
    pub(crate) cut: Option<&'static str>,
    /// Another byte comes at the end of this file.
    pub(crate) spoilt: Option<&'static str>,
    /// The list of files is this text.
    pub(crate) text: Option<&'static str>,
}

struct State {
    files: BTreeMap<String, Vec<u8>>,
    faults: Faults,
    /// First lines and the headers that matter of all requests.
    requests: Vec<String>,
    open: bool,
}

pub(crate) struct Hub {
    address: String,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl Hub {
    pub(crate) fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let files = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        let state = State { files, faults: Faults::default(), requests: Vec::new(), open: true };
        let state = Arc::new(Mutex::new(state));
        let (shared, host) = (Arc::clone(&state), address.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if !shared.lock().unwrap().open {
                    break;
                }
                // A client that hangs up is what some tests are about.
                let _ = stream.and_then(|stream| answer(stream, &host, &shared));
            }
        });
        Self { address, state, thread: Some(thread) }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn set(&self, faults: Faults) {
        self.state.lock().unwrap().faults = faults;
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.state.lock().unwrap().requests.clone()
    }

    pub(crate) fn file(&self, name: &str) -> Vec<u8> {
        self.state.lock().unwrap().files[name].clone()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // A lock that a failed thread left poisoned is of no use any more.
        if let Ok(mut state) = self.state.lock() {
            state.open = false;
        }
        let _ = TcpStream::connect(&self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A response: status, headers, the whole body, and how much of it is sent.
struct Response {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    sent: usize,
}

fn plain(status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>) -> Response {
    Response { status, headers, sent: body.len(), body }
}

fn refusal((status, code): (u16, &'static str)) -> Response {
    plain(status, vec![("X-Error-Code", code.to_owned())], b"refused".to_vec())
}

fn answer(mut stream: TcpStream, host: &str, state: &Mutex<State>) -> std::io::Result<()> {
    let (path, range, noted) = read_request(&stream)?;
    let mut state = state.lock().unwrap();
    state.requests.push(noted);
    let Response { status, headers, body, sent } = respond(&path, range, host, &state);
    let mut head = format!("HTTP/1.1 {status} so\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&body[..sent])
}

fn read_request(stream: &TcpStream) -> std::io::Result<(String, Option<Range>, String)> {
    let mut lines = BufReader::new(stream).lines();
    let mut noted = lines.next().unwrap_or(Ok(String::new()))?;
    let path = noted.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut range = None;
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("range") {
            let (start, end) = value.trim_start_matches("bytes=").split_once('-').unwrap();
            range = Some((start.parse().unwrap(), end.parse().ok()));
        }
        if name.eq_ignore_ascii_case("range") || name.eq_ignore_ascii_case("authorization") {
            let _ = write!(noted, " {value}");
        }
    }
    Ok((path, range, noted))
}

fn respond(path: &str, range: Option<Range>, host: &str, state: &State) -> Response {
    if let Some(rest) = path.strip_prefix("/api/models/") {
        return listing(rest, state);
    }
    if let Some(name) = path.strip_prefix("/store/") {
        return file(name, range, state);
    }
    let Some((revision, name)) =
        path.strip_prefix(&format!("/{REPOSITORY}/resolve/")).and_then(|rest| rest.split_once('/'))
    else {
        return refusal((404, "RepoNotFound"));
    };
    if let Some(fault) = state.faults.files {
        return refusal(fault);
    }
    if revision != COMMIT {
        return refusal((404, "RevisionNotFound"));
    }
    let Some(bytes) = state.files.get(name) else { return refusal((404, "EntryNotFound")) };
    let at = ("X-Repo-Commit", COMMIT.to_owned());
    if bytes.len() < LARGE {
        // Small files come from another path of the same host.
        return plain(307, vec![("Location", format!("/store/{name}")), at], Vec::new());
    }
    let etag = format!("\"{}\"", planrun::fingerprint::of_bytes(bytes));
    let place = format!("http://{host}/store/{name}");
    plain(302, vec![("Location", place), ("X-Linked-Etag", etag), at], Vec::new())
}

fn file(name: &str, range: Option<Range>, state: &State) -> Response {
    let mut bytes = state.files[name].clone();
    if state.faults.spoilt == Some(name) {
        *bytes.last_mut().unwrap() ^= 1;
    }
    let (start, end) = range.unwrap_or((0, None));
    let end = end.map_or(bytes.len(), |last: usize| (last + 1).min(bytes.len()));
    let headers = vec![
        ("ETag", format!("\"{}\"", blob_id(&bytes))),
        ("X-Repo-Commit", COMMIT.to_owned()),
        ("Content-Range", format!("bytes {start}-{}/{}", end - 1, bytes.len())),
    ];
    if start >= bytes.len() {
        return plain(416, headers, Vec::new());
    }
    let body = bytes[start..end].to_vec();
    let sent = if state.faults.cut == Some(name) && body.len() > 1 { body.len() / 2 } else { body.len() };
    Response { status: 206, headers, body, sent }
}

/// The name of a small file's content; any name that its content decides does.
fn blob_id(bytes: &[u8]) -> String {
    planrun::fingerprint::of_bytes(bytes)[..40].to_owned()
}

fn listing(path: &str, state: &State) -> Response {
    if let Some(fault) = state.faults.listing {
        return refusal(fault);
    }
    let path = path.split('?').next().unwrap_or_default();
    let Some(revision) = path.strip_prefix(&format!("{REPOSITORY}/revision/")) else {
        return refusal((401, "RepoNotFound"));
    };
    if !["main", "v1", COMMIT].contains(&revision) {
        return refusal((404, "RevisionNotFound"));
    }
    let listed = |(name, bytes): (&String, &Vec<u8>)| {
        let large = json!({ "sha256": planrun::fingerprint::of_bytes(bytes), "size": bytes.len() });
        let large = if bytes.len() < LARGE { Value::Null } else { large };
        json!({ "rfilename": name, "size": bytes.len(), "blobId": blob_id(bytes), "lfs": large })
    };
    let siblings: Vec<Value> = state.files.iter().map(listed).collect();
    let text = json!({ "id": REPOSITORY, "sha": COMMIT, "siblings": siblings }).to_string();
    let text = state.faults.text.map_or(text, str::to_owned);
    plain(200, Vec::new(), text.into_bytes())
}
