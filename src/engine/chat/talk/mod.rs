//! Conversation services outside of turns: `/clear`, `/model` and `/context`, summaries, and private arguments of
//! offered calls.

mod conversation;
mod private_offers;
mod setbacks;
mod summary_writer;
mod talker;
mod threads;

pub(crate) use conversation::{Cleared, ClearedConversation, ConversationContext};
pub(super) use summary_writer::EndedTurn;
pub use summary_writer::SummaryWriter;
pub use talker::Talker;
pub use threads::{NewThread, NoThread, Threads};
