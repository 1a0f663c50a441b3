//! Reads a reply when it is whole: what is taken out, and what the host adds.
//!
//! Nothing here asks the model again: words are left as they are. Taken out is only a call or a result of this bot's own
//! tools; added is only what the receipts make certain.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::honesty::{asks_for, claims_run_of, made_up_results, says_done, unknown_parts, unknown_receipts};
use crate::agent::settings::ToolMode;
use crate::agent::tools::{OfferedTool, TextCall, ToolText, find_tool_text};
use crate::agent::turn::Turn;
use crate::language::say;
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, StrippedKind, StrippedText};
use crate::text::{CodeRules, SegmentKind, segments};

/// The most calls of a reply that are compared with what ran and offered, and the most made-up results: each compiles
/// schemas. All of them are taken out.
const CALLS_MAX: usize = 64;

/// What is left in the middle of a text where something was taken out.
const GAP: &str = "…";

/// A reply, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reviewed {
    /// The text that is shown. Perhaps empty.
    pub(super) prose: String,
    /// Calls of this bot's tools written as text.
    pub(super) tool_text: Vec<ToolText>,
    /// What was taken out.
    pub(super) stripped: Vec<StrippedText>,
    /// The host's lines under the reply.
    pub(super) notes: Vec<String>,
    /// The commands that did not run and that the person may run.
    pub(super) offers: Vec<OfferedRun>,
    /// To count.
    pub(super) findings: Vec<GuardFinding>,
}

impl Turn {
    /// Reads a reply.
    pub(super) fn review(&self, text: &str) -> Reviewed {
        let text = text.trim();
        let mut reviewed = Reviewed::default();
        let tool_text = self.tool_text(text);
        let mut cuts: Vec<Range<usize>> = Vec::new();
        let may_cut = self.setup.mode != ToolMode::None;
        if !tool_text.is_empty() {
            reviewed.findings.push(GuardFinding::ToolText);
        }
        for piece in &tool_text {
            if may_cut && (!piece.is_code || piece.span.len() == text.len()) {
                let cut = text.get(piece.span.clone()).unwrap_or_default();
                reviewed.stripped.push(StrippedText::new(StrippedKind::ToolText, cut));
                cuts.push(piece.span.clone());
            }
        }
        for (tool, call) in self.calls_in(&tool_text) {
            let arguments = fitting(tool, call.arguments.clone());
            // What ran just so is shown: nothing is missing.
            if !self.has_run_with(tool, &arguments) {
                reviewed.offer(tool, arguments);
            }
        }
        if self.setup.guard.made_up_results && may_cut {
            let idle: Vec<_> = self.setup.offered.known().filter(|tool| !self.has_run(tool)).collect();
            // Whoever asks for data gets data.
            let is_asked_for = asks_for_data(&self.setup.request);
            let calls = cuts.clone();
            for (n, made_up) in made_up_results(text, &idle).into_iter().enumerate() {
                // The calls stand in order, and so do the results: none overlaps another of its kind.
                let next = calls.get(calls.partition_point(|call| call.end <= made_up.span.start));
                let is_cut = next.is_some_and(|call| call.start < made_up.span.end);
                // Its label and what follows go with the call that it was read as.
                if is_cut && made_up.tool.is_some() {
                    cuts.push(made_up.span);
                    continue;
                }
                // A label names no tool: after a run it may retell.
                if is_cut || is_asked_for || made_up.tool.is_none() && !self.ran.is_empty() {
                    continue;
                }
                reviewed.findings.push(GuardFinding::MadeUpResult);
                if made_up.is_label {
                    continue;
                }
                let piece = text.get(made_up.span.clone()).unwrap_or_default().to_owned();
                reviewed.stripped.push(StrippedText::new(StrippedKind::MadeUpResult, piece));
                if let Some(tool) = made_up.tool.filter(|_| n < CALLS_MAX) {
                    reviewed.offer(tool, fitting(tool, made_up.arguments));
                }
                cuts.push(made_up.span);
            }
        }
        reviewed.prose = without(text, cuts);
        reviewed.tool_text = tool_text;
        self.note(&mut reviewed);
        reviewed
    }

