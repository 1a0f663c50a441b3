//! The two hidden commands.

use std::ffi::OsString;
use std::io::Write as _;

use crate::programs::starter::orders::{BECOME, COMMAND, FAILED, MARK};
use crate::programs::starter::{confined, supervisor};

/// Runs as a starter if these are the arguments of one. Returns the exit code, or `None` for any other command.
pub fn become_program(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter().skip(1);
    let command = arguments.next()?;
    let run = match command.to_str()? {
        COMMAND => supervisor::supervise,
        BECOME => confined::become_program,
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
