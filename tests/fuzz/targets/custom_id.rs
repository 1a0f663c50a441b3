//! See `bodies::custom_id`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::custom_id(bytes));
