//! A stand-in for `llama-server`, in this test binary itself, so that it is at hand on every machine: it knows the tokenizer of
//! the model that it is given, and answers every prompt with one word.

#![allow(clippy::print_stderr)] // what a server writes to its log

use planrun::engine::Vocabulary;
use planrun::engine::gguf::Gguf;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the command line of the server stands.
const ARGUMENTS: &str = "PLANRUN_FAKE_SERVER";

/// A script that starts the stand-in, as its child. It writes its process ids into `pids` beside itself.
pub(crate) fn write_program(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("fake-server");
    let tests = std::env::current_exe().unwrap();
    let entry = "server_fake::answers_until_it_is_ended";
    let script = format!(
        "#!/bin/sh\n{ARGUMENTS}=\"$*\" PIDS='{}' '{}' --exact {entry} --ignored --nocapture\n",
        folder.join("pids").display(),
        tests.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Processes of all stand-ins that were started from a folder.
pub(crate) fn pids(folder: &Path) -> Vec<i32> {
    let text = fs::read_to_string(folder.join("pids")).unwrap_or_default();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
#[ignore = "not a test: the program that the tests of servers start"]
fn answers_until_it_is_ended() {
    let Ok(line) = std::env::var(ARGUMENTS) else { return };
    let mut pids = OpenOptions::new().create(true).append(true).open(std::env::var("PIDS").unwrap()).unwrap();
    writeln!(pids, "{}", std::process::id()).unwrap();
    Fake::of(&line).serve();
}

/// What it does besides answering. All but the first two happen once: the file that they name counts the answers before them.
enum Mishap {
    None,
    NeverReady,
    Dies(PathBuf),
    /// A descendant in a group of its own holds its pipes a little longer.
    DiesHeardOn(PathBuf),
    Freezes(PathBuf),
    Hangs(PathBuf),
}

struct Fake {
    port: u16,
    context: u32,
    model: String,
    vocabulary: Vocabulary,
    /// Format of its KV cache.
    cache: String,
    mishap: Mishap,
}

impl Fake {
    fn of(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let after =
            |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1].to_owned());
        let mishap = match after("--mishap").as_deref().map(|what| what.split_once('=').unwrap_or((what, "")))
        {
            Some(("dies-at-once", _)) => {
                eprintln!("no room for the model");
                std::process::exit(3)
            }
            Some(("dies-with", cache)) if after("-ctk").as_deref() == Some(cache) => {
                eprintln!("no room for {cache}");
                std::process::exit(3)
            }
            None | Some(("dies-with", _)) => Mishap::None,
            Some(("never-ready", _)) => Mishap::NeverReady,
            Some(("dies", mark)) => Mishap::Dies(mark.into()),
            Some(("dies-heard-on", mark)) => Mishap::DiesHeardOn(mark.into()),
            Some(("freezes", mark)) => Mishap::Freezes(mark.into()),
            Some(("hangs", mark)) => Mishap::Hangs(mark.into()),
            Some((other, _)) => panic!("unknown mishap {other}"),
        };
        let model = after("-m").unwrap();
        let gguf = Gguf::open(Path::new(&model)).unwrap();
        Self {
            port: after("--port").unwrap().parse().unwrap(),
            context: after("-c").unwrap().parse().unwrap(),
            vocabulary: Vocabulary::from_gguf(&gguf, usize::MAX).unwrap(),
            model,
            cache: after("-ctk").unwrap_or_default(),
            mishap,
        }
    }

    fn serve(&self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        for stream in listener.incoming() {
            self.answer(stream.unwrap());
        }
    }

    fn answer(&self, mut stream: TcpStream) {
        let (path, body) = asked(&stream);
        let answer = match path.as_str() {
            "/health" if matches!(self.mishap, Mishap::NeverReady) => return refuse(&mut stream),
            "/health" => json!({ "status": "ok" }),
            "/props" => json!({
                "build_info": "b1-fake", "total_slots": 1, "model_path": self.model,
                "default_generation_settings": { "n_ctx": self.context },
            }),
            "/tokenize" => {
                json!({ "tokens": self.vocabulary.encode(body["content"].as_str().unwrap()).unwrap() })
            }
            "/completion" => return self.complete(&mut stream, &body),
            "" => return, // somebody looked whether it listens
            other => panic!("asked for {other}"),
        };
        send(&mut stream, "application/json", &answer.to_string());
    }

    /// `n_predict` times the same letter, one token in each event.
    fn complete(&self, stream: &mut TcpStream, body: &Value) {
        let prompt = body["prompt"].as_array().unwrap().len();
        let count = body["n_predict"].as_u64().unwrap();
        let id = self.vocabulary.encode("a").unwrap()[0];
        let event = |data: Value| format!("data: {data}\n\n");
        let token = |at: u64| {
            event(json!({ "content": "a", "tokens": [id], "stop": false, "tokens_predicted": at + 1 }))
        };
        match &self.mishap {
            Mishap::Dies(mark) | Mishap::DiesHeardOn(mark) if is_due(mark) => {
                eprintln!("the one with {} gives up", self.cache);
                if matches!(self.mishap, Mishap::DiesHeardOn(_)) {
                    Command::new("sh").args(["-c", "sleep 3 &"]).process_group(0).status().unwrap();
                }
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{}", token(0))
                    .unwrap();
                std::process::exit(3);
            }
            Mishap::Freezes(mark) if is_due(mark) => {
                kill_process(getpid(), Signal::STOP).unwrap();
                // This thread may run on for a moment, until the whole process stands still.
                std::thread::sleep(std::time::Duration::from_secs(600));
            }
            Mishap::Hangs(mark) if is_due(mark) => {
                std::thread::sleep(std::time::Duration::from_secs(600));
            }
            _ => {}
        }
        let timings = json!({
            "cache_n": 0, "prompt_n": prompt, "prompt_ms": 0.02, "predicted_n": count, "predicted_ms": 3.0,
        });
        let last = event(json!({
            "content": "", "tokens": [], "stop": true, "stop_type": "limit", "truncated": false,
            "tokens_predicted": count, "tokens_evaluated": prompt, "timings": timings,
        }));
        let text: String = (0..count).map(token).chain([last]).collect();
        send(stream, "text/event-stream", &text);
    }
}

/// Counts down; true once, at 0, and at once where there is no count yet.
fn is_due(count: &Path) -> bool {
    let left = fs::read_to_string(count).map_or(0, |text| text.parse::<i64>().unwrap());
    fs::write(count, (left - 1).to_string()).unwrap();
    left == 0
}

fn asked(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        if path.is_empty() {
            line.split(' ').nth(1).unwrap().clone_into(&mut path);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (path, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

fn send(stream: &mut TcpStream, kind: &str, body: &str) {
    let length = body.len();
    // A client that was killed no longer listens.
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

fn refuse(stream: &mut TcpStream) {
    let _ =
        write!(stream, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}
