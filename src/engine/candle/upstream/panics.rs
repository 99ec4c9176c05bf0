//! Panics inside candle-transformers become errors.
//!
//! Its models unwrap and index. What is known to make them panic is refused before they are built, but a user must not
//! pay for what is not known: a run would end without a record.

use candle_core::{Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic in this thread is caught and told as an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Calls into the library. After an error the model must not be used but for clearing it.
pub(super) fn caught<T>(family: &str, call: impl FnOnce() -> Result<T>) -> Result<T> {
    keep_quiet();
    let outer = CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    CAUGHT.set(outer);
    result.unwrap_or_else(|payload| {
        let told =
            format!("candle-transformers' model of `{family}` panicked: {}", message(payload.as_ref()));
        Err(Error::Msg(told))
    })
}

/// Nothing is printed of a panic that is caught; all others are reported as before.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                before(panic);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_becomes_an_error_that_names_the_family() {
        let error = caught::<()>("phi3", || panic!("index 3 is too much")).unwrap_err().to_string();
        assert!(error.contains("phi3") && error.contains("index 3 is too much"), "{error}");
        assert_eq!(caught("phi3", || Ok(7)).unwrap(), 7);
    }
}
