//! The transports: lines on two pipes, or HTTP, with the validation of each message.

mod checks;
mod http;
mod lines;
mod message;

pub(crate) use checks::{Checked, Wire};
pub(crate) use http::Http;
pub(crate) use lines::Lines;