    /// The calls of this bot's tools in a text.
    pub(super) fn tool_text(&self, text: &str) -> Vec<ToolText> {
        if !self.setup.guard.tool_text {
            return Vec::new();
        }
        find_tool_text(text, &|name| self.is_tool(name))
    }

    /// The calls in these pieces that are looked at, each with its tool.
    pub(super) fn calls_in<'a>(
        &'a self,
        pieces: impl IntoIterator<Item = &'a ToolText>,
    ) -> impl Iterator<Item = (&'a OfferedTool, &'a TextCall)> {
        let calls = pieces.into_iter().flat_map(|piece| &piece.calls).take(CALLS_MAX);
        calls.filter_map(|call| Some((self.setup.offered.known().find(|tool| tool.name == call.name)?, call)))
    }

    fn has_run(&self, tool: &OfferedTool) -> bool {
        self.ran.iter().any(|ran| ran.call.tool().path == tool.path)
    }

    fn has_run_with(&self, tool: &OfferedTool, arguments: &Map<String, Value>) -> bool {
        self.ran.iter().any(|ran| ran.call.tool().path == tool.path && ran.call.arguments() == arguments)
    }

    /// Whether a reply has a call in it that is meant as one and did not run: an example in a block of code is none.
    pub(super) fn wants_a_reminder(&self, reviewed: &Reviewed) -> bool {
        self.calls_in(reviewed.tool_text.iter().filter(|piece| !piece.is_code))
            .any(|(tool, call)| !self.has_run_with(tool, &fitting(tool, call.arguments.clone())))
    }

    /// The host's lines.
    fn note(&self, reviewed: &mut Reviewed) {
        let language = self.setup.language;
        let prose = words_of(&reviewed.prose);
        let bare = reviewed.prose.trim_matches(['`', '/', '.', ' ']).to_owned();
        if let Some(tool) = self.setup.offered.known().find(|tool| self.setup.guard.tool_text && tool.name == bare)
            && !self.has_run(tool)
        {
            reviewed.offer(tool, Map::new());
        }
        let commands: Vec<String> = reviewed.offers.iter().map(|offer| offer.command.clone()).collect();
        if !commands.is_empty() {
            reviewed.notes.push(say!(language, "note-only-written", commands = commands.join(", ")));
        } else if reviewed.has_lost_a_result() {
            reviewed.notes.push(say!(language, "note-made-up"));
        }
        if self.setup.guard.touched {
            self.note_touched(reviewed, &prose);
        }
        if self.setup.guard.command_names {
            for part in unknown_parts(&reviewed.prose, &self.setup.catalog, &[&self.setup.request]) {
                reviewed.findings.push(GuardFinding::UnknownCommandName);
                reviewed.notes.push(say!(language, "note-command", command = part));
            }
        }
        let ours: Vec<_> = self.ran.iter().map(|ran| ran.receipt.id()).collect();
        let known: Vec<&str> =
            self.ran.iter().map(|ran| ran.text.as_str()).chain([self.setup.request.as_str()]).collect();
        for id in unknown_receipts(&prose, &ours, &known) {
            reviewed.findings.push(GuardFinding::UnknownReceipt);
            reviewed.notes.push(say!(language, "note-receipt", id = id));
        }
    }

    /// One line for the commands that the request or the reply touches and that did not run.
    fn note_touched(&self, reviewed: &mut Reviewed, prose: &str) {
        let idle = |tool: &&OfferedTool| {
            let command = tool.path.to_string();
            // What was called and did not run has a line of its own.
            let is_told = self.record.calls.iter().any(|call| call.command.as_ref() == Some(&command))
                || reviewed.offers.iter().any(|offer| offer.command == command);
            !self.has_run(tool) && !is_told
        };
        let tools: Vec<&OfferedTool> = self.setup.offered.known().filter(idle).collect();
        let something_changed = self.ran.iter().any(|ran| ran.call.tool().writes);
        let backed = |tool: &OfferedTool| {
            self.setup.ran_before.contains(&tool.path.to_string()) || tool.writes && something_changed
        };
        let (asked, others): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| asks_for(&self.setup.request, tool));
        let claimed: Vec<_> = others.into_iter().filter(|tool| !backed(tool) && claims_run_of(prose, tool)).collect();
        let something_was_to_change = asked.iter().chain(&claimed).any(|tool| tool.writes);
        // What the person asked for is more likely meant than what the reply happens to name.
        let touched = if asked.is_empty() { claimed } else { asked };
        let nothing_ran = self.ran.is_empty();
        // The word of success alone names no command: it is looked at where no other line says what did not happen.
        let has_changed_before = || {
            self.setup.offered.known().any(|tool| tool.writes && self.setup.ran_before.contains(&tool.path.to_string()))
        };
        let is_alone = nothing_ran && self.not_run.is_empty() && !has_changed_before();
        let is_labelled = reviewed.findings.contains(&GuardFinding::MadeUpResult) && !reviewed.has_lost_a_result();
        let claims_something = is_labelled || says_done(prose);
        if touched.is_empty() && !(is_alone && reviewed.offers.is_empty() && claims_something) {
            return;
        }
        reviewed.findings.push(GuardFinding::Touched);
        let paths: Vec<String> = touched.iter().map(|tool| tool.path.to_string()).collect();
        reviewed.notes.push(match nothing_ran && reviewed.offers.is_empty() {
            true if touched.is_empty() || something_was_to_change => {
                say!(self.setup.language, "note-nothing-changed")
            }
            true => say!(self.setup.language, "note-nothing-looked-up"),
            false => say!(self.setup.language, "note-did-not-run", commands = paths.join(", ")),
        });
        for tool in touched {
            reviewed.offer(tool, Map::new());
        }
    }
}

