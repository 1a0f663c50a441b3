//! The steps that make Discord's commands the wanted ones.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::registration::difference::{Difference, differences};
use crate::registration::meaning::{COMMAND, meaning, reset, sendable};
use crate::registration::{CHAT_INPUT, ENTRY_POINT, Key, MESSAGE_MENU, ManifestLines, Terms, USER_MENU, WantedCommand};

/// The steps in the order create, update, remove. Nothing is removed before the new commands exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncPlan {
    /// One step per command, those that change something first.
    pub steps: Vec<SyncStep>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SyncStep {
    pub key: Key,
    pub action: SyncAction,
    /// The source positions in its manifest; empty if it has no manifest.
    pub places: ManifestLines,
}

/// The action for a command. Ids are Discord's.
#[derive(Clone, Debug, PartialEq)]
pub enum SyncAction {
    Create {
        /// The whole command.
        payload: Value,
    },
    /// Discord has it, but it differs.
    Update {
        /// Its id, which does not change.
        id: u64,
        differences: Vec<Difference>,
        /// The differing fields with their wanted values.
        body: Value,
    },
    /// Discord has it, but it is no longer in force.
    Remove {
        id: u64,
    },
    Unchanged {
        id: u64,
    },
    /// It stays on Discord although it is not in force.
    Kept {
        id: u64,
        why: Keep,
    },
}

/// Why a command that is not in force stays on Discord.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Discord creates the Entry Point command and refuses to remove it.
    EntryPoint,
    /// The bot does not register commands of this type, so another program owns it.
    ForeignType,
    /// This module failed its check. Its commands are answered as unavailable; removing them would lose their
    /// permissions.
    Quarantined(String),
}

impl SyncPlan {
    pub fn count(&self, is_wanted: impl Fn(&SyncAction) -> bool) -> usize {
        self.steps.iter().filter(|step| is_wanted(&step.action)).count()
    }

    /// Returns the number of creates. Discord limits them per day; updates and removals are unlimited.
    pub fn cost(&self) -> usize {
        self.count(|action| matches!(action, SyncAction::Create { .. }))
    }

    /// Returns whether any step needs a request to Discord.
    pub fn is_drift(&self) -> bool {
        self.steps.iter().any(|step| step.action.is_write())
    }

    /// Drops all updates. Use it if nothing changed since the last complete registration: remaining differences are
    /// then only Discord's notation, and sending them again would change nothing.
    pub fn settled(mut self) -> Self {
        for step in &mut self.steps {
            if let SyncAction::Update { id, .. } = step.action {
                step.action = SyncAction::Unchanged { id };
            }
        }
        self
    }
}

impl SyncAction {
    /// Returns whether it needs a request to Discord.
    pub fn is_write(&self) -> bool {
        match self {
            Self::Create { .. } | Self::Update { .. } | Self::Remove { .. } => true,
            Self::Unchanged { .. } | Self::Kept { .. } => false,
        }
    }

    /// Returns its position in the order of steps.
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

/// Compares the wanted commands with those Discord lists. `quarantined` maps the slash commands of rejected modules to
/// their modules.
pub fn plan(
    wanted: &[WantedCommand],
    standing: &[Value],
    quarantined: &BTreeMap<String, String>,
    terms: &Terms,
) -> SyncPlan {
    let standing: BTreeMap<Key, (u64, &Value)> =
        standing.iter().filter_map(|command| Some((Key::of(command), (id(command)?, command)))).collect();
    let mut steps = Vec::new();
    for WantedCommand { payload, places } in wanted {
        let key = Key::of(payload);
        let action = match standing.get(&key) {
            Some((id, command)) => against(*id, command, payload, terms),
            None => SyncAction::Create { payload: sendable(payload, terms.scope) },
        };
        steps.push(SyncStep { key, action, places: places.clone() });
    }
    for (key, (id, _)) in &standing {
        if wanted.iter().any(|wanted| Key::of(&wanted.payload) == *key) {
            continue;
        }
        let action = match keep(key, quarantined) {
            Some(why) => SyncAction::Kept { id: *id, why },
            None => SyncAction::Remove { id: *id },
        };
        steps.push(SyncStep { key: key.clone(), action, places: ManifestLines::default() });
    }
    steps.sort_by_key(|step| step.action.rank());
    SyncPlan { steps }
}

fn against(id: u64, standing: &Value, payload: &Value, terms: &Terms) -> SyncAction {
    let differences = differences(&meaning(standing, terms), &meaning(payload, terms));
    if differences.is_empty() {
        return SyncAction::Unchanged { id };
    }
    let sendable = sendable(payload, terms.scope);
    // Discord keeps fields that an update omits, so removed fields must be reset explicitly.
    let fields = COMMAND.into_iter().filter(|field| {
        let is_in = |difference: &Difference| difference.path.split('.').next() == Some(field);
        differences.iter().any(is_in)
    });
    let wanted = |field: &str| sendable.get(field).filter(|value| !value.is_null()).cloned();
    let body: Map<_, _> =
        fields.map(|field| (field.to_owned(), wanted(field).unwrap_or_else(|| reset(field)))).collect();
    SyncAction::Update { id, differences, body: Value::Object(body) }
}

fn keep(key: &Key, quarantined: &BTreeMap<String, String>) -> Option<Keep> {
    match key.kind {
        ENTRY_POINT => Some(Keep::EntryPoint),
        CHAT_INPUT => quarantined.get(&key.name).cloned().map(Keep::Quarantined),
        USER_MENU | MESSAGE_MENU => None,
        _ => Some(Keep::ForeignType),
    }
}

fn id(command: &Value) -> Option<u64> {
    command.get("id")?.as_str()?.parse().ok().filter(|&id| 0 < id)
}

/// Returns an existing command in the form for a bulk overwrite. Null values are dropped: they mean nothing, and
/// Discord refuses some of them.
pub fn writable(standing: &Value) -> Value {
    let fields = standing.as_object().into_iter().flatten();
    let kept = fields.filter(|(key, value)| COMMAND.contains(&key.as_str()) && !value.is_null());
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}
