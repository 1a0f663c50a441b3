//! The state machine of a turn: its inputs, its effects and its steps. The module `turn` shows the transitions.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::agent::failure::ModelFailure;
use crate::agent::prompt::budget::{BYTES_A_TOKEN, message_tokens};
use crate::agent::prompt::{Opening, Transcript};
use crate::agent::settings::{GuardSettings, ToolMode, TurnLimits};
use crate::agent::tools::{
    Attempts, CallEnd, Completion, NotRun, OfferedSet, PlannedCall, ProtocolReading, RawCall, read_protocol,
};
use crate::agent::turn::ending::{Ending, TurnFailure};
use crate::agent::turn::ids::Ids;
use crate::agent::turn::plan::{Planner, Step};
use crate::agent::turn::ran::Ran;
use crate::agent::turn::words;
use crate::language::Language;
use crate::record::turn::STRIPPED_LENGTH_MAX;
use crate::record::{GuardFinding, Outcome, Receipt, StrippedKind, TurnRecord};
use crate::registry::Catalog;

/// The command that saves memories, and its subcommand: the only one that a made-up result may be turned into.
pub const MEMORY: (&str, &str) = ("memory", "save");

/// The most notes on commands that did not end well.
pub(crate) const NOTES_MAX: usize = 6;

/// The least of a result that is shown, in bytes, however full the context is: a model that gets nothing invents.
const RESULT_BYTES_MIN: usize = 256;

/// What a turn starts with.
pub struct TurnSetup {
    /// The model's name, for the record.
    pub model: String,
    /// How the model calls tools.
    pub mode: ToolMode,
    /// The limits.
    pub limits: TurnLimits,
    /// The checks.
    pub guard: GuardSettings,
    /// The tools that may be called.
    pub offered: OfferedSet,
    /// The commands that this caller may use, to check those that a reply names.
    pub catalog: Catalog,
    /// The conversation so far, with the person's words at its end, and the room that is left for the turn.
    pub opening: Opening,
    /// The person's language, for the notes under the reply.
    pub language: Language,
}

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// The model answered.
    Answered(Completion),
    /// The model failed.
    Failed(ModelFailure),
    /// The calls of [`Effect::Run`] ended, in their order.
    Ended(Vec<CallEnd>),
}

/// What to do next.
#[derive(Debug)]
pub enum Effect {
    /// Ask the model with [`Turn::transcript`], within this time.
    Ask {
        /// What is left of the turn's time.
        within: Duration,
    },
    /// Run these calls, in order. None may start after the time is over.
    Run {
        /// The calls.
        calls: Vec<PlannedCall>,
        /// What is left of the turn's time.
        within: Duration,
    },
    /// The turn is over.
    Finish(Box<Finished>),
}

/// How a turn ended.
#[derive(Debug)]
pub struct Finished {
    /// The model's text or the failure.
    pub ending: Ending,
    /// The receipts of the turn, in order.
    pub ran: Vec<Receipt>,
    /// The host's notes for below the reply.
    pub notes: Vec<String>,
    /// A memory that the model only pretended to save.
    pub recoverable: Option<Map<String, Value>>,
    /// The audit record.
    pub record: TurnRecord,
    /// The findings to count: one for each occurrence, retries included.
    pub findings: Vec<GuardFinding>,
}

/// A chat turn in progress.
pub struct Turn {
    /// What it started with. The transcript and the room in it change as the turn goes on.
    pub(super) setup: TurnSetup,
    time_left: Duration,
    pub(super) n_steps: usize,
    pub(super) n_corrections: u32,
    attempts: Attempts,
    ids: Ids,
    /// The step whose calls run now.
    running: Option<Step>,
    /// Every call that ran, in order.
    pub(super) ran: Vec<Ran>,
    /// The host's lines for valid calls that did not run, in order.
    pub(super) not_run: Vec<String>,
    /// The reasons for which a reminder was sent. Each is sent once.
    reminded: BTreeSet<Reminder>,
    /// The reply that a reminder asks to redo, as the model wrote it. It is used if nothing better comes, and is then
    /// checked once more: more may have run by then.
    pub(super) held: Option<String>,
    /// Nobody confirmed a change in this turn: the person is not asked again.
    declined: bool,
    pub(super) record: TurnRecord,
    pub(super) findings: Vec<GuardFinding>,
}

