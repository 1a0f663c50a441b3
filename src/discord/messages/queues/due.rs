//! Makes the calls that modules scheduled, once they are due, and sends their answers.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serenity::all::{ChannelId, UserId};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use crate::messages::queues::guilds::FoundIn;
use crate::render::posts::{Post, without_components};
use crate::rest::{RequestError, Rest, Standing, standing, twice};
use candor_core::contract::{DueCall, DueCalls, LaterCall, MessageEnd};
use candor_core::inbound::{self, Place};
use candor_core::language::say;
use candor_core::record::{Outcome, milliseconds};
use candor_core::reply::{Answer, Audience, Provenance};
use candor_engine::dispatch::{Dispatcher, Refresh};
use candor_engine::{DueAlarm, DueAnswer, DueTry, TakenCall};

/// How often to look for calls that another process added, or began and did not end.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The shortest pause before the next look, in case another process just took the due call.
const AT_LEAST: Duration = Duration::from_secs(1);

/// The longest time to send an answer, with two waits of two minutes for Discord's limits. After it and the run, the
/// process counts as ended.
const SENT_WITHIN: Duration = Duration::from_mins(6);

const AT_ONCE_MAX: usize = 32;

/// The pause before a retry of a guild's own call that is denied for now.
const DENIED_PAUSE: Duration = Duration::from_mins(10);

/// The pause before a guild's own call is made again after a fault.
const FAULT_PAUSE: Duration = Duration::from_hours(1);

/// The pauses between refusals of an answer in its channel. After the last one the person gets it as a direct message.
const REFUSED_PAUSES: [Duration; 3] = [Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// The pause after the first failure that is not a refusal. It doubles with each further try, up to the longest.
const FAILED_PAUSE: Duration = Duration::from_mins(1);
const FAILED_PAUSE_MAX: Duration = Duration::from_hours(1);

/// How often a call is begun: for about a day. More tries would not help.
const TRIES_MAX: u32 = 30;

pub(crate) struct DueMessages {
    pub(crate) calls: Arc<DueAlarm>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) rest: Arc<Rest>,
    /// The guilds that scheduled calls themselves.
    pub(crate) guilds: Arc<FoundIn>,
    /// The work in progress, awaited at shutdown.
    pub(crate) running: TaskTracker,
}

enum Made {
    /// The call is over, and its answer was delivered in this way.
    Ended(MessageEnd),
    /// The call is over, and had no answer to deliver.
    Over,
    PutOff,
    /// Retry after a while.
    NotNow,
    /// Retry after this pause.
    Again(DueTry, Duration),
}

impl DueMessages {
    /// Makes each due call, and waits for the next one, until the bot stops.
    pub(crate) async fn send(self, stop: CancellationToken) {
        let made_by = Arc::new(self);
        let free = Arc::new(Semaphore::new(AT_ONCE_MAX));
        made_by.send_all(&free, &stop).await;
    }

