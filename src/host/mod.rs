//! Runs what the core decided: commands, chat turns, samples of the metrics.

pub mod builtin;
pub mod chat;
mod clock;
mod crash_point;
pub mod dispatch;
pub mod executor;
mod lease;
mod live_message;
mod open_reply;
mod privacy;
mod retention;
pub mod sampler;
mod sealer;
pub(crate) mod secrets;

pub use clock::{Clock, ServerClock, StoreTime};
pub use crash_point::CrashPoint;
pub use lease::{Leases, turn_lease, turn_leases_of};
pub use live_message::{LiveMessage, LiveMessages};
pub use open_reply::{OpenReplies, OpenReply};
pub use privacy::{Person, PersonalData, PersonalFiles, PersonalStore};
pub use retention::{Aging, Retention, RetentionTask};
pub use sealer::Sealer;
pub use secrets::{KEY_LENGTH, Secrets, SigningKey};
