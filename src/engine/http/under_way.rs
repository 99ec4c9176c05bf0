//! Requests that have no whole answer yet: told where a process is ended because one of them took too long.

use crate::generation::Stopwatch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Those of this process. Nothing is locked while an answer is read.
static UNDER_WAY: Mutex<Vec<Weak<Watch>>> = Mutex::new(Vec::new());

/// A request; it is under way until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay(Arc<Watch>);

#[derive(Debug)]
struct Watch {
    /// `POST /completion`.
    what: String,
    clock: Stopwatch,
    bytes: AtomicU64,
    /// Seconds since the beginning at which the last of them came, as bits.
    heard_at: AtomicU64,
}

impl UnderWay {
    /// It is about to be sent.
    pub(super) fn begin(method: &str, path: &str) -> Self {
        let watch = Arc::new(Watch {
            what: format!("{method} {path}"),
            clock: Stopwatch::real(),
            bytes: AtomicU64::new(0),
            heard_at: AtomicU64::new(0.0_f64.to_bits()),
        });
        let mut all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&watch));
        Self(watch)
    }

    /// So many bytes of its answer have come, the last of them at this second.
    pub(super) fn heard(&self, bytes: u64, at: f64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
        self.0.heard_at.store(at.to_bits(), Ordering::Relaxed);
    }
}

impl Watch {
    fn shown(&self) -> String {
        let heard_at = f64::from_bits(self.heard_at.load(Ordering::Relaxed));
        let silent = (self.clock.seconds() - heard_at).max(0.0);
        match self.bytes.load(Ordering::Relaxed) {
            0 => format!("no byte of the reply to {} for {silent:.1} s", self.what),
            bytes => format!("nothing after {bytes} bytes of the reply to {} for {silent:.1} s", self.what),
        }
    }
}

/// What this process waits for, a line for each request.
pub fn under_way() -> Vec<String> {
    let all = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter_map(Weak::upgrade).map(|watch| watch.shown()).collect()
}

#[cfg(test)]
mod tests {
    use super::{UnderWay, under_way};

    #[test]
    fn what_is_waited_for_is_told_until_it_is_there() {
        let told = || under_way().into_iter().find(|line| line.contains("GET /a-test-of-waiting"));
        let request = UnderWay::begin("GET", "/a-test-of-waiting");
        assert!(told().unwrap().starts_with("no byte of the reply to GET /a-test-of-waiting for "));
        request.heard(7, 0.0);
        assert!(
            told().unwrap().starts_with("nothing after 7 bytes of the reply to GET /a-test-of-waiting for ")
        );
        drop(request);
        assert_eq!(told(), None);
    }
}