/// A reason to ask the model once more for the same reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reminder {
    ToolText,
    MadeUp,
    Unbacked,
}

impl Turn {
    /// Starts a turn, and returns the first effect.
    pub fn start(setup: TurnSetup) -> (Self, Effect) {
        let record = TurnRecord {
            model: setup.model.clone(),
            tools: setup.mode.name().to_owned(),
            offered: setup.offered.names().into_iter().map(str::to_owned).collect(),
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
            reminded: BTreeSet::new(),
            held: None,
            declined: false,
            record,
            findings: Vec::new(),
        };
        let first = turn.ask();
        (turn, first)
    }

    /// The transcript to show the model.
    pub fn transcript(&self) -> &Transcript {
        &self.setup.opening.transcript
    }

    /// The tools to offer, the same in every request of the turn.
    pub fn offered(&self) -> &OfferedSet {
        &self.setup.offered
    }

    /// Takes what happened and returns what to do next. `took` is how long it took, without waiting for a person.
    pub fn step(&mut self, input: Input, took: Duration) -> Effect {
        self.time_left = self.time_left.saturating_sub(took);
        match (input, self.running.take()) {
            (Input::Answered(completion), _) => self.answered(completion),
            (Input::Failed(_), _) if self.time_left.is_zero() => {
                self.give_up(TurnFailure::OutOfTime(self.setup.limits.time))
            }
            (Input::Failed(failure), _) => self.give_up(failure.into()),
            (Input::Ended(ends), Some(step)) => self.ended(step, ends),
            // Nothing ran, so there is nothing to report to the model.
            (Input::Ended(_), None) => self.ask(),
        }
    }

    /// Asks the model, if a step and time are left.
    fn ask(&mut self) -> Effect {
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
        let Completion { text, calls } = completion;
        match self.setup.mode {
            ToolMode::Native if !calls.is_empty() => self.called(text, calls),
            ToolMode::Text => match read_protocol(&text) {
                ProtocolReading::Calls { calls, .. } => self.called(text, calls),
                ProtocolReading::Broken { problem } => self.broken(text, &problem),
                ProtocolReading::Prose => self.said(&text),
            },
            ToolMode::Native | ToolMode::None => self.said(&text),
        }
    }

