//! `candor controls`: the key that signs the components under answers.

use std::io::Write as _;
use std::path::Path;

use clap::Subcommand;

use crate::app::{CONTROL_KEY, Exit, Failure, open_existing_store};
use crate::cli::run::block_on;
use candor_system::files::settings_file;

/// Actions on the key.
#[derive(Debug, Subcommand)]
pub(super) enum Controls {
    /// Make a new key. A running bot uses it after a restart and then refuses older buttons, lists and forms
    Rotate,
}

pub(super) fn controls(config: Option<&Path>, what: &Controls) -> Result<Exit, Failure> {
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    let Controls::Rotate = what;
    block_on(async {
        let store = open_existing_store(&settings.store, true).await?;
        let rotated = store.rotate_key(CONTROL_KEY).await;
        store.close().await;
        rotated.map_err(|problem| Failure::unavailable(format!("the key could not be changed: {problem}")))?;
        let told = "made a new key for controls; a bot that runs uses it once it is started again, and then refuses the \
                    buttons, lists and forms made before";
        let _unwritable = writeln!(std::io::stdout(), "{told}");
        Ok(Exit::Fine)
    })
}
