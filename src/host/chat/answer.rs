//! Drives a chat turn from a person's words to the labelled answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::{error, info, warn};

use crate::host::Leases;
use crate::host::chat::budget::Budgets;
use crate::host::chat::followed::Followed;
use crate::host::chat::held::Held;
use crate::host::chat::modes::ToolModes;
use crate::host::chat::queue::{Admitted, CHARACTERS_MAX, Entered, MESSAGES_MAX, RunningTurn, Said, Stop};
use crate::host::chat::talk::Talker;
use crate::host::chat::turn_lease::{NoLease, TurnLease};
use crate::host::executor::{Charts, Executor};
use candor_core::access::Access;
use candor_core::agent::prompt::{PastExchanges, Scene, opening, request_tokens};
use candor_core::agent::tools::{CallEnd, NotRun, OfferedSet, Surface};
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, Effect, Ending, Exchange, Finished, Generation, Growth, Input, Model,
    ModelFailure, Request, ToolMode, Turn, TurnSetup, Turns,
};
use candor_core::contract::{ServiceError, Talk as _, Tokens};
use candor_core::inbound::{Caller, EventId, Inbound, Member, Place};
use candor_core::language::{Language, say};
use candor_core::record::{Denial, GuardFinding, TurnEnd, TurnId};
use candor_core::registry::Catalog;
use candor_core::reply::{Answer, Author, TurnFacts, sanitize_model_text};
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
    /// Lends each conversation to one process at a time.
    pub leases: Arc<dyn Leases>,
    /// What chat may use in a day.
    pub budgets: Arc<Budgets>,
    /// Draws the charts of the commands that run.
    pub charts: Charts,
    /// Whether the warning that the model's server leaves calls in the text was logged.
    pub told_of_calls_in_text: AtomicBool,
}

/// Who asked, where, and by which event.
pub(crate) struct TurnCaller<'a> {
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
    /// The tokens that the turn used.
    used: Mutex<Tokens>,
}

