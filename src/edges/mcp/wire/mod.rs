//! How messages come and go: lines on two pipes, or HTTP; and what is checked of each, whichever way it came.

mod checked;
mod event_stream;
mod http;
mod lines;
mod message;

pub use http::HttpAddress;

pub(crate) use checked::{Checked, Wire};
pub(crate) use http::Http;
pub(crate) use lines::Lines;
