//! Personal data: shown, and deleted on demand or past its retention period.

mod personal;
mod retention;