    async fn send_all(self: &Arc<Self>, free: &Arc<Semaphore>, stop: &CancellationToken) {
        loop {
            let pause = self.pause().await;
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.calls.added() => {}
                () = sleep(pause) => {}
            }
            let lasts = self.dispatcher.executor.deadline + SENT_WITHIN;
            while !stop.is_cancelled() {
                // A rate-limited channel delays only its own calls.
                let Ok(place) = free.clone().acquire_owned().await else { return };
                match self.calls.store().take_due(self.dispatcher.now(), lasts).await {
                    Ok(Some(due)) => {
                        let made_by = self.clone();
                        self.running.spawn(async move {
                            let _place = place;
                            made_by.make(&due).await;
                        });
                    }
                    Ok(None) => break,
                    Err(problem) => {
                        warn!(error = %problem, "it is not known which calls are due");
                        break;
                    }
                }
            }
        }
    }

    async fn pause(&self) -> Duration {
        match self.calls.store().next_due().await {
            Ok(Some(next)) => {
                next.duration_since(self.dispatcher.now()).unwrap_or_default().clamp(AT_LEAST, LOOK_AGAIN_AFTER)
            }
            Ok(None) => LOOK_AGAIN_AFTER,
            Err(problem) => {
                warn!(error = %problem, "it is not known when the next call is due");
                LOOK_AGAIN_AFTER
            }
        }
    }

    async fn make(&self, taken: &TakenCall) {
        let TakenCall { due, ran, .. } = taken;
        let made = match ran {
            _ if TRIES_MAX < due.tries => {
                error!(
                    call.id = due.id,
                    module = due.call.module,
                    "a call that is due failed too often; the bot gives it up"
                );
                Made::Ended(MessageEnd::GivenUp)
            }
            Some(answer) => self.sent_later(taken, answer).await,
            None => self.made(taken).await,
        };
        let end = match made {
            Made::Ended(end) => Some(end),
            Made::Over => None,
            Made::NotNow => {
                let doubled = 2_u32.saturating_pow(due.tries.saturating_sub(1));
                let pause = FAILED_PAUSE.saturating_mul(doubled).min(FAILED_PAUSE_MAX);
                return self.try_again(due, DueTry::Failed, pause).await;
            }
            Made::Again(how, pause) => return self.try_again(due, how, pause).await,
            // It may be due before the current wait ends.
            Made::PutOff => return DueCalls::added(&*self.calls),
        };
        if let Err(problem) = self.calls.store().due_is_over(due, end).await {
            error!(call.id = due.id, error = %problem, "a call that was made is still stored; its answer may be sent again");
        }
    }

    async fn try_again(&self, due: &DueCall, how: DueTry, pause: Duration) {
        if let Err(problem) = self.calls.store().due_is_tried_again(due.id, self.dispatcher.now() + pause, how).await {
            warn!(call.id = due.id, error = %problem, "could not store the retry time; retrying later");
        }
        DueCalls::added(&*self.calls);
    }

    async fn made(&self, taken: &TakenCall) -> Made {
        let due = &taken.due;
        let id = due.id;
        let command = &due.call.path;
        if let Some(at) = self.dispatcher.puts_off(&due.call) {
            return self.put_off(due, at).await;
        }
        // Current rights count: nothing runs for a person who left or lost a role.
        let standing = match due.call.is_of_guild() {
            true => self.guilds.standing(&self.rest, &due.call.caller, due.call.place).await,
            false => standing(&self.rest, &due.call.caller, due.call.place).await,
        };
        let caller = match standing {
            Standing::Here(caller) => caller,
            Standing::Left => {
                info!(call.id = id, command.name = %command, "a call is due, but its person or the bot is no longer there");
                return Made::Over;
            }
            Standing::Unknown => {
                warn!(call.id = id, command.name = %command, "a person's permissions are unknown; retrying their call");
                return Made::NotNow;
            }
        };
        match self.dispatcher.call_due(due, caller).await {
            Refresh::Ran(answer) => {
                if due.call.is_of_guild() && is_fault(&answer) {
                    self.asked_again(due).await;
                }
                if !self.dispatcher.is_to_be_told(&due.call, &answer) {
                    info!(call.id = id, command.name = %command, "a later call failed as one before; not posted again");
                    return Made::Over;
                }
                self.sent(taken, &answer).await
            }
            Refresh::Denied(answer) if due.call.is_of_guild() => self.denied(due, &answer).await,
            Refresh::Denied(answer) => {
                let why = answer.reply.plain();
                warn!(call.id = id, command.name = %command, why, "a call that is due may not be made");
                Made::Over
            }
            Refresh::PutOff => Made::PutOff,
            Refresh::NotNow | Refresh::Elsewhere => {
                warn!(call.id = id, command.name = %command, "a call that is due could not be made; it is tried again");
                Made::NotNow
            }
        }
    }

    /// Puts off a guild's own call that is denied for now, for example because its module is switched off. It stays
    /// scheduled, because no person would ask for it again.
    async fn denied(&self, due: &DueCall, answer: &Answer) -> Made {
        let why = answer.reply.plain();
        info!(call.id = due.id, command.name = %due.call.path, why, "a call of a server may not be made for now");
        self.put_off(due, self.dispatcher.now() + DENIED_PAUSE).await
    }

    async fn put_off(&self, due: &DueCall, at: SystemTime) -> Made {
        match self.calls.store().due_again(due.id, at).await {
            Ok(()) => Made::PutOff,
            Err(problem) => {
                warn!(call.id = due.id, error = %problem, "a call that is due could not be put off; it is tried again");
                Made::NotNow
            }
        }
    }

    /// Schedules a guild's own call again after a fault, which also lost any follow-up call. No person would ask for it
    /// again.
    async fn asked_again(&self, due: &DueCall) {
        let call = LaterCall { due: self.dispatcher.now() + FAULT_PAUSE, ..due.call.clone() };
        match self.calls.call_later(&call).await {
            Ok(_) => warn!(command.name = %due.call.path, "a call of a server failed; it is made again in an hour"),
            Err(problem) => {
                error!(command.name = %due.call.path, error = %problem, "a call of a server failed and is not made again");
            }
        }
    }

    async fn sent(&self, taken: &TakenCall, answer: &Answer) -> Made {
        let is_for_one = self.dispatcher.executor.is_for_one(answer);
        self.post(taken, is_for_one, without_components(answer, taken.due.call.caller.language)).await
    }

    async fn sent_later(&self, taken: &TakenCall, answer: &DueAnswer) -> Made {
        let path = &taken.due.call.path;
        let language = taken.due.call.caller.language;
        let is_for_one = self.dispatcher.audience(path) == Audience::Asker;
        let receipt = say!(language, "footer-receipt", id = answer.receipt.to_string());
        let footer = format!("{path} · {} · {receipt}", say!(language, "footer-due"));
        self.post(taken, is_for_one, answer.text.as_ref().map(|text| Post::kept(text, footer))).await
    }

    /// Sends an answer to the channel where the call was asked for.
    async fn post(&self, TakenCall { due, refusals, .. }: &TakenCall, is_for_one: bool, post: Option<Post>) -> Made {
        let (Place::Guild { channel, .. } | Place::Direct { channel }) = due.call.place else { return Made::Over };
        let is_public = matches!(due.call.place, Place::Guild { .. });
        let Some(post) = post.filter(|_| !is_public || !is_for_one) else {
            // The module itself reports the result of a guild's own call.
            if !due.call.is_of_guild() {
                info!(call.id = due.id, "the answer of a call is for one person, and its channel is not");
            }
            return Made::Over;
        };
        // The same nonce at each try: Discord creates only one message, if the tries follow soon.
        let nonce = format!("{}-{}", due.id, milliseconds(due.call.due) / 1_000);
        let body = match due.call.is_of_guild() {
            true => post.alone(nonce),
            false => post.calling(nonce, UserId::new(due.call.caller.id.0.max(1))),
        };
        let to = ChannelId::new(channel.0.max(1));
        let problem = match twice(|| self.rest.post(to, post.files(), &body)).await {
            Ok(_) => return Made::Ended(MessageEnd::Sent),
            Err(problem) => problem,
        };
        if let Some(made) = held_back(&problem) {
            return made;
        }
        match problem {
            problem if !matches!(problem.status(), Some(400..=404)) => {
                warn!(call.id = due.id, channel.id = %channel.0, error = %problem, "the answer of a call was not sent");
                Made::NotNow
            }
            problem => match usize::try_from(*refusals).ok().and_then(|n| REFUSED_PAUSES.get(n)) {
                Some(&pause) => {
                    let next_s = pause.as_secs();
                    warn!(
                        call.id = due.id, channel.id = %channel.0, error = %problem, next_s,
                        "Discord refused the answer of a call; retrying"
                    );
                    Made::Again(DueTry::Refused, pause)
                }
                None if is_public && !due.call.is_of_guild() => self.post_directly(due, channel, post, &problem).await,
                None => {
                    warn!(call.id = due.id, channel.id = %channel.0, error = %problem, "the answer of a call has no channel");
                    Made::Ended(MessageEnd::GivenUp)
                }
            },
        }
    }

    /// Sends an answer as a direct message, because its channel does not accept it.
    async fn post_directly(
        &self,
        due: &DueCall,
        channel: inbound::ChannelId,
        post: Post,
        refused: &RequestError,
    ) -> Made {
        let person = UserId::new(due.call.caller.id.0.max(1));
        let language = due.call.caller.language;
        let line = say!(language, "due-sent-directly", channel = format!("<#{channel}>"));
        let nonce = format!("{}-d{}", due.id, milliseconds(due.call.due) / 1_000);
        let sent = async {
            let to = self.rest.direct_channel(person).await?;
            let body = post.alone(nonce);
            twice(|| self.rest.post(to, post.files(), &body)).await?;
            // The answer has arrived; only this explanation may be missing.
            let _told = self.rest.post(to, Vec::new(), &Post::text(line).alone(format!("{}-l", due.id))).await;
            Ok(())
        };
        let sent: Result<(), RequestError> = sent.await;
        match sent {
            Ok(()) => {
                info!(call.id = due.id, error = %refused, "the answer of a call was refused in its channel and sent directly");
                Made::Ended(MessageEnd::SentDirectly)
            }
            Err(problem) => held_back(&problem).unwrap_or_else(|| {
                let is_refused = matches!(problem.status(), Some(400..=404));
                warn!(call.id = due.id, error = %problem, is_refused, "the answer of a call was not sent directly either");
                if is_refused { Made::Ended(MessageEnd::GivenUp) } else { Made::NotNow }
            }),
        }
    }
}

/// Returns the retry if the bot itself held the request back and Discord did not refuse it.
fn held_back(problem: &RequestError) -> Option<Made> {
    let pause = match problem {
        RequestError::Closed { left, .. } | RequestError::Limited(left) => (*left).max(AT_LEAST),
        RequestError::Spared => LOOK_AGAIN_AFTER,
        _ => return None,
    };
    Some(Made::Again(DueTry::HeldBack, pause))
}

/// Returns whether the answer reports a fault, and not the command's own result.
fn is_fault(answer: &Answer) -> bool {
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let outcome = receipt.facts().outcome;
            !outcome.is_reply() && outcome != Outcome::Refused
        }
        Provenance::Turn(_) | Provenance::Host => false,
    }
}
