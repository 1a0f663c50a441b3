//! Tools of the chat model: the offered set, calls, and corrections of wrong calls.

pub(crate) mod call;
pub(crate) mod correction;
mod growing;
pub(crate) mod offer;
pub(crate) mod protocol;
mod schema;
mod tool_text;

pub use call::{
    CallEnd, Completion, Confirmation, Cut, NotRun, PlannedCall, Question, RawArguments, RawCall, Shown, Surface,
    Unattended,
};
pub use correction::{Attempts, ControlVerb, Correction, correct_unknown_tool};
pub use growing::may_become_call;
pub use offer::{CANNOT_DO, OfferedSet, OfferedTool, Withheld};
pub use protocol::{ProtocolReading, read as read_protocol};
pub(crate) use tool_text::MARKS;
pub use tool_text::{TextCall, ToolNames, ToolText, find_tool_text, whole_message};
