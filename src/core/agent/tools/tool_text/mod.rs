//! Calls that a model wrote as text, in any format it was trained on.
//!
//! A call must name a tool of this bot. All other text is words, unless its marks make a whole message a call. The core
//! of a call is either a `json` object, or a `named` tool with its arguments behind it, perhaps in `tags`. The core
//! then grows over the `marks` that wrap it.

mod call;
mod json;
mod lines;
mod marks;
mod names;
mod scan;
mod tags;
#[cfg(test)]
mod tests;

pub(crate) use call::UNNAMED;
pub use call::{TextCall, ToolText};
pub(crate) use marks::MARKS;
pub use names::ToolNames;
pub use scan::{find_tool_text, whole_message};
