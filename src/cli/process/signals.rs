//! Ctrl-C and SIGTERM: the first asks the bot to stop, the second ends it at once. SIGHUP stops the console, because
//! its terminal is gone, and makes the bot reload its modules.

use std::io::{self, Write as _};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::app::{Exit, Failure, Reloader};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Hangup {
    /// The terminal is gone: stop.
    Stops,
    /// A request for a reload: see [`reload_on_hangup`].
    Reloads,
}

/// Returns a cancellation token that the first signal cancels. A second signal ends the process at once, without
/// waiting for work in progress.
pub(in crate::cli) fn stop_on_signal(hangup: Hangup) -> Result<CancellationToken, Failure> {
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
pub(in crate::cli) fn reload_on_hangup(reloader: Arc<Reloader>) -> Result<(), Failure> {
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
pub(in crate::cli) fn reload_on_hangup(_: Arc<Reloader>) -> Result<(), Failure> {
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
