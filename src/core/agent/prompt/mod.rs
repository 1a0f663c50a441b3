//! The prompt: the system text, the data about the person, and the conversation.

mod background;
pub(crate) mod budget;
pub(crate) mod opening;
mod summary;
mod system;
#[cfg(test)]
mod tests;
pub(crate) mod transcript;
mod voices;

pub use background::Background;
pub use budget::within_budget;
pub use opening::{
    Asked, Opening, PastExchanges, Preview, PromptModel, n_exchanges_given, opening, preview, request_tokens,
};
pub use summary::{SUMMARY_LENGTH_MAX, shown_summary, summary_of, summary_request, summary_tokens};
pub use system::{Scene, system_prompt};
pub use transcript::{ShownCall, Transcript, TranscriptEntry};
