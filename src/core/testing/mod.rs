//! Helpers for module tests: the start-up check, in-memory records, answers as text, and real runs of a command.

mod call;
mod checked;
mod ran;
mod records;
mod said;
mod unused;

pub use call::call;
pub use checked::checked;
pub use ran::ran;
pub use records::InMemory;
pub use said::said;
pub use unused::unused;
