//! Plans the calls of one answer. A call that is not offered, parsed and valid is corrected, and no writing call runs
//! beside it.
//!
//! Also the ids of a turn's calls, the commands that ran, and the private arguments that its record leaves out.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::agent::prompt::ShownCall;
use crate::agent::settings::TurnLimits;
use crate::agent::text::{HOST, as_data};
use crate::agent::tools::{
    Attempts, CallEnd, Correction, NotRun, OfferedSet, OfferedTool, PlannedCall, RawArguments, RawCall,
    correct_unknown_tool,
};
use crate::contract::fits;
use crate::language::{Language, say};
use crate::record::{ARGUMENTS_LENGTH_MAX, CallRecord, GuardFinding, InMemory, Outcome, Receipt, TurnRecord};
use crate::registry::Catalog;
use crate::text::{first_bytes, first_characters, one_line};

/// The maximum number of calls read in one step.
const CALLS_MAX: usize = 64;

/// The maximum length of a tool's name in the record and in the transcript, in characters.
const NAME_LENGTH_MAX: usize = 100;

/// The maximum number of faults in one call's arguments that are reported to the model.
const FAULTS_MAX: usize = 3;

pub(super) struct Planner<'a> {
    pub(super) offered: &'a OfferedSet,
    pub(super) catalog: &'a Catalog,
    pub(super) limits: &'a TurnLimits,
    pub(super) ran: &'a [Ran],
    /// An earlier change of this turn was not confirmed.
    pub(super) declined: bool,
}

/// One step: the calls of one answer, each with its fate.
pub(super) struct CallBatch {
    text: String,
    entries: Vec<Entry>,
}

struct Entry {
    shown: ShownCall,
    /// The readable arguments, for the record.
    arguments: String,
    fate: Fate,
}

/// A call whose arguments, as far as readable, do not fit its tool. It never runs.
pub(super) struct UnfitCall {
    pub(super) tool: OfferedTool,
    pub(super) arguments: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spared {
    /// An earlier change of this turn was not confirmed.
    Declined,
    /// It writes, and another call of its step was wrong.
    WrongStep,
    TooMany,
}

impl Spared {
    /// Returns the reason for the model and the record.
    fn why(self) -> &'static str {
        match self {
            Self::Declined => "nobody confirmed an earlier change in this turn; ask the person in words",
            Self::WrongStep => "another call of the same step was wrong",
            Self::TooMany => "a step may not have so many calls",
        }
    }

    /// Returns the reason for the person, to follow the command's name.
    pub(super) fn told(self, language: Language) -> String {
        match self {
            Self::Declined => say!(language, "call-spared-declined"),
            Self::WrongStep => say!(language, "call-spared-wrong-step"),
            Self::TooMany => say!(language, "call-spared-too-many"),
        }
    }
}

enum Fate {
    Run(Box<PlannedCall>),
    /// It repeats a call of this step that runs, at this position.
    Same(usize),
    /// It ran earlier in the turn, so its result is repeated.
    Before {
        content: String,
        outcome: &'static str,
    },
    /// It is a control word for giving up, with its reason.
    WayOut(Option<String>),
    /// It is wrong. `text` is the correction. `of` is the tool, if only the arguments are wrong.
    Wrong {
        text: String,
        why: &'static str,
        counts: bool,
        finding: GuardFinding,
        of: Option<Box<OfferedTool>>,
    },
    /// It is valid but does not run. Without the call if it repeats another one.
    Spared(Option<Box<PlannedCall>>, Spared),
}

