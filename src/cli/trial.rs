//! `candor try`: a command through access and executor, with its receipt, for whoever writes it.

use clap::Args;
use tracing_subscriber::filter::LevelFilter;

use crate::app::{Exit, Failure, Sources, Trial, Tried};
use crate::cli::process::{Hangup, stop_on_signal};
use crate::cli::run::{block_on, check};
use crate::edges::console::Replies;

/// `candor try`
#[derive(Args, Debug)]
pub(super) struct Try {
    /// A command as it is typed, such as '/tasks add title: milk'. Several run one after the other, on the same store.
    /// Exit code 0 if each was done, else 1
    #[arg(required = true, value_name = "COMMAND", allow_hyphen_values = true)]
    commands: Vec<String>,
    /// Have a chat model call it: a stand-in that makes this call and no other. Shows what a model is told. What
    /// changes something asks first, as in a chat, if `[chat] write_tools` names it
    #[arg(long)]
    as_model: bool,
    /// Answer yes when it asks
    #[arg(long, requires = "as_model")]
    yes: bool,
}

/// Runs the commands on an empty store.
pub(super) fn try_commands(sources: Sources<'_>, what: Try) -> Result<Exit, Failure> {
    let Try { commands: lines, as_model, yes } = what;
    let replies = match (as_model, yes) {
        (false, _) => Replies::Nobody,
        (true, true) => Replies::Yes,
        (true, false) => Replies::Typed,
    };
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let (examined, _log) = check(sources, LevelFilter::WARN).await?;
        let trial = Trial::start(examined).await?;
        let ended = trial.run(Tried { lines, as_model, replies }, &stop).await;
        trial.close().await;
        ended.map(|are_done| if are_done { Exit::Fine } else { Exit::Failed })
    })
}
