//! The page's content as plain data. Most of it is untrusted text.

use std::collections::BTreeMap;
use std::time::SystemTime;

use candor_core::agent::Usage;
use candor_core::contract::outside::RunSpec;
use candor_core::contract::{Metric, Past};
use candor_core::diagnostic::{Diagnostic, Diagnostics, Severity, full};
use candor_core::record::LedgerEntry;
use candor_core::registry::CommandRow;

/// The state of the bot at one moment.
#[derive(Clone, Debug)]
pub struct Overview {
    pub now: SystemTime,
    /// The settings file and the store.
    pub setup: Vec<(&'static str, String)>,
    pub commands: Vec<CommandRow>,
    /// The commands of modules that failed the check.
    pub unavailable: Vec<UnavailableCommand>,
    /// The commands whose registration at Discord is wrong.
    pub not_at_discord: Vec<NotAtDiscord>,
    /// Findings of the check about the settings and modules in force.
    pub findings: Vec<Finding>,
    /// Findings of the last reload if it failed; nothing of it is in force.
    pub not_reloaded: Vec<Finding>,
    /// The metrics file over the last hour, or why it is unknown.
    pub metrics: Result<Metrics, String>,
    /// The newest receipts first, or why they are unknown.
    pub receipts: Result<Vec<LedgerEntry>, String>,
    /// The newest chat turns with findings first, or why they are unknown.
    pub turns: Result<Vec<TurnEvent>, String>,
    /// Today's chat use, the whole bot first; `None` if chat is off.
    pub budgets: Option<Result<Vec<Usage>, String>>,
    pub modules: Vec<ModuleView>,
    /// How this machine confines programs of modules, if there are any.
    pub contained: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnavailableCommand {
    /// The name as people write it.
    pub name: String,
    pub module: String,
}

/// A command whose registration at Discord is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAtDiscord {
    /// The name as people write it.
    pub name: String,
    pub module: String,
    pub state: &'static str,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable name of the rule.
    pub code: &'static str,
    /// Whether it keeps the module or the settings out of force.
    pub is_error: bool,
    pub message: String,
    /// The full text as in a terminal: place, lines of the file, and the remedy.
    pub snippet: String,
}

impl Finding {
    /// Converts all findings of a check.
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

#[derive(Clone, Debug)]
pub struct Metrics {
    pub from: SystemTime,
    pub until: SystemTime,
    pub past: Past,
    /// The operator's presentation of single metrics.
    pub shown: BTreeMap<String, Metric>,
    pub trouble: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEvent {
    pub at: SystemTime,
    pub model: String,
    pub found: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleView {
    pub name: String,
    pub summary: String,
    /// The kind of its handlers: native, text, exec or mcp.
    pub kind: &'static str,
    pub n_commands: usize,
    pub services: Vec<&'static str>,
    /// Its program or server, and the limits.
    pub run: Option<RunSpec>,
}