impl Planner<'_> {
    pub(super) fn plan(&self, text: String, calls: Vec<RawCall>, attempts: &mut Attempts, ids: &mut Ids) -> CallBatch {
        let mut entries: Vec<Entry> = Vec::new();
        for call in calls.into_iter().take(CALLS_MAX) {
            let (arguments, recorded) = match &call.arguments {
                RawArguments::Object(object) => (object.clone(), Value::Object(object.clone()).to_string()),
                RawArguments::Unreadable { .. } => (Map::new(), "unreadable".to_owned()),
            };
            let id = ids.take(call.id.clone());
            let fate = self.fate(&call, &entries, attempts);
            let name = first_characters(&call.name, NAME_LENGTH_MAX).to_owned();
            let shown = ShownCall { id, name, arguments };
            entries.push(Entry { shown, arguments: recorded, fate });
        }
        let mut step = CallBatch { text, entries };
        step.settle(self.limits.calls_per_step);
        step
    }

    fn fate(&self, call: &RawCall, earlier: &[Entry], attempts: &mut Attempts) -> Fate {
        let Some(tool) = self.offered.get(&call.name) else {
            let finding = GuardFinding::UnknownTool;
            return match correct_unknown_tool(&call.name, self.offered, attempts, self.limits) {
                Correction::Control(_) => Fate::WayOut(reason(&call.arguments)),
                Correction::Correct { text } => {
                    Fate::Wrong { text, why: "unknown tool; corrected", counts: true, finding, of: None }
                }
                Correction::Skip { text } => {
                    Fate::Wrong { text, why: "unknown tool; skipped", counts: false, finding, of: None }
                }
            };
        };
        let arguments = match self.valid(tool, &call.arguments) {
            Ok(arguments) => arguments,
            Err(problem) => {
                let text =
                    format!("{HOST} `{}` did not run: {problem}. Call it again with valid arguments.", tool.name);
                let why = "invalid arguments; corrected";
                let finding = GuardFinding::InvalidCall;
                return Fate::Wrong { text, why, counts: true, finding, of: Some(Box::new(tool.clone())) };
            }
        };
        let same = |planned: &PlannedCall| planned.tool().name == tool.name && *planned.arguments() == arguments;
        let twin = earlier.iter().position(|entry| matches!(&entry.fate, Fate::Run(planned) if same(planned)));
        if let Some(position) = twin {
            return Fate::Same(position);
        }
        if let Some(again) = self.before(tool, same) {
            return again;
        }
        if tool.writes && self.declined {
            let call = PlannedCall::new(tool.clone(), arguments);
            return Fate::Spared(Some(Box::new(call)), Spared::Declined);
        }
        Fate::Run(Box::new(PlannedCall::new(tool.clone(), arguments)))
    }

    /// Looks for the same call earlier in the turn. A change that was made, or whose outcome is unknown, does not run
    /// again. A read runs again only after a change.
    fn before(&self, tool: &OfferedTool, same: impl Fn(&PlannedCall) -> bool) -> Option<Fate> {
        let position = self.ran.iter().rposition(|ran| same(&ran.call))?;
        let ran = self.ran.get(position)?;
        let later = self.ran.get(position + 1..)?;
        let id = ran.receipt.id().to_string();
        let again = |outcome| ran_result(tool, outcome, &ran.text, &id, self.limits.result_bytes);
        match ran.receipt.facts().outcome {
            Outcome::Done | Outcome::Answered if tool.writes || !later.iter().any(|ran| ran.call.tool().writes) => {
                Some(Fate::Before {
                    content: again("ran earlier in this turn; not run again"),
                    outcome: "ran earlier in this turn",
                })
            }
            Outcome::TimedOut | Outcome::Unknown if tool.writes => Some(Fate::Before {
                content: again("it ran earlier in this turn, and what it did is not known; not run again"),
                outcome: "its outcome is not known; not run again",
            }),
            _ => None,
        }
    }

    /// Returns the arguments if they fit the tool's schema and the options of the command behind it.
    fn valid(&self, tool: &OfferedTool, arguments: &RawArguments) -> Result<Map<String, Value>, String> {
        let arguments = match arguments {
            RawArguments::Object(arguments) => tool.coerced(arguments.clone()),
            RawArguments::Unreadable { problem } => return Err(problem.clone()),
        };
        let validator = jsonschema::validator_for(&tool.schema).map_err(|_| "its schema is broken".to_owned())?;
        let instance = Value::Object(arguments.clone());
        let faults: Vec<_> = validator.iter_errors(&instance).take(FAULTS_MAX).map(|fault| fault.to_string()).collect();
        if !faults.is_empty() {
            return Err(one_line(&faults.join("; "), ARGUMENTS_LENGTH_MAX));
        }
        // JSON Schema accepts 3.0 as an integer, but Discord's options do not.
        let command = self.catalog.callable().find(|command| command.name == tool.path.command());
        let leaf = command.and_then(|command| command.leaf(&tool.path));
        for option in leaf.map(|leaf| leaf.options.as_slice()).unwrap_or_default() {
            if let Some(value) = arguments.get(&option.name) {
                fits(&option.kind, value).map_err(|problem| format!("`{}` {problem}", option.name))?;
            }
        }
        Ok(arguments)
    }
}

