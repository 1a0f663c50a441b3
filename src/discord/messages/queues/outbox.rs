//! Sends the messages of modules to channels.

use std::sync::Arc;
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use crate::render::posts::Post;
use crate::rest::{RequestError, Rest, once};
use crate::shared::channels::{GuildsOfChannels, Unplaced};
use candor_core::contract::{AllowedBy, Outgoing, Owner};
use candor_core::inbound::Place;
use candor_core::language::{Language, say};
use candor_core::record::{MessageTry, milliseconds};
use candor_engine::dispatch::Dispatcher;
use candor_engine::{InForce, MessageEnd, OutboxAlarm, TakenMessage};

/// How often to look for messages that another process added, or began to send and did not end.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// The shortest pause before the next look, in case another process just took the message.
const AT_LEAST: Duration = Duration::from_secs(1);

/// How long sending may take, including pauses that Discord asks for. After that, the process counts as ended.
const SENT_WITHIN: Duration = Duration::from_secs(180);

/// The pause after the first failure. It doubles with each further one, up to the longest.
const PAUSE_FIRST: Duration = Duration::from_secs(2);
const PAUSE_MAX: Duration = Duration::from_mins(30);

/// After this time a message is dropped, tried or not: it is no longer news.
const TRIED_FOR: Duration = Duration::from_hours(24);

const AT_ONCE_MAX: usize = 8;

pub(crate) struct ModuleMessages {
    pub(crate) outbox: Arc<OutboxAlarm>,
    /// Defines which channels the modules may send to now.
    pub(crate) registry: Arc<InForce>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) rest: Arc<Rest>,
    pub(crate) guilds: Arc<GuildsOfChannels>,
    /// The language of the host's line: the message has no asker.
    pub(crate) language: Language,
    /// The work in progress, awaited at shutdown.
    pub(crate) running: TaskTracker,
}

