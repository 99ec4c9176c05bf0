//! Records built in code, for the tests of everything that reads records.

pub(crate) mod desk;
pub(crate) mod plan;
pub(crate) mod record;