impl TurnCaller<'_> {
    /// Takes over what a press of theirs says of them. Outside of guilds it says nothing.
    pub(super) fn know(&self, member: Option<Member>) {
        if member.is_some() {
            *self.pressed.lock().unwrap_or_else(PoisonError::into_inner) = member;
        }
    }

    /// Adds to what the turn used.
    fn uses(&self, tokens: Tokens) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.and(tokens);
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

    /// Answers a person's words; a failure is an answer too, in the host's own name. `None` if the words were answered
    /// before, as a message that is delivered twice is one turn, or are answered together with later ones. Dropping the
    /// second value lets the next turn of the conversation begin.
    pub async fn answer(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        catalog: &Catalog,
        surface: &dyn Surface,
    ) -> (Option<Answer>, Held) {
        let (answer, held) = self.answer_once(words, inbound, catalog, surface).await;
        // Without an answer a later message took the press along, and sees to it.
        if let (Inbound::GoOn(press), Some(answer)) = (inbound, &answer) {
            self.gone_on(&[TurnId(press.turn)], Some(answer)).await;
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
        let press = match inbound {
            Inbound::GoOn(press) => Some(TurnId(press.turn)),
            Inbound::Interaction(_) | Inbound::Message(_) => None,
        };
        let said = Said { words: words.clone(), goes_on: press };
        match self.talker.queues.enter(ConversationKey::new(place, caller.id), event, said).await {
            Entered::Turn(admitted) => {
                let taken = TurnLease::taken(&self.executor, &self.leases, &admitted.key, &admitted.running).await;
                let lease = match taken {
                    Ok(lease) => lease,
                    Err(why) => return (Some(not_begun(why, &admitted, language)), Held::over(admitted, None)),
                };
                // While a press waited, the conversation may have gone on. What was said with it is answered all the
                // same.
                let (words, unsaid) = self.still_said(&admitted.said, caller).await;
                let others = admitted.said.iter().filter_map(|said| said.goes_on).filter(|turn| Some(*turn) != press);
                let others: Vec<_> = others.collect();
                let Some(words) = words else {
                    self.gone_on(&others, None).await;
                    return (Some(Answer::host(unsaid.join("\n"))), Held::over(admitted, lease));
                };
                let running = &*admitted.running;
                let asker = TurnCaller {
                    event,
                    caller,
                    place,
                    catalog,
                    running,
                    pressed: Mutex::default(),
                    unshown: Mutex::new(unsaid),
                    used: Mutex::default(),
                };
                let answer = self.turn_within_budget(&admitted, &words, &asker, surface).await;
                self.gone_on(&others, Some(&answer)).await;
                (Some(answer), Held::over(admitted, lease))
            }
            Entered::Joined => (None, Held::default()),
            // Of messages the first is told. A press that does nothing is always told.
            Entered::TooMuch { is_first: false } if press.is_none() => (None, Held::default()),
            Entered::TooMuch { .. } => {
                let (messages, characters) = (MESSAGES_MAX, CHARACTERS_MAX);
                host(say!(language, "chat-too-much", messages = messages, characters = characters))
            }
            Entered::Leaving { unsaid } => {
                let others = unsaid.into_iter().filter_map(|said| said.goes_on).filter(|turn| Some(*turn) != press);
                self.gone_on(&others.collect::<Vec<_>>(), None).await;
                let what = say!(language, "closed-message");
                host(say!(language, "closed-restarting", what = what))
            }
        }
    }

    /// Runs a turn if there is a budget for it, and counts what it used.
    async fn turn_within_budget(
        &self,
        admitted: &Admitted,
        words: &ChatText,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Answer {
        let counted = match self.budgets.begin(asker.caller.id, asker.place, self.executor.clock.now()).await {
            Ok(counted) => counted,
            Err(why) => return Answer::host(why.text(asker.place, asker.caller.language)),
        };
        let answer = self.turn(admitted, words, asker, surface).await;
        let used = *asker.used.lock().unwrap_or_else(PoisonError::into_inner);
        self.budgets.end(counted, used, &self.executor.counters).await;
        answer
    }

    /// Runs a turn, and keeps its exchange and its record.
    async fn turn(
        &self,
        admitted: &Admitted,
        words: &ChatText,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Answer {
        let Admitted { key, running, .. } = admitted;
        let (began, language) = (self.executor.clock.now(), asker.caller.language);
        surface.thinking();
        let at_once = self.access.chat.turns_at_once;
        // A turn that is stopped meanwhile ends below.
        let _share = tokio::select! {
            biased;
            () = running.stopped() => None,
            share = self.talker.shares.take(asker.caller.id, asker.place, at_once) => Some(share),
        };
        let (mut finished, generation) = match self.finished(admitted, words, asker, surface).await {
            Ok(finished) => finished,
            Err(NoTurn::Stopped) => return stopped(running, language),
            Err(NoTurn::Model(failure)) => return Answer::host(failure.text(language)),
            Err(NoTurn::Store(problem)) => {
                error!(error = %problem, "cannot read the conversation");
                return Answer::host(say!(language, "chat-store-unreadable"));
            }
        };
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
        // Whatever the store does with it: what was cleared is not to come back.
        let mut is_forgotten = running.is_cleared();
        if let (Some(text), false) = (text, is_forgotten) {
            let notes: Vec<_> = failure.into_iter().chain(finished.notes.iter().cloned()).collect();
            let stored = Exchange::with_note(text, &finished.ran, &notes);
            match self.conversations.append(key, generation, words, &stored, self.executor.clock.now()).await {
                Ok(is_kept) => is_forgotten = !is_kept,
                Err(problem) => {
                    warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
                }
            }
        }
        let turn = match is_forgotten {
            true => None,
            false => {
                let kept = self.turns.keep(asker.caller.id, asker.place, generation, began, &finished.record).await;
                is_forgotten = matches!(&kept, Ok(None));
                kept.unwrap_or_else(|problem| {
                    error!(error = %problem, "the record of a turn could not be kept");
                    None
                })
            }
        };
        if is_forgotten {
            self.forget(key, &mut finished, language).await;
        }
        self.answer_of(finished, turn, language)
    }

    /// Says that a turn is forgotten with its conversation. A command that was under way when that was cleared has its
    /// receipt only now.
    async fn forget(&self, key: &ConversationKey, finished: &mut Finished, language: Language) {
        if let Err(problem) = self.conversations.clear(key).await {
            error!(error = %problem, "a cleared conversation could not be cleared once more");
        }
        let forgotten = Stop::Cleared.told(language);
        if !finished.notes.contains(&forgotten) {
            finished.notes.push(forgotten);
        }
    }

    /// Sets a turn up and drives it to its end. Where the model's server turns out to refuse tools, the turn begins
    /// once more, with tools in the text.
    async fn finished(
        &self,
        Admitted { key, running, .. }: &Admitted,
        words: &ChatText,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Result<(Box<Finished>, Generation), NoTurn> {
        loop {
            let set_up = tokio::select! {
                biased;
                () = running.stopped() => Err(NoTurn::Stopped),
                setup = self.set_up(key, words, asker) => setup,
            };
            let (setup, generation) = set_up?;
            if let Some(finished) = self.drive(setup, asker, surface).await {
                return Ok((finished, generation));
            }
        }
    }

    async fn set_up(
        &self,
        key: &ConversationKey,
        words: &ChatText,
        asker: &TurnCaller<'_>,
    ) -> Result<(TurnSetup, Generation), NoTurn> {
        let not_configured = || NoTurn::Model(ModelFailure::NotConfigured);
        let client = self.model.as_deref().ok_or_else(not_configured)?;
        let model = self.talker.chosen(key).await.map_err(NoTurn::Store)?.ok_or_else(not_configured)?;
        let reading = self.talker.queues.clearing.read().await;
        let generation = self.conversations.generation(key).await.map_err(NoTurn::Store)?;
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
        let setup = TurnSetup {
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
        };
        Ok((setup, generation))
    }

    /// Carries out the turn's effects until it ends, or until somebody stops it: then nothing more starts, and what
    /// runs is finished. `None` if the server refused the first request because of its tools, and another one may be
    /// different.
    async fn drive(&self, setup: TurnSetup, asker: &TurnCaller<'_>, surface: &dyn Surface) -> Option<Box<Finished>> {
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
                    let (counted, has_begun) = growth.tokens();
                    let took;
                    (written, took) = growth.ended();
                    let said = match &input {
                        Some(Input::Answered(completion)) => Some(completion.text.as_str()),
                        _ => has_begun.then_some(written.as_str()),
                    };
                    asker.uses(match (counted, said) {
                        (0, Some(said)) => {
                            Tokens { estimated: request_tokens(mode, turn.transcript(), tools, said), counted: 0 }
                        }
                        (counted, _) => Tokens { counted, estimated: 0 },
                    });
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
        Answer::of_turn(text, facts)
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

/// The answer of a turn that another one keeps from beginning.
fn not_begun(why: NoLease, admitted: &Admitted, language: Language) -> Answer {
    match why {
        NoLease::Stopped => stopped(&admitted.running, language),
        NoLease::Elsewhere => Answer::host(say!(language, "chat-elsewhere")),
        NoLease::Store(problem) => {
            error!(error = %problem, "it is not known which process answers a conversation");
            Answer::host(say!(language, "chat-store-unwritable"))
        }
    }
}

fn stopped(running: &RunningTurn, language: Language) -> Answer {
    Answer::host(running.why().map(|why| why.told(language)).unwrap_or_default())
}
