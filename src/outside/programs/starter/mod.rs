//! The starter: this binary, started again around a program.
//!
//! The bot starts `candor __start ORDERS PROGRAM ARGUMENT…`, the supervisor, with the program's environment and none of
//! the bot's. The supervisor starts `candor __become` with the same arguments, which sets limits and rules on itself
//! and becomes the program. The supervisor stays until all processes of the call have ended. A failure ends it with the
//! code 121, and the last line on its standard error begins with `candor starter: `.

mod command;
mod confined;
mod orders;
mod processes;
mod supervisor;

pub use command::become_program;
pub use orders::ProgramLimits;
pub(in crate::programs) use orders::{COMMAND, FAILED, MARK, Orders};
