//! Conversation services outside of turns: `/clear`, `/model` and `/context`, summaries, and private arguments of
//! offered calls.

mod private_offers;
mod setbacks;
mod summary_writer;
mod talker;
mod threads;

pub(super) use summary_writer::EndedTurn;
pub use summary_writer::SummaryWriter;
pub use talker::Talker;
pub(crate) use talker::{Cleared, ClearedConversation, ConversationContext};
pub use threads::{NewThread, NoThread, Threads};
