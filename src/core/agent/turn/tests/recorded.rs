//! Calls that models of nine families wrote, with the reading that is right: the public suite `canitoolcall`.
//!
//! `.ci/run install` puts it into `target/tool-calls`. Without it the test is skipped, and says so; under CI it fails.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::agent::fixture::empty_catalog;
use crate::agent::settings::ToolMode;
use crate::agent::tools::{OfferedSet, OfferedTool, PlannedCall};
use crate::agent::turn::tests::fixture::{follow, obliging, says, setup};
use crate::agent::turn::{Effect, Ending, Input, Turn, TurnSetup};
use crate::agent::without_thinking;
use crate::inbound::CommandPath;

/// The least share of pure calls that run exactly as they were meant, and the largest share of texts that leave markup in
/// the reply.
const EXACT_MIN: f64 = 0.95;
const LEAKING_MAX: f64 = 0.02;

/// A recorded text and its right reading.
struct Recorded {
    id: String,
    tools: Vec<OfferedTool>,
    text: String,
    content: String,
    /// The calls. The same call twice runs once.
    calls: Vec<WrittenCall>,
    /// It was cut off: nothing of it may run.
    is_cut: bool,
}

type WrittenCall = (String, Map<String, Value>);
type Prepare = fn(Recorded) -> Recorded;

/// The counts of one family.
#[derive(Clone, Copy, Default)]
struct Counts {
    n_texts: usize,
    /// Whole messages that are calls and nothing else.
    n_pure: usize,
    n_exact: usize,
    /// Replies that show a mark of the family: of pure calls, and of all texts.
    n_leaking: usize,
    n_leaking_of_all: usize,
    /// Calls that ran and should not have, or with other arguments.
    n_wrong: usize,
}

/// The folder of the recorded texts.
#[expect(clippy::disallowed_methods, reason = "the environment and the folder of a test's data")]
fn folder() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tool-calls");
    let folder = std::env::var_os("CANDOR_TOOL_CALLS").map_or(installed, PathBuf::from);
    let fixtures = folder.join("canitoolcall/_data/fixtures");
    if fixtures.is_dir() {
        return Some(fixtures);
    }
    assert!(std::env::var_os("CI").is_none(), "under CI this must run: `.ci/run install` installs canitoolcall");
    // Not captured by the test runner, so that nobody takes it for passed.
    let said = "SKIPPED the recorded calls of canitoolcall: `.ci/run install` installs them\n";
    std::io::stderr().write_all(said.as_bytes()).unwrap();
    None
}

/// The texts of each family, with the family's marks.
#[expect(clippy::disallowed_methods, reason = "the files of a test's data")]
fn families(folder: &Path) -> BTreeMap<String, (Vec<String>, Vec<Value>)> {
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let files = |path: &Path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut families = BTreeMap::new();
    for folder in files(folder).into_iter().filter(|path| path.is_dir()) {
        let family: Value = serde_json::from_str(&read(folder.join("family.json"))).unwrap();
        let marks = family["markers"].as_array().unwrap().iter().map(|mark| mark.as_str().unwrap().to_owned());
        let is_of_texts = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
        let texts = files(&folder).into_iter().filter(is_of_texts).flat_map(|file| {
            read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        });
        families.insert(family["slug"].as_str().unwrap().to_owned(), (marks.collect(), texts.collect()));
    }
    families
}

