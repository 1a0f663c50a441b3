//! Tools of the chat model: what is offered, what was called, and how a wrong call is corrected.

pub(crate) mod call;
pub(crate) mod cannot_do;
pub(crate) mod correction;
mod growing;
pub(crate) mod offer;
pub(crate) mod protocol;
mod written;

pub use call::{
    CallEnd, Completion, Confirmation, Cut, NotRun, PlannedCall, Question, RawArguments, RawCall, Surface, Unattended,
};
pub use cannot_do::{CANNOT_DO_DESCRIPTION, cannot_do_schema};
pub use correction::{Attempts, ControlVerb, Correction, correct_unknown_tool};
pub use growing::may_become_call;
pub use offer::{CANNOT_DO, OfferedSet, OfferedTool, Withheld};
pub use protocol::{ProtocolReading, read as read_protocol};
pub use written::{WrittenCall, WrittenCalls, whole_message, written_calls};
