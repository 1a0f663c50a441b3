//! The bot in a terminal: the same router, registry, executor and modules as on Discord, without a token.
//!
//! At a terminal there is a prompt with history and completion; answers follow the screen width and use colours where
//! wanted. Piped input is answered line by line. Answers go to standard output, the log to standard error.

mod complete;
mod history;
mod line;
mod markdown;
mod press;
mod prompt;
mod render;
mod screen;
mod terminal;
mod wrap;

pub use line::Replies;
pub use prompt::{Session, Talk, run, run_lines};
pub use render::{broken, render};
pub use screen::{Screen, language_of};
pub use terminal::tell;
