//! Shows a plan to operators and programs.

use std::fmt;

use serde_json::{Value, json};

use crate::registration::{Keep, SyncAction, SyncPlan, SyncStep};

impl SyncAction {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Update { .. } => "update",
            Self::Remove { .. } => "remove",
            Self::Unchanged { .. } => "unchanged",
            Self::Kept { .. } => "kept",
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EntryPoint => f.write_str("Discord's own"),
            Self::ForeignType => f.write_str("of a type that this bot does not register"),
            Self::Quarantined(module) => write!(f, "its module `{module}` failed the check; its permissions stay"),
        }
    }
}

impl fmt::Display for SyncStep {
    /// Writes one line, and a further one for each field that differs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<10} {}", self.action.word(), self.key)?;
        match &self.action {
            SyncAction::Update { differences, .. } => {
                differences.iter().try_for_each(|difference| write!(f, "\n             {difference}"))
            }
            SyncAction::Kept { why, .. } => write!(f, ": {why}"),
            SyncAction::Create { .. } | SyncAction::Remove { .. } | SyncAction::Unchanged { .. } => Ok(()),
        }
    }
}

impl fmt::Display for SyncPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl SyncStep {
    pub fn json(&self) -> Value {
        let mut shown = json!({
            "name": self.key.name,
            "type": self.key.kind,
            "action": self.action.word(),
            "id": self.action.id().map(|id| id.to_string()),
        });
        match &self.action {
            SyncAction::Update { differences, .. } => {
                let fields = differences.iter().map(|it| json!({ "path": it.path, "from": it.from, "to": it.to }));
                shown["differences"] = fields.collect();
            }
            SyncAction::Kept { why, .. } => shown["reason"] = json!(why.to_string()),
            SyncAction::Create { .. } | SyncAction::Remove { .. } | SyncAction::Unchanged { .. } => {}
        }
        shown
    }
}

impl SyncAction {
    /// Returns the id of the command on Discord, if it exists.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Remove { id } | Self::Unchanged { id } | Self::Kept { id, .. } => Some(*id),
        }
    }
}
