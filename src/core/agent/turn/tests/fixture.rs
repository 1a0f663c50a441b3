//! A turn over a few tools, and a host that runs whatever the turn plans.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::agent::fixture::catalog_of;
use crate::agent::prompt::{Opening, Transcript, TranscriptEntry};
use crate::agent::tools::{CallEnd, Completion, NotRun, OfferedSet, PlannedCall, RawArguments, RawCall};
use crate::agent::turn::{Effect, Ending, Finished, Input, Turn, TurnSetup};
use crate::agent::{GuardSettings, ToolMode, TurnLimits};
use crate::contract::{Choice, Command, CommandKind, Leaf, OptionKind, OptionSpec, Owner, Subcommand, ToolSpec};
use crate::inbound::Place;
use crate::language::{Language, say};
use crate::record::{Origin, Outcome, Receipt};
use crate::registry::Catalog;
use crate::testing::chat;

fn leaf(options: Vec<OptionSpec>, tool: Option<ToolSpec>) -> Leaf {
    Leaf::new("unused", options, tool)
}

fn tool(name: &str, writes: bool) -> Option<ToolSpec> {
    Some(ToolSpec::new(name, writes))
}

pub(super) fn text_option(name: &str, required: bool, choices: &[&str]) -> OptionSpec {
    let choices = choices.iter().map(|choice| Choice::new((*choice).to_owned(), (*choice).to_owned()));
    OptionSpec::new(
        name.to_owned(),
        "Text".to_owned(),
        OptionKind::String { min_length: None, max_length: Some(100), choices: choices.collect() },
        required,
    )
}

fn command(name: &str, kind: CommandKind) -> Command {
    Command::new(name.to_owned(), format!("The command {name}"), Owner::Builtin, kind)
}

fn subcommand(name: &str, leaf: Leaf) -> Subcommand {
    Subcommand::new(name.to_owned(), format!("The part {name}"), leaf)
}

/// `/status [metric]`, `/files write path`, `/memory save content [kind]`, `/tasks done id`, and `/purge`, which is
/// for people only.
pub(super) fn catalog() -> Catalog {
    let number = OptionSpec {
        kind: OptionKind::Integer { min: Some(1), max: None, choices: Vec::new() },
        ..text_option("id", true, &[])
    };
    let save = leaf(
        vec![text_option("content", true, &[]), text_option("kind", false, &["fact", "preference"])],
        tool("save_memory", true),
    );
    let write = leaf(vec![text_option("path", true, &[])], tool("files_write", true));
    let commands = vec![
        command("status", CommandKind::Leaf(leaf(vec![text_option("metric", false, &[])], tool("status", false)))),
        command("files", CommandKind::of_subcommands(vec![subcommand("write", write)])),
        command("memory", CommandKind::of_subcommands(vec![subcommand("save", save)])),
        command(
            "tasks",
            CommandKind::of_subcommands(vec![subcommand("done", leaf(vec![number], tool("tasks_done", true)))]),
        ),
        command("purge", CommandKind::Leaf(leaf(Vec::new(), None))),
    ];
    catalog_of(commands)
}

pub(super) const WRITES: [&str; 3] = ["/files write", "/memory save", "/tasks done"];

pub(super) fn setup(mode: ToolMode) -> TurnSetup {
    let catalog = catalog();
    let writes: BTreeSet<_> = WRITES.map(str::to_owned).into();
    let offered = match mode {
        ToolMode::None => OfferedSet::of(&catalog, Place::Console, Some(&writes)).all_withheld(),
        ToolMode::Native | ToolMode::Text => OfferedSet::of(&catalog, Place::Console, Some(&writes)),
    };
    let asked = "How is it going with the server?";
    TurnSetup {
        model: "llama".to_owned(),
        mode,
        limits: TurnLimits::default(),
        guard: GuardSettings::default(),
        offered,
        catalog,
        opening: Opening {
            transcript: Transcript::new("You are a test.".to_owned(), &[], &chat(asked)),
            room: 100_000,
            given: Vec::new(),
        },
        request: asked.to_owned(),
        language: Language::ENGLISH,
    }
}

/// What the host did in a turn, and how the turn ended.
pub(super) struct Told {
    pub(super) finished: Finished,
    /// The transcript at the end.
    pub(super) messages: Vec<TranscriptEntry>,
    /// Every call that ran, in order.
    pub(super) ran: Vec<PlannedCall>,
    /// How often the model was asked.
    pub(super) n_asked: usize,
    /// The model's reason for each step of calls.
    pub(super) reasons: Vec<Option<String>>,
    /// The ids of the receipts that the host made.
    pub(super) receipts: Vec<String>,
}