impl CallBatch {
    /// Spares writing calls beside a wrong call, and calls beyond the maximum of a step.
    fn settle(&mut self, calls_per_step: usize) {
        let is_wrong = self.entries.iter().any(|entry| matches!(entry.fate, Fate::Wrong { .. }));
        let mut n_running = 0;
        for index in 0..self.entries.len() {
            let Some(entry) = self.entries.get(index) else { return };
            let spared = match &entry.fate {
                Fate::Run(call) if is_wrong && call.tool().writes => Some((Some(call.clone()), Spared::WrongStep)),
                Fate::Run(call) => {
                    n_running += 1;
                    (calls_per_step < n_running).then(|| (Some(call.clone()), Spared::TooMany))
                }
                Fate::Same(of) => match self.entries.get(*of).map(|entry| &entry.fate) {
                    Some(Fate::Run(_)) => None,
                    Some(Fate::Spared(_, why)) => Some((None, *why)),
                    _ => Some((None, Spared::TooMany)),
                },
                Fate::Before { .. } | Fate::WayOut(_) | Fate::Wrong { .. } | Fate::Spared(..) => None,
            };
            if let (Some((call, why)), Some(entry)) = (spared, self.entries.get_mut(index)) {
                entry.fate = Fate::Spared(call, why);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the calls that run, in order.
    pub(super) fn planned(&self) -> Vec<PlannedCall> {
        let planned = |entry: &Entry| match &entry.fate {
            Fate::Run(call) => Some((**call).clone()),
            _ => None,
        };
        self.entries.iter().filter_map(planned).collect()
    }

    /// Returns the valid calls that do not run, without duplicates.
    pub(super) fn spared(&self) -> impl Iterator<Item = (PlannedCall, Spared)> {
        self.entries.iter().filter_map(|entry| match &entry.fate {
            Fate::Spared(Some(call), why) => Some(((**call).clone(), *why)),
            _ => None,
        })
    }

    /// Returns the calls of offered tools with arguments that do not fit: the last one of each tool.
    pub(super) fn unfit(&self) -> impl Iterator<Item = UnfitCall> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| match &entry.fate {
            Fate::Wrong { of: Some(tool), .. } => {
                let mut behind = self.entries.iter().skip(at + 1);
                let is_last = behind.all(|later| later.shown.name != entry.shown.name);
                is_last.then(|| UnfitCall { tool: (**tool).clone(), arguments: entry.shown.arguments.clone() })
            }
            _ => None,
        })
    }

    pub(super) fn names(&self, tool: &str) -> bool {
        self.entries.iter().any(|entry| entry.shown.name == tool)
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = GuardFinding> {
        self.entries.iter().filter_map(|entry| match &entry.fate {
            Fate::Wrong { finding, .. } => Some(*finding),
            _ => None,
        })
    }

    /// Returns the name of an unknown tool that was corrected often enough, if nothing of the step can run.
    pub(super) fn skipped(&self) -> Option<String> {
        if self.entries.iter().any(|entry| matches!(entry.fate, Fate::Run(_))) {
            return None;
        }
        let is_skipped = |entry: &&Entry| matches!(&entry.fate, Fate::Wrong { counts: false, .. });
        self.entries.iter().find(is_skipped).map(|entry| entry.shown.name.clone())
    }

    pub(super) fn n_corrections(&self) -> u32 {
        let counts = self.entries.iter().filter(|entry| matches!(entry.fate, Fate::Wrong { counts: true, .. }));
        u32::try_from(counts.count()).unwrap_or(u32::MAX)
    }

    /// Returns the model's reason, if all calls are control words for giving up.
    pub(super) fn way_out(&self) -> Option<String> {
        let mut reasons = Vec::new();
        for entry in &self.entries {
            let Fate::WayOut(reason) = &entry.fate else { return None };
            reasons.extend(reason.clone());
        }
        Some(reasons.join("\n"))
    }

    /// Returns the record of each call if none of them runs.
    pub(super) fn records(&self) -> Vec<CallRecord> {
        self.entries.iter().map(|entry| record(entry, not_run(entry), None, None)).collect()
    }

    /// Returns the model's text, each call with its result, and the record of each. `ends` belong to the calls that
    /// ran, in order.
    pub(super) fn answered(
        self,
        ends: &[CallEnd],
        result_bytes: usize,
    ) -> (String, Vec<(ShownCall, String)>, Vec<CallRecord>) {
        let mut ends = ends.iter();
        let mut contents: Vec<String> = Vec::new();
        let mut records: Vec<CallRecord> = Vec::new();
        for entry in &self.entries {
            let (content, recorded) = match &entry.fate {
                Fate::Run(call) => match ends.next() {
                    Some(CallEnd::Ran { receipt, text }) => {
                        let facts = receipt.facts();
                        let id = receipt.id().to_string();
                        let took = u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX);
                        let content = ran_result(call.tool(), facts.outcome.name(), text, &id, result_bytes);
                        let mut record = record(entry, facts.outcome.name().to_owned(), Some(id), Some(took));
                        record.result.clone_from(text);
                        (content, record)
                    }
                    Some(CallEnd::NotRun(NotRun { why, .. })) => {
                        (spared(&entry.shown.name, why), record(entry, format!("not run: {why}"), None, None))
                    }
                    None => (spared(&entry.shown.name, "it was not begun"), record(entry, not_run(entry), None, None)),
                },
                Fate::Same(of) => {
                    let content = contents.get(*of).cloned().unwrap_or_default();
                    (content, record(entry, "the same as another call of the step".to_owned(), None, None))
                }
                Fate::Before { content, outcome } => {
                    (content.clone(), record(entry, (*outcome).to_owned(), None, None))
                }
                Fate::WayOut(_) => (
                    format!("{HOST} Noted. Tell the person in plain words."),
                    record(entry, not_run(entry), None, None),
                ),
                Fate::Wrong { text, .. } => (text.clone(), record(entry, not_run(entry), None, None)),
                Fate::Spared(_, why) => {
                    (spared(&entry.shown.name, why.why()), record(entry, not_run(entry), None, None))
                }
            };
            contents.push(content);
            records.push(recorded);
        }
        let shown = self.entries.into_iter().map(|entry| entry.shown);
        (self.text, shown.zip(contents).collect(), records)
    }
}

fn reason(arguments: &RawArguments) -> Option<String> {
    let RawArguments::Object(arguments) = arguments else { return None };
    let text = arguments.get("reason").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())?;
    Some(text.to_owned())
}

