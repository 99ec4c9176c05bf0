//! planrun
