//! Stored personal data and its retention.

mod kinds;
mod privacy;
mod retention;
mod trusted_time;

pub use kinds::{Erased, KeptKind, KeptOfPerson, PersonalKind};
pub use privacy::{Person, PersonalData, PersonalFiles, PersonalStore};
pub use retention::{Aging, Retention, RetentionTask};
pub use trusted_time::TrustedTime;
