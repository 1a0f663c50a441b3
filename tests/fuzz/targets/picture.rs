//! See `bodies::picture`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::picture(bytes));
