//! The console: lines that are piped in, a terminal, and chat turns.

mod lines;
#[cfg(unix)]
mod terminal;
mod turn;
