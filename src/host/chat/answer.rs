//! Drives a chat turn from a person's words to the labelled answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::host::chat::modes::ToolModes;
use crate::host::chat::talk::Talker;
use crate::host::executor::{Charts, Executor};
use candor_core::access::Access;
use candor_core::agent::prompt::{Past, Scene, opening};
use candor_core::agent::tools::{CallEnd, NotRun, OfferedSet, Surface};
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, Effect, Ending, Exchange, Finished, Growth, Input, Model,
    ModelFailure, Request, ToolMode, Turn, TurnSetup, Turns,
};
use candor_core::contract::{ServiceError, Talk as _};
use candor_core::inbound::{Caller, EventId, Inbound, Place};
use candor_core::language::{Language, say};
use candor_core::record::{GuardFinding, TurnEnd, TurnId};
use candor_core::registry::Catalog;
use candor_core::reply::{Answer, Audience, Author, Provenance, Reply, TurnFacts, sanitize_model_text};
use candor_core::router::ChatText;

/// Answers a person's words with chat turns.
pub struct Chat {
    /// The model, if one is configured. Without one, every chat message is answered with how to set one up.
    pub model: Option<Arc<dyn Model>>,
    /// The models' names, and the one chosen for each conversation.
    pub talker: Arc<Talker>,
    /// How each of them calls tools.
    pub modes: ToolModes,
    /// `[chat]` and `[guard]`.
    pub settings: ChatSettings,
    /// The access rules.
    pub access: Access,
    /// Runs the commands that the model calls, and has the clock and the counters.
    pub executor: Arc<Executor>,
    /// Stores the conversations.
    pub conversations: Arc<dyn Conversations>,
    /// Stores the records of turns.
    pub turns: Arc<dyn Turns>,
    /// Draws the charts of the commands that run.
    pub charts: Charts,
    /// The operator was told that the model's server leaves calls in the text.
    pub told_of_calls_in_text: AtomicBool,
}

/// Who asked, where, and by which event.
pub(crate) struct Asker<'a> {
    pub(super) event: EventId,
    pub(super) caller: &'a Caller,
    pub(super) place: Place,
    catalog: &'a Catalog,
    /// Notes on commands that ran and whose answers could not be shown.
    pub(super) unshown: Mutex<Vec<String>>,
}

/// Shows an answer as it grows, and knows when it began: before that, the turn's time does not run.
struct Followed<'a> {
    surface: &'a dyn Surface,
    began: OnceLock<Instant>,
}

impl Followed<'_> {
    /// How long the model has been writing.
    fn took(&self) -> Duration {
        self.began.get().map(Instant::elapsed).unwrap_or_default()
    }
}

impl Growth for Followed<'_> {
    fn began(&self) {
        self.began.get_or_init(Instant::now);
    }

    fn grew(&self, text: &str) {
        self.surface.writing(text);
    }
}

enum NoTurn {
    Model(ModelFailure),
    Store(ServiceError),
}

impl Chat {
    /// Finds out how the default model calls tools, so that the first reply need not wait for it.
    pub async fn find_tools(&self) {
        if let (Some(client), Some(model)) = (&self.model, self.talker.models().first()) {
            self.modes.of(model, client.as_ref()).await;
        }
    }

    /// The answer to a person's words. A failure is an answer too, in the host's own name. `None` if the words were
    /// answered before: a message that is delivered twice is one turn.
    pub async fn answer(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        catalog: &Catalog,
        surface: &dyn Surface,
    ) -> Option<Answer> {
        let (event, caller, place) = (inbound.event(), inbound.caller(), inbound.place());
        let asker = Asker { event, caller, place, catalog, unshown: Mutex::default() };
        let key = ConversationKey::new(asker.place, asker.caller.id);
        let began = self.executor.clock.now();
        let setup = match self.set_up(&key, words, &asker).await {
            Ok(setup) => setup,
            Err(NoTurn::Model(failure)) => return Some(Answer::host(failure.text(asker.caller.language))),
            Err(NoTurn::Store(problem)) => {
                error!(error = %problem, "cannot read the conversation");
                return Some(Answer::host(say!(asker.caller.language, "chat-store-unreadable")));
            }
        };
        match self.executor.claim(asker.event).await {
            Ok(true) => {}
            Ok(false) => return None,
            Err(problem) => {
                error!(error = %problem, "cannot claim a message; not asked");
                return Some(Answer::host(say!(asker.caller.language, "chat-store-unwritable")));
            }
        }
        let mut finished = self.drive(setup, &asker, surface).await;
        for finding in &finished.findings {
            self.executor.counters.findings.count(*finding);
        }
        self.warn_of_calls_in_text(&finished);
        let unshown = asker.unshown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        finished.notes.extend(unshown);
        finished.record.notes.clone_from(&finished.notes);
        if let Ending::Prose(text) = &finished.ending {
            let stored = Exchange::with_note(text, &finished.ran, &finished.notes);
            if let Err(problem) = self.conversations.append(&key, words, &stored, self.executor.clock.now()).await {
                warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
            }
        }
        let turn = match self.turns.keep(asker.caller.id, asker.place, began, &finished.record).await {
            Ok(turn) => Some(turn),
            Err(problem) => {
                error!(error = %problem, "the record of a turn could not be kept");
                None
            }
        };
        Some(self.answer_of(finished, turn, asker.caller.language))
    }

