//! See `bodies::messages_answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::messages_answer(bytes));
