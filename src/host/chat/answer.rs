//! Drives a chat turn from a person's words to the labelled answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::{error, info, warn};

use crate::host::chat::followed::Followed;
use crate::host::chat::modes::ToolModes;
use crate::host::chat::queue::{Admitted, CHARACTERS_MAX, Entered, Held, MESSAGES_MAX, RunningTurn, Stop};
use crate::host::chat::talk::Talker;
use crate::host::executor::{Charts, Executor};
use candor_core::access::Access;
use candor_core::agent::prompt::{PastExchanges, Scene, opening};
use candor_core::agent::tools::{CallEnd, NotRun, OfferedSet, Surface};
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, Effect, Ending, Exchange, Finished, Growth, Input, Model,
    ModelFailure, Request, ToolMode, Turn, TurnSetup, Turns,
};
use candor_core::contract::{ServiceError, Talk as _};
use candor_core::inbound::{Caller, EventId, Inbound, Member, Place};
use candor_core::language::{Language, say};
use candor_core::record::{Denial, GuardFinding, TurnEnd, TurnId};
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
    /// What others may do with the turn.
    pub(super) running: &'a RunningTurn,
    /// The member as the newest press in this turn describes them: rights may have been taken away since the message.
    pressed: Mutex<Option<Member>>,
    /// Notes on commands that ran and whose answers could not be shown.
    pub(super) unshown: Mutex<Vec<String>>,
}

impl Asker<'_> {
    /// Takes over what a press of theirs says of them. Outside of guilds it says nothing.
    pub(super) fn know(&self, member: Option<Member>) {
        if member.is_some() {
            *self.pressed.lock().unwrap_or_else(PoisonError::into_inner) = member;
        }
    }

    /// The caller with the newest known rights.
    pub(super) fn now(&self) -> Caller {
        let pressed = self.pressed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Caller { member: pressed.or_else(|| self.caller.member.clone()), ..self.caller.clone() }
    }
}

enum NoTurn {
    Stopped,
    Model(ModelFailure),
    Store(ServiceError),
}

impl Chat {
    /// Finds out how the default model calls tools, so that the first reply need not wait for it.
    pub async fn find_tools(&self) {
        if let (Some(client), Some(model)) = (&self.model, self.talker.models().first()) {
            // It is logged, and asked again before the first reply.
            let _mode = self.modes.of(model, client.as_ref()).await;
        }
    }

    /// Why this person's words do not reach the model, if they may not. Otherwise counts them as a message.
    pub fn refuses(&self, inbound: &Inbound) -> Option<String> {
        let (caller, place) = (inbound.caller(), inbound.place());
        let language = caller.language;
        if self.access.is_blocked(caller) {
            self.executor.counters.denials.count(Denial::Blocked);
            return Some(say!(language, "chat-blocked"));
        }
        let access = &self.access.chat;
        if let Err(denied) = access.admits(caller, place, self.access.is_operator(caller, place)) {
            self.executor.counters.denials.count(Denial::Chat);
            return Some(denied.text(language));
        }
        let is_too_fast = place != Place::Console && !self.talker.rate.count(caller.id, access.per_minute);
        is_too_fast.then(|| {
            self.executor.counters.denials.count(Denial::ChatRate);
            say!(language, "chat-too-fast", messages = access.per_minute)
        })
    }

    /// The answer to a person's words. A failure is an answer too, in the host's own name. `None` if the words were
    /// answered before, as a message that is delivered twice is one turn, or are answered with later ones. The next turn
    /// of the conversation begins when what comes with the answer is dropped.
    pub async fn answer(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        catalog: &Catalog,
        surface: &dyn Surface,
    ) -> (Option<Answer>, Held) {
        let (answer, held) = self.answer_once(words, inbound, catalog, surface).await;
        if let Inbound::GoOn(press) = inbound {
            self.gone_on(TurnId(press.turn), answer.as_ref()).await;
        }
        (answer, held)
    }

