//! The sheet of a guild: its settings, and the last changes. The newest change can be undone.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::guild::setting::GuildSetting;
use crate::guild::value::GuildValue;
use crate::guild::values::GuildValues;
use crate::record::ReceiptId;

/// How many changes a sheet keeps, so that an administrator who was away sees them all and can undo them.
const CHANGES_MAX: usize = 12;

/// The settings of a guild's administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildSheet {
    number: u64,
    values: GuildValues,
    changes: Vec<SheetChange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetChange {
    /// Its number: one more than that of the change before it.
    pub number: u64,
    pub setting: GuildSetting,
    /// The previous value, if one was set.
    pub before: Option<GuildValue>,
    pub by: ChangedBy,
    /// The number of the change that it undid, if it undid one.
    pub undoes: Option<u64>,
}

/// The run that changes a sheet. The sheet does not store its user, because the receipt names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedBy {
    pub receipt: ReceiptId,
    /// The time, in whole seconds.
    pub at: SystemTime,
}

impl ChangedBy {
    pub fn run(receipt: ReceiptId, at: SystemTime) -> Self {
        let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { receipt, at: UNIX_EPOCH + Duration::from_secs(seconds) }
    }
}

impl GuildSheet {
    /// Returns the number of the last change; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn values(&self) -> &GuildValues {
        &self.values
    }

    /// Returns the last changes, the oldest first.
    pub fn changes(&self) -> &[SheetChange] {
        &self.changes
    }

    /// Sets a value, or clears the setting. Returns false, without a change, if the value is the same.
    pub fn set(&mut self, setting: GuildSetting, value: Option<GuildValue>, by: ChangedBy) -> bool {
        if self.values.get(setting) == value.as_ref() {
            return false;
        }
        self.change(setting, value, by, None);
        true
    }

    /// Returns the change that `undo` would undo: the newest that `may_set` allows, that was not undone and is not an
    /// undo itself.
    pub fn undoable(&self, may_set: impl Fn(GuildSetting) -> bool) -> Option<&SheetChange> {
        let is_open = |change: &&SheetChange| change.undoes.is_none() && !self.is_undone(change.number);
        self.changes.iter().rev().filter(is_open).find(|change| may_set(change.setting))
    }

    pub fn is_undone(&self, number: u64) -> bool {
        self.changes.iter().any(|change| change.undoes == Some(number))
    }

    /// Undoes the change of `undoable`, and returns its setting.
    pub fn undo(&mut self, may_set: impl Fn(GuildSetting) -> bool, by: ChangedBy) -> Option<GuildSetting> {
        let undone = self.undoable(may_set)?.clone();
        self.change(undone.setting, undone.before, by, Some(undone.number));
        Some(undone.setting)
    }

    fn change(&mut self, setting: GuildSetting, value: Option<GuildValue>, by: ChangedBy, undoes: Option<u64>) {
        self.number += 1;
        let before = self.values.put(setting, value);
        self.changes.push(SheetChange { number: self.number, setting, before, by, undoes });
        let n_too_many = self.changes.len().saturating_sub(CHANGES_MAX);
        self.changes.drain(..n_too_many);
    }

    /// Returns the stored form.
    pub fn to_json(&self) -> Value {
        let values = self.values.iter().map(|value| (value.setting().name().to_owned(), value.to_string())).collect();
        let changes = self.changes.iter().map(|change| Change {
            number: change.number,
            setting: change.setting.name().to_owned(),
            before: change.before.as_ref().map(ToString::to_string),
            receipt: change.by.receipt.number(),
            at: change.by.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            undoes: change.undoes,
        });
        json!(Stored { number: self.number, values, changes: changes.collect() })
    }

    /// Reads the stored form. Omits a setting that this version does not know, or whose value it cannot read.
    pub fn from_json(stored: &Value) -> Option<Self> {
        let Stored { number, values: texts, changes } = Stored::deserialize(stored).ok()?;
        let mut values = GuildValues::default();
        for (name, text) in texts {
            if let Some(setting) = GuildSetting::named(&name) {
                values.put(setting, GuildValue::stored(setting, &text));
            }
        }
        let changes = changes.into_iter().filter_map(|change| {
            let setting = GuildSetting::named(&change.setting)?;
            let before = match change.before {
                Some(text) => Some(GuildValue::stored(setting, &text)?),
                None => None,
            };
            let at = UNIX_EPOCH.checked_add(Duration::from_secs(change.at))?;
            let by = ChangedBy { receipt: ReceiptId::from_number(change.receipt), at };
            Some(SheetChange { number: change.number, setting, before, by, undoes: change.undoes })
        });
        Some(Self { number, values, changes: changes.collect() })
    }
}

