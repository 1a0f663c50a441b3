//! Drives a chat turn from a person's words to the labelled answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::host::Clock;
use crate::host::chat::talk::Talker;
use crate::host::executor::Executor;
use candor_core::access::Access;
use candor_core::agent::prompt::{HOST, opening};
use candor_core::agent::tools::{CallEnd, NotRun, OfferedSet, Surface};
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, Effect, Ending, Finished, Input, MEMORY, Model, ModelFailure,
    RecoverMemory, Request, ToolMode, Turn, TurnSetup, Turns,
};
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, CommandPath, EventId, Inbound, Place};
use candor_core::language::{Language, say};
use candor_core::record::{Counters, TurnEnd};
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::{Answer, Audience, Author, Provenance, Reply, TurnFacts, sanitize_model_text};
use candor_core::router::ChatText;

/// Answers a person's words with chat turns.
pub struct Chat {
    /// The model, if one is configured. Without one, every chat message is answered with how to set one up.
    pub model: Option<Arc<dyn Model>>,
    /// The models' names, and the one chosen for each conversation.
    pub talker: Arc<Talker>,
    /// `[chat]` and `[guard]`.
    pub settings: ChatSettings,
    /// The commands in force.
    pub registry: Arc<Registry>,
    /// The access rules.
    pub access: Access,
    /// Runs the commands that the model calls.
    pub executor: Arc<Executor>,
    /// Stores the conversations.
    pub conversations: Arc<dyn Conversations>,
    /// Stores the records of turns.
    pub turns: Arc<dyn Turns>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Counts how turns end and what the checks find.
    pub counters: Arc<Counters>,
}

/// Who asked, where, and by which event.
pub(crate) struct Asker<'a> {
    pub(super) event: EventId,
    pub(super) caller: &'a Caller,
    pub(super) place: Place,
    catalog: &'a Catalog,
}

enum NoTurn {
    Model(ModelFailure),
    Store(ServiceError),
}

impl Chat {
    /// The answer to a person's words. A failure is an answer too, in the host's own name. `None` if the words were
    /// answered before: a message that is delivered twice is one turn.
    pub async fn answer(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        catalog: &Catalog,
        surface: &dyn Surface,
    ) -> Option<Answer> {
        let asker = Asker { event: inbound.event(), caller: inbound.caller(), place: inbound.place(), catalog };
        let key = ConversationKey::new(asker.place, asker.caller.id);
        let began = self.clock.now();
        let setup = match self.set_up(&key, words, &asker).await {
            Ok(setup) => setup,
            Err(NoTurn::Model(failure)) => return Some(Answer::host(failure.told(asker.caller.language))),
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
            self.counters.findings.count(*finding);
        }
        let recovered = self.recover(&mut finished, &asker).await;
        finished.ran.extend(recovered);
        finished.record.notes.clone_from(&finished.notes);
        if let Ending::Prose(text) = &finished.ending
            && let Err(problem) =
                self.conversations.append(&key, words, &remembered(text, &finished.notes), self.clock.now()).await
        {
            warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
        }
        let turn = match self.turns.keep(asker.caller.id, asker.place, began, &finished.record).await {
            Ok(turn) => Some(turn),
            Err(problem) => {
                error!(error = %problem, "the record of a turn could not be kept");
                None
            }
        };
        Some(self.told(finished, turn, asker.caller.language))
    }

    async fn set_up(&self, key: &ConversationKey, words: &ChatText, asker: &Asker<'_>) -> Result<TurnSetup, NoTurn> {
        let not_configured = || NoTurn::Model(ModelFailure::NotConfigured);
        if self.model.is_none() {
            return Err(not_configured());
        }
        let model = self.talker.chosen(key).await.map_err(NoTurn::Store)?.ok_or_else(not_configured)?;
        let history = self.conversations.history(key, self.settings.history).await.map_err(NoTurn::Store)?;
        let n_kept = self.conversations.n_exchanges(key).await.map_err(NoTurn::Store)?;
        let n_older = usize::try_from(n_kept).unwrap_or(usize::MAX).saturating_sub(history.len());
        let offered = match self.settings.tools {
            ToolMode::None => OfferedSet::none(),
            ToolMode::Native | ToolMode::Text => OfferedSet::of(asker.catalog, asker.place, &self.settings.write_tools),
        };
        let background = self.executor.background(asker.caller, asker.place).await;
        let opened = opening(&self.settings, asker.catalog, &offered, &background, &history, n_older, words);
        Ok(TurnSetup {
            model,
            mode: self.settings.tools,
            limits: self.settings.limits,
            guard: self.settings.guard,
            offered,
            catalog: asker.catalog.clone(),
            transcript: opened.transcript,
            known: opened.known,
            room: opened.room,
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
                    let watch = Instant::now();
                    (self.ask(request).await, watch.elapsed())
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

    async fn ask(&self, request: Request<'_>) -> Input {
        let Some(model) = &self.model else { return Input::Failed(ModelFailure::NotConfigured) };
        match model.complete(request).await {
            Ok(completion) => Input::Answered(completion),
            Err(failure) => Input::Failed(failure),
        }
    }

    fn told(&self, finished: Box<Finished>, turn: Option<candor_core::record::TurnId>, language: Language) -> Answer {
        let Finished { ending, ran, notes, recoverable, .. } = *finished;
        let offers_fix =
            turn.is_some() && recoverable.is_some() && self.settings.guard.recover_memory == RecoverMemory::Ask;
        self.counters.turns.count(match &ending {
            Ending::Prose(_) => TurnEnd::Prose,
            Ending::Failed(_) => TurnEnd::Failed,
        });
        let (text, author) = match ending {
            Ending::Prose(text) => (sanitize_model_text(&text), Author::Model),
            Ending::Failed(failure) => {
                info!(failure = %failure, "a turn without an answer");
                (failure.told(language), Author::Host)
            }
        };
        let facts = TurnFacts { turn, author, ran, notes, offers_fix };
        Answer { reply: Reply::text(text), provenance: Provenance::Turn(Box::new(facts)), audience: Audience::Place }
    }
}

/// The reply as the model sees it later: with the host's notes, so that it does not read its own mistake as a fact.
fn remembered(text: &str, notes: &[String]) -> String {
    match notes {
        [] => text.to_owned(),
        notes => format!("{text}\n{HOST} {}", notes.join("; ")),
    }
}

/// The command that saves memories: the only one that a made-up result may be turned into.
pub(crate) fn memory_command() -> CommandPath {
    CommandPath::new(MEMORY.0, Some(MEMORY.1))
}
