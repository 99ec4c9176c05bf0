//! Asking a server until it is ready.

use crate::engine::http::{Client, HttpError};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a server said last; `None` where it has said nothing yet.
type Last = Option<HttpError>;

/// Asks on a thread of its own: a server that takes the connection and says nothing must not hold us up. The thread ends when
/// the server has answered, or after the next answer when this is dropped.
#[derive(Debug)]
pub(super) struct Asking {
    path: &'static str,
    answered: Receiver<()>,
    last: Arc<Mutex<Last>>,
}

impl Asking {
    /// Asks the server at `url` for `path`, again after a `pause`, until `refuses` finds nothing more in what it says.
    pub(super) fn of(
        url: &str,
        path: &'static str,
        pause: Duration,
        refuses: fn(&HttpError) -> bool,
    ) -> Self {
        let (send, answered) = channel();
        let last = Arc::new(Mutex::new(None));
        let (client, told) = (Client::new(url, None), Arc::downgrade(&last));
        std::thread::spawn(move || {
            while let Some(error) = client.get_text(path).err().filter(refuses) {
                let Some(told) = told.upgrade() else { return };
                if let Ok(mut last) = told.lock() {
                    *last = Some(error);
                }
                drop(told);
                std::thread::sleep(pause);
            }
            let _ = send.send(()); // it fails where nobody waits any more
        });
        Self { path, answered, last }
    }

    /// True if the server is ready, now or within this time.
    pub(super) fn answered_within(&self, moment: Duration) -> bool {
        self.answered.recv_timeout(moment).is_ok()
    }

    /// True if it says that it is not ready yet.
    pub(super) fn is_loading(&self) -> bool {
        matches!(self.last(), Some(HttpError::Status { status: 503, .. }))
    }

    /// In words: what became of asking.
    pub(super) fn shown(&self) -> String {
        let path = self.path;
        match self.last() {
            None => format!("the connection is taken, and GET {path} is not answered"),
            Some(HttpError::Status { status, message, .. }) if message.is_empty() => {
                format!("GET {path} still says {status}")
            }
            Some(HttpError::Status { status, message, .. }) => {
                format!("GET {path} still says {status} ({message})")
            }
            Some(HttpError::Unreachable { problem, .. }) => format!("GET {path}: {problem}"),
            Some(error) => error.to_string(),
        }
    }

    fn last(&self) -> Last {
        self.last.lock().ok()?.clone()
    }
}
