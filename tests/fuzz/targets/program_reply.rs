//! See `bodies::program_reply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::program_reply(bytes));
