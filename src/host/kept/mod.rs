//! Kept data: of whom, and for how long.

mod privacy;
mod retention;

pub use privacy::{Person, PersonalData, PersonalFiles, PersonalStore};
pub use retention::{Aging, Retention, RetentionTask};
