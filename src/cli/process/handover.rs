//! Takes the token out of the environment. As long as a process lives, its user can read its initial environment in
//! `/proc/<pid>/environ`, and so can anyone with access to the container.
//!
//! The process therefore executes this program again, with the same process id and before it has a second thread. The
//! new environment lacks the variable; the token is in a pipe on standard input, which is read once. Signals still
//! reach the bot directly, because there is no parent process between.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use secrecy::ExposeSecret as _;

use crate::edges::discord::gateway::find_token;

const TOKEN: &str = "DISCORD_TOKEN";

/// Standard input as a file that `DISCORD_TOKEN_FILE` can name.
const STANDARD_INPUT: &str = "/proc/self/fd/0";

/// The longest token handed over, in bytes: a pipe takes that much before it is read, see `pipe(7)`.
const LENGTH_MAX: usize = 4_096;

/// Executes this program again with these arguments if the environment holds a token; then it does not return. It
/// returns if there is no token, if the token is invalid (the start reports that), or if the system refuses.
pub(in crate::cli) fn take_token_out(arguments: &[OsString]) {
    if is_set() {
        // On failure the process continues as started; `connection` warns that the token stays readable.
        let _refused = start_anew(arguments);
    }
}

pub(in crate::cli) fn is_set() -> bool {
    std::env::var_os(TOKEN).is_some_and(|token| !token.is_empty())
}

fn start_anew(arguments: &[OsString]) -> io::Result<()> {
    let token = find_token(|name| std::env::var_os(name)).map_err(io::Error::other)?;
    let token = token.expose_secret().as_bytes();
    // Without `/proc` the new process could not read the token, and the environment is not readable either.
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
