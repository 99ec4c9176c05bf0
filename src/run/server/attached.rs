//! Servers that run already: waited for while they are away, and given up when they stay away.

use super::asking::Asking;
use crate::engine::Attached;
use crate::engine::http::HttpError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a server may take before the first run: long enough for one that was started a moment ago.
const AT_FIRST: Duration = Duration::from_secs(5);
/// How long one that answered before may be away: a restart.
const IN_BETWEEN: Duration = Duration::from_secs(30);
/// A wait that takes longer is told of.
const TOLD_AFTER: Duration = Duration::from_secs(1);
/// Rest between two questions.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// How often a waiting parent looks whether it was asked to stop.
const GLANCE: Duration = Duration::from_millis(20);
/// Runs in a row that may fail for want of one server before nobody is asked any more: the other arms alone could be compared
/// with nothing.
const FAILURES: u32 = 3;

/// The servers of a session that were there before its first run.
#[derive(Debug)]
pub(super) struct Attachments {
    known: Vec<Known>,
    /// How long one of them may be away.
    patience: Duration,
}

impl Default for Attachments {
    fn default() -> Self {
        Self { known: Vec::new(), patience: IN_BETWEEN }
    }
}

#[derive(Debug)]
struct Known {
    server: Attached,
    /// Runs in a row that it was away for.
    away: u32,
}

/// What waiting for a server came to.
pub(super) enum Met {
    /// It answers.
    There,
    /// We were asked to stop.
    Stopped,
    /// It does not; how that shows.
    Away(String),
}

impl Attachments {
    /// Makes sure that a server is there before the first run.
    ///
    /// # Errors
    /// When it does not answer: what to do about it.
    pub(super) fn greet(
        &mut self,
        server: Attached,
        limit: Duration,
        stop: &AtomicBool,
        waits: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        if self.known.iter().any(|known| known.server == server) {
            return Ok(());
        }
        let mut waits = || waits(&server.url);
        if let Met::Away(how) = wait(&server, AT_FIRST, limit, stop, &mut waits) {
            return Err(how);
        }
        self.known.push(Known { server, away: 0 });
        Ok(())
    }

    /// Waits until a server answers that answered before; one that was never greeted is not waited for.
    pub(super) fn meet(
        &mut self,
        server: &Attached,
        limit: Duration,
        stop: &AtomicBool,
        waits: &mut dyn FnMut(),
    ) -> Met {
        let Some(known) = self.known.iter_mut().find(|known| known.server == *server) else {
            return Met::There;
        };
        let met = wait(server, self.patience, limit, stop, waits);
        known.away = if matches!(met, Met::Away(_)) { known.away + 1 } else { 0 };
        met
    }

    /// The server that too many runs in a row have failed for, if there is one.
    pub(super) fn given_up(&self) -> Option<&str> {
        let lost = self.known.iter().find(|known| known.away >= FAILURES);
        lost.map(|known| known.server.url.as_str())
    }
}

/// One that says it is loading may take as long as a run.
fn wait(
    server: &Attached,
    patience: Duration,
    limit: Duration,
    stop: &AtomicBool,
    waits: &mut dyn FnMut(),
) -> Met {
    let began = Instant::now();
    let asking = Asking::of(&server.url, server.path, ASK_AGAIN, is_away);
    let mut told = false;
    loop {
        if asking.answered_within(GLANCE) {
            return Met::There;
        }
        if stop.load(Ordering::Relaxed) {
            return Met::Stopped;
        }
        if !told && began.elapsed() >= TOLD_AFTER {
            told = true;
            waits();
        }
        let patience = if asking.is_loading() { limit.max(patience) } else { patience };
        if began.elapsed() >= patience {
            let waited = patience.as_secs_f64();
            return Met::Away(format!(
                "{} did not answer within {waited} s ({})",
                server.url,
                asking.shown()
            ));
        }
    }
}

/// Any answer is one, but for those that say that the server behind the address is not there, or not yet.
fn is_away(error: &HttpError) -> bool {
    match error {
        HttpError::Status { status, .. } => matches!(status, 502..=504),
        HttpError::Unreachable { .. } | HttpError::Cut { .. } => true,
        HttpError::Answer { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Attached, Attachments, FAILURES, Met};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Answers each request with this status, until it has answered so many.
    fn server(status: &'static str, answers: usize) -> Attached {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for _ in 0..answers {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 1024]).unwrap();
                let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            }
        });
        Attached { url, path: "/health" }
    }

    fn greeted(server: &Attached) -> Result<Attachments, String> {
        let mut attachments = Attachments { known: Vec::new(), patience: Duration::from_millis(300) };
        attachments.greet(server.clone(), Duration::from_secs(60), &AtomicBool::new(false), &mut |_| {})?;
        Ok(attachments)
    }

    #[test]
    fn one_that_stays_away_is_given_up_after_a_few_runs() {
        let server = server("200 OK", 1);
        let mut attachments = greeted(&server).unwrap();
        for _ in 0..FAILURES {
            assert_eq!(attachments.given_up(), None);
            let met = attachments.meet(&server, Duration::ZERO, &AtomicBool::new(false), &mut || {});
            let Met::Away(how) = met else { panic!("it is not there") };
            assert!(
                how.starts_with(&format!("{} did not answer within 0.3 s (GET /health: ", server.url)),
                "{how}"
            );
        }
        assert_eq!(attachments.given_up(), Some(server.url.as_str()));
    }

    #[test]
    fn an_answer_of_any_kind_shows_that_it_is_there() {
        for status in ["200 OK", "401 Unauthorized", "404 Not Found", "500 Internal Server Error"] {
            let server = server(status, 2);
            let mut attachments = greeted(&server).unwrap();
            let met = attachments.meet(&server, Duration::ZERO, &AtomicBool::new(false), &mut || {});
            assert!(matches!(met, Met::There), "{status}");
        }
    }

    #[test]
    fn one_that_is_loading_may_take_as_long_as_a_run() {
        let server = server("503 Service Unavailable", usize::MAX);
        let mut attachments = Attachments { known: Vec::new(), patience: Duration::ZERO };
        let (mut waits, mut stop) = (0, AtomicBool::new(true));
        attachments.greet(server.clone(), Duration::from_secs(60), &stop, &mut |_| waits += 1).unwrap();
        *stop.get_mut() = false;
        let limit = Duration::from_millis(200);
        let Met::Away(how) = attachments.meet(&server, limit, &stop, &mut || {}) else {
            panic!("it never loads")
        };
        assert!(how.contains("GET /health still says 503"), "{how}");
        assert_eq!(waits, 0);
    }
}
