#![no_main]

#[path = "../../support/readers.rs"]
#[allow(dead_code, reason = "each target uses one reader")]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| readers::hub_name(bytes));
