//! From the pieces of a stream to a [`Generation`](crate::generation::Generation): what counts as a delivery, how many tokens
//! it carried, where the answer starts. The same for every server that streams text; what its messages look like is said in the
//! room of its name.

mod agreement;
mod reply_text;
mod start;
mod tally;

pub(super) use agreement::disagreement;
pub(super) use reply_text::answer_start;
pub(super) use start::Start;
pub(super) use tally::{Piece, Tally, Totals, too_many};
