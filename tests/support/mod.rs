//! Records built in code, for the tests of everything that reads records.

pub mod desk;
pub mod plan;
pub mod record;
