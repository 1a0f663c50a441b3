//! Conversations: whose they are, what is kept of them, and the summary of what a model is not shown any more.

mod stored;
mod summary;

pub use stored::{Begun, ConversationKey, Conversations, Exchange, Generation, Spoken, Turns, Whose};
pub use summary::{Summaries, Summary, ToSummarise, UnshownExchange};
