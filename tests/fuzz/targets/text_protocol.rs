//! See `bodies::text_protocol`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::text_protocol(bytes));
