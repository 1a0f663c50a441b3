//! The chat model's wire: any server that speaks OpenAI's chat completions, read whole.
//!
//! What a server may send is read leniently where leniency cannot change the answer, and refused where it
//! could: `answer` says which is which. A question is asked again only where the server did not take it up (`retry`),
//! and a server that keeps failing is left alone for a while (`breaker`).

mod answer;
mod breaker;
mod call_id;
mod calls;
mod client;
mod content;
mod detail;
mod key;
mod pieces;
mod refusal;
pub(crate) mod request;
mod retry;
mod retry_after;
mod retry_policy;
mod stream;

pub use client::{OpenAiCompatible, SetupError};
pub use key::{KeyError, read_key};
pub use retry_policy::RetryPolicy;