impl Recorded {
    fn read(fixture: &Value) -> Self {
        let expected = &fixture["expected"];
        let mut calls: Vec<WrittenCall> = Vec::new();
        for call in expected["tool_calls"].as_array().into_iter().flatten() {
            let call = (call["name"].as_str().unwrap().to_owned(), call["arguments"].as_object().unwrap().clone());
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        Self {
            id: fixture["id"].as_str().unwrap().to_owned(),
            tools: fixture["tools"].as_array().unwrap().iter().map(|entry| tool(&entry["function"])).collect(),
            text: fixture["raw_output"].as_str().unwrap().to_owned(),
            content: expected["content"].as_str().unwrap_or_default().to_owned(),
            calls,
            is_cut: fixture["tags"].as_array().unwrap().iter().any(|tag| tag == "truncated"),
        }
    }

    /// The same with names as the bot makes them for tools of MCP servers.
    fn renamed(mut self) -> Self {
        for tool in &mut self.tools {
            let name = format!("cf_{}", tool.name.replace('_', "-"));
            let written =
                Regex::new(&format!(r"(^|[^\w.-]|functions\.){}($|[^\w-])", regex::escape(&tool.name))).unwrap();
            self.text = written.replace_all(&self.text, format!("${{1}}{name}${{2}}")).into_owned();
            for (called, arguments) in &mut self.calls {
                if *called == tool.name {
                    called.clone_from(&name);
                }
                let text = Value::Object(std::mem::take(arguments)).to_string();
                let renamed = written.replace_all(&text, format!("${{1}}{name}${{2}}"));
                *arguments = serde_json::from_str(&renamed).unwrap();
            }
            tool.name = name;
        }
        self
    }

    fn turn(&self) -> TurnSetup {
        let mut setup = setup(ToolMode::Native);
        setup.offered = OfferedSet::of_tools(self.tools.clone());
        setup.catalog = empty_catalog();
        setup.limits.calls_per_step = 64;
        setup
    }

    /// Counts this text. Returns what went wrong with it.
    fn count(&self, marks: &[String], counts: &mut Counts) -> Option<String> {
        let text = without_thinking(&self.text).trim();
        let ran = ran(self.turn(), text);
        let reply = shown(self.turn(), text);
        let is_pure = !self.is_cut && !self.calls.is_empty() && self.content.trim().is_empty();
        let is_exact = is_pure && ran == self.calls;
        let is_wrong = !ran.is_empty() && !is_exact;
        let is_leaking = marks.iter().any(|mark| reply.contains(mark) && !self.content.contains(mark));
        counts.n_texts += 1;
        counts.n_pure += usize::from(is_pure);
        counts.n_exact += usize::from(is_exact);
        counts.n_leaking += usize::from(is_leaking && is_pure);
        counts.n_leaking_of_all += usize::from(is_leaking);
        counts.n_wrong += usize::from(is_wrong);
        let is_fault = is_wrong || is_pure && !is_exact || is_leaking;
        is_fault.then(|| format!("{}: ran {ran:?} of {text:?}, shown {reply:?}\n", self.id))
    }
}

/// A tool as a module or an MCP server has it.
fn tool(function: &Value) -> OfferedTool {
    let name = function["name"].as_str().unwrap();
    let schema = match &function["parameters"] {
        Value::Object(schema) => Value::Object(schema.clone()),
        _ => json!({ "type": "object" }),
    };
    OfferedTool {
        name: name.to_owned(),
        path: CommandPath::new(name, None),
        description: String::new(),
        shown: schema.clone(),
        schema,
        writes: false,
        chat_only: false,
        private: Vec::new(),
        required: Vec::new(),
        removes: false,
    }
}

/// The calls that run when a model writes this.
fn ran(setup: TurnSetup, text: &str) -> Vec<WrittenCall> {
    let (mut turn, _) = Turn::start(setup);
    let call = |call: &PlannedCall| (call.tool().name.clone(), call.arguments().clone());
    match turn.step(Input::Answered(says(text)), Duration::ZERO) {
        Effect::Run { calls, .. } => calls.iter().map(call).collect(),
        Effect::Ask { .. } | Effect::Finish(_) => Vec::new(),
    }
}

/// The reply of a model that goes on writing this.
fn shown(setup: TurnSetup, text: &str) -> String {
    match follow(setup, vec![says(text)], obliging).finished.ending {
        Ending::Prose(prose) | Ending::Stopped(prose) => prose,
        Ending::Failed(_) => String::new(),
    }
}

/// Counts all families, and writes the table.
fn measure(folder: &Path, title: &str, prepare: Prepare) -> (Counts, String) {
    let (mut sum, mut faults) = (Counts::default(), String::new());
    let mut table = format!("{title}\n| family | texts | pure calls | run exactly | markup | of all | wrongly run |\n");
    table += "|---|---|---|---|---|---|---|\n";
    let mut row = |name: &str, counts: Counts| {
        let Counts { n_texts, n_pure, n_exact, n_leaking, n_leaking_of_all, n_wrong } = counts;
        table +=
            &format!("| {name} | {n_texts} | {n_pure} | {n_exact} | {n_leaking} | {n_leaking_of_all} | {n_wrong} |\n");
    };
    for (name, (marks, texts)) in families(folder) {
        let mut counts = Counts::default();
        for fixture in &texts {
            faults.extend(prepare(Recorded::read(fixture)).count(&marks, &mut counts));
        }
        row(&name, counts);
        sum.n_texts += counts.n_texts;
        sum.n_pure += counts.n_pure;
        sum.n_exact += counts.n_exact;
        sum.n_leaking += counts.n_leaking;
        sum.n_leaking_of_all += counts.n_leaking_of_all;
        sum.n_wrong += counts.n_wrong;
    }
    row("all", sum);
    // Not captured by the test runner: the figures are seen though the test passes.
    std::io::stderr().write_all(table.as_bytes()).unwrap();
    (sum, faults)
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts of a few hundred texts")]
fn recorded_calls_of_nine_families_run_as_they_were_meant() {
    let Some(folder) = folder() else { return };
    let ways: [(&str, Prepare); 2] = [
        ("canitoolcall, names as recorded", |recorded| recorded),
        ("canitoolcall, names as the bot makes them", Recorded::renamed),
    ];
    for (title, prepare) in ways {
        let (sum, faults) = measure(&folder, title, prepare);
        assert_eq!((sum.n_texts, sum.n_wrong), (469, 0), "{title}\n{faults}");
        let share = |n: usize| n as f64 / sum.n_pure as f64;
        assert!(EXACT_MIN <= share(sum.n_exact) && share(sum.n_leaking) <= LEAKING_MAX, "{title}\n{faults}");
        assert!(sum.n_leaking_of_all as f64 / sum.n_texts as f64 <= LEAKING_MAX, "{title}\n{faults}");
    }
}
