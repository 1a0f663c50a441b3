//! `candor health` and `candor reload`: ask the running bot on its admin port, for containers without a shell and curl.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use crate::app::{Exit, Failure};
use crate::cli::run::block_on;
use candor_system::files::settings_file;

/// Succeeds if the running bot says that it is ready, or with `live` that it is alive.
pub(super) fn health(config: Option<&Path>, live: bool) -> Result<Exit, Failure> {
    let listen = listen(config)?;
    block_on(async {
        let answer = candor_operate::ask(listen, if live { "/livez" } else { "/readyz" }).await;
        let answer = answer.map_err(|problem| Failure::unavailable(format!("no answer from {listen}: {problem}")))?;
        let _unwritable = writeln!(std::io::stdout(), "{}", answer.body);
        Ok(if answer.ok { Exit::Fine } else { Exit::Failed })
    })
}

/// Makes the running bot reload its modules, and prints the changes or the errors.
pub(super) fn reload(config: Option<&Path>) -> Result<Exit, Failure> {
    let listen = listen(config)?;
    block_on(async {
        let answer = candor_operate::ask_to_reload(listen).await;
        let answer = answer.map_err(|problem| Failure::unavailable(format!("no answer from {listen}: {problem}")))?;
        let _unwritable = writeln!(std::io::stdout(), "{}", answer.body);
        Ok(if answer.ok { Exit::Fine } else { Exit::Config })
    })
}

fn listen(config: Option<&Path>) -> Result<SocketAddr, Failure> {
    // The modules or a setting may be broken by now: the running bot has read earlier versions.
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    settings
        .admin
        .listen
        .ok_or_else(|| Failure::config("`[admin] listen` is off, so there is nothing to ask; set it to 127.0.0.1:9180"))
}