    async fn set_up(&self, key: &ConversationKey, words: &ChatText, asker: &Asker<'_>) -> Result<TurnSetup, NoTurn> {
        let not_configured = || NoTurn::Model(ModelFailure::NotConfigured);
        let client = self.model.as_deref().ok_or_else(not_configured)?;
        let model = self.talker.chosen(key).await.map_err(NoTurn::Store)?.ok_or_else(not_configured)?;
        let history = self.conversations.history(key, self.settings.history).await.map_err(NoTurn::Store)?;
        let n_kept = self.conversations.n_exchanges(key).await.map_err(NoTurn::Store)?;
        let n_older = usize::try_from(n_kept).unwrap_or(usize::MAX).saturating_sub(history.len());
        let offered = OfferedSet::of(asker.catalog, asker.place, &self.settings.write_tools);
        let mode = self.modes.of(&model, client).await;
        let offered = match mode {
            ToolMode::None => offered.all_withheld(),
            ToolMode::Native | ToolMode::Text => offered,
        };
        let background = self.executor.background(asker.caller, asker.place).await;
        let scene = Scene {
            person: &asker.caller.name,
            place: asker.place,
            now: self.executor.clock.now(),
            background: &background,
        };
        let past = Past { history: &history, n_older };
        let opening = opening(&self.settings, mode, &scene, asker.catalog, &offered, past, words);
        Ok(TurnSetup {
            model,
            mode,
            limits: self.settings.limits,
            guard: self.settings.guard,
            offered,
            catalog: asker.catalog.clone(),
            opening,
            request: words.as_str().to_owned(),
            ran_before: history.iter().flat_map(Exchange::ran).map(str::to_owned).collect(),
            language: asker.caller.language,
        })
    }

    /// Carries out the turn's effects until it ends.
    async fn drive(&self, setup: TurnSetup, asker: &Asker<'_>, surface: &dyn Surface) -> Box<Finished> {
        let (name, native) = (setup.model.clone(), setup.mode == ToolMode::Native);
        let none = OfferedSet::none();
        let (mut turn, mut effect) = Turn::start(setup);
        let mut n_calls = 0;
        loop {
            let (input, took) = match effect {
                Effect::Finish(finished) => return finished,
                Effect::Ask { within } => {
                    let tools = if native { turn.offered() } else { &none };
                    let request = Request { model: &name, transcript: turn.transcript(), tools, within };
                    let growth = Followed { surface, began: OnceLock::new() };
                    (self.ask(request, &growth).await, growth.took())
                }
                Effect::Run { calls, within } => {
                    let mut ended = Vec::with_capacity(calls.len());
                    let mut took = Duration::ZERO;
                    for call in calls {
                        n_calls += 1;
                        let (end, ran_for) = match took < within {
                            true => self.run_call(&call, n_calls, asker, surface).await,
                            false => {
                                let why = |language| say!(language, "call-out-of-time");
                                (CallEnd::NotRun(NotRun::said(asker.caller.language, why)), Duration::ZERO)
                            }
                        };
                        ended.push(end);
                        took += ran_for;
                    }
                    (Input::Ended(ended), took)
                }
            };
            effect = turn.step(input, took);
        }
    }

    async fn ask(&self, request: Request<'_>, growth: &dyn Growth) -> Input {
        let Some(model) = &self.model else { return Input::Failed(ModelFailure::NotConfigured) };
        match model.complete(request, growth).await {
            Ok(completion) => Input::Answered(completion),
            Err(failure) => {
                if failure == ModelFailure::ContextTooLong {
                    warn!(
                        "a request was longer than the model's server takes: if this happens often, set `[model] \
                         context_tokens` to what the server has"
                    );
                }
                Input::Failed(failure)
            }
        }
    }

    fn answer_of(&self, finished: Box<Finished>, turn: Option<TurnId>, language: Language) -> Answer {
        let Finished { ending, notes, record, .. } = *finished;
        self.executor.counters.turns.count(match &ending {
            Ending::Prose(_) => TurnEnd::Prose,
            Ending::Failed(_) => TurnEnd::Failed,
        });
        let (text, author) = match ending {
            Ending::Prose(text) => (sanitize_model_text(&text), Author::Model),
            Ending::Failed(failure) => {
                info!(failure = %failure, "a turn without an answer");
                (failure.text(language), Author::Host)
            }
        };
        // Without its record a turn cannot tell later what was offered.
        let offers = turn.map(|_| record.offers.into_iter().map(|offer| offer.command).collect()).unwrap_or_default();
        let facts = TurnFacts { turn, author, notes, offers };
        Answer { reply: Reply::text(text), provenance: Provenance::Turn(Box::new(facts)), audience: Audience::Place }
    }

    /// Tells the operator, once, of a server that leaves its calls in the text.
    fn warn_of_calls_in_text(&self, finished: &Finished) {
        let is_native = finished.record.tools == ToolMode::Native.name();
        if is_native
            && finished.findings.contains(&GuardFinding::CallInText)
            && !self.told_of_calls_in_text.swap(true, Ordering::Relaxed)
        {
            warn!(
                "the model's server leaves tool calls in the text of its answers; they are read there, and \
                 `[model] tools = \"text\"` or another chat template of the server reads them more surely"
            );
        }
    }

    /// Keeps which Discord messages show a turn's reply, so that they lead back to it.
    pub async fn shown(&self, turn: TurnId, messages: &[u64]) {
        if let Err(problem) = self.turns.shown(turn, messages).await {
            error!(error = %problem, "the messages of a turn could not be kept; they cannot be looked up");
        }
    }
}
