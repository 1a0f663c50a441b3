//! What the tests of a module need: the start-up check, records in memory, an answer as a person reads it, and a real
//! run of a command.

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
