//! The state machine of a turn: its steps. The module `turn` shows the transitions.

use std::time::Duration;

use crate::agent::prompt::Transcript;
use crate::agent::settings::ToolMode;
use crate::agent::tools::{
    Attempts, CallEnd, Completion, Cut, NotRun, OfferedSet, PlannedCall, ProtocolReading, RawCall, TextCall,
    read_protocol, whole_message,
};
use crate::agent::turn::ending::TurnFailure;
use crate::agent::turn::interface::{Effect, Input, TurnSetup};
use crate::agent::turn::plan::{CallBatch, Planner, Spared, UnfitCall};
use crate::agent::turn::plan::{Ids, Ran};
use crate::agent::turn::review::{self, Facts};
use crate::agent::turn::words;
use crate::agent::{ModelFailure, final_words};
use crate::language::say;
use crate::record::{GuardFinding, StrippedKind, StrippedText, TurnRecord};
use crate::text::{first_characters, loose_value, one_line};

/// The maximum length of a rejected text that the model is shown again, in characters.
const SHOWN_AGAIN_MAX: usize = 4_000;

/// The maximum length of a reason in the question before a change, in characters.
const REASON_LENGTH_MAX: usize = 200;

/// The maximum number of notes on calls that did not run.
pub(crate) const NOTES_MAX: usize = 6;

/// Shortens the words that a model gave for its calls, for a question.
fn reason(words: &str) -> Option<String> {
    Some(one_line(words, REASON_LENGTH_MAX)).filter(|reason| !reason.is_empty())
}

pub struct Turn {
    /// The transcript and the room in it change during the turn.
    pub(super) setup: TurnSetup,
    time_left: Duration,
    pub(super) n_steps: usize,
    pub(super) n_corrections: u32,
    attempts: Attempts,
    ids: Ids,
    /// The step whose calls are running.
    running: Option<CallBatch>,
    /// In order.
    pub(super) ran: Vec<Ran>,
    /// The host's lines for valid calls that did not run, in order.
    pub(super) not_run: Vec<String>,
    /// Valid calls that did not run, each with the number of calls that had run by then. A call that the model makes
    /// again is not reported.
    pub(super) spared: Vec<(PlannedCall, Spared, usize)>,
    /// The last call of each tool whose arguments did not fit. A later call of the same tool replaces it.
    pub(super) unfit: Vec<UnfitCall>,
    /// The model's words beside its calls, in order. They belong to the reply.
    pub(super) beside: Vec<String>,
    /// The model was already asked to redo a reply.
    is_reminded: bool,
    /// The reply that a reminder asks to redo, as the model wrote it. It is used if the next reply has no words. It is
    /// then reviewed again, because more commands may have run.
    pub(super) held: Option<String>,
    /// For the calls of this step.
    reason: Option<String>,
    /// A change was not confirmed in this turn, so the person is not asked again.
    declined: bool,
    /// How often exchanges were left out for lack of room in the model's context, and how many.
    pub(super) n_shorter: u32,
    pub(super) n_left_out: usize,
    pub(super) record: TurnRecord,
    pub(super) findings: Vec<GuardFinding>,
}

impl Turn {
    pub fn start(setup: TurnSetup) -> (Self, Effect) {
        let record = TurnRecord {
            model: setup.model.clone(),
            tools: setup.mode.name().to_owned(),
            offered: setup.offered.tools().iter().map(|tool| tool.name.clone()).collect(),
            given: setup.opening.given.clone(),
            ..TurnRecord::default()
        };
        let mut turn = Self {
            time_left: setup.limits.time,
            setup,
            n_steps: 0,
            n_corrections: 0,
            attempts: Attempts::default(),
            ids: Ids::default(),
            running: None,
            ran: Vec::new(),
            not_run: Vec::new(),
            spared: Vec::new(),
            unfit: Vec::new(),
            beside: Vec::new(),
            is_reminded: false,
            held: None,
            reason: None,
            declined: false,
            n_shorter: 0,
            n_left_out: 0,
            record,
            findings: Vec::new(),
        };
        let first = turn.ask();
        (turn, first)
    }

