//! The scripted server: every request gets its tokens at fixed moments.

use super::connection::{Asked, Connection, Shape};
use super::pacer::{Stream, pace};
use super::truth::Truth;
use crate::cli::output::{complain, print};
use crate::exit::Exit;
use crate::generation::Stopwatch;
use clap::Args;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Stream tokens at known moments, with the interface of OpenAI, until standard input closes
#[derive(Debug, Args)]
pub(in crate::cli) struct StreamServerArguments {
    /// Port on 127.0.0.1; any free one where it is left out.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Tokens per second of each stream.
    #[arg(long, default_value_t = 100.0, value_parser = positive)]
    rate: f64,
    /// Seconds from a request to its first token.
    #[arg(long, default_value_t = 0.05)]
    first: f64,
    /// Where to write what was really sent: one line of JSON for each stream.
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
}

fn positive(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "a number above 0 is needed".to_owned())
}

/// What all connections share.
struct Script {
    clock: Stopwatch,
    first: f64,
    gap: f64,
    pacer: Sender<Stream>,
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
    let truth = File::create(&arguments.truth)?;
    let clock = Stopwatch::real();
    let (pacer, streams) = channel();
    let pacing = clock.clone();
    thread::spawn(move || pace(&streams, &pacing, truth));
    let script = Arc::new(Script { clock, first: arguments.first, gap: 1.0 / arguments.rate, pacer });
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
            if asked.path.ends_with("/completions") {
                connection = self.stream(connection, &asked)?;
            } else {
                connection.answer(&models())?;
            }
        }
        Ok(())
    }

    /// Lends the connection to the pacer until its stream has ended.
    fn stream(&self, mut connection: Connection, asked: &Asked) -> io::Result<Connection> {
        let received = self.clock.seconds();
        let shape = Shape::of(&asked.path);
        let number = |key: &str| asked.body.get(key).and_then(Value::as_u64);
        let tokens = number("max_tokens").or(number("max_completion_tokens")).unwrap_or(16).max(1);
        connection.begin_stream()?;
        let (back, returned) = channel();
        let truth = Truth {
            prompt: shape.prompt(&asked.body),
            request_id: asked.request_id.clone(),
            received,
            sent: Vec::with_capacity(tokens as usize),
            late: 0.0,
        };
        let (first, gap) = (self.first, self.gap);
        let lost = || io::Error::other("the pacer has ended");
        self.pacer.send(Stream { connection, shape, tokens, first, gap, truth, back }).map_err(|_| lost())?;
        returned.recv().map_err(|_| lost())
    }
}

fn models() -> Value {
    json!({ "object": "list", "data": [{ "id": "steady", "object": "model", "owned_by": "planrun" }] })
}
