//! The process: its token and its signals.
//!
//! The token is taken out of the environment. As long as a process lives, its user can read its initial environment in
//! `/proc/<pid>/environ`, and so can anyone with access to the container.
//!
//! The process therefore executes this program again, with the same process id and before it has a second thread. The
//! new environment lacks the variable; the token is in a pipe on standard input, which is read once. Signals still
//! reach the bot directly, because there is no parent process between.
//!
//! Ctrl-C and SIGTERM: the first asks the bot to stop, the second ends it at once. SIGHUP stops the console, because
//! its terminal is gone, and makes the bot reload its modules.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::app::{Exit, Failure, Reloader};
use candor_discord::gateway::find_token;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

const TOKEN: &str = "DISCORD_TOKEN";

/// Standard input as a file that `DISCORD_TOKEN_FILE` can name.
const STANDARD_INPUT: &str = "/proc/self/fd/0";

/// The longest token handed over, in bytes: a pipe takes that much before it is read, see `pipe(7)`.
const LENGTH_MAX: usize = 4_096;

/// Executes this program again with these arguments if the environment holds a token; then it does not return. It
/// returns if there is no token, if the token is invalid (the start reports that), or if the system refuses.
pub(super) fn take_token_out(arguments: &[OsString]) {
    if token_stays_readable() {
        // On failure the process continues as started; `connection` warns that the token stays readable.
        let _refused = start_anew(arguments);
    }
}

pub(super) fn token_stays_readable() -> bool {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hangup {
    /// The terminal is gone: stop.
    Stops,
    /// A request for a reload: see [`reload_on_hangup`].
    Reloads,
}

/// Returns a cancellation token that the first signal cancels. A second signal ends the process at once, without
/// waiting for work in progress.
pub(super) fn stop_on_signal(hangup: Hangup) -> Result<CancellationToken, Failure> {
    let mut signals =
        Signals::listen().map_err(|problem| Failure::unavailable(format!("cannot listen for signals: {problem}")))?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        signals.stop(hangup).await;
        info!("stopping on a signal; a second one ends the process at once");
        stopping.cancel();
        // Closing a terminal sends SIGHUP more than once; that is not a request to end at once.
        signals.stop(Hangup::Reloads).await;
        end_at_once();
    });
    Ok(stop)
}

/// Reloads the modules on each SIGHUP from now on.
#[cfg(unix)]
pub(super) fn reload_on_hangup(reloader: Arc<Reloader>) -> Result<(), Failure> {
    let mut hangups = signal(SignalKind::hangup())
        .map_err(|problem| Failure::unavailable(format!("cannot listen for signals: {problem}")))?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            // `reload` logs its result.
            let _told = reloader.reload("SIGHUP").await;
        }
    });
    Ok(())
}

/// This system has no SIGHUP.
#[cfg(not(unix))]
pub(super) fn reload_on_hangup(_: Arc<Reloader>) -> Result<(), Failure> {
    Ok(())
}

#[expect(clippy::exit, reason = "asked twice: nothing is waited for, and the store is safe at every moment")]
fn end_at_once() {
    let _unwritable = writeln!(io::stderr(), "candor: ended by a second signal, before everything was finished");
    std::process::exit(i32::from(u8::from(Exit::Failed)));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Stop,
    Hangup,
}

/// The signals. A signal between two waits is not lost.
struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    hangup: Signal,
}

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal that asks to stop.
    async fn stop(&mut self, hangup: Hangup) {
        while self.next().await == Came::Hangup && hangup == Hangup::Reloads {}
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Came {
        tokio::select! {
            _ = self.interrupt.recv() => Came::Stop,
            _ = self.terminate.recv() => Came::Stop,
            _ = self.hangup.recv() => Came::Hangup,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Came {
        if tokio::signal::ctrl_c().await.is_err() {
            // No signal will ever come.
            std::future::pending::<()>().await;
        }
        Came::Stop
    }
}
