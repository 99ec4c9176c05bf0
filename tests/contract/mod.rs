//! The contract that every engine keeps, whoever computes: what a plan, a measurement and a comparison rely on. The clauses stand in
//! `clauses`, who is held to them in `scripted` and `real`; what peers of known truth say, in `peers`.

mod clauses;
mod peers;
mod real;
mod refused;
mod scripted;
mod subject;
