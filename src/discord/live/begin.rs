//! Begins and ends live answers, and notes it under the command's answer.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serenity::all::MessageId;
use tokio::time::Instant;
use tracing::{info, warn};

use crate::live::sessions::{LiveOwner, StopReason};
use crate::live::status::{Following, LiveStatus, TOKEN_HOLDS};
use crate::live::target::{LiveTarget, Target};
use crate::render::posts::without_components;
use crate::rest::{Rest, twice};
use candor_core::inbound::{ChannelId, Interaction, Place};
use candor_core::language::say;
use candor_core::reply::{Answer, Audience, clock_time};
use candor_engine::LiveMessage;

/// A live answer whose first version is being sent.
pub(crate) struct PendingLive {
    shown: LiveTarget,
    of: LiveOwner,
    until: Instant,
}

impl LiveStatus {
    /// Starts or ends a live answer, if this answer asks for it. Returns the answer with a note on the outcome, and the
    /// live answer to follow after delivery.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        rest: &Arc<Rest>,
        asked: &Interaction,
        token: &str,
        answer: Answer,
    ) -> (Answer, Option<PendingLive>) {
        let done = answer.is_reply_of_command();
        match (answer.reply.live.filter(|_| done), self.channel(asked.place)) {
            (None, _) => (answer, None),
            (Some(false), _) => (self.end(asked, answer).await, None),
            (Some(true), Some(channel)) => (Box::pin(self.begin_in(channel, rest, asked, answer)).await, None),
            (Some(true), None) => self.begin_for_person(asked, token, answer),
        }
    }

    fn begin_for_person(&self, asked: &Interaction, token: &str, answer: Answer) -> (Answer, Option<PendingLive>) {
        let left = left(asked.sent, SystemTime::now());
        let until = clock_time(SystemTime::now() + left);
        let language = asked.caller.language;
        let note = say!(language, "live-on", seconds = self.settings.every.as_secs(), until = until);
        let first = answer.clone().with_line(note);
        let target = Target::Original { token: token.to_owned() };
        let shown = LiveTarget { target, asked: asked.clone(), known: Some(Instant::now()), last: Some(answer) };
        (first, Some(PendingLive { shown, of: LiveOwner::Person(asked.caller.id), until: Instant::now() + left }))
    }

    pub(crate) fn follow(self: &Arc<Self>, rest: &Arc<Rest>, pending: PendingLive) {
        let PendingLive { shown, of, until } = pending;
        let (number, ended) = self.open.add_for_person(of);
        info!(user.id = %shown.asked.caller.id.0, "an answer is kept up to date");
        let until = Some(until);
        let first = self.settings.every;
        self.spawn(rest, shown, Following { number, ended, until, first, is_kept: false });
    }

    async fn begin_in(
        self: &Arc<Self>,
        channel: ChannelId,
        rest: &Arc<Rest>,
        asked: &Interaction,
        answer: Answer,
    ) -> Answer {
        let language = asked.caller.language;
        let command = format!("/{}", asked.path.join(" "));
        let has_one = || say!(language, "live-channel-has-one", command = command.as_str());
        let instead = |text: String| answer.clone().withheld(text).shown_to(Audience::Asker);
        let Some((number, ended)) = self.open.add_for_channel(channel) else {
            return instead(has_one());
        };
        match self.has_lease(channel).await {
            Some(true) => {}
            Some(false) => {
                self.open.remove(number);
                return instead(has_one());
            }
            None => {
                self.open.remove(number);
                return answer.with_line(say!(language, "live-store"));
            }
        }
        let note = say!(language, "live-channel-note", seconds = self.settings.every.as_secs());
        let Some(post) = without_components(&answer.clone().with_line(note), language) else { return answer };
        let body = post.alone(format!("{}-l", asked.id.0));
        let to = serenity::all::ChannelId::new(channel.0);
        let message = match twice(|| rest.post(to, post.files(), &body)).await {
            Ok(message) => message.id,
            Err(problem) => {
                warn!(channel.id = %channel.0, error = %problem, "could not send a live message");
                self.give_back(channel).await;
                self.open.remove(number);
                return answer.with_line(say!(language, "live-channel-refused"));
            }
        };
        let kept = LiveMessage { message: message.get(), interaction: asked.clone() };
        let remembered = self.kept.remember(&kept).await;
        if let Err(problem) = &remembered {
            warn!(channel.id = %channel.0, error = %problem, "a live message lasts only until the next restart");
        }
        let link = link(asked.place, message);
        let shown = LiveTarget {
            target: Target::Message { channel: to, id: message },
            asked: asked.clone(),
            known: Some(Instant::now()),
            last: None,
        };
        let every = self.settings.every;
        let is_kept = remembered.is_ok();
        self.spawn(rest, shown, Following { number, ended, until: None, first: every, is_kept });
        instead(say!(language, "live-channel-on", link = link, command = command.as_str()))
    }

    /// Ends the live message of this channel, or the caller's own, if they may.
    async fn end(&self, asked: &Interaction, answer: Answer) -> Answer {
        let language = asked.caller.language;
        let channel = self.channel(asked.place);
        let elsewhere = match channel {
            Some(channel) if !self.open.has(LiveOwner::Channel(channel)) => self.kept_of(channel).await.ok().flatten(),
            Some(_) | None => None,
        };
        let is_open = |channel: &ChannelId| self.open.has(LiveOwner::Channel(*channel)) || elsewhere.is_some();
        let note = match channel.filter(is_open) {
            Some(_) if !self.dispatcher.chat.access.is_operator(&asked.caller, asked.place) => {
                say!(language, "live-operators-only")
            }
            Some(channel) if self.open.end(LiveOwner::Channel(channel), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            // The process that edits it finds it deleted from the store, and shows its end.
            Some(_) if self.forgotten(elsewhere.as_ref()).await => say!(language, "live-stopped"),
            None if self.open.end(LiveOwner::Person(asked.caller.id), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            Some(_) | None => say!(language, "live-none"),
        };
        answer.with_line(note)
    }
}

/// Returns how long a response may still be edited: never longer than a token is valid, even if the clock is off.
fn left(sent: SystemTime, now: SystemTime) -> Duration {
    TOKEN_HOLDS.saturating_sub(now.duration_since(sent).unwrap_or_default())
}

/// Returns the link to a message. See Discord's documentation, message links.
fn link(place: Place, message: MessageId) -> String {
    match place {
        Place::Guild { guild, channel } => format!("https://discord.com/channels/{guild}/{channel}/{message}"),
        Place::Direct { channel } => format!("https://discord.com/channels/@me/{channel}/{message}"),
        Place::Console => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn an_answer_is_live_for_as_long_as_its_token_holds_whatever_the_clocks_say() {
        let sent = UNIX_EPOCH + Duration::from_secs(10_000);
        let cases = [(0, 870), (1, 869), (870, 0), (9_000, 0)];
        for (age, expected) in cases {
            assert_eq!(left(sent, sent + Duration::from_secs(age)), Duration::from_secs(expected), "{age}");
        }
        assert_eq!(left(sent, sent - Duration::from_secs(60)), TOKEN_HOLDS);
    }
}
