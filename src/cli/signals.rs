//! Ctrl-C and SIGTERM: the first asks the bot to stop, the second ends it at once.

use std::io::{self, Write as _};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::app::{Exit, Failure, Reloader};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A token that the first signal from now on cancels. A second one ends the process at once: whoever sends it does not
/// want to wait for work in progress.
pub(super) fn stop_on_signal() -> Result<CancellationToken, Failure> {
    let mut signals =
        Signals::listen().map_err(|problem| Failure::unavailable(format!("cannot listen for signals: {problem}")))?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        info!("stopping: a signal came; another one ends the process at once");
        stopping.cancel();
        signals.next().await;
        end_at_once();
    });
    Ok(stop)
}

/// Has the modules reloaded for each SIGHUP from now on. Without this, the signal would end the process.
#[cfg(unix)]
pub(super) fn reload_on_hangup(reloader: Arc<Reloader>) -> Result<(), Failure> {
    let mut hangups = signal(SignalKind::hangup())
        .map_err(|problem| Failure::unavailable(format!("cannot listen for signals: {problem}")))?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            // How it went is logged.
            let _told = reloader.reload("SIGHUP").await;
        }
    });
    Ok(())
}

/// There is no such signal here.
#[cfg(not(unix))]
pub(super) fn reload_on_hangup(_: Arc<Reloader>) -> Result<(), Failure> {
    Ok(())
}

#[expect(clippy::exit, reason = "asked twice: nothing is waited for, and the store is safe at every moment")]
fn end_at_once() {
    let _unwritable = writeln!(io::stderr(), "candor: ended by a second signal, before everything was finished");
    std::process::exit(i32::from(u8::from(Exit::Failed)));
}

/// Both signals. None is lost between two waits.
struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // No signal will ever come.
            std::future::pending::<()>().await;
        }
    }
}
