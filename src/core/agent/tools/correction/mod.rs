//! Correction of a model that calls a tool which does not exist.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::agent::settings::TurnLimits;
use crate::agent::tools::offer::{CANNOT_DO, OfferedSet, Withheld};
use crate::text::{first_characters, nearest, one_line};

/// The maximum length of a compared name, in characters. Longer than any name that can be offered.
const KEY_LENGTH_MAX: usize = 100;
/// The maximum number of names with separate counts. All others share one count.
const NAMES_MAX: usize = 64;

/// The corrections of each name in one turn. Counts never decrease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    counts: BTreeMap<String, u32>,
    others: u32,
}

impl Attempts {
    /// Counts one more correction of a name if it had fewer than `max`. Returns whether it had.
    pub(super) fn count(&mut self, name: &str, max: u32) -> bool {
        let key = first_characters(name, KEY_LENGTH_MAX).to_owned();
        let is_full = NAMES_MAX <= self.counts.len() && !self.counts.contains_key(&key);
        let count = if is_full { &mut self.others } else { self.counts.entry(key).or_default() };
        let is_allowed = *count < max;
        *count += u32::from(is_allowed);
        is_allowed
    }
}

/// A longer name is not a misspelling of a tool.
const COMPARED_LENGTH_MAX: usize = 100;
const SUGGESTED_MAX: usize = 2;

/// Returns the offered names that differ only in case, spaces, punctuation and prefix; otherwise the nearest ones.
pub(super) fn near_names<'a>(name: &str, offered: &[&'a str]) -> Vec<&'a str> {
    let spellings = spellings(name);
    let is_same = |offered: &&&str| spellings.contains(&plain(offered));
    let same: Vec<_> = offered.iter().filter(is_same).copied().take(SUGGESTED_MAX).collect();
    if !same.is_empty() {
        return same;
    }
    let mut near = Vec::new();
    for spelling in &spellings {
        for found in nearest(spelling, offered.iter().copied(), SUGGESTED_MAX) {
            if !near.contains(&found) && near.len() < SUGGESTED_MAX {
                near.push(found);
            }
        }
    }
    near
}

/// Returns possible readings of a name, in the characters of tool names: the whole name, and each part that remains
/// without a prefix or namespace. Empty if the name is too long for a tool.
pub(super) fn spellings(name: &str) -> Vec<String> {
    if COMPARED_LENGTH_MAX < name.len() {
        return Vec::new();
    }
    let mut spellings = vec![plain(name)];
    let parts: Vec<_> = name.split(['.', ':', '/']).flat_map(|part| part.split("__")).map(plain).collect();
    // Most often the last part is the name itself.
    for part in parts.into_iter().rev() {
        if !spellings.contains(&part) {
            spellings.push(part);
        }
    }
    spellings.retain(|spelling| !spelling.is_empty());
    spellings
}

/// Converts to lower case, with one underscore between words.
fn plain(name: &str) -> String {
    let name = name.trim().trim_start_matches('/').to_lowercase();
    name.split([' ', '-', '_']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// The maximum length of an unknown name in a text, in characters.
const SHOWN_LENGTH_MAX: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// It is a control word for the turn, not a tool.
    Control(ControlVerb),
    /// The model is corrected and asked again.
    Correct { text: String },
    /// The call is skipped and the turn continues.
    Skip { text: String },
}

/// A control word: a name that asks the turn for something. Never counted and never corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlVerb {
    /// The tool that is always offered: [`CANNOT_DO`].
    CannotDo,
    /// Some models are trained to call these names if no tool fits. Same meaning.
    Refuse,
    Stop,
}

impl ControlVerb {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            CANNOT_DO => Some(Self::CannotDo),
            "no_function" | "out_of_domain" => Some(Self::Refuse),
            "stop" => Some(Self::Stop),
            _ => None,
        }
    }
}

/// Decides about a call whose name is not offered. Each name is corrected a limited number of times and then skipped.
/// The `attempts` of a turn only grow, even if other calls succeed.
pub fn correct_unknown_tool(
    name: &str,
    offered: &OfferedSet,
    attempts: &mut Attempts,
    limits: &TurnLimits,
) -> Correction {
    if let Some(verb) = ControlVerb::named(name) {
        return Correction::Control(verb);
    }
    let problem = problem(name, offered);
    match attempts.count(name, limits.corrections_per_name) {
        true => Correction::Correct { text: format!("[host] {problem} {}", ways_on(name, offered)) },
        false => Correction::Skip {
            text: format!("[host] {problem} You were told before, so this call was skipped. Answer without it."),
        },
    }
}

/// Describes the problem with a name that is not offered.
fn problem(name: &str, offered: &OfferedSet) -> String {
    let shown = one_line(name, SHOWN_LENGTH_MAX);
    if shown.trim().is_empty() {
        return "A call without a tool's name did not run.".to_owned();
    }
    match withheld(name, offered) {
        Some(why) => format!("The tool \"{shown}\" is not available here: {}. Nothing ran.", why.text()),
        None => format!("The tool \"{shown}\" does not exist. Nothing ran."),
    }
}

fn withheld(name: &str, offered: &OfferedSet) -> Option<Withheld> {
    offered.withheld(name).or_else(|| spellings(name).iter().find_map(|spelling| offered.withheld(spelling)))
}

fn ways_on(name: &str, offered: &OfferedSet) -> String {
    if offered.is_empty() {
        return "There are no tools in this conversation. Answer without one.".to_owned();
    }
    let names = offered.names();
    let suggestion = match near_names(name, &names).as_slice() {
        [] => String::new(),
        near => format!("Perhaps you meant {}. ", near.join(" or ")),
    };
    format!(
        "{suggestion}The tools are exactly these: {}. Call one of them by its exact name, or answer without a tool.",
        names.join(", ")
    )
}
