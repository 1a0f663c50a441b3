//! Takes the token out of the environment: as long as a process lives, its user can read what it was started with, in
//! `/proc/<pid>/environ`, and so can whoever may look into a container.
//!
//! The process becomes this program once more, under the same number and before it has a thread: without the variable,
//! and with the token in a pipe on standard input, which is read once. No process stands between a signal and the bot.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use secrecy::ExposeSecret as _;

use crate::edges::discord::gateway::find_token;

/// The variable that holds the token.
const TOKEN: &str = "DISCORD_TOKEN";

/// Standard input as a file that `DISCORD_TOKEN_FILE` can name.
const STANDARD_INPUT: &str = "/proc/self/fd/0";

/// The longest token that is handed over, in bytes: a pipe takes that much before anybody reads, see `pipe(7)`.
const LENGTH_MAX: usize = 4_096;

/// Starts this program anew with these arguments if the environment holds its token, and then does not return. It does
/// if there is nothing to hand over, if the token is none, of which the start tells, and if the system refuses.
pub(in crate::cli) fn take_token_out(arguments: &[OsString]) {
    if is_set() {
        // It goes on as it was started; `connection` warns of what stays readable.
        let _refused = start_anew(arguments);
    }
}

/// Whether the environment still holds a token.
pub(in crate::cli) fn is_set() -> bool {
    std::env::var_os(TOKEN).is_some_and(|token| !token.is_empty())
}

fn start_anew(arguments: &[OsString]) -> io::Result<()> {
    let token = find_token(|name| std::env::var_os(name)).map_err(io::Error::other)?;
    let token = token.expose_secret().as_bytes();
    // Without `/proc` the new start could not read it, and nobody can read the environment either.
    if LENGTH_MAX < token.len() || !Path::new("/proc/self/fd").exists() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(token)?;
    drop(writer);
    let mut program = Command::new(std::env::current_exe()?);
    if let Some(name) = arguments.first() {
        program.arg0(name);
    }
    program.args(arguments.iter().skip(1)).env_remove(TOKEN).env("DISCORD_TOKEN_FILE", STANDARD_INPUT).stdin(reader);
    Err(program.exec())
}
