//! One exercise: what is asked, how it is thought through, what is answered.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{arithmetic, counting, facts, is_held_out, lists, structured, words};

/// The kinds of task that the embedded model is trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Multi-digit addition.
    Add,
    /// Multi-digit subtraction.
    Subtract,
    /// How often a letter occurs in a word.
    CountLetter,
    /// Whether a row of bits has an even or an odd number of ones.
    Parity,
    /// The largest of some numbers.
    Maximum,
    /// Some numbers in ascending order.
    Sort,
    /// Some words in reverse order.
    Reverse,
    /// The total of a small purchase.
    Total,
    /// One value out of a list of plans.
    Fact,
    /// Person to plan to value.
    TwoStepFact,
    /// A JSON object from a sentence.
    Json,
    /// A tool call, or the answer from its result.
    Tool,
}

impl Family {
    /// Every family, in the order of the task sets.
    pub const ALL: [Self; 12] = [
        Self::Add,
        Self::Subtract,
        Self::CountLetter,
        Self::Parity,
        Self::Maximum,
        Self::Sort,
        Self::Reverse,
        Self::Total,
        Self::Fact,
        Self::TwoStepFact,
        Self::Json,
        Self::Tool,
    ];

    /// The families whose final answer an exact-match scorer can judge from the prompt alone.
    pub const SCORED: [Self; 11] = [
        Self::Add,
        Self::Subtract,
        Self::CountLetter,
        Self::Parity,
        Self::Maximum,
        Self::Sort,
        Self::Reverse,
        Self::Total,
        Self::Fact,
        Self::TwoStepFact,
        Self::Json,
    ];

    /// The name that ids in the task sets begin with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::CountLetter => "count-letter",
            Self::Parity => "parity",
            Self::Maximum => "maximum",
            Self::Sort => "sort",
            Self::Reverse => "reverse",
            Self::Total => "total",
            Self::Fact => "fact",
            Self::TwoStepFact => "two-step-fact",
            Self::Json => "json",
            Self::Tool => "tool",
        }
    }

    /// How often the family is drawn in training, relative to the others.
    fn weight(self) -> f64 {
        match self {
            Self::CountLetter | Self::Fact | Self::TwoStepFact => 2.0,
            Self::Add | Self::Subtract | Self::Total => 1.0,
            Self::Parity | Self::Maximum | Self::Sort | Self::Reverse | Self::Tool => 0.8,
            Self::Json => 0.6,
        }
    }

    /// Draws a family by its training weight.
    pub(crate) fn draw(rng: &mut ChaCha8Rng) -> Self {
        *Self::ALL.choose_weighted(rng, |family| family.weight()).unwrap_or(&Self::Add)
    }
}

/// The call and result that precede the answer of a tool task's second turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolExchange {
    /// The assistant's earlier turn, as rendered: a `<tool_call>` block.
    pub call: String,
    /// What the tool returned.
    pub response: String,
}

/// One exercise with its worked solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The family that it belongs to.
    pub family: Family,
    /// The system prompt, if any.
    pub system: Option<String>,
    /// Tool definitions as JSON objects (function schemas).
    pub tools: Vec<serde_json::Value>,
    /// The user's prompt.
    pub user: String,
    /// An earlier tool call and its result, if the answer follows one.
    pub exchange: Option<ToolExchange>,
    /// The reasoning, without the thinking tags.
    pub trace: String,
    /// The canonical final answer.
    pub answer: String,
}

impl Sample {
    /// A sample without system prompt, tools or earlier turns.
    pub(crate) fn plain(family: Family, user: String, trace: String, answer: String) -> Self {
        Self { family, system: None, tools: Vec::new(), user, exchange: None, trace, answer }
    }

    /// Draws one exercise of `family`, from either pool.
    pub(crate) fn draw(family: Family, rng: &mut ChaCha8Rng) -> Self {
        match family {
            Family::Add => arithmetic::add(rng),
            Family::Subtract => arithmetic::subtract(rng),
            Family::CountLetter => counting::count_letter(rng),
            Family::Parity => counting::parity(rng),
            Family::Maximum => lists::maximum(rng),
            Family::Sort => lists::sort(rng),
            Family::Reverse => lists::reverse(rng),
            Family::Total => arithmetic::total(rng),
            Family::Fact => facts::fact(rng),
            Family::TwoStepFact => facts::two_step_fact(rng),
            Family::Json => structured::json_object(rng),
            Family::Tool => structured::tool(rng),
        }
    }

    /// Draws one exercise for training: any family by weight, never a held-out prompt, and a quarter of
    /// them with a short system prompt.
    pub fn draw_for_training(rng: &mut ChaCha8Rng) -> Self {
        let family = Family::draw(rng);
        let mut sample = Self::draw(family, rng);
        while is_held_out(&sample.user) {
            sample = Self::draw(family, rng);
        }
        if rng.random_bool(0.25) {
            sample.system = Some(words::pick(rng, &words::SYSTEM_PROMPTS).to_owned());
        }
        sample
    }
}
