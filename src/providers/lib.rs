//! The clients of the chat models. A provider may be any server that speaks OpenAI's chat completions or Responses, or
//! Anthropic's Messages. One client serves all of them: requests and answers have the form of chat completions, and
//! `apis` converts them to and from the other two.
//!
//! Answers are streamed: `arrival` reads each as it comes, with three time limits. `answer` reads leniently if that
//! cannot change the answer, and refuses otherwise. `retry` repeats a request only if the server did not accept it.
//! `breaker` pauses requests to a server that keeps failing.

mod arrival;
mod breaker;
mod capabilities;
mod client;
mod retry;
mod spans;
mod thoughts;
pub mod untrusted;
mod wire;

pub use client::{ModelServers, OpenAiCompatible, SetupError};
pub use retry::RetryPolicy;
