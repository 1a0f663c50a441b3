//! Drives a chat turn from a person's words to the labelled answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, error, info, info_span, warn};

use crate::chat::parts::Chat;
use crate::chat::queue::{Admitted, CHARACTERS_MAX, Entered, MESSAGES_MAX, RunningTurn, SHARE_OF_ONE, Said, Stop};
use crate::chat::talk::EndedTurn;
use crate::chat::turn::{Context, Heard, NoTurn, TurnCaller, TurnRights};
use crate::chat::turn_lease::{Held, NoLease, TurnLease};
use candor_core::agent::prompt::n_exchanges_given;
use candor_core::agent::tools::Surface;
use candor_core::agent::{ConversationKey, Ending, Exchange, Finished, Generations, ModelFailure, ToolMode};
use candor_core::contract::{Command, ServiceError};
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, CallMethod, Caller, Inbound, Place, Quoted, QuotedAuthor, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{Denial, GuardFinding, TurnEnd, TurnId};
use candor_core::reply::{Answer, Author, Mark, Mentionable, TurnFacts, model_text};
use candor_core::router::ChatText;

impl Chat {
    /// Whether this person may chat in this place, and the rate limit has room. Does not check budgets: see
    /// [`Self::has_budget`].
    pub fn may_talk(&self, caller: &Caller, place: Place, rules: &Rules) -> bool {
        let has_room = self.talker.may_send(caller.id, self.access.chat.per_minute);
        self.model.is_some() && has_room && self.denied(caller, place, rules).is_none()
    }

    /// Whether all budgets that a turn of this person in this place counts for have something left.
    pub async fn has_budget(&self, person: UserId, place: Place) -> bool {
        self.budgets.refusal(person, place, self.executor.clock.now()).await.is_none()
    }

    /// Returns the reason why this person's words must not reach the model. Otherwise counts them as a message.
    pub fn refuses(&self, inbound: &Inbound, rules: &Rules) -> Option<String> {
        let caller = inbound.caller();
        let place = inbound.place();
        let per_minute = self.access.chat.per_minute;
        let is_too_fast = || place != Place::Console && !self.talker.rate.count(caller.id, per_minute);
        let (denial, why) = match self.denied(caller, place, rules) {
            Some(denied) => denied,
            None if is_too_fast() => (Denial::ChatRate, say!(caller.language, "chat-too-fast", messages = per_minute)),
            None => return None,
        };
        self.executor.counters.denials.count(denial);
        Some(why)
    }

