//! Who answers: the engines. Here for now: the embedded model.

pub mod pico;