/// The stored form of a sheet.
#[derive(Deserialize, Serialize)]
struct Stored {
    number: u64,
    values: BTreeMap<String, String>,
    changes: Vec<Change>,
}

#[derive(Deserialize, Serialize)]
struct Change {
    number: u64,
    setting: String,
    before: Option<String>,
    receipt: u64,
    /// Seconds since 1970.
    at: u64,
    undoes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use GuildSetting as S;

    fn by(n: u64) -> ChangedBy {
        ChangedBy::run(ReceiptId::from_number(n), UNIX_EPOCH + Duration::from_secs(n))
    }

    fn value(setting: S, text: &str) -> Option<GuildValue> {
        Some(GuildValue::stored(setting, text).unwrap())
    }

    /// What is set, as text.
    fn set(sheet: &GuildSheet) -> Vec<String> {
        sheet.values().iter().map(|value| format!("{}: {value}", value.setting())).collect()
    }

    #[test]
    fn changes_are_numbered_and_undone_one_by_one_the_newest_first() {
        let mut sheet = GuildSheet::default();
        assert!(sheet.set(S::Chat, value(S::Chat, "off"), by(1)));
        assert!(!sheet.set(S::Chat, value(S::Chat, "off"), by(2)));
        assert!(sheet.set(S::Persona, value(S::Persona, "A pirate."), by(3)));
        assert!(sheet.set(S::Persona, value(S::Persona, "A monk."), by(4)));
        assert!(sheet.set(S::Chat, None, by(5)));
        assert_eq!((sheet.number(), set(&sheet)), (4, vec!["persona: A monk.".to_owned()]));

        let steps = [
            (Some(S::Chat), vec!["chat: off", "persona: A monk."]),
            (Some(S::Persona), vec!["chat: off", "persona: A pirate."]),
            (Some(S::Persona), vec!["chat: off"]),
            (Some(S::Chat), vec![]),
            (None, vec![]),
        ];
        for (n, (undone, left)) in (6..).zip(steps) {
            assert_eq!(
                (sheet.undo(|_| true, by(n)), set(&sheet)),
                (undone, left.into_iter().map(str::to_owned).collect())
            );
        }
        assert_eq!(sheet.number(), 8);
        // What was undone and is set again can be undone again.
        sheet.set(S::Chat, value(S::Chat, "off"), by(20));
        assert_eq!(sheet.undo(|_| true, by(21)), Some(S::Chat));
        assert_eq!(sheet.undo(|_| true, by(22)), None);
        assert!(sheet.is_undone(9) && !sheet.is_undone(10));
        // What may not be set any more is passed over.
        sheet.set(S::Chat, value(S::Chat, "off"), by(30));
        sheet.set(S::Persona, value(S::Persona, "A cook."), by(31));
        assert_eq!(sheet.undo(|setting| setting != S::Persona, by(32)), Some(S::Chat));
    }

    #[test]
    fn a_sheet_reads_back_and_remembers_only_so_much() {
        let mut sheet = GuildSheet::default();
        for n in 0..100 {
            sheet.set(S::Persona, value(S::Persona, &format!("Number {n}.")), by(n));
        }
        assert_eq!((sheet.number(), sheet.changes().len()), (100, CHANGES_MAX));
        sheet.undo(|_| true, by(100));
        let stored = sheet.to_json();
        assert_eq!(GuildSheet::from_json(&stored), Some(sheet));

        let mut other = stored;
        other["values"]["from_the_future"] = json!("on");
        other["changes"][0]["setting"] = json!("from_the_future");
        let read = GuildSheet::from_json(&other).unwrap();
        assert_eq!((set(&read), read.changes().len()), (vec!["persona: Number 98.".to_owned()], CHANGES_MAX - 1));
        for broken in [json!(null), json!({}), json!({"number": "x", "values": {}, "changes": []})] {
            assert_eq!(GuildSheet::from_json(&broken), None, "{broken}");
        }
    }
}
