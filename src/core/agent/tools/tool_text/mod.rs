//! Calls that a model wrote as text, in whatever form it was trained on.
//!
//! A call must name a tool of this bot; everything else is words. Two forms of a core are read, `json` objects, and
//! `named` tools with their arguments behind them; then the core grows over the `marks` that wrap it.

mod call;
mod json;
mod marks;
mod named;
mod scan;
#[cfg(test)]
mod tests;

pub use call::{TextCall, ToolText};
pub(crate) use marks::MARKS;
pub use scan::{find_tool_text, whole_message};
