//! `candor try` and `candor test`: commands through access and executor on a temporary store, for module authors.

use std::io::{self, Write as _};

use crate::app::{Exit, Failure, Sources, TestReport, Trial, Tried, tests_of_modules};
use crate::cli::process::{Hangup, stop_on_signal};
use crate::cli::run::{block_on, check_for_author};
use crate::console::Replies;
use clap::Args;

/// `candor try`
#[derive(Args, Debug)]
pub(super) struct Try {
    /// A command as it is typed, such as '/tasks add title: milk'. Several run one after the other, on the same store.
    /// Exit code 0 if each was done, else 1
    #[arg(required = true, value_name = "COMMAND", allow_hyphen_values = true)]
    commands: Vec<String>,
    /// Let a stand-in for the chat model make this call, and show the result that a model gets. A change needs
    /// a Confirm, as in chat, if `[chat] write_tools` has it
    #[arg(long)]
    as_model: bool,
    /// Answer yes when it asks
    #[arg(long, requires = "as_model")]
    yes: bool,
}

/// `candor test`
#[derive(Args, Debug)]
pub(super) struct Test {
    /// The modules to test. Default: all with a `tests.toml` in their folder. Exit code 0 if every test passed,
    /// else 1
    #[arg(value_name = "MODULE")]
    modules: Vec<String>,
}

pub(super) fn try_commands(sources: Sources<'_>, what: Try) -> Result<Exit, Failure> {
    let Try { commands: lines, as_model, yes } = what;
    let replies = match (as_model, yes) {
        (false, _) => Replies::Nobody,
        (true, true) => Replies::Yes,
        (true, false) => Replies::Typed,
    };
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let (examined, _log) = check_for_author(sources).await?;
        let trial = Trial::start(examined).await?;
        let ended = trial.run(Tried { lines, as_model, replies }, &stop).await;
        trial.close().await;
        ended.map(|are_done| if are_done { Exit::Fine } else { Exit::Failed })
    })
}

pub(super) fn test(sources: Sources<'_>, Test { modules }: &Test) -> Result<Exit, Failure> {
    block_on(async {
        let stop = stop_on_signal(Hangup::Stops)?;
        let (examined, _log) = check_for_author(sources).await?;
        let settings = examined.settings.clone().unwrap_or_default();
        let tests = tests_of_modules(&settings, modules)?;
        if tests.iter().all(|(_, tests)| tests.is_empty()) {
            return Err(Failure::config("there are no tests: write some into `tests.toml` in the folder of a module"));
        }
        let trial = Trial::start(examined).await?;
        let n_modules = tests.len();
        let mut reports = Vec::new();
        for (module, tests) in tests {
            reports.extend(trial.test(&module, tests, &stop).await);
        }
        trial.close().await;
        reports.iter().try_for_each(|report| tell(&shown(report)))?;
        let n_failed = reports.iter().filter(|report| !report.wrong.is_empty()).count();
        let n_passed = reports.len() - n_failed;
        let of = if n_modules == 1 { "1 module".to_owned() } else { format!("{n_modules} modules") };
        tell(&format!("tests of {of}: {n_passed} passed, {n_failed} failed"))?;
        Ok(if n_failed == 0 && !stop.is_cancelled() { Exit::Fine } else { Exit::Failed })
    })
}

fn shown(TestReport { module, name, wrong }: &TestReport) -> String {
    let end = if wrong.is_empty() { "passed" } else { "failed" };
    let why = wrong.iter().flat_map(|why| why.lines()).map(|line| format!("\n  {line}"));
    format!("{end} {module} {name}{}", why.collect::<String>())
}

fn tell(text: &str) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{text}").map_err(|problem| Failure::unavailable(format!("cannot write: {problem}")))
}
