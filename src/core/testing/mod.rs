//! Test support: the start-up check; records, later calls, messages and web pages in memory; answers as text; chat; and
//! real runs of a command.

mod accepted;
mod call;
mod calls;
mod chat;
mod checked;
mod outbox;
mod pages;
mod records;
mod run;
mod said;

pub use accepted::accepted;
pub use call::call;
pub use calls::InMemoryCalls;
pub use chat::chat;
pub use checked::{checked, checked_with};
pub use outbox::InMemoryOutbox;
pub use pages::Pages;
pub use records::InMemory;
pub use run::{answered, ran, ran_by};
pub use said::said;