fn record(entry: &Entry, outcome: String, receipt: Option<String>, took_ms: Option<u64>) -> CallRecord {
    let command = match &entry.fate {
        Fate::Run(call) => Some(call.tool().path.to_string()),
        _ => None,
    };
    let tool = entry.shown.name.clone();
    let arguments = entry.arguments.clone();
    CallRecord { tool, command, arguments, outcome, receipt, took_ms, result: String::new() }
}

/// Returns why a call did not run, for the record.
fn not_run(entry: &Entry) -> String {
    match &entry.fate {
        Fate::Wrong { why, .. } => format!("not run; {why}"),
        Fate::Spared(_, why) => format!("not run; {}", why.why()),
        Fate::WayOut(_) => "gave up".to_owned(),
        Fate::Before { outcome, .. } => (*outcome).to_owned(),
        Fate::Run(_) | Fate::Same(_) => "not run".to_owned(),
    }
}

/// Formats the result of a call that ran, for the model.
fn ran_result(tool: &OfferedTool, outcome: &str, text: &str, receipt: &str, result_bytes: usize) -> String {
    let kept = first_bytes(text, result_bytes);
    let mut result = json!({ "tool": tool.name, "outcome": outcome, "receipt": receipt, "result": kept });
    if let (true, Some(result)) = (kept.len() < text.len(), result.as_object_mut()) {
        result
            .insert("cut".to_owned(), format!("the result has {} bytes; only the first are shown", text.len()).into());
    }
    as_data(&result)
}

