//! Names of commands: the walk from a command to its subcommands, and names that stand alone.

mod level;
mod named;

pub(super) use level::{Level, Reached};
pub(super) use named::named;
