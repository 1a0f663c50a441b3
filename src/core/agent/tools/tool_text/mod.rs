//! Calls that a model wrote as text, in whatever form it was trained on.
//!
//! A call must name a tool of this bot; everything else is words. Three forms of a core are read, `json` objects,
//! `program` calls, and `tagged` names with their arguments behind them; then the core grows over what wraps it: tags,
//! brackets, a fence.

mod call;
mod json;
mod program;
mod scan;
mod tagged;
#[cfg(test)]
mod tests;
mod wrapping;

pub use call::{TextCall, ToolText};
pub use scan::{find_tool_text, whole_message};
