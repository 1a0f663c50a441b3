//! Stored personal data and its retention.

mod privacy;
mod retention;

pub use privacy::{Erased, KeptKind, KeptOfPerson, Person, PersonalData, PersonalFiles, PersonalKind, PersonalStore};
pub use retention::{Aging, Retention, RetentionTask, TrustedTime};