    pub fn transcript(&self) -> &Transcript {
        &self.setup.opening.transcript
    }

    /// The same in every request of the turn.
    pub fn offered(&self) -> &OfferedSet {
        &self.setup.offered
    }

    /// Keeps words for the reply. A corrected call is often repeated with the same words.
    pub(super) fn writes_beside(&mut self, text: &str) {
        let words = text.trim().to_owned();
        if !words.is_empty() && !self.beside.contains(&words) {
            self.beside.push(words);
        }
    }

    /// Returns the model's words beside its calls so far. The reply begins with them.
    pub fn beside(&self) -> String {
        self.beside.join("\n\n")
    }

    /// Advances the turn by one input and returns the next effect. `took` excludes the wait for the first token or for
    /// a person.
    pub fn step(&mut self, input: Input, took: Duration) -> Effect {
        self.time_left = self.time_left.saturating_sub(took);
        match (input, self.running.take()) {
            (Input::Answered(completion), _) => self.answered(completion),
            (Input::Failed(_), _) if self.time_left.is_zero() => {
                self.give_up(TurnFailure::OutOfTime(self.setup.limits.time))
            }
            (Input::Failed(ModelFailure::ContextTooLong), _) if self.leave_out() || self.shorten_results() => {
                self.ask()
            }
            (Input::Failed(ModelFailure::ContextTooLong), _) if self.setup.opening.transcript.has_results() => {
                self.give_up(TurnFailure::NoRoomForResults)
            }
            (Input::Failed(failure), _) => self.give_up(failure.into()),
            (Input::Ended(ends), Some(step)) => self.ended(step, ends),
            // Nothing ran, so there is nothing to report to the model.
            (Input::Ended(_), None) => self.ask(),
        }
    }

    /// Asks the model, if a step and time are left.
    pub(super) fn ask(&mut self) -> Effect {
        if self.time_left.is_zero() {
            return self.give_up(TurnFailure::OutOfTime(self.setup.limits.time));
        }
        if self.n_steps == self.setup.limits.steps {
            return self.give_up(TurnFailure::StepsSpent(self.setup.limits.steps));
        }
        self.n_steps += 1;
        Effect::Ask { within: self.time_left }
    }

    fn answered(&mut self, completion: Completion) -> Effect {
        let Completion { text, calls, cut } = completion;
        self.reason = None;
        self.record.cut = cut.map(|cut| cut.name().to_owned());
        if let Some(cut) = cut {
            return self.cut_off(&text, cut);
        }
        if let Some(words) = final_words(&text) {
            return self.said(words.trim(), None);
        }
        let reading = match self.setup.mode {
            ToolMode::None => return self.said(&text, None),
            ToolMode::Native if !calls.is_empty() => {
                self.reason = reason(&self.words_in(&text));
                self.writes_beside(&text);
                return self.called(text, calls);
            }
            ToolMode::Native | ToolMode::Text if review::is_example(self.facts()) => return self.said(&text, None),
            ToolMode::Native => ProtocolReading::Prose,
            ToolMode::Text => read_protocol(&text),
        };
        match reading {
            ProtocolReading::Calls { reasoning, calls } => {
                self.reasons(&reasoning);
                self.called(text, calls)
            }
            // It needs no tool and answers at once.
            ProtocolReading::NoCalls { reasoning, words } => {
                self.reasons(&reasoning);
                self.said(&words, None)
            }
            // Text with only one reading is accepted: another name for a key, a comma too many, a bracket too few.
            ProtocolReading::Broken { problem } => match whole_message(&text, &self.setup.offered.known_names()) {
                Some(calls) => self.called_in_text(text, calls),
                None if self.is_ours(&text) => {
                    self.findings.push(GuardFinding::BrokenBlock);
                    self.said(&text, Some(&problem))
                }
                None => self.said(&text, None),
            },
            // Some servers leave the calls in the text.
            ProtocolReading::Prose => match whole_message(&text, &self.setup.offered.known_names()) {
                Some(calls) => {
                    self.findings.push(GuardFinding::CallInText);
                    self.called_in_text(text, calls)
                }
                None => self.said(&text, None),
            },
        }
    }

