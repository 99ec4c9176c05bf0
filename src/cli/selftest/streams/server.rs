//! The scripted server: every request gets its tokens at fixed moments.

use super::connection::{Asked, Connection, Shape};
use super::truth::Truth;
use crate::cli::output::{complain, print};
use crate::exit::Exit;
use crate::generation::Stopwatch;
use clap::Args;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Stream tokens at known moments, with the interface of OpenAI, until standard input closes
#[derive(Debug, Args)]
pub(in crate::cli) struct StreamServerArguments {
    /// Port on 127.0.0.1; any free one where it is left out.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Tokens per second of each stream.
    #[arg(long, default_value_t = 100.0)]
    rate: f64,
    /// Seconds from a request to its first token.
    #[arg(long, default_value_t = 0.05)]
    first: f64,
    /// Where to write what was really sent: one line of JSON for each stream.
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
}

/// What all connections share.
struct Script {
    clock: Stopwatch,
    first: f64,
    gap: f64,
    truth: Mutex<File>,
}

/// Serves; the first line of standard output is the address.
pub(in crate::cli) fn serve(arguments: &StreamServerArguments) -> Exit {
    match listen(arguments) {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&format!("{}: {error}", arguments.truth.display()));
            Exit::Internal
        }
    }
}

fn listen(arguments: &StreamServerArguments) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", arguments.port))?;
    let script = Arc::new(Script {
        clock: Stopwatch::real(),
        first: arguments.first,
        gap: 1.0 / arguments.rate,
        truth: Mutex::new(File::create(&arguments.truth)?),
    });
    print(&format!("http://{}\n", listener.local_addr()?));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let script = Arc::clone(&script);
            // A client that goes away in the middle of its stream ends its own connection and no other.
            thread::spawn(move || drop(script.converse(stream)));
        }
    });
    io::stdin().lock().read_to_end(&mut Vec::new()).map(|_| ())
}

impl Script {
    fn converse(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::new(stream)?;
        while let Some(asked) = connection.next_request()? {
            let streamed = asked.path.ends_with("/completions");
            if streamed { self.stream(&mut connection, asked)? } else { connection.answer(&models())? }
        }
        Ok(())
    }

    fn stream(&self, connection: &mut Connection, asked: Asked) -> io::Result<()> {
        let received = self.clock.seconds();
        let shape = Shape::of(&asked.path);
        let number = |key: &str| asked.body.get(key).and_then(Value::as_u64);
        let tokens = number("max_tokens").or(number("max_completion_tokens")).unwrap_or(16);
        let prompt = shape.prompt(&asked.body);
        let (mut sent, mut late) = (Vec::with_capacity(tokens as usize), 0.0_f64);
        connection.begin_stream()?;
        for token in 0..tokens {
            let due = received + self.first + token as f64 * self.gap;
            let event = shape.token(" word");
            let wait = due - self.clock.seconds();
            if wait > 0.0 {
                thread::sleep(Duration::from_secs_f64(wait));
            }
            let now = self.clock.seconds();
            connection.event(&event)?;
            late = late.max(now - due);
            sent.push(now);
        }
        connection.event(&shape.end())?;
        let words = prompt.split_whitespace().count();
        let usage = json!({ "prompt_tokens": words, "completion_tokens": tokens, "total_tokens": words as u64 + tokens });
        connection.event(&json!({ "id": "steady", "choices": [], "usage": usage }).to_string())?;
        // Written before the stream ends, so that a client that saw its end finds it.
        self.write_down(&Truth { prompt, request_id: asked.request_id, received, sent, late })?;
        connection.end_stream()
    }

    fn write_down(&self, truth: &Truth) -> io::Result<()> {
        let line = serde_json::to_string(truth)? + "\n";
        let mut file = self.truth.lock().map_err(|_| io::Error::other("another stream failed to write"))?;
        file.write_all(line.as_bytes())
    }
}

fn models() -> Value {
    json!({ "object": "list", "data": [{ "id": "steady", "object": "model", "owned_by": "planrun" }] })
}