impl ModuleMessages {
    /// Sends each message, and waits for the next one, until the bot stops.
    pub(crate) async fn send(self, stop: CancellationToken) {
        let sent_by = Arc::new(self);
        let free = Arc::new(Semaphore::new(AT_ONCE_MAX));
        loop {
            while !stop.is_cancelled() {
                let Ok(place) = free.clone().acquire_owned().await else { return };
                match sent_by.outbox.store().take_message(sent_by.dispatcher.now(), SENT_WITHIN).await {
                    Ok(Some(taken)) => {
                        let sent_by = sent_by.clone();
                        sent_by.running.clone().spawn(async move {
                            let _place = place;
                            sent_by.send_one(&taken).await;
                        });
                    }
                    Ok(None) => break,
                    Err(problem) => {
                        warn!(error = %problem, "it is not known which messages of modules wait");
                        break;
                    }
                }
            }
            let pause = sent_by.pause().await;
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = sent_by.outbox.added() => {}
                () = sleep(pause) => {}
            }
        }
    }

    async fn pause(&self) -> Duration {
        let now = self.dispatcher.now();
        match self.outbox.store().next_message(now).await {
            Ok(Some(next)) => next.duration_since(now).unwrap_or_default().clamp(AT_LEAST, LOOK_AGAIN_AFTER),
            Ok(None) => LOOK_AGAIN_AFTER,
            Err(problem) => {
                warn!(error = %problem, "it is not known when the next message of a module is to be sent");
                LOOK_AGAIN_AFTER
            }
        }
    }

    async fn send_one(&self, taken: &TakenMessage) {
        let tried = self.tried(taken).await;
        self.dispatcher.executor.counters.messages.count(tried);
        let store = self.outbox.store();
        let kept = match tried {
            MessageTry::Sent => store.message_is_over(taken, MessageEnd::Sent).await,
            MessageTry::Again => store.put_off(taken, self.dispatcher.now() + pause_after(taken.tries)).await,
            MessageTry::Refused | MessageTry::NotAllowed | MessageTry::TooOld => {
                store.message_is_over(taken, MessageEnd::GivenUp).await
            }
        };
        if let Err(problem) = kept {
            error!(message.id = taken.id, error = %problem, "what became of a message is not stored; it may be sent again");
        }
        // A message that waited for this one may be sent now.
        self.outbox.look_again();
    }

    /// Tries to send a message, and logs why it was not sent.
    async fn tried(&self, taken: &TakenMessage) -> MessageTry {
        let TakenMessage { id, tries, receipt, at, outgoing } = taken;
        let module = outgoing.module.as_str();
        let channel = outgoing.channel;
        match self.is_allowed(outgoing).await {
            Ok(true) => {}
            Ok(false) => {
                warn!(
                    module, channel.id = %channel, receipt.id = %receipt,
                    "message dropped: the module may no longer send to this channel"
                );
                return MessageTry::NotAllowed;
            }
            Err(NotKnown) if *at + TRIED_FOR < self.dispatcher.now() => {}
            Err(NotKnown) => return MessageTry::Again,
        }
        if *at + TRIED_FOR < self.dispatcher.now() {
            warn!(
                module, channel.id = %channel, receipt.id = %receipt,
                "message expired after 24 h; dropped"
            );
            return MessageTry::TooOld;
        }
        let footer = say!(self.language, "footer-of-module", module = module);
        let footer = format!("{footer} · {}", say!(self.language, "footer-receipt", id = receipt.to_string()));
        let post = Post::of_module(outgoing.message.reply(), footer, self.language);
        // The same nonce at each try: Discord creates only one message, if the tries follow soon.
        let body = post.alone(format!("m{id}-{}", milliseconds(*at) / 1_000));
        match once(|| self.rest.post(ChannelId::new(channel.0.max(1)), Vec::new(), &body)).await {
            Ok(_) => {
                info!(module, channel.id = %channel, receipt.id = %receipt, "a message of a module was sent");
                MessageTry::Sent
            }
            Err(problem) if is_for_good(&problem) => {
                warn!(
                    module, channel.id = %channel, receipt.id = %receipt, error = %problem,
                    "message dropped: Discord refuses it"
                );
                MessageTry::Refused
            }
            Err(problem) if *at + TRIED_FOR < self.dispatcher.now() + pause_after(*tries) => {
                warn!(
                    module, channel.id = %channel, receipt.id = %receipt, error = %problem,
                    "message dropped: it could not be sent for a day"
                );
                MessageTry::TooOld
            }
            Err(problem) => {
                warn!(
                    module, channel.id = %channel, receipt.id = %receipt, error = %problem,
                    "a message of a module was not sent; it is tried again"
                );
                MessageTry::Again
            }
        }
    }

    /// Returns whether the module may send to this channel now. A permission from a guild's administrators covers only
    /// channels of that guild.
    async fn is_allowed(&self, Outgoing { module, channel, allowed_by, .. }: &Outgoing) -> Result<bool, NotKnown> {
        let registry = self.registry.now();
        let owner = Owner::Module(module.clone());
        let Some(policy) = registry.modules().get(&owner).map(|facts| facts.code.send_to()) else { return Ok(false) };
        let guild = match *allowed_by {
            _ if policy.channels.contains(channel) => return Ok(true),
            AllowedBy::Guild(guild) if policy.servers_add => guild,
            AllowedBy::Guild(_) | AllowedBy::Operator => return Ok(false),
        };
        match self.guilds.now(&self.rest, *channel).await {
            Ok(found) if found == guild => {}
            Ok(_) | Err(Unplaced::Nowhere) => return Ok(false),
            Err(Unplaced::NotKnown) => return Err(NotKnown),
        }
        let place = Place::Guild { guild, channel: *channel };
        let rules = self.dispatcher.chat.rules(place).await;
        let channels = rules.channels_of_module(module).ok_or(NotKnown)?;
        Ok(channels.contains(channel))
    }
}

/// It is currently unknown whether a module may send to a channel.
struct NotKnown;

/// Returns whether Discord would refuse the message again: it is invalid, the bot may not write there, or the channel
/// is gone.
fn is_for_good(problem: &RequestError) -> bool {
    matches!(problem.status(), Some(400 | 403 | 404 | 405 | 413))
}

fn pause_after(tries: u32) -> Duration {
    PAUSE_FIRST.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1))).min(PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_refusals_are_not_repeated() {
        let pauses: Vec<_> = [1, 2, 3, 10, 11, 40].map(|tries| pause_after(tries).as_secs()).into();
        assert_eq!(pauses, [2, 4, 8, 1_024, 1_800, 1_800]);
        let answer = |status| RequestError::Answer { status, code: 0, message: String::new() };
        for (status, expected) in [(400, true), (403, true), (404, true), (409, false), (500, false), (503, false)] {
            assert_eq!(is_for_good(&answer(status)), expected, "{status}");
        }
        let passing =
            [RequestError::Unreached(String::new()), RequestError::Limited(PAUSE_FIRST), RequestError::Unauthorized];
        assert!(!passing.iter().any(is_for_good));
    }
}