    /// Handles calls written as text like native ones.
    fn called_in_text(&mut self, text: String, calls: Vec<TextCall>) -> Effect {
        let object = text.find('{').and_then(|at| loose_value(text.get(at..)?));
        if let Some(reasoning) = object.as_ref().and_then(|read| read.value.get("reasoning")?.as_str()) {
            self.reasons(reasoning);
        }
        self.called(text, calls.into_iter().map(RawCall::from).collect())
    }

    /// Keeps the model's reason for the record and for the question before a change.
    fn reasons(&mut self, reasoning: &str) {
        self.reason = reason(reasoning);
        self.record.reasoning = [self.record.reasoning.as_str(), reasoning].join("\n").trim().to_owned();
    }

    /// Returns whether an unreadable block was meant for this bot: it has a part of the protocol, or names one of its
    /// tools. Other JSON with a key `tool` may be the requested answer.
    fn is_ours(&self, text: &str) -> bool {
        let names = self.setup.offered.known().map(|tool| tool.name.as_str());
        ["tool_calls", "parameters", "arguments"]
            .into_iter()
            .chain(names)
            .any(|name| text.contains(&format!("\"{name}\"")))
    }

    /// Handles words without their end. They are kept, but not shown as if they were whole.
    fn cut_off(&mut self, text: &str, cut: Cut) -> Effect {
        // The whole reply that was to be redone is better than half of its replacement.
        if let Some(held) = self.held.take() {
            self.record.cut = None;
            return self.finish_with(&held);
        }
        if self.beside.is_empty() && self.words_in(text).is_empty() {
            let failure = match cut {
                Cut::Length | Cut::Longest => ModelFailure::CutOff,
                Cut::Time | Cut::Lost => ModelFailure::Interrupted,
                Cut::Call => ModelFailure::ToolCall,
            };
            return self.fail(failure.into(), text);
        }
        let language = self.setup.language;
        let note = match cut {
            Cut::Length => say!(language, "note-cut-off"),
            Cut::Longest => say!(language, "note-cut-longest"),
            Cut::Time => say!(language, "note-cut-time"),
            Cut::Lost => say!(language, "note-cut-lost"),
            Cut::Call => say!(language, "note-cut-call"),
        };
        self.not_run.insert(0, note);
        self.finish_with(text)
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        Facts { setup: &self.setup, ran: &self.ran, unfit: &self.unfit }
    }

    /// Returns the part of a text for a person. An unreadable block, or half of one, is not words.
    pub(super) fn words_in(&self, text: &str) -> String {
        let prose = review::review(self.facts(), text).prose();
        let is_block = self.setup.mode == ToolMode::Text && read_protocol(&prose) != ProtocolReading::Prose;
        if is_block && self.is_ours(&prose) { String::new() } else { prose }
    }