/// How the host's tools end.
pub(super) type Tools = fn(&PlannedCall) -> Result<(Outcome, &'static str), &'static str>;

/// Tools that succeed and name themselves.
pub(super) fn obliging(call: &PlannedCall) -> Result<(Outcome, &'static str), &'static str> {
    Ok((Outcome::Done, if call.tool().name == "status" { "CPU: 12.5 %" } else { "It is so." }))
}

/// Runs a turn to its end. The model gives these answers, and then the last of them for ever: it never gives up first.
pub(super) fn follow(setup: TurnSetup, answers: Vec<Completion>, tools: Tools) -> Told {
    let limits = setup.limits;
    let (mut turn, mut effect) = Turn::start(setup);
    let (mut ran, mut reasons, mut receipts, mut n_asked) = (Vec::new(), Vec::new(), Vec::new(), 0);
    loop {
        let input = match effect {
            Effect::Finish(finished) => {
                let messages = turn.transcript().messages().to_vec();
                return Told { finished: *finished, messages, ran, n_asked, reasons, receipts };
            }
            Effect::Ask { within } => {
                assert!(!within.is_zero());
                let answer = answers.get(n_asked).or(answers.last()).cloned().unwrap_or_default();
                n_asked += 1;
                assert!(n_asked <= limits.steps, "asked more often than the limit");
                Input::Answered(answer)
            }
            Effect::Run { calls, reason, .. } => {
                reasons.push(reason);
                assert!((1..=limits.calls_per_step).contains(&calls.len()));
                let ends = calls.iter().map(|call| {
                    let number = u64::try_from(receipts.len()).unwrap() + 1;
                    match tools(call) {
                        Ok((outcome, text)) => {
                            let arguments = Value::Object(call.arguments().clone()).to_string();
                            let path = call.tool().path.to_string();
                            let receipt = Receipt::sample(number, &path, &arguments, outcome, Origin::Model);
                            receipts.push(receipt.id().to_string());
                            CallEnd::Ran { receipt, text: text.to_owned() }
                        }
                        Err(why) => CallEnd::NotRun(NotRun {
                            why: why.to_owned(),
                            text: why.to_owned(),
                            is_declined: call.tool().writes,
                        }),
                    }
                });
                let ends = ends.collect();
                ran.extend(calls);
                Input::Ended(ends)
            }
        };
        effect = turn.step(input, Duration::from_millis(10));
    }
}

/// An answer in words.
pub(super) fn says(text: &str) -> Completion {
    Completion { text: text.to_owned(), calls: Vec::new(), cut: None }
}

/// An answer of calls in the API's form.
pub(super) fn calls(calls: &[(&str, Value)]) -> Completion {
    let call = |(name, arguments): &(&str, Value)| RawCall {
        id: None,
        name: (*name).to_owned(),
        arguments: RawArguments::Object(object(arguments)),
    };
    Completion { text: String::new(), calls: calls.iter().map(call).collect(), cut: None }
}

/// The same as a block of the text protocol.
pub(super) fn block(calls: &[(&str, Value)]) -> Completion {
    let calls: Vec<_> =
        calls.iter().map(|(name, arguments)| json!({ "tool": name, "parameters": arguments })).collect();
    says(&json!({ "reasoning": "because", "tool_calls": calls }).to_string())
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// A turn in native mode whose tools succeed.
pub(super) fn native(answers: Vec<Completion>) -> Told {
    follow(setup(ToolMode::Native), answers, obliging)
}

/// A line of the host on these commands.
pub(super) fn note(key: &'static str, commands: &str) -> String {
    match key {
        "note-only-written" => say!(Language::ENGLISH, "note-only-written", commands = commands),
        other => panic!("no note {other}"),
    }
}

/// The reply; a turn without one fails the test.
pub(super) fn prose(told: &Told) -> &str {
    match &told.finished.ending {
        Ending::Prose(text) | Ending::Stopped(text) => text,
        Ending::Failed(failure) => panic!("failed: {failure}"),
    }
}

/// How each call ended, as the record has it.
pub(super) fn outcomes(told: &Told) -> Vec<&str> {
    told.finished.record.calls.iter().map(|call| call.outcome.as_str()).collect()
}

/// What the model was told of each call.
pub(super) fn results(told: &Told) -> Vec<String> {
    let content = |message: &'_ TranscriptEntry| match message {
        TranscriptEntry::Result { content, .. } => Some(content.clone()),
        _ => None,
    };
    told.messages.iter().filter_map(content).collect()
}