    /// The model called tools. Either all of its calls are valid, or none runs.
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
        if let Some(reason) = step.way_out() {
            self.record.calls.extend(step.records());
            if reason.trim().is_empty() {
                return self.give_up(TurnFailure::GaveUp);
            }
            return self.said(&reason);
        }
        if let Err(spent) = self.correct(step.n_corrections()) {
            self.record.calls.extend(step.records());
            return self.give_up(spent);
        }
        let calls = step.planned();
        if calls.is_empty() {
            return self.told(step, Vec::new());
        }
        if self.time_left.is_zero() {
            self.record.calls.extend(step.records());
            return self.give_up(TurnFailure::OutOfTime(self.setup.limits.time));
        }
        self.running = Some(step);
        Effect::Run { calls, within: self.time_left }
    }

    /// Uses up `n` corrections, if so many are left.
    fn correct(&mut self, n: u32) -> Result<(), TurnFailure> {
        let used = self.n_corrections.saturating_add(n);
        if self.setup.limits.corrections < used {
            return Err(TurnFailure::CorrectionsSpent(self.setup.limits.corrections));
        }
        self.n_corrections = used;
        Ok(())
    }

    /// A block that cannot be read: nothing of it runs, and nobody is shown it.
    fn broken(&mut self, text: String, problem: &str) -> Effect {
        self.findings.push(GuardFinding::BrokenBlock);
        self.record.note_stripped(StrippedKind::ToolText, std::slice::from_ref(&text));
        if let Err(spent) = self.correct(1) {
            return self.give_up(spent);
        }
        self.setup.opening.transcript.answer_back(excerpt(&text), words::broken_block(problem));
        self.ask()
    }

    /// Calls ended: the model gets the result of each, directly after it.
    fn ended(&mut self, step: Step, ends: Vec<CallEnd>) -> Effect {
        let planned = step.planned();
        for (call, end) in planned.into_iter().zip(&ends) {
            match end {
                CallEnd::Ran { receipt, text } => {
                    self.ran.push(Ran { call, receipt: (**receipt).clone(), text: text.clone() });
                }
                CallEnd::NotRun(NotRun { told, .. }) => {
                    self.declined |= call.tool().writes;
                    self.not_run.push(words::not_run(&call.tool().path.to_string(), told, self.setup.language));
                }
            }
        }
        self.told(step, ends)
    }

    fn told(&mut self, step: Step, ends: Vec<CallEnd>) -> Effect {
        let room = self.setup.opening.room / step.len().max(1) * BYTES_A_TOKEN;
        let (text, answered, records) =
            step.answered(&ends, self.setup.limits.result_bytes.min(room).max(RESULT_BYTES_MIN));
        let used: usize = answered.iter().map(|(_, content)| message_tokens(content)).sum();
        self.setup.opening.room = self.setup.opening.room.saturating_sub(used + message_tokens(&text));
        self.record.calls.extend(records);
        match self.setup.mode {
            ToolMode::Native => self.setup.opening.transcript.step(text, answered),
            ToolMode::Text | ToolMode::None => {
                let results: Vec<_> = answered.into_iter().map(|(_, content)| content).collect();
                self.setup.opening.transcript.results(text, words::results(&results));
            }
        }
        self.ask()
    }

    /// The model replied in words: checked whole, and shown only then.
    fn said(&mut self, text: &str) -> Effect {
        let reviewed = self.review(text);
        self.findings.extend(reviewed.counted());
        self.record.note_stripped(StrippedKind::ToolText, &reviewed.tool_text);
        self.record.note_stripped(StrippedKind::MadeUpResult, &reviewed.made_up);
        if let Some(reminder) = reviewed.reminder().filter(|reminder| !self.reminded.contains(reminder))
            && self.n_steps < self.setup.limits.steps
            && !self.time_left.is_zero()
        {
            self.reminded.insert(reminder);
            let host = match reminder {
                Reminder::ToolText => words::tool_text(self.setup.mode),
                Reminder::MadeUp => words::made_up(&self.facts()),
                Reminder::Unbacked => words::unbacked(&reviewed.findings(Language::ENGLISH), &self.facts()),
            };
            if !reviewed.prose.is_empty() {
                self.held = Some(text.to_owned());
            }
            self.setup.opening.transcript.answer_back(reviewed.prose, host);
            return self.ask();
        }
        match self.held.take() {
            Some(held) if reviewed.prose.is_empty() => self.finish_with(self.review(&held)),
            _ => self.finish_with(reviewed),
        }
    }

    /// What ran, as facts for the model.
    fn facts(&self) -> Vec<String> {
        let line = |ran: &Ran| {
            let facts = ran.receipt.facts();
            format!("{} ({}): receipt {}", facts.command, facts.outcome.name(), ran.receipt.id())
        };
        self.ran.iter().map(line).collect()
    }
}

pub(crate) fn is_done(receipt: &Receipt) -> bool {
    receipt.facts().outcome == Outcome::Done
}

/// What the model is shown of its own text that was rejected.
fn excerpt(text: &str) -> String {
    text.chars().take(STRIPPED_LENGTH_MAX).collect()
}
