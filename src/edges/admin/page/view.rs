//! What the page shows, as plain data. Most of it is text of strangers.

use std::collections::BTreeMap;
use std::time::SystemTime;

use candor_core::contract::outside::RunSpec;
use candor_core::contract::{Metric, Past, Usage};
use candor_core::diagnostic::{Diagnostic, Diagnostics, Severity, full};
use candor_core::record::LedgerEntry;
use candor_core::registry::CommandRow;

/// What others know of the bot, at one moment.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The moment.
    pub now: SystemTime,
    /// What runs: the settings file, the store.
    pub setup: Vec<(&'static str, String)>,
    /// The commands in force.
    pub commands: Vec<CommandRow>,
    /// The commands of modules that failed their check.
    pub unavailable: Vec<UnavailableCommand>,
    /// The commands that Discord does not have as they should be.
    pub not_at_discord: Vec<NotAtDiscord>,
    /// What the check found in the settings and modules that are in force.
    pub findings: Vec<Finding>,
    /// What the check found at the last reload, if it failed, so that nothing of it is in force.
    pub not_reloaded: Vec<Finding>,
    /// The metrics file over the last hour, or why it is not known.
    pub metrics: Result<Metrics, String>,
    /// The newest receipts, the newest first, or why they are not known.
    pub receipts: Result<Vec<LedgerEntry>, String>,
    /// The newest chat turns in which something was found, the newest first, or why they are not known.
    pub turns: Result<Vec<TurnEvent>, String>,
    /// What chat used today, the whole bot first; `None` if chat is off.
    pub budgets: Option<Result<Vec<Usage>, String>>,
    /// The modules in force.
    pub modules: Vec<ModuleView>,
    /// How this machine confines programs of modules, if there are any.
    pub contained: Option<String>,
}

/// A command of a module that failed its check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnavailableCommand {
    /// Its name as people write it.
    pub name: String,
    /// Its module.
    pub module: String,
}

/// A command that Discord does not have as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAtDiscord {
    /// Its name as people write it.
    pub name: String,
    /// Its module.
    pub module: String,
    /// What became of it.
    pub state: &'static str,
    /// Why.
    pub reason: String,
}

/// Something that the check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable name of the rule.
    pub code: &'static str,
    /// Whether it keeps the module or the settings out of force.
    pub is_error: bool,
    /// What is wrong.
    pub message: String,
    /// The whole of it as in a terminal: place, lines of the file, and what to do.
    pub snippet: String,
}

impl Finding {
    /// All that a check found.
    pub fn all_of(found: &Diagnostics) -> Vec<Self> {
        found.iter().map(Self::of).collect()
    }

    fn of(diagnostic: &Diagnostic) -> Self {
        let mut alone = Diagnostics::default();
        alone.push(diagnostic.clone());
        Self {
            code: diagnostic.code.name(),
            is_error: diagnostic.severity() == Severity::Error,
            message: diagnostic.message.clone(),
            snippet: full::render(&alone, false).trim_end().to_owned(),
        }
    }
}

/// The metrics file over time.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// The first moment.
    pub from: SystemTime,
    /// The last moment.
    pub until: SystemTime,
    /// The samples.
    pub past: Past,
    /// How the operator wants single metrics shown.
    pub shown: BTreeMap<String, Metric>,
    /// What is wrong with the file now, if something is.
    pub trouble: Option<String>,
}

/// A chat turn in which something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEvent {
    /// When.
    pub at: SystemTime,
    /// The model.
    pub model: String,
    /// What was found, in the words of the bot.
    pub found: Vec<String>,
}

/// A module in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub summary: String,
    /// How its commands are provided: native, text, exec or mcp.
    pub kind: &'static str,
    /// How many commands it has.
    pub n_commands: usize,
    /// The services that it is given.
    pub services: Vec<&'static str>,
    /// What it starts, and within which limits.
    pub run: Option<RunSpec>,
}
