//! Shows a plan to operators and programs.

use std::fmt;

use serde_json::{Value, json};

use crate::registration::{Change, CommandChange, Keep, SyncPlan};

impl Change {
    /// The word for the change.
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

impl fmt::Display for CommandChange {
    /// One line, and a further one for each field that differs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<10} {}", self.change.word(), self.key)?;
        match &self.change {
            Change::Update { differences, .. } => {
                differences.iter().try_for_each(|difference| write!(f, "\n             {difference}"))
            }
            Change::Kept { why, .. } => write!(f, ": {why}"),
            Change::Create { .. } | Change::Remove { .. } | Change::Unchanged { .. } => Ok(()),
        }
    }
}

impl fmt::Display for SyncPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl CommandChange {
    /// The step as JSON, for programs.
    pub fn json(&self) -> Value {
        let mut told = json!({
            "name": self.key.name,
            "type": self.key.kind,
            "action": self.change.word(),
            "id": self.change.id().map(|id| id.to_string()),
        });
        match &self.change {
            Change::Update { differences, .. } => {
                let fields = differences.iter().map(|it| json!({ "path": it.path, "from": it.from, "to": it.to }));
                told["differences"] = fields.collect();
            }
            Change::Kept { why, .. } => told["reason"] = json!(why.to_string()),
            Change::Create { .. } | Change::Remove { .. } | Change::Unchanged { .. } => {}
        }
        told
    }
}

impl Change {
    /// The id of the command on Discord, if it exists.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Remove { id } | Self::Unchanged { id } | Self::Kept { id, .. } => Some(*id),
        }
    }
}
