//! Calls that a model wrote as text, in whatever form it was trained on.
//!
//! A call must name a tool of this bot; everything else is words, but for a whole message that its marks make a call. Two
//! forms of a core are read, `json` objects, and `named` tools with their arguments behind them, perhaps in `tags`; then
//! the core grows over the `marks` that wrap it.

mod call;
mod json;
mod lines;
mod marks;
mod named;
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
