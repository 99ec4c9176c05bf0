//! Tasks: reading task sets, their fingerprint and their differences, building conversations, finding and scoring the
//! final answer. Nothing here renders a chat template, asks a model or knows a plan.

mod answer;
mod choice;
mod conversation;
mod definition;
mod diff;
mod foreign;
mod likelihood;
mod numeric;
mod read;
mod scorer;
mod set;

pub use answer::{final_answer, opens_thinking, wrote_thinking};
pub use choice::{CHOICE_LETTERS, chosen};
pub use conversation::{Conversation, ConversationError};
pub use definition::{Question, Task};
pub use diff::{TaskKey, TaskSetDiff, diff};
pub use likelihood::characters;
pub use numeric::Decimal;
pub use read::TaskSetError;
pub use scorer::{Scorer, ScorerError};
pub use set::TaskSet;
