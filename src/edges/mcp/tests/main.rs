//! Tests of the client against real servers: programs on pipes, and servers on HTTP.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod faults;
mod http;
mod others;
mod streams;
mod support;
