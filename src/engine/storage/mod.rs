//! Stored state that any process can continue: leases, live messages, later calls, messages to channels, chat replies
//! in progress, receipts.

mod due_call;
mod lease;
mod limits;
mod outbox;
mod receipts;
mod replies;
mod sessions;

pub use due_call::{DueAlarm, DueAnswer, DueStore, DueTry, TakenCall};
pub use lease::{Leases, living, turn_lease, turn_leases_of};
pub use limits::{PendingLogins, REFUSALS_WITHIN, RefusedInMinute, RefusedRequests};
pub use outbox::{MessageId, OutboxAlarm, OutboxStore, TakenMessage};
pub use receipts::{MessageEnd, MessageOfReceipt, PublishedHeads, RECEIPTS_LISTED_MAX, ReceiptBook, ReceiptList};
pub use replies::{LeftOpen, LiveMessage, LiveMessages, OpenReplies, OpenReply};
pub use sessions::{SESSION_AGE_MAX, SavedSession, SavedSessions, SessionStore};
