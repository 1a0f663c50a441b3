//! The client of the chat model: any server that speaks OpenAI's chat completions.
//!
//! Answers are streamed: `arrival` reads each as it comes, by three clocks. It is read leniently where that cannot
//! change it, and refused where it could: `answer` says which is which. A request is retried only where the server did
//! not accept it (`retry`), and requests to a server that keeps failing are paused (`breaker`).

mod arrival;
mod client;
mod key;
mod retrying;
mod wire;

pub use client::{OpenAiCompatible, SetupError};
pub use key::{KeyError, read_key};
pub use retrying::retry_policy::RetryPolicy;
