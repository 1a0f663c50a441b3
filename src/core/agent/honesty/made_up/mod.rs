//! Made-up results: text that looks like a tool's answer, which no tool gave.
//!
//! Taken out are JSON objects that a reply begins with, and labelled blocks (`Tool Result:`, `<tool_response>`)
//! at the start of any line. Words that people write too (`Result:`) are labels at the front and behind other blocks
//! alone, or where an object behind them has the keys of a tool's answer. Fenced JSON at the front is what somebody
//! asked for unless it has such keys, and JSON behind words is an example: both stay. Every scan goes over a text
//! once, whatever the text.

mod block;
mod json;
mod label;
mod recover;
mod said;
mod strip;
#[cfg(test)]
mod tests;

pub use recover::recoverable_memory;
pub use strip::strip_made_up;
