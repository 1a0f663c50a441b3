//! Runs the tests of modules: types their lines and compares the answers.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::app::exit::Failure;
use crate::app::trial::run::Trial;
use crate::console::Replies;
use candor_core::agent::tools::{Confirmation, Question, Surface, Unattended};
use candor_core::contract::{ModuleTest, TestEnd, TestStep, read_tests};
use candor_core::diagnostic::{Diagnostics, SourceFile, full};
use candor_core::record::Outcome;
use candor_core::reply::{Answer, Control, PreparedCall, Provenance};
use candor_core::settings::Settings;
use candor_core::text::{excerpt, in_code_spans};
use candor_system::files::text_file::{self, TextFileError};

const FILE: &str = "tests.toml";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestReport {
    pub module: String,
    pub name: String,
    /// The deviations, one a line; empty if the test passed.
    pub wrong: Vec<String>,
}

/// Returns the tests of the named modules, or of all modules that have some. Fails if a named module has none, or if a
/// test file cannot be read.
pub fn tests_of_modules(settings: &Settings, names: &[String]) -> Result<Vec<(String, Vec<ModuleTest>)>, Failure> {
    let folder = settings.modules.path.clone().unwrap_or_else(|| PathBuf::from("modules"));
    let names = if names.is_empty() { modules_with_tests(&folder)? } else { names.to_vec() };
    let mut found = Diagnostics::default();
    let mut modules = Vec::new();
    for name in names {
        let path = folder.join(&name).join(FILE);
        let text = text_file::read_within(&folder.join(&name), FILE).map_err(|problem| unread(&path, &problem))?;
        let file = Arc::new(SourceFile { path: path.display().to_string(), text });
        modules.push((name, read_tests(&file, &mut found)));
    }
    match found.has_errors() {
        true => Err(Failure::config(format!("tests cannot be read\n{}", full::render(&found, false)))),
        false => Ok(modules),
    }
}

fn modules_with_tests(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(problem) if problem.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(problem) => return Err(unreadable(folder, &problem)),
    };
    let has_tests = |entry: &fs::DirEntry| entry.path().join(FILE).is_file();
    let mut names: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(has_tests)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

fn unread(path: &Path, problem: &TextFileError) -> Failure {
    Failure::config(match problem {
        TextFileError::Missing => format!("there is no `{}`: tests of a module stand in its folder", path.display()),
        _ => format!("cannot read `{}`: {problem}", path.display()),
    })
}

fn unreadable(path: &Path, problem: &std::io::Error) -> Failure {
    Failure::config(format!("cannot read `{}`: {problem}", path.display()))
}

impl Trial {
    /// Runs the tests of a module one after the other. Tests that did not run before `stop` have no report.
    pub async fn test(&self, module: &str, tests: Vec<ModuleTest>, stop: &CancellationToken) -> Vec<TestReport> {
        let (mut reports, mut buttons) = (Vec::new(), Vec::new());
        for test in tests {
            if stop.is_cancelled() {
                break;
            }
            let mut talk = self.talk(test.language, Replies::Nobody, stop);
            let shown = Shown::default();
            let answer = match &test.step {
                TestStep::Typed(line) => talk.ask(line.clone(), &Unattended).await,
                TestStep::Called(line) => self.asked_of_model(&mut talk, line, &shown).await,
                TestStep::Pressed(label) => match button(&buttons, label) {
                    Ok(call) => talk.press(call, &Unattended).await,
                    Err(why) => {
                        reports.push(TestReport { module: module.to_owned(), name: test.name, wrong: vec![why] });
                        continue;
                    }
                },
            };
            let came = shown.first().or(answer.as_ref().map(Came::of)).unwrap_or_default();
            let wrong = wrong(&test, &came);
            buttons = came.buttons;
            reports.push(TestReport { module: module.to_owned(), name: test.name, wrong });
        }
        reports
    }
}

fn button(buttons: &[Control], label: &str) -> Result<PreparedCall, String> {
    let labelled = || buttons.iter().filter_map(Control::button);
    let found = labelled().find(|(known, _)| *known == label).map(|(_, call)| call.clone());
    found.ok_or_else(|| match labelled().map(|(known, _)| known).collect::<Vec<_>>() {
        known if known.is_empty() => format!("the answer before has no button `{label}`: it has none"),
        known => format!("the answer before has no button `{label}`; it has {}", in_code_spans(&known)),
    })
}

/// An answer, as tests compare it.
#[derive(Clone, Debug)]
struct Came {
    ended: TestEnd,
    text: String,
    buttons: Vec<Control>,
}

impl Came {
    fn of(answer: &Answer) -> Self {
        let ended = match &answer.provenance {
            Provenance::Command(receipt) => match receipt.facts().outcome {
                Outcome::Done => TestEnd::Done,
                Outcome::Answered => TestEnd::Answered,
                Outcome::Asked => TestEnd::Asked,
                Outcome::Refused => TestEnd::Refused,
                Outcome::Failed | Outcome::TimedOut | Outcome::Interrupted | Outcome::Unknown => TestEnd::Failed,
            },
            Provenance::Turn(_) | Provenance::Host => TestEnd::NotRun,
        };
        Self { ended, text: answer.plain(), buttons: answer.controls().cloned().collect() }
    }
}

impl Default for Came {
    /// Returns the value for "no answer".
    fn default() -> Self {
        Self { ended: TestEnd::NotRun, text: "nothing".to_owned(), buttons: Vec::new() }
    }
}

/// Returns the ways in which the answer differs from the test's expectation.
fn wrong(test: &ModuleTest, Came { ended, text, .. }: &Came) -> Vec<String> {
    let mut wrong = Vec::new();
    let is_as_wanted = match test.ends {
        Some(wanted) => *ended == wanted,
        None => matches!(ended, TestEnd::Done | TestEnd::Answered),
    };
    if !is_as_wanted {
        let wanted = test.ends.map_or("`done` or `answered`".to_owned(), |end| format!("`{}`", end.name()));
        wrong.push(format!("it ended as `{}`, and not as {wanted}", ended.name()));
    }
    let missing = test.answer.iter().filter(|part| !text.contains(part.as_str()));
    wrong.extend(missing.map(|part| format!("its answer has no `{}` in it", excerpt(part))));
    if !wrong.is_empty() {
        wrong.push(format!("{} was answered: {text}", test.step));
    }
    wrong
}

/// Keeps the first answer of a command that a model runs. Every confirmation stays unanswered.
#[derive(Default)]
struct Shown(Mutex<Option<Came>>);

impl Shown {
    fn first(self) -> Option<Came> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Surface for Shown {
    async fn running(&self, _: &str) {}

    fn writing(&self, _: &str) {}

    async fn ran(&self, answer: &Answer) -> candor_core::agent::tools::Shown {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| Came::of(answer));
        candor_core::agent::tools::Shown::Whole
    }

    async fn confirm(&self, _: &Question) -> Confirmation {
        Confirmation::Unanswered
    }
}