impl Reviewed {
    /// Whether a made-up result was taken out.
    fn has_lost_a_result(&self) -> bool {
        self.stripped.iter().any(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
    }

    /// Offers to run a command, once.
    fn offer(&mut self, tool: &OfferedTool, arguments: Map<String, Value>) {
        let offer = OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes };
        let is_known =
            self.offers.iter().any(|known| known.command == offer.command && known.arguments == offer.arguments);
        if !is_known && self.offers.len() < OFFERS_MAX {
            self.offers.push(offer);
        }
    }
}

/// The arguments that the tool knows and that are what it takes. A person fills in the others.
fn fitting(tool: &OfferedTool, arguments: Map<String, Value>) -> Map<String, Value> {
    let known = tool.schema.get("properties").and_then(Value::as_object);
    let fits = |key: &str, value: &Value| {
        let schema = known.and_then(|known| known.get(key));
        schema.and_then(|schema| jsonschema::validator_for(schema).ok()).is_some_and(|schema| schema.is_valid(value))
    };
    let arguments = tool.coerced(arguments);
    arguments.into_iter().filter(|(key, value)| fits(key, value)).collect()
}

/// Whether a person asks for data or an example of it.
fn asks_for_data(request: &str) -> bool {
    const DATA: [&str; 6] = ["json", "yaml", "xml", "payload", "example", "beispiel"];
    let request = request.to_lowercase();
    DATA.iter().any(|word| request.contains(word))
}

/// The words of a reply, without its code.
pub(super) fn words_of(text: &str) -> String {
    let text_alone = segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text);
    text_alone.filter_map(|segment| text.get(segment.range)).collect::<Vec<_>>().join(" ")
}

/// A text without these pieces. Where words stand on both sides, a sign shows that something was there.
fn without(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|cut| cut.start);
    let mut kept = String::new();
    let mut behind = 0;
    for cut in cuts {
        let before = text.get(behind..cut.start.max(behind)).unwrap_or_default();
        let is_last = text.get(cut.end..).is_none_or(|rest| rest.trim().is_empty());
        kept.push_str(before.trim_end());
        if !kept.trim().is_empty() && !is_last {
            kept.push_str(if kept.ends_with(GAP) { "" } else { "\n" });
            kept.push_str(if kept.ends_with(GAP) { "" } else { GAP });
        }
        behind = cut.end.max(behind);
    }
    let rest = text.get(behind..).unwrap_or_default();
    match kept.is_empty() {
        true => rest.trim().to_owned(),
        false if rest.trim().is_empty() => kept,
        false if kept.ends_with(GAP) => format!("{kept}\n{}", rest.trim_start()),
        false => kept + rest,
    }
}
