//! Stored state that any process can continue: leases, live messages, later calls, messages to channels, chat replies
//! in progress.

mod due_call;
mod lease;
mod left_open;
mod live_message;
mod logins;
mod open_reply;
mod outbox;
mod refusals;
mod sessions;

pub use due_call::{DueAlarm, DueAnswer, DueStore, DueTry, TakenCall};
pub use lease::{Leases, living, turn_lease, turn_leases_of};
pub use left_open::LeftOpen;
pub use live_message::{LiveMessage, LiveMessages};
pub use logins::PendingLogins;
pub use open_reply::{OpenReplies, OpenReply};
pub use outbox::{MessageId, OutboxAlarm, OutboxStore, TakenMessage};
pub use refusals::{REFUSALS_WITHIN, RefusedInMinute, RefusedRequests};
pub use sessions::{SESSION_AGE_MAX, SavedSession, SavedSessions, SessionStore};