    /// Returns the reason why this person may not chat in this place, if there is one.
    fn denied(&self, caller: &Caller, place: Place, rules: &Rules) -> Option<(Denial, String)> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Some((Denial::Blocked, say!(language, "chat-blocked")));
        }
        let of_operator = self.access.chat.admits(caller, place, self.access.is_operator(caller, place));
        let of_guild = self.talker.places.admits(caller, place, rules);
        let why = match (of_operator, of_guild) {
            (Err(denied), _) => denied.text(language),
            (Ok(()), Err(denied)) => denied.text(language),
            (Ok(()), Ok(())) => return None,
        };
        Some((Denial::Chat, why))
    }

    /// Answers a person's words. A failure is also an answer, in the host's name. `None` if the event was delivered
    /// twice, or if the words are answered together with later ones. Dropping the second value lets the next turn of
    /// the conversation begin.
    pub async fn answer(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        rules: &Rules,
        surface: &dyn Surface,
    ) -> (Option<Answer>, Held) {
        let (answer, held) = self.answer_once(words, inbound, rules, surface).await;
        // Without an answer, a later message took the press over and handles it.
        if let (Inbound::GoOn(press), Some(answer)) = (inbound, &answer) {
            self.gone_on(&[TurnId(press.turn)], Some(answer)).await;
        }
        (answer, held)
    }

    async fn answer_once(
        &self,
        words: &ChatText,
        inbound: &Inbound,
        rules: &Rules,
        surface: &dyn Surface,
    ) -> (Option<Answer>, Held) {
        let event = inbound.event();
        let caller = inbound.caller();
        let place = inbound.place();
        let arrived = Instant::now();
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
        let came_with = inbound.came_with().cloned().unwrap_or_default();
        let said = Said { event, by: caller.clone(), words: words.clone(), came_with, goes_on: press };
        let key = self.conversation_of(inbound).await;
        let share = if key.is_shared() { SHARE_OF_ONE } else { 1 };
        match self.talker.queues.enter(key, said).await {
            Entered::Turn(admitted) => {
                let taken = TurnLease::taken(&self.executor, &self.leases, &self.conversations, &admitted).await;
                let lease = match taken {
                    Ok(lease) => lease,
                    Err(why) => return (Some(not_begun(why, &admitted, language)), Held::over(admitted, None)),
                };
                // While a press waited, the conversation may have gone on. Messages that were joined with it are still
                // answered.
                let said = admitted.running.read();
                let others = said.iter().filter_map(|said| said.goes_on).filter(|turn| Some(*turn) != press);
                let others: Vec<_> = others.collect();
                let (said, unsaid) = self.still_said(said).await;
                // Administrators may have changed the rules during the wait.
                let has_waited = admitted.has_waited || lease.as_ref().is_some_and(|lease| lease.has_waited);
                let rules = if has_waited { self.rules(place).await } else { rules.clone() };
                let rights = self.rights(&said, caller, place, rules);
                let goes_on_from = self.goes_on_from(&said).await;
                let Some(heard) = Heard::new(said, &admitted.key, place) else {
                    if admitted.running.why() == Some(&Stop::Deleted) {
                        return (None, Held::over(admitted, lease));
                    }
                    self.gone_on(&others, None).await;
                    return (Some(Answer::host(unsaid.join("\n"))), Held::over(admitted, lease));
                };
                let heard = Heard { goes_on_from, ..heard };
                let running = &*admitted.running;
                let asker = TurnCaller::new(event, caller, place, rights, running, unsaid);
                let mut asker = asker.asked_at(arrived);
                let answer = self.turn_within_budget(&admitted, &heard, &mut asker, surface).await;
                self.gone_on(&others, Some(&answer)).await;
                (Some(answer), Held::over(admitted, lease))
            }
            Entered::Joined => (None, Held::default()),
            // Only the first rejected message gets a reply. A press always gets one.
            Entered::TooMuch { is_first: false } if press.is_none() => (None, Held::default()),
            Entered::TooMuch { .. } => {
                let messages = MESSAGES_MAX / share;
                let characters = CHARACTERS_MAX / share;
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

    /// Returns the conversation of an event. It is that of the bot's reply that the event quotes or continues, if that
    /// is shared or this person's own. Otherwise it is the conversation of the place.
    async fn conversation_of(&self, inbound: &Inbound) -> ConversationKey {
        let place = inbound.place();
        let user = inbound.caller().id;
        let of_place = self.talker.key(place, user);
        if !matches!(place, Place::Guild { .. }) {
            return of_place;
        }
        let turn = match (inbound, inbound.came_with().and_then(|with| with.quoted.first())) {
            (Inbound::GoOn(press), _) => self.turns.turn(TurnId(press.turn)).await,
            (_, Some(Quoted::Message(message))) if message.by == QuotedAuthor::Itself => {
                self.turns.turn_of_message(message.id.0).await
            }
            _ => return of_place,
        };
        match turn {
            Ok(Some(turn)) if turn.place == place && (turn.record.shared || turn.user == user) => {
                ConversationKey::of_turn(&turn)
            }
            Ok(_) => of_place,
            Err(problem) => {
                warn!(error = %problem, "whose reply a message is cannot be looked up");
                of_place
            }
        }
    }

    /// Returns the rights of a turn's caller, limited by those of its other speakers.
    fn rights(&self, said: &[Said], caller: &Caller, place: Place, rules: Rules) -> TurnRights {
        let others: BTreeMap<_, _> = said.iter().map(|said| (said.by.id, &said.by)).collect();
        let registry = self.executor.registry.now();
        let access = self.access.here(&rules);
        let of = |caller: &Caller| access.catalog(&registry, &Asking { caller, place, method: CallMethod::Typed });
        let paths = |other: &Caller| -> BTreeSet<String> {
            of(other).callable().flat_map(Command::leaves).map(|leaf| leaf.path().to_string()).collect()
        };
        let others = others.into_values().filter(|other| other.id != caller.id);
        let common = others.map(paths).reduce(|all, theirs| &all & &theirs);
        TurnRights { catalog: of(caller), common, rules }
    }

    /// Runs a turn if there is a budget for it, and counts its use.
    async fn turn_within_budget(
        &self,
        admitted: &Admitted,
        heard: &Heard,
        asker: &mut TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Answer {
        let counted = match self.budgets.begin(asker.caller.id, asker.place, self.executor.clock.now()).await {
            Ok(counted) => counted,
            Err(why) => return Answer::host(why.text(asker.place, asker.caller.language)),
        };
        let span = info_span!(
            "turn",
            otel.name = "invoke_agent candor",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = "candor",
            candor.turn.ending = Empty,
        );
        let (answer, ended) = self.turn(admitted, heard, asker, surface).instrument(span).await;
        self.budgets.end(counted, asker.used(), &self.executor.counters).await;
        // The turn's use is counted first: a summary must fit into the rest of the budget.
        if let (Some(writer), Some(ended)) = (&self.summaries, ended) {
            writer.follow(ended);
        }
        answer
    }

    /// Runs a turn, and stores its exchange and its record. The second value is set if a summary may follow.
    async fn turn(
        &self,
        admitted: &Admitted,
        heard: &Heard,
        asker: &mut TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> (Answer, Option<EndedTurn>) {
        let Admitted { key, running, .. } = admitted;
        let began = self.executor.clock.now();
        let language = asker.caller.language;
        surface.thinking();
        let at_once = self.access.chat.turns_at_once;
        // A turn that is stopped meanwhile ends below.
        let share = tokio::select! {
            biased;
            () = running.stopped() => None,
            share = self.talker.shares.take(asker.caller.id, asker.place, at_once) => match share {
                Some(share) => Some(share),
                None => return (Answer::host(say!(language, "chat-too-many")), None),
            },
        };
        if share.as_ref().is_some_and(|share| share.has_waited) {
            // Administrators may have changed them during the wait.
            asker.rights.rules = self.rules(asker.place).await;
        }
        let asker = &*asker;
        let context = tokio::select! {
            biased;
            () = running.stopped() => Context::default(),
            context = self.gather(key, heard, asker, surface.context()) => context,
        };
        let (mut finished, begun) = match self.finished(admitted, heard, &context, asker, surface).await {
            Ok(finished) => finished,
            Err(NoTurn::Stopped) => return (stopped(running, language), None),
            Err(NoTurn::Model(failure)) => return (Answer::host(failure.text(language)), None),
            Err(NoTurn::Denied(denied)) => return (Answer::host(denied.text(language)), None),
            Err(NoTurn::Store(problem)) => {
                error!(error = %problem, "cannot read the conversation");
                return (Answer::host(say!(language, "chat-store-unreadable")), None);
            }
        };
        for finding in &finished.findings {
            self.executor.counters.findings.count(*finding);
        }
        self.warn_of_calls_in_text(&finished);
        let unshown = asker.unshown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        finished.notes.extend(unshown);
        finished.notes.extend(running.is_edited().then(|| say!(language, "note-edited")));
        finished.record.notes.clone_from(&finished.notes);
        let ran_before = asker.ran_before.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mark = Mark::of(finished.ran.iter().map(AsRef::as_ref))
            .unknown(ran_before)
            .folded(asker.is_folded.load(Ordering::Relaxed));
        // The host's own words have no mark.
        if matches!(&finished.ending, Ending::Prose(text) | Ending::Stopped(text) if !text.is_empty()) {
            finished.record.mark = mark.fact(language);
        }
        finished.record.questions.clone_from(&heard.questions);
        finished.record.goes_on_from.clone_from(&heard.goes_on_from);
        let (text, failure) = match &finished.ending {
            // Many servers refuse a message without text.
            Ending::Stopped(text) if text.is_empty() => (Some("…"), None),
            Ending::Prose(text) | Ending::Stopped(text) => (Some(text.as_str()), None),
            // Nothing happened that the model would need to know.
            Ending::Failed(_) if finished.ran.is_empty() => (None, None),
            Ending::Failed(failure) => (Some("…"), Some(failure.text(language))),
        };
        // A cleared conversation must not come back, even if the store accepts the exchange.
        let mut is_forgotten = running.is_cleared();
        if let (Some(text), false) = (text, is_forgotten) {
            let notes: Vec<_> =
                failure.into_iter().chain(finished.notes.iter().cloned()).chain(context.around.later()).collect();
            let stored = Exchange::with_note(text, &finished.ran, &notes);
            match self.keep_exchange(key, &begun, heard, &stored).await {
                Ok(true) => self.keep_messages(key, heard, running).await,
                Ok(false) => is_forgotten = true,
                Err(problem) => {
                    warn!(error = %problem, "the exchange could not be kept; the model will not remember it");
                }
            }
        }
        let turn = match is_forgotten {
            true => None,
            false => {
                let generation = begun.of(asker.caller.id);
                let kept = self.turns.keep(asker.caller.id, asker.place, generation, began, &finished.record).await;
                is_forgotten = matches!(&kept, Ok(None));
                kept.unwrap_or_else(|problem| {
                    error!(error = %problem, "the record of a turn could not be kept");
                    None
                })
            }
        };
        let ended = (!is_forgotten && text.is_some()).then(|| EndedTurn {
            key: key.clone(),
            user: asker.caller.id,
            place: asker.place,
            rules: asker.rights.rules.clone(),
            n_given: n_exchanges_given(&finished.record.given),
        });
        if is_forgotten {
            self.forget(key, asker, &mut finished).await;
        }
        let may_mention = heard.mentionable(std::mem::take(&mut finished.mentionable), asker);
        (self.answer_of(finished, mark, turn, &may_mention, language), ended)
    }

    /// Stores the exchange. Returns false if its conversation was cleared meanwhile.
    async fn keep_exchange(
        &self,
        key: &ConversationKey,
        begun: &Generations,
        heard: &Heard,
        answer: &str,
    ) -> Result<bool, ServiceError> {
        let now = self.executor.clock.now();
        match key.is_shared() {
            true => self.conversations.append_spoken(begun, &heard.spoken, answer, now).await,
            false => self.conversations.append(key, begun.of(key.user), &heard.words, answer, now).await,
        }
    }

    /// Stores which messages the exchange answers or continues. If one of them is deleted, its summary is removed.
    async fn keep_messages(&self, key: &ConversationKey, heard: &Heard, running: &RunningTurn) {
        let Some(store) = &self.talker.summaries else { return };
        let messages: Vec<_> = heard.questions.iter().chain(&heard.goes_on_from).copied().collect();
        if let Err(problem) = store.keep_messages(key, &messages).await {
            warn!(error = %problem, "which messages were answered could not be kept");
        }
        let withdrawn = running.withdrawn();
        if !withdrawn.is_empty() {
            self.messages_are_gone(&withdrawn).await;
        }
    }

    /// Notes that a turn is forgotten with its conversation, and clears that again: a command that was under way then
    /// has its receipt only now.
    async fn forget(&self, key: &ConversationKey, asker: &TurnCaller<'_>, finished: &mut Finished) {
        let cleared = match key.is_shared() {
            // Other people's words stay, unless they cleared them.
            true => self.conversations.clear_part(asker.place, asker.caller.id).await,
            false => self.conversations.clear(key).await,
        };
        if let Err(problem) = cleared {
            error!(error = %problem, "a cleared conversation could not be cleared once more");
        }
        let forgotten = Stop::Cleared.told(asker.caller.language);
        if !finished.notes.contains(&forgotten) {
            finished.notes.push(forgotten);
        }
    }

    fn answer_of(
        &self,
        finished: Box<Finished>,
        mark: Mark,
        turn: Option<TurnId>,
        may_mention: &Mentionable,
        language: Language,
    ) -> Answer {
        let Finished { ending, notes, record, .. } = *finished;
        let end = match &ending {
            Ending::Prose(_) => TurnEnd::Prose,
            Ending::Stopped(_) => TurnEnd::Stopped,
            Ending::Failed(_) => TurnEnd::Failed,
        };
        self.executor.counters.turns.count(end);
        Span::current().record("candor.turn.ending", end.name());
        let (text, author) = match ending {
            // The note on the stop says all.
            Ending::Stopped(text) if text.is_empty() => (text, Author::Host),
            Ending::Prose(text) | Ending::Stopped(text) => (model_text(&text, may_mention), Author::Model),
            Ending::Failed(failure) => {
                info!(failure = %failure, "a turn without an answer");
                (failure.text(language), Author::Host)
            }
        };
        if let Some(turn) = turn {
            self.talker.private_offers.keep(turn, record.private_of_offers, self.executor.clock.now());
        }
        // Without its record, a turn cannot look up its offers later.
        let offers = turn.map(|_| record.offers.into_iter().map(|offer| offer.command).collect()).unwrap_or_default();
        let goes_on = turn.is_some() && author == Author::Model && record.cut.is_some();
        let facts = TurnFacts { turn, author, mark, notes, offers, goes_on, questions: record.questions };
        Answer::of_turn(text, facts)
    }

    /// Warns the operator, once, of a provider that leaves tool calls in the text.
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

    /// Stores which Discord messages show a turn's reply, so that they lead back to it.
    pub async fn shown(&self, turn: TurnId, messages: &[u64]) {
        if let Err(problem) = self.turns.shown(turn, messages).await {
            error!(error = %problem, "the messages of a turn could not be kept; they cannot be looked up");
        }
    }
}

/// Returns the answer of a turn that has no lease.
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
