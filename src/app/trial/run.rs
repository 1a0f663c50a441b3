//! Tries commands in a temporary store: as a person types them, or as a chat model would call them.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::app::build::App;
use crate::app::examine::Examined;
use crate::app::exit::Failure;
use crate::console::{Replies, Session, Talk, tell};
use candor_core::agent::prompt::TranscriptEntry;
use candor_core::agent::tools::{Completion, OfferedTool, RawArguments, RawCall, Surface};
use candor_core::agent::{Growth, ImageSetting, Model, ModelFailure, OfferedModel, Request, ToolMode, ToolSetting};
use candor_core::contract::text_form;
use candor_core::language::{Language, say};
use candor_core::registry::Catalog;
use candor_core::reply::Answer;
use candor_core::router::{Route, Unknown, UnknownKind, classify};
use candor_core::settings::{Settings, StoreSettings};

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

    pub(super) fn talk(&self, language: Language, replies: Replies, stop: &CancellationToken) -> Talk {
        let history = self.app.settings.store.data_folder().join("console_history");
        Talk::new(&Session { dispatcher: &self.app.dispatcher, language, history, shutdown: stop }, replies)
    }

    /// Returns the answer of a turn in which a model only makes the call of this line. `None` if no model could make
    /// it.
    pub(super) async fn asked_of_model(&self, talk: &mut Talk, line: &str, surface: &dyn Surface) -> Option<Answer> {
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