    async fn answer_once(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        catalog: &Catalog,
        surface: &dyn Surface,
    ) -> (Option<Answer>, Held) {
        let (event, caller, place) = (inbound.event(), inbound.caller(), inbound.place());
        let language = caller.language;
        let host = |text: String| (Some(Answer::host(text)), Held::default());
        if self.model.is_none() {
            return host(ModelFailure::NotConfigured.text(language));
        }
        match self.executor.claim(event).await {
            Ok(true) => {}
            Ok(false) => return (None, Held::default()),
            Err(problem) => {
                error!(error = %problem, "cannot claim a message; not asked");
                return host(say!(language, "chat-store-unwritable"));
            }
        }
        match self.talker.queues.enter(ConversationKey::new(place, caller.id), event, words).await {
            Entered::Turn(admitted) => {
                // While this press waited, the conversation may have gone on. What was said with it is answered all the same.
                if let Inbound::GoOn(press) = inbound
                    && admitted.words == *words
                    && let Err(why) = self.can_go_on(TurnId(press.turn), caller).await
                {
                    return (Some(Answer::host(why)), admitted.into());
                }
                let running = &*admitted.running;
                let asker = Asker {
                    event,
                    caller,
                    place,
                    catalog,
                    running,
                    pressed: Mutex::default(),
                    unshown: Mutex::default(),
                };
                let answer = self.turn(&admitted, &asker, surface).await;
                (Some(answer), admitted.into())
            }
            Entered::Joined => (None, Held::default()),
            // Of messages the first is told. A press that does nothing is always told.
            Entered::TooMuch { is_first: false } if !matches!(inbound, Inbound::GoOn(_)) => (None, Held::default()),
            Entered::TooMuch { .. } => {
                let (messages, characters) = (MESSAGES_MAX, CHARACTERS_MAX);
                host(say!(language, "chat-too-much", messages = messages, characters = characters))
            }
            Entered::Leaving => {
                let what = say!(language, "closed-message");
                host(say!(language, "closed-restarting", what = what))
            }
        }
    }

    /// Runs a turn, and keeps its exchange and its record.
    async fn turn(&self, admitted: &Admitted, asker: &Asker<'_>, surface: &dyn Surface) -> Answer {
        let Admitted { key, running, words, .. } = admitted;
        let (began, language) = (self.executor.clock.now(), asker.caller.language);
        surface.thinking();
        let at_once = self.access.chat.turns_at_once;
        // A turn that is stopped meanwhile ends below.
        let _share = tokio::select! {
            biased;
            () = running.stopped() => None,
            share = self.talker.shares.take(asker.caller.id, asker.place, at_once) => Some(share),
        };
        let mut finished = match self.finished(admitted, asker, surface).await {
            Ok(finished) => finished,
            Err(NoTurn::Stopped) => {
                return Answer::host(running.why().map(|why| why.told(language)).unwrap_or_default());
            }
            Err(NoTurn::Model(failure)) => return Answer::host(failure.text(language)),
            Err(NoTurn::Store(problem)) => {
                error!(error = %problem, "cannot read the conversation");
                return Answer::host(say!(language, "chat-store-unreadable"));
            }
        };
        if running.is_cleared() {
            // Nobody goes on with what is forgotten.
            finished.record.cut = None;
            // A command that was under way when it was cleared has its receipt only now.
            if let Err(problem) = self.conversations.clear(key).await {
                error!(error = %problem, "a cleared conversation could not be cleared once more");
            }
            let forgotten = Stop::Cleared.told(language);
            if !finished.notes.contains(&forgotten) {
                finished.notes.push(forgotten);
            }
        }
        for finding in &finished.findings {
            self.executor.counters.findings.count(*finding);
        }
        self.warn_of_calls_in_text(&finished);
        let unshown = asker.unshown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        finished.notes.extend(unshown);
        finished.record.notes.clone_from(&finished.notes);
        let (text, failure) = match &finished.ending {
            // Many servers refuse a message without text.
            Ending::Stopped(text) if text.is_empty() => (Some("…"), None),
            Ending::Prose(text) | Ending::Stopped(text) => (Some(text.as_str()), None),
            // Nothing happened that the model would have to know.
            Ending::Failed(_) if finished.ran.is_empty() => (None, None),
            Ending::Failed(failure) => (Some("…"), Some(failure.text(language))),
        };
        if let Some(text) = text {
            let notes: Vec<_> = failure.into_iter().chain(finished.notes.iter().cloned()).collect();
            let stored = Exchange::with_note(text, &finished.ran, &notes);
            let kept = running.keep(self.conversations.append(key, words, &stored, self.executor.clock.now())).await;
            if let Some(Err(problem)) = kept {
                warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
            }
        }
        let kept = running.keep(self.turns.keep(asker.caller.id, asker.place, began, &finished.record)).await;
        let turn = match kept.transpose() {
            Ok(turn) => turn,
            Err(problem) => {
                error!(error = %problem, "the record of a turn could not be kept");
                None
            }
        };
        self.answer_of(finished, turn, language)
    }

    /// Sets a turn up and drives it to its end. Where the model's server turns out to refuse tools, the turn begins once
    /// more, with tools in the text.
    async fn finished(
        &self,
        Admitted { key, running, words, .. }: &Admitted,
        asker: &Asker<'_>,
        surface: &dyn Surface,
    ) -> Result<Box<Finished>, NoTurn> {
        loop {
            let setup = tokio::select! {
                biased;
                () = running.stopped() => Err(NoTurn::Stopped),
                setup = self.set_up(key, words, asker) => setup,
            };
            if let Some(finished) = self.drive(setup?, asker, surface).await {
                return Ok(finished);
            }
        }
    }

