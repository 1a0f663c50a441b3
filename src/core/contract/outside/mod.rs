//! Modules without Rust code: replies written in a manifest, programs, and tools of MCP servers.
//!
//! Their commands pass the same check as native ones and run the same way, through handlers built here.
//!
//! 1. [`OutsideSpec::of`](crate::contract::OutsideSpec::of) reads from a manifest the program or server to start, and
//!    the inputs to try it with.
//! 2. The host starts it and returns [`Started`]: the running program or server, and the faults.
//! 3. The check builds the handlers: a text command's from its template, a program's from its options, a tool's from
//!    the schema that its server lists.
//!
//! Answers are untrusted: [`read_reply`] refuses anything that is not a reply, and text is sanitized before it becomes
//! one.

mod files;
mod handlers;
mod later;
mod records;
mod reply;
mod request;
mod run;
mod start;
mod template;

pub(crate) use handlers::{
    CONFIRM, Card, Cards, ProgramCommand, asking_first, of_program, of_text, of_tool, to_be_started,
};
pub use later::LaterChanges;
pub use records::RecordEdits;
pub use reply::{ProgramReply, read_reply};
pub(crate) use reply::{colour, picture};
pub(crate) use request::trial;
pub use run::{RunSpec, RunStart, ServerAccess};
pub use start::{
    Behind, Fault, FaultAt, Misshapen, OfferedTool, OutsideError, Program, Started, Starting, ToolAnswer, ToolServer,
    UnusableTool,
};
pub(crate) use template::{PLACEHOLDERS, Template, Unreadable};
