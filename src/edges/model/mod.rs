//! The clients of the chat models: any servers that speak OpenAI's chat completions or Responses, or Anthropic's
//! Messages. One client asks them all: requests are written, and answers are read, in the form of chat completions, into
//! and out of which `apis` puts the other two.
//!
//! Answers are streamed: `arrival` reads each as it comes, by three clocks. It is read leniently where that cannot
//! change it, and refused where it could: `answer` says which is which. A request is retried only where the server did
//! not accept it (`retry`), and requests to a server that keeps failing are paused (`breaker`).

mod arrival;
mod client;
mod key;
mod learned;
mod retrying;
mod servers;
mod spans;
mod thoughts;
pub mod untrusted;
mod wire;

pub use client::{OpenAiCompatible, SetupError};
pub use key::{KeyError, read_key};
pub use retrying::retry_policy::RetryPolicy;
pub use servers::ModelServers;