    async fn set_up(&self, key: &ConversationKey, words: &ChatText, asker: &Asker<'_>) -> Result<TurnSetup, NoTurn> {
        let not_configured = || NoTurn::Model(ModelFailure::NotConfigured);
        let client = self.model.as_deref().ok_or_else(not_configured)?;
        let model = self.talker.chosen(key).await.map_err(NoTurn::Store)?.ok_or_else(not_configured)?;
        let reading = self.talker.queues.clearing.read().await;
        let history = self.conversations.history(key, self.settings.history).await.map_err(NoTurn::Store)?;
        let n_kept = self.conversations.n_exchanges(key).await.map_err(NoTurn::Store)?;
        drop(reading);
        let n_older = usize::try_from(n_kept).unwrap_or(usize::MAX).saturating_sub(history.len());
        let offered = OfferedSet::of(asker.catalog, asker.place, &self.settings.write_tools);
        let mode = self.modes.of(&model, client).await.map_err(NoTurn::Model)?;
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
        let past = PastExchanges { history: &history, n_older };
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

    /// Carries out the turn's effects until it ends, or until somebody stops it: then nothing more starts, and what runs
    /// is finished. `None` if the server refused the first request because of its tools, and another one may be
    /// different.
    async fn drive(&self, setup: TurnSetup, asker: &Asker<'_>, surface: &dyn Surface) -> Option<Box<Finished>> {
        let (name, mode) = (setup.model.clone(), setup.mode);
        let none = OfferedSet::none();
        let (mut turn, mut effect) = Turn::start(setup);
        let mut n_calls = 0;
        let mut is_first = true;
        let mut written = String::new();
        loop {
            let (input, took) = match (effect, asker.running.why()) {
                (Effect::Finish(finished), _) => return Some(finished),
                (_, Some(why)) => return Some(turn.stop(&written, why.told(asker.caller.language))),
                (Effect::Ask { within }, None) => {
                    let tools = if mode == ToolMode::Native { turn.offered() } else { &none };
                    let request = Request { model: &name, transcript: turn.transcript(), tools, within };
                    surface.thinking();
                    let growth =
                        Followed::new(surface, turn.beside(), (mode != ToolMode::None).then(|| turn.offered()));
                    let input = tokio::select! {
                        biased;
                        () = asker.running.stopped() => None,
                        input = self.ask(request, &growth) => Some(input),
                    };
                    let took;
                    (written, took) = growth.ended();
                    let refuses_tools = mode == ToolMode::Native
                        && matches!(&input, Some(Input::Failed(ModelFailure::ToolsUnsupported)))
                        && self.modes.refused(&name);
                    // Later the transcript holds calls, and what ran stays.
                    if std::mem::take(&mut is_first) && refuses_tools {
                        return None;
                    }
                    match input {
                        Some(input) => (input, took),
                        None => {
                            effect = Effect::Ask { within };
                            continue;
                        }
                    }
                }
                (Effect::Run { calls, within }, None) => {
                    let mut ended = Vec::with_capacity(calls.len());
                    let mut took = Duration::ZERO;
                    for call in calls {
                        n_calls += 1;
                        let not_run = |why: &dyn Fn(Language) -> String| {
                            (CallEnd::NotRun(NotRun::said(asker.caller.language, why)), Duration::ZERO)
                        };
                        let (end, ran_for) = if asker.running.why().is_some() {
                            not_run(&|language| say!(language, "call-stopped"))
                        } else if within <= took {
                            not_run(&|language| say!(language, "call-out-of-time"))
                        } else {
                            self.run_call(&call, n_calls, asker, surface).await
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
            Ending::Stopped(_) => TurnEnd::Stopped,
            Ending::Failed(_) => TurnEnd::Failed,
        });
        let (text, author) = match ending {
            // Its line says all.
            Ending::Stopped(text) if text.is_empty() => (text, Author::Host),
            Ending::Prose(text) | Ending::Stopped(text) => (sanitize_model_text(&text), Author::Model),
            Ending::Failed(failure) => {
                info!(failure = %failure, "a turn without an answer");
                (failure.text(language), Author::Host)
            }
        };
        // Without its record a turn cannot tell later what was offered.
        let offers = turn.map(|_| record.offers.into_iter().map(|offer| offer.command).collect()).unwrap_or_default();
        let goes_on = turn.is_some() && author == Author::Model && record.cut.is_some();
        let facts = TurnFacts { turn, author, notes, offers, goes_on };
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