fn spared(tool: &str, why: &str) -> String {
    as_data(&json!({ "tool": tool, "outcome": "not run", "reason": why }))
}

/// Replaces a private value in a text, and arguments that are unreadable.
const PRIVATE: &str = "(private)";

/// Removes the private arguments of calls, whose digests are in the receipts, and their values from the texts of the
/// record. Those of offered commands stay in memory, to fill the modal for the person.
pub(super) fn take_out_private(record: &mut TurnRecord, offered: &OfferedSet) {
    if offered.known().all(|tool| tool.private.is_empty()) {
        return;
    }
    let mut values: Vec<String> = Vec::new();
    for call in &mut record.calls {
        let Some(tool) = offered.known().find(|tool| tool.name == call.tool && !tool.private.is_empty()) else {
            continue;
        };
        call.arguments = match serde_json::from_str::<Map<String, Value>>(&call.arguments) {
            Ok(mut arguments) => {
                for name in &tool.private {
                    if let Some(value) = arguments.get_mut(name) {
                        values.extend(text_of(value));
                        *value = PRIVATE.into();
                    }
                }
                Value::Object(arguments).to_string()
            }
            Err(_) => PRIVATE.to_owned(),
        };
    }
    for offer in &mut record.offers {
        let tools = offered.known().filter(|tool| tool.path.to_string() == offer.command);
        let taken = tools.flat_map(|tool| &tool.private).filter_map(|name| offer.arguments.remove_entry(name));
        let taken = InMemory(taken.collect());
        values.extend(taken.0.values().filter_map(text_of));
        record.private_of_offers.push(taken);
    }
    // Longest first, because one may be a part of another.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    let results = record.calls.iter_mut().map(|call| &mut call.result);
    let stripped = record.stripped.iter_mut().map(|piece| &mut piece.text);
    let texts = results.chain(stripped).chain([&mut record.said, &mut record.reasoning]).chain(&mut record.notes);
    for text in texts {
        for value in &values {
            // JSON may contain it with escapes.
            let quoted = Value::from(value.as_str()).to_string();
            *text = text.replace(value, PRIVATE).replace(quoted.trim_matches('"'), PRIVATE);
        }
    }
}

/// Returns the text of a value, if it has words.
fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (!text.trim().is_empty()).then_some(text)
}

/// Longer ids are replaced. No provider needs more.
const LENGTH_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Ids {
    used: BTreeSet<String>,
}

impl Ids {
    /// Returns the given id if it is usable and new, otherwise a generated one.
    pub(super) fn take(&mut self, given: Option<String>) -> String {
        let usable =
            |id: &String| (1..=LENGTH_MAX).contains(&id.len()) && id.chars().all(|letter| letter.is_ascii_graphic());
        let id = given.filter(usable).filter(|id| !self.used.contains(id)).unwrap_or_else(|| self.own());
        self.used.insert(id.clone());
        id
    }