    /// Handles calls of tools. Beside a wrong call, only calls that read may run.
    fn called(&mut self, text: String, calls: Vec<RawCall>) -> Effect {
        let planner = Planner {
            offered: &self.setup.offered,
            catalog: &self.setup.catalog,
            limits: &self.setup.limits,
            ran: &self.ran,
            declined: self.declined,
        };
        let step = planner.plan(text, calls, &mut self.attempts, &mut self.ids);
        self.findings.extend(step.findings());
        let n_ran = self.ran.len();
        self.spared.extend(step.spared().map(|(call, why)| (call, why, n_ran)));
        self.unfit.retain(|unfit| !step.names(&unfit.tool.name));
        self.unfit.extend(step.unfit());
        if let Some(reason) = step.way_out() {
            self.record.calls.extend(step.records());
            return match reason.is_empty() {
                // The words beside the calls are the answer, if there are any.
                true if self.beside.is_empty() => self.give_up(TurnFailure::GaveUp),
                _ => self.said(&reason, None),
            };
        }
        if let Some(name) = step.skipped() {
            self.record.calls.extend(step.records());
            return self.give_up(TurnFailure::NoSuchTool(name));
        }
        if let Err(spent) = self.correct(step.n_corrections()) {
            self.record.calls.extend(step.records());
            return self.give_up(spent);
        }
        let calls = step.planned();
        if calls.is_empty() {
            return self.answer_calls(step, Vec::new());
        }
        if self.time_left.is_zero() {
            self.record.calls.extend(step.records());
            let language = self.setup.language;
            let late = calls.iter().map(|call| {
                words::not_run(&call.tool().path.to_string(), &say!(language, "call-out-of-time"), language)
            });
            self.not_run.extend(late);
            return self.give_up(TurnFailure::OutOfTime(self.setup.limits.time));
        }
        self.running = Some(step);
        Effect::Run { calls, reason: self.reason.clone(), within: self.time_left }
    }

    fn correct(&mut self, n: u32) -> Result<(), TurnFailure> {
        let used = self.n_corrections.saturating_add(n);
        if self.setup.limits.corrections < used {
            return Err(TurnFailure::CorrectionsSpent(self.setup.limits.corrections));
        }
        self.n_corrections = used;
        Ok(())
    }

    /// Handles the ends of calls: the model gets the result of each, directly after it.
    fn ended(&mut self, step: CallBatch, ends: Vec<CallEnd>) -> Effect {
        let planned = step.planned();
        for (call, end) in planned.into_iter().zip(&ends) {
            match end {
                CallEnd::Ran { receipt, text } => {
                    self.ran.push(Ran { call, receipt: receipt.clone(), text: text.clone() });
                }
                CallEnd::NotRun(NotRun { text, is_declined, .. }) => {
                    self.declined |= is_declined;
                    self.not_run.push(words::not_run(&call.tool().path.to_string(), text, self.setup.language));
                }
            }
        }
        self.answer_calls(step, ends)
    }

    /// Handles a reply in words, or in an unreadable block, for which `problem` states the reason. Once in a turn the
    /// model is asked to redo such a block, or a reply that ends in a call. After that the person gets the reply as it
    /// is.
    fn said(&mut self, text: &str, problem: Option<&str>) -> Effect {
        let reviewed = review::review(self.facts(), text);
        let may_ask = !self.is_reminded && self.n_steps < self.setup.limits.steps && !self.time_left.is_zero();
        let wants_it = match problem {
            Some(_) => may_ask && self.correct(1).is_ok(),
            None => may_ask && self.setup.mode != ToolMode::None && review::wants_a_reminder(self.facts(), &reviewed),
        };
        if wants_it {
            self.is_reminded = true;
            self.findings.extend(problem.is_none().then_some(GuardFinding::ToolText));
            self.held = Some(text.to_owned());
            let reminder = problem.map_or_else(|| words::tool_text(self.setup.mode), words::broken_block);
            self.setup.opening.transcript.answer_back(first_characters(text, SHOWN_AGAIN_MAX).to_owned(), reminder);
            return self.ask();
        }
        match self.held.take() {
            Some(held) if reviewed.prose().trim().is_empty() => self.finish_with(&held),
            held => {
                // A block that was redone is not shown, but recorded.
                let is_block = |held: &String| held != text && read_protocol(held) != ProtocolReading::Prose;
                let block = held.filter(|held| self.setup.mode == ToolMode::Text && is_block(held));
                self.record.stripped.extend(block.map(|block| StrippedText::new(StrippedKind::ToolText, block)));
                self.finish_with(text)
            }
        }
    }
}
