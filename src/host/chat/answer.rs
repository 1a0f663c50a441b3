//! Drives a chat turn from a person's words to the labelled answer.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use tracing::{error, info, warn};

use crate::host::chat::held::Held;
use crate::host::chat::parts::Chat;
use crate::host::chat::queue::{Admitted, CHARACTERS_MAX, Entered, MESSAGES_MAX, RunningTurn, Said, Stop};
use crate::host::chat::turn::{Context, Heard, NoTurn, TurnCaller};
use crate::host::chat::turn_lease::{NoLease, TurnLease};
use candor_core::agent::tools::Surface;
use candor_core::agent::{ConversationKey, Ending, Exchange, Finished, ModelFailure, ToolMode};
use candor_core::inbound::{Inbound, MentionedPerson, Place};
use candor_core::language::{Language, say};
use candor_core::record::{Denial, GuardFinding, TurnEnd, TurnId};
use candor_core::registry::Catalog;
use candor_core::reply::{Answer, Author, TurnFacts, sanitize_model_text, with_mentions};
use candor_core::router::ChatText;

impl Chat {
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
        let came_with = inbound.came_with().cloned().unwrap_or_default();
        let said = Said { event, words: words.clone(), came_with, goes_on: press };
        match self.talker.queues.enter(ConversationKey::new(place, caller.id), said).await {
            Entered::Turn(admitted) => {
                let taken = TurnLease::taken(&self.executor, &self.leases, &self.conversations, &admitted).await;
                let lease = match taken {
                    Ok(lease) => lease,
                    Err(why) => return (Some(not_begun(why, &admitted, language)), Held::over(admitted, None)),
                };
                // While a press waited, the conversation may have gone on. What was said with it is answered all the
                // same.
                let said = admitted.running.read();
                let (words, unsaid) = self.still_said(&said, caller).await;
                let others = said.iter().filter_map(|said| said.goes_on).filter(|turn| Some(*turn) != press);
                let others: Vec<_> = others.collect();
                let Some(words) = words else {
                    if admitted.running.why() == Some(&Stop::Deleted) {
                        return (None, Held::over(admitted, lease));
                    }
                    self.gone_on(&others, None).await;
                    return (Some(Answer::host(unsaid.join("\n"))), Held::over(admitted, lease));
                };
                let running = &*admitted.running;
                let asker = TurnCaller::new(event, (caller, place), catalog, running, unsaid);
                let heard = Heard::new(words, said, place);
                let answer = self.turn_within_budget(&admitted, &heard, &asker, surface).await;
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
        heard: &Heard,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Answer {
        let counted = match self.budgets.begin(asker.caller.id, asker.place, self.executor.clock.now()).await {
            Ok(counted) => counted,
            Err(why) => return Answer::host(why.text(asker.place, asker.caller.language)),
        };
        let answer = self.turn(admitted, heard, asker, surface).await;
        self.budgets.end(counted, asker.used(), &self.executor.counters).await;
        answer
    }

    /// Runs a turn, and keeps its exchange and its record.
    async fn turn(&self, admitted: &Admitted, heard: &Heard, asker: &TurnCaller<'_>, surface: &dyn Surface) -> Answer {
        let Admitted { key, running, .. } = admitted;
        let (began, language) = (self.executor.clock.now(), asker.caller.language);
        surface.thinking();
        let at_once = self.access.chat.turns_at_once;
        // A turn that is stopped meanwhile ends below.
        let _share = tokio::select! {
            biased;
            () = running.stopped() => None,
            share = self.talker.shares.take(asker.caller.id, asker.place, at_once) => match share {
                Some(share) => Some(share),
                None => return Answer::host(say!(language, "chat-too-many")),
            },
        };
        let context = tokio::select! {
            biased;
            () = running.stopped() => Context::default(),
            context = self.gather(key, heard, asker, surface.context()) => context,
        };
        let asked = (&heard.words, &context);
        let (mut finished, generation) = match self.finished(admitted, asked, asker, surface).await {
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
        finished.record.questions.clone_from(&heard.questions);
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
            let notes: Vec<_> =
                failure.into_iter().chain(finished.notes.iter().cloned()).chain(context.around.later()).collect();
            let stored = Exchange::with_note(text, &finished.ran, &notes);
            match self.conversations.append(key, generation, &heard.words, &stored, self.executor.clock.now()).await {
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
        self.answer_of(finished, turn, &heard.people(asker), language)
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

    fn answer_of(
        &self,
        finished: Box<Finished>,
        turn: Option<TurnId>,
        people: &[MentionedPerson],
        language: Language,
    ) -> Answer {
        let Finished { ending, notes, record, .. } = *finished;
        self.executor.counters.turns.count(match &ending {
            Ending::Prose(_) => TurnEnd::Prose,
            Ending::Stopped(_) => TurnEnd::Stopped,
            Ending::Failed(_) => TurnEnd::Failed,
        });
        let (text, author) = match ending {
            // Its line says all.
            Ending::Stopped(text) if text.is_empty() => (text, Author::Host),
            Ending::Prose(text) | Ending::Stopped(text) => {
                (with_mentions(&sanitize_model_text(&text), people), Author::Model)
            }
            Ending::Failed(failure) => {
                info!(failure = %failure, "a turn without an answer");
                (failure.text(language), Author::Host)
            }
        };
        // Without its record a turn cannot tell later what was offered.
        let offers = turn.map(|_| record.offers.into_iter().map(|offer| offer.command).collect()).unwrap_or_default();
        let goes_on = turn.is_some() && author == Author::Model && record.cut.is_some();
        let facts = TurnFacts { turn, author, notes, offers, goes_on, questions: record.questions };
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
