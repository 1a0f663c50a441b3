//! See `bodies::responses_answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::responses_answer(bytes));
