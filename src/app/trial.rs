//! Tries commands in a temporary store: typed lines, and the tests of modules.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use async_trait::async_trait;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::app::build::App;
use crate::app::examine::Examined;
use crate::app::exit::Failure;
use crate::console::{Replies, Session, Talk, tell};
use candor_core::agent::prompt::TranscriptEntry;
use candor_core::agent::tools::{
    Completion, Confirmation, OfferedTool, Question, RawArguments, RawCall, Surface, Unattended,
};
use candor_core::agent::{Growth, ImageSetting, Model, ModelFailure, OfferedModel, Request, ToolMode, ToolSetting};
use candor_core::contract::{ModuleTest, TestEnd, TestStep, read_tests, text_form};
use candor_core::diagnostic::{Diagnostics, SourceFile, full};
use candor_core::language::{Language, say};
use candor_core::record::Outcome;
use candor_core::registry::Catalog;
use candor_core::reply::{Answer, Control, PreparedCall, Provenance};
use candor_core::router::{Route, Unknown, UnknownKind, classify};
use candor_core::settings::{Settings, StoreSettings};
use candor_core::text::{excerpt, in_code_spans};
use candor_system::files::text_file;
use candor_system::files::text_file::TextFileError;

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

/// The bot on an empty store, which is removed afterwards. Its chat model makes the calls that the trial sets.
pub struct Trial {
    app: App,
    model: Arc<OneCall>,
    _folder: TempDir,
}

pub struct Tried {
    pub lines: Vec<String>,
    pub as_model: bool,
    /// The replies when the bot asks whether a model may run a command that changes something.
    pub replies: Replies,
}

impl Trial {
    /// Starts the checked bot with its own settings, but on a temporary folder.
    pub async fn start(mut examined: Examined) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("candor-try-").tempdir();
        let folder = folder.map_err(|problem| Failure::unavailable(format!("cannot make a folder: {problem}")))?;
        examined.settings = examined.settings.map(|settings| on_trial(settings, folder.path()));
        let language = examined.settings.as_ref().map_or(Language::ENGLISH, |settings| settings.language);
        let model = Arc::new(OneCall::that_writes(say!(language, "try-model-words")));
        let app = App::start_with(examined, Some(model.clone()), None).await?;
        Ok(Self { app, model, _folder: folder })
    }

    /// Runs each line. Returns whether every line was a command that is done.
    pub async fn run(&self, tried: Tried, stop: &CancellationToken) -> Result<bool, Failure> {
        self.try_to_run(tried, stop)
            .await
            .map_err(|problem| Failure::unavailable(format!("the terminal failed: {problem}")))
    }

    async fn try_to_run(
        &self,
        Tried { lines, as_model, replies }: Tried,
        stop: &CancellationToken,
    ) -> io::Result<bool> {
        let language = self.app.settings.language;
        let mut talk = self.talk(language, replies, stop);
        let mut are_done = true;
        for line in lines {
            if stop.is_cancelled() {
                return Ok(false);
            }
            if talk.pressed(&line).is_some() {
                are_done &= talk.answer(line).await?;
                continue;
            }
            let call = match self.as_called(&talk, &line) {
                AsCalled::Words => {
                    tell(&say!(language, "try-no-command", line = line.as_str()))?;
                    are_done = false;
                    continue;
                }
                AsCalled::Refused => {
                    let _is_refusal = talk.answer(line).await?;
                    are_done = false;
                    continue;
                }
                AsCalled::Call(_) | AsCalled::NoTool if !as_model => {
                    are_done &= talk.answer(line).await?;
                    continue;
                }
                AsCalled::ChatOnly(_) if !as_model => {
                    are_done &= talk.answer(line).await?;
                    continue;
                }
                AsCalled::Call(call) | AsCalled::ChatOnly(call) => call,
                AsCalled::NoTool => {
                    tell(&say!(language, "try-no-tool", line = line.as_str()))?;
                    are_done = false;
                    continue;
                }
            };
            self.model.will_call(call);
            let n_before = talk.n_done();
            let _is_turn = talk.answer(say!(language, "try-asks-model", line = line.as_str())).await?;
            are_done &= n_before < talk.n_done();
            for told in self.model.told() {
                tell(&say!(language, "try-model-told", told = told))?;
            }
        }
        Ok(are_done)
    }

    fn talk(&self, language: Language, replies: Replies, stop: &CancellationToken) -> Talk {
        let history = self.app.settings.store.data_folder().join("console_history");
        Talk::new(&Session { dispatcher: &self.app.dispatcher, language, history, shutdown: stop }, replies)
    }

    /// Returns the answer of a turn in which a model only makes the call of this line. `None` if no model could make
    /// it.
    async fn asked_of_model(&self, talk: &mut Talk, line: &str, surface: &dyn Surface) -> Option<Answer> {
        let (AsCalled::Call(call) | AsCalled::ChatOnly(call)) = self.as_called(talk, line) else { return None };
        self.model.will_call(call);
        let answer = talk.ask(say!(talk.caller().language, "try-asks-model", line = line), surface).await;
        self.model.told();
        answer
    }

    fn as_called(&self, talk: &Talk, line: &str) -> AsCalled {
        let catalog = self.app.dispatcher.catalog(talk.caller());
        let invocation = match classify(&talk.typed(line.to_owned()), &catalog) {
            Route::Command(invocation) => invocation,
            Route::Chat(_) => return AsCalled::Words,
            Route::UnknownCommand(Unknown { kind: UnknownKind::ChatOnly, .. }) => {
                let call = chat_only_call(&catalog, line, talk.caller().language);
                return call.map_or(AsCalled::Refused, AsCalled::ChatOnly);
            }
            _ => return AsCalled::Refused,
        };
        match OfferedTool::of(&catalog, &invocation.path) {
            Some(OfferedTool { name, .. }) => {
                AsCalled::Call(RawCall { id: None, name, arguments: RawArguments::Object(invocation.arguments) })
            }
            None => AsCalled::NoTool,
        }
    }

    pub async fn close(self) {
        self.app.close().await;
    }
}

