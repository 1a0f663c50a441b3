//! Checks of a reply's words against what really ran.

pub(crate) mod claims;
pub(crate) mod command_names;
pub(crate) mod grounding;
pub(crate) mod made_up;
pub(crate) mod receipt_names;
mod stripped;
pub(crate) mod tool_text;

pub use claims::unbacked_claims;
pub use command_names::unknown_commands;
pub use grounding::ungrounded;
pub use made_up::{recoverable_memory, strip_made_up};
pub use receipt_names::unknown_receipts;
pub use stripped::Stripped;
pub use tool_text::strip_tool_text;
