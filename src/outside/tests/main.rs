//! Tests of the client against real servers: programs on pipes, and servers on HTTP.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod faults;
mod http;
mod oauth;
mod oauth_server;
mod others;
mod streams;
mod support;
