//! Carries out the core's decisions: commands, chat turns, samples of the metrics.
//!
//! [`dispatch`] is the one path for every surface, [`executor`] runs commands, [`chat`] runs chat turns, [`sampler`]
//! records the history of the metrics, [`builtin`] holds the built-in commands. The engine also has the registry in force,
//! the clock, the secrets, the health of store and disk, and the traits that a store implements.

pub mod builtin;
pub mod chat;
mod clock;
mod crash_point;
pub mod dispatch;
pub mod executor;
mod health;
mod personal;
mod rules;
pub mod sampler;
mod secrets;
mod storage;

pub use clock::{Clock, ServerClock, StoreTime};
pub use crash_point::CrashPoint;
pub use health::{Disk, Health, StoreProbe};
pub use personal::{
    Aging, Erased, KeptKind, KeptOfPerson, Person, PersonalData, PersonalFiles, PersonalKind, PersonalStore, Retention,
    RetentionTask, TrustedTime,
};
pub use rules::{Guilds, InForce};
pub use secrets::{
    KEY_LENGTH, KeyError, ReceiptKeyError, Sealer, Secrets, SigningKey, advice, ensure_receipt_key, former_receipt_key,
    former_receipt_key_files, former_receipt_keys, is_visible, leaked_receipt_key, next_receipt_key, read_key,
    read_receipt_key, salt, warn_if_shared, withdrawn_receipt_key,
};
pub use storage::{
    DueAlarm, DueAnswer, DueStore, DueTry, Leases, LeftOpen, LiveMessage, LiveMessages, MessageEnd, MessageId,
    MessageOfReceipt, OpenReplies, OpenReply, OutboxAlarm, OutboxStore, PendingLogins, PublishedHeads,
    RECEIPTS_LISTED_MAX, REFUSALS_WITHIN, ReceiptBook, ReceiptList, RefusedInMinute, RefusedRequests, SESSION_AGE_MAX,
    SavedSession, SavedSessions, SessionStore, TakenCall, TakenMessage, living, turn_lease, turn_leases_of,
};
