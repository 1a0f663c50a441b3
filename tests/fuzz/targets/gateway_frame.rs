//! See `bodies::gateway_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor_fuzz::bodies::gateway_frame(bytes));
