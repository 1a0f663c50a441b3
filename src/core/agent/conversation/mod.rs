//! Conversations: their owners, their storage, and summaries of exchanges that a model is no longer shown.

mod stored;
mod summary;

pub use stored::{Begun, ConversationKey, Conversations, Exchange, Generation, Spoken, Turns, Whose};
pub use summary::{Summaries, Summary, ToSummarise, UnshownExchange};
