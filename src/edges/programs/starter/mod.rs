//! The starter: this binary, started again around a program.
//!
//! The bot starts `candor __start ORDERS PROGRAM ARGUMENT…`, the supervisor, with the program's environment and nothing
//! of the bot's. The supervisor starts `candor __become` with the same arguments, which sets limits and rules on itself
//! and becomes the program, and then stays until nothing is left of the call. A failure ends it with the code 121, and
//! the last line on its standard error begins with `candor starter: `.

mod confined;
mod orders;
mod processes;
mod supervisor;

use std::ffi::OsString;
use std::io::Write as _;

pub(in crate::edges::programs) use orders::{COMMAND, FAILED, MARK, Orders};

/// Runs as a starter, if these are the arguments of one. Returns the exit code, or `None` for any other command.
pub fn become_program(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    let command = arguments.next()?;
    let run = match command.to_str()? {
        orders::COMMAND => supervisor::supervise,
        orders::BECOME => confined::become_program,
        _ => return None,
    };
    let arguments: Vec<_> = arguments.collect();
    let orders = arguments.first().map(|orders| orders.to_string_lossy()).unwrap_or_default();
    let ended = match serde_json::from_str(&orders) {
        Ok(orders) => run(&orders, &arguments),
        Err(problem) => Err(format!("start: its orders cannot be read: {problem}")),
    };
    ended.map_or_else(
        |why| {
            let _unwritable = writeln!(std::io::stderr(), "\n{MARK}{why}");
            u8::try_from(FAILED).ok()
        },
        Some,
    )
}
