//! The bot in a terminal: the same router, registry, executor and modules as on Discord, with no token.
//!
//! At a terminal there is a prompt with history and completion of command names. Piped input is answered
//! line by line. Answers go to standard output, the log to standard error.

mod line;
mod prompt;
mod render;
mod terminal;

pub use prompt::run;
pub use render::render;