    fn own(&self) -> String {
        let taken = |id: &String| self.used.contains(id);
        (self.used.len()..).map(|n| format!("call_{n}")).find(|id| !taken(id)).unwrap_or_default()
    }
}

pub(crate) struct Ran {
    pub(super) call: PlannedCall,
    pub(super) receipt: Arc<Receipt>,
    pub(super) text: String,
}

#[cfg(test)]
mod private_tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::agent::fixture::catalog_of;
    use crate::contract::{Command, CommandKind, Leaf, OptionKind, OptionSpec, Owner, ToolSpec};
    use crate::inbound::Place;
    use crate::record::{CallRecord, OfferedRun, StrippedText};

    #[test]
    fn the_record_of_a_turn_holds_no_private_argument() {
        let text = OptionKind::String { min_length: None, max_length: None, choices: Vec::new() };
        let text = OptionSpec { private: true, ..OptionSpec::new("text", "The note", text, true) };
        let leaf = Leaf::new("unused", vec![text], Some(ToolSpec::new("note", false)));
        let command = Command::new("note", "Keeps a note", Owner::Builtin, CommandKind::Leaf(leaf));
        let offered = OfferedSet::of(&catalog_of(vec![command]), Place::Console, Some(&BTreeSet::new()));
        let call = |arguments: &str| CallRecord {
            tool: "note".to_owned(),
            arguments: arguments.to_owned(),
            receipt: Some("7F3K5".to_owned()),
            result: "Kept: a \"great\" secret".to_owned(),
            ..CallRecord::default()
        };
        let arguments = json!({ "text": "a \"great\" secret", "title": "plain" });
        let mut record = TurnRecord {
            calls: vec![call(&arguments.to_string()), call("a \"great\" secret, broken")],
            stripped: vec![StrippedText { kind: "tool-text".to_owned(), text: format!("note({arguments})") }],
            offers: vec![OfferedRun {
                command: "/note".to_owned(),
                arguments: arguments.as_object().unwrap().clone(),
                writes: true,
            }],
            said: "I kept a \"great\" secret.".to_owned(),
            ..TurnRecord::default()
        };
        take_out_private(&mut record, &offered);
        let kept = serde_json::to_string(&record).unwrap();
        assert!(!kept.contains("secret"), "{kept}");
        assert_eq!(record.calls[0].arguments, json!({ "text": PRIVATE, "title": "plain" }).to_string());
        assert_eq!(record.calls[1].arguments, PRIVATE);
        assert_eq!(record.offers[0].arguments, json!({ "title": "plain" }).as_object().unwrap().clone());
        assert_eq!(record.private_of_offers[0].0, json!({ "text": "a \"great\" secret" }).as_object().unwrap().clone());
        assert_eq!(record.said, "I kept (private).");
    }

    #[test]
    fn a_record_without_private_arguments_stays_as_it_is() {
        let call =
            CallRecord { tool: "note".to_owned(), arguments: "{\"text\":\"x\"}".to_owned(), ..CallRecord::default() };
        let record = TurnRecord { calls: vec![call], said: "x".to_owned(), ..TurnRecord::default() };
        let mut kept = record.clone();
        take_out_private(&mut kept, &OfferedSet::of_one("note", "Keeps a note"));
        assert_eq!(kept, record);
    }
}

#[cfg(test)]
mod calls_tests {
    use super::Ids;

    #[test]
    fn every_id_is_new_whatever_is_given() {
        let mut ids = Ids::default();
        let given = [Some("call_1"), Some("call_1"), None, Some(""), Some("a b"), Some("x"), Some("x")];
        let taken: Vec<_> = given.into_iter().map(|id| ids.take(id.map(str::to_owned))).collect();
        assert_eq!(taken, ["call_1", "call_2", "call_3", "call_4", "call_5", "x", "call_6"]);
        assert_eq!(ids.take(Some("y".repeat(65))), "call_7");
    }
}
