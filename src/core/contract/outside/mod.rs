//! Modules without Rust code: replies that a manifest writes, programs, and tools of MCP servers.
//!
//! Their commands pass the same check as native ones, and run like them: what a native module's function is for its
//! command, a handler made here is for theirs.
//!
//! 1. [`OutsideSpec::of`](crate::contract::OutsideSpec::of) reads from a manifest what is to be started, and with which
//!    input it is to be tried.
//! 2. The host starts it and tells in [`Started`] what came of that: what stands behind the commands, and the faults.
//! 3. The check makes the handlers: of a text command from its template, of a program's from its options, of a tool's
//!    from the schema that its server lists.
//!
//! What comes back is untrusted: [`read_reply`] refuses whatever has another shape than a reply, and text is made
//! harmless before it becomes one.

mod files;
mod handlers;
mod later;
mod misshapen;
mod records;
mod reply;
mod request;
mod run;
mod started;
mod template;

pub(crate) use handlers::{
    CONFIRM, Card, Cards, ProgramCommand, asking_first, of_program, of_text, of_tool, to_be_started,
};
pub use later::LaterChanges;
pub use misshapen::Misshapen;
pub use records::RecordEdits;
pub use reply::{ProgramReply, read_reply};
pub(crate) use reply::{colour, picture};
pub(crate) use request::trial;
pub use run::{RunSpec, RunStart, ServerAccess};
pub use started::{
    Behind, Fault, FaultAt, OfferedTool, OutsideError, Program, Started, ToolAnswer, ToolServer, UnusableTool,
};
pub(crate) use template::{PLACEHOLDERS, Template, Unreadable};