/// How a model would run a line.
enum AsCalled {
    Call(RawCall),
    /// A call of a tool that people cannot call.
    ChatOnly(RawCall),
    /// It runs for no caller, and its answer says why.
    Refused,
    Words,
    /// A command that no model may call.
    NoTool,
}

/// Reads the line as a call of a chat-only tool, if it has the form of one.
fn chat_only_call(catalog: &Catalog, line: &str, language: Language) -> Option<RawCall> {
    let line = line.trim();
    catalog.chat_only().flat_map(|command| command.leaves()).find_map(|leaf| {
        let arguments = line.strip_prefix(&leaf.path().to_string())?;
        let is_its = arguments.is_empty() || arguments.starts_with(char::is_whitespace);
        // If the arguments do not parse there is no call; the router then answers that people cannot type this command.
        let arguments = text_form::parse(leaf, arguments, language).ok().filter(|_| is_its)?;
        let name = leaf.tool.as_ref()?.name.clone();
        Some(RawCall { id: None, name, arguments: RawArguments::Object(arguments) })
    })
}

/// Returns the settings with all files of the bot below this folder, and without model providers.
fn on_trial(settings: Settings, folder: &Path) -> Settings {
    let mut settings = Settings { store: StoreSettings::File(folder.join("candor.db")), ..settings };
    if settings.host_metrics.enabled {
        // Otherwise it would write to the metrics file of a running bot.
        settings.status.file = folder.join("live").join("metrics.json");
    }
    settings.model_servers.clear();
    let model = OfferedModel::named("try");
    let tools = ToolSetting::Fixed(ToolMode::Native);
    let images = ImageSetting::Fixed(false);
    settings.chat.models = vec![OfferedModel { tools, images, ..model }];
    settings.chat.fallbacks.clear();
    settings
}

/// A chat model that makes the given call, and then writes these words.
struct OneCall {
    call: Mutex<Option<RawCall>>,
    words: String,
    told: Mutex<Vec<String>>,
}

impl OneCall {
    fn that_writes(words: String) -> Self {
        Self { call: Mutex::default(), words, told: Mutex::default() }
    }

    fn will_call(&self, call: RawCall) {
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Model for OneCall {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        growth.began();
        if let Some(call) = self.call.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(Completion { calls: vec![call], ..Completion::default() });
        }
        if let Some(TranscriptEntry::Result { content, .. }) = request.transcript.messages().last() {
            self.told.lock().unwrap_or_else(PoisonError::into_inner).push(content.clone());
        }
        Ok(Completion { text: self.words.clone(), ..Completion::default() })
    }
}
