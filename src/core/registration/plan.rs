//! The plan: what is to become of each command.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::registration::difference::{Difference, differences};
use crate::registration::meaning::{COMMAND, meaning, reset, sendable};
use crate::registration::{CHAT_INPUT, ENTRY_POINT, Key, MESSAGE_MENU, ManifestLines, Terms, USER_MENU, Wanted};

/// What is to be done, in this order: create, update, remove. Nothing is removed before what is new stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// A step a command, those that change something first.
    pub steps: Vec<CommandChange>,
}

/// What is to become of one command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandChange {
    /// Which.
    pub key: Key,
    /// What.
    pub change: Change,
    /// Where its manifest declares its parts; empty if it has none.
    pub places: ManifestLines,
}

/// What is to become of a command. Ids are Discord's.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It does not stand yet.
    Create {
        /// The whole of it.
        payload: Value,
    },
    /// It stands, and says something else.
    Update {
        /// Its id, which stays.
        id: u64,
        /// Each field that differs.
        differences: Vec<Difference>,
        /// Those fields as they should be.
        body: Value,
    },
    /// It stands, and is no longer in force.
    Remove {
        /// Its id.
        id: u64,
    },
    /// It stands as it should.
    Unchanged {
        /// Its id.
        id: u64,
    },
    /// It is not in force, and stays.
    Kept {
        /// Its id.
        id: u64,
        /// Why.
        why: Keep,
    },
}

/// Why a command stays that is not in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Discord makes the Entry Point and refuses to lose it.
    EntryPoint,
    /// We register none of this type, so it is somebody else's.
    ForeignType,
    /// This module failed its check. Its commands answer that they are unavailable, and would lose their
    /// permissions if they were removed.
    Quarantined(String),
}

impl Plan {
    /// How many steps are of this kind.
    pub fn count(&self, is_wanted: impl Fn(&Change) -> bool) -> usize {
        self.steps.iter().filter(|step| is_wanted(&step.change)).count()
    }

    /// How many creates it costs. Discord limits them by day; changes and removals are free.
    pub fn cost(&self) -> usize {
        self.count(|change| matches!(change, Change::Create { .. }))
    }

    /// Whether anything is to be done.
    pub fn is_drift(&self) -> bool {
        self.steps.iter().any(|step| step.change.is_write())
    }

    /// The plan when nothing changed since everything was in place: what still reads differently is Discord's own
    /// way to say it, and to write it again would change nothing.
    pub fn settled(mut self) -> Self {
        for step in &mut self.steps {
            if let Change::Update { id, .. } = step.change {
                step.change = Change::Unchanged { id };
            }
        }
        self
    }
}

impl Change {
    /// Whether it asks something of Discord.
    pub fn is_write(&self) -> bool {
        match self {
            Self::Create { .. } | Self::Update { .. } | Self::Remove { .. } => true,
            Self::Unchanged { .. } | Self::Kept { .. } => false,
        }
    }

    /// The place in the order of steps.
    fn rank(&self) -> u8 {
        match self {
            Self::Create { .. } => 0,
            Self::Update { .. } => 1,
            Self::Remove { .. } => 2,
            Self::Unchanged { .. } => 3,
            Self::Kept { .. } => 4,
        }
    }
}

/// Compares what should stand with what Discord lists. `quarantined` are the slash commands of rejected modules, with
/// their modules.
pub fn plan(wanted: &[Wanted], standing: &[Value], quarantined: &BTreeMap<String, String>, terms: &Terms) -> Plan {
    let standing: BTreeMap<Key, (u64, &Value)> =
        standing.iter().filter_map(|command| Some((Key::of(command), (id(command)?, command)))).collect();
    let mut steps = Vec::new();
    for Wanted { payload, places } in wanted {
        let key = Key::of(payload);
        let change = match standing.get(&key) {
            Some((id, command)) => against(*id, command, payload, terms),
            None => Change::Create { payload: sendable(payload, terms.scope) },
        };
        steps.push(CommandChange { key, change, places: places.clone() });
    }
    for (key, (id, _)) in &standing {
        if wanted.iter().any(|wanted| Key::of(&wanted.payload) == *key) {
            continue;
        }
        let change = match keep(key, quarantined) {
            Some(why) => Change::Kept { id: *id, why },
            None => Change::Remove { id: *id },
        };
        steps.push(CommandChange { key: key.clone(), change, places: ManifestLines::default() });
    }
    steps.sort_by_key(|step| step.change.rank());
    Plan { steps }
}

fn against(id: u64, standing: &Value, payload: &Value, terms: &Terms) -> Change {
    let differences = differences(&meaning(standing, terms), &meaning(payload, terms));
    if differences.is_empty() {
        return Change::Unchanged { id };
    }
    let sendable = sendable(payload, terms.scope);
    // What is left out of a change stays as it is, so what is no longer said has to be taken back.
    let fields = COMMAND.into_iter().filter(|field| {
        let is_in = |difference: &Difference| difference.path.split('.').next() == Some(field);
        differences.iter().any(is_in)
    });
    let said = |field: &str| sendable.get(field).filter(|value| !value.is_null()).cloned();
    let body: Map<_, _> = fields.map(|field| (field.to_owned(), said(field).unwrap_or_else(|| reset(field)))).collect();
    Change::Update { id, differences, body: Value::Object(body) }
}

fn keep(key: &Key, quarantined: &BTreeMap<String, String>) -> Option<Keep> {
    match key.kind {
        ENTRY_POINT => Some(Keep::EntryPoint),
        CHAT_INPUT => quarantined.get(&key.name).cloned().map(Keep::Quarantined),
        USER_MENU | MESSAGE_MENU => None,
        _ => Some(Keep::ForeignType),
    }
}

/// A command's id, if it is one.
fn id(command: &Value) -> Option<u64> {
    command.get("id")?.as_str()?.parse().ok().filter(|&id| 0 < id)
}

/// A standing command as it can be sent again in a whole set. Null says nothing, and may not be said everywhere.
pub fn writable(standing: &Value) -> Value {
    let fields = standing.as_object().into_iter().flatten();
    let kept = fields.filter(|(key, value)| COMMAND.contains(&key.as_str()) && !value.is_null());
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}
