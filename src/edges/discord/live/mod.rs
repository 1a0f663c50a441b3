//! Live answers (`/status live: true`): kept up to date by editing.
//!
//! The response to an interaction is edited until the interaction's token expires, 15 minutes after it came. In a
//! channel that the settings list, a message of the bot is edited instead, until somebody ends it, also across
//! restarts. Each refresh runs the same command for the same caller, and has a receipt of its own.

mod sessions;
mod target;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serenity::all::{Http, MessageId};
use tokio::sync::oneshot::Receiver;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::edges::discord::render::posts::without_components;
use crate::edges::discord::rest::{describe, twice};
use crate::host::dispatch::{Dispatcher, Refresh};
use crate::host::{LiveMessage, LiveMessages};
use candor_core::inbound::{ChannelId, EventId, Inbound, Interaction, Place};
use candor_core::language::{Language, say};
use candor_core::record::Outcome;
use candor_core::reply::{Answer, Audience, Provenance, Reply, clock_time};
use candor_core::settings::LiveSettings;
use sessions::{LiveOwner, LiveSessions, StopReason};
use target::{Edited, LiveTarget, Target, noted};

/// How long an interaction's token is used. It is valid for 15 minutes; the last edit, which says that it is over,
/// needs some of them.
const TOKEN_HOLDS: Duration = Duration::from_secs(14 * 60 + 30);

/// All live answers of this process.
pub(crate) struct LiveStatus {
    dispatcher: Arc<Dispatcher>,
    settings: LiveSettings,
    kept: Arc<dyn LiveMessages>,
    open: LiveSessions,
    shutdown: CancellationToken,
    running: TaskTracker,
}

/// A live answer whose first version is being sent.
pub(crate) struct PendingLive {
    shown: LiveTarget,
    of: LiveOwner,
    until: Instant,
}

impl LiveStatus {
    /// Cancelled by this token and awaited through this tracker.
    pub(crate) fn new(
        dispatcher: Arc<Dispatcher>,
        settings: LiveSettings,
        kept: Arc<dyn LiveMessages>,
        shutdown: CancellationToken,
        running: TaskTracker,
    ) -> Self {
        Self { dispatcher, settings, kept, open: LiveSessions::default(), shutdown, running }
    }

    /// Starts or ends a live answer, if this answer asks for it. Returns the answer with a note on the outcome, and
    /// the live answer to follow once this one is delivered.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        http: &Arc<Http>,
        asked: &Interaction,
        token: &str,
        answer: Answer,
    ) -> (Answer, Option<PendingLive>) {
        let done = match &answer.provenance {
            Provenance::Command(receipt) => receipt.facts().outcome == Outcome::Done,
            Provenance::Turn(_) | Provenance::Host => false,
        };
        match (answer.reply.live.filter(|_| done), self.channel(asked.place)) {
            (None, _) => (answer, None),
            (Some(false), _) => (self.end(asked, answer), None),
            (Some(true), Some(channel)) => (Box::pin(self.begin_in(channel, http, asked, answer)).await, None),
            (Some(true), None) => self.begin_for_person(asked, token, answer),
        }
    }

    /// The channel, if the settings list it for live messages.
    fn channel(&self, place: Place) -> Option<ChannelId> {
        match place {
            Place::Guild { channel, .. } | Place::Direct { channel } => {
                Some(channel).filter(|channel| self.settings.channels.contains(channel))
            }
            Place::Console => None,
        }
    }

    fn begin_for_person(&self, asked: &Interaction, token: &str, answer: Answer) -> (Answer, Option<PendingLive>) {
        let left = left(asked.sent, SystemTime::now());
        let until = clock_time(SystemTime::now() + left);
        let language = asked.caller.language;
        let first = noted(&answer, &say!(language, "live-on", seconds = self.settings.every.as_secs(), until = until));
        let target = Target::Original { token: token.to_owned() };
        let shown = LiveTarget { target, asked: asked.clone(), last: Some(answer) };
        (first, Some(PendingLive { shown, of: LiveOwner::Person(asked.caller.id), until: Instant::now() + left }))
    }

    /// Keeps an answer up to date from now on.
    pub(crate) fn follow(self: &Arc<Self>, http: &Arc<Http>, pending: PendingLive) {
        let PendingLive { shown, of, until } = pending;
        let (number, ended) = self.open.add_for_person(of);
        info!(user.id = shown.asked.caller.id.0, "an answer is kept up to date");
        self.spawn(http, shown, Following { number, ended, until: Some(until), first: self.settings.every });
    }

    /// Sends the channel's live message, and says where it is.
    async fn begin_in(
        self: &Arc<Self>,
        channel: ChannelId,
        http: &Arc<Http>,
        asked: &Interaction,
        answer: Answer,
    ) -> Answer {
        let language = asked.caller.language;
        let instead = |text: String| Answer {
            reply: Reply { source: answer.reply.source.clone(), ..Reply::text(text) },
            audience: Audience::Asker,
            provenance: answer.provenance.clone(),
        };
        let Some((number, ended)) = self.open.add_for_channel(channel) else {
            return instead(say!(language, "live-channel-has-one"));
        };
        let note = say!(language, "live-channel-note", seconds = self.settings.every.as_secs());
        let Some(post) = without_components(&noted(&answer, &note), language) else { return answer };
        let body = post.alone(format!("{}-l", asked.id.0));
        let to = serenity::all::ChannelId::new(channel.0);
        let message = match twice(|| http.send_message(to, post.files(), &body)).await {
            Ok(message) => message.id,
            Err(problem) => {
                warn!(channel.id = channel.0, error = describe(&problem), "could not send a live message");
                self.open.remove(number);
                return noted(&answer, &say!(language, "live-channel-refused"));
            }
        };
        let kept = LiveMessage { message: message.get(), interaction: asked.clone() };
        if let Err(problem) = self.kept.remember(&kept).await {
            warn!(channel.id = channel.0, error = %problem, "a live message lasts only until the next restart");
        }
        let link = link(asked.place, message);
        let shown =
            LiveTarget { target: Target::Message { channel: to, id: message }, asked: asked.clone(), last: None };
        self.spawn(http, shown, Following { number, ended, until: None, first: self.settings.every });
        instead(say!(language, "live-channel-on", link = link))
    }

    /// Ends the live message of this channel, or the caller's own, if they may.
    fn end(&self, asked: &Interaction, answer: Answer) -> Answer {
        let language = asked.caller.language;
        let note = match self.channel(asked.place).filter(|channel| self.open.has(LiveOwner::Channel(*channel))) {
            Some(_) if !self.dispatcher.is_operator(&asked.caller, asked.place) => {
                say!(language, "live-operators-only")
            }
            Some(channel) if self.open.end(LiveOwner::Channel(channel), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            None if self.open.end(LiveOwner::Person(asked.caller.id), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            Some(_) | None => say!(language, "live-none"),
        };
        noted(&answer, &note)
    }

    /// Resumes the live messages of channels, and ends those whose channel is no longer listed.
    pub(crate) async fn resume(self: Arc<Self>, http: Arc<Http>) {
        let kept = match self.kept.remembered().await {
            Ok(kept) => kept,
            Err(problem) => {
                warn!(error = %problem, "the live messages of channels are not known; none is taken up");
                return;
            }
        };
        for LiveMessage { message, interaction: asked } in kept {
            let (Place::Guild { channel, .. } | Place::Direct { channel }) = asked.place else { continue };
            let Some((number, ended)) = self.open.add_for_channel(channel) else { continue };
            let (id, to) = (MessageId::new(message.max(1)), serenity::all::ChannelId::new(channel.0.max(1)));
            if self.channel(asked.place).is_none() {
                self.open.end(LiveOwner::Channel(channel), StopReason::Unlisted);
            }
            info!(channel.id = channel.0, "a live message is taken up again");
            let shown = LiveTarget { target: Target::Message { channel: to, id }, asked, last: None };
            self.spawn(&http, shown, Following { number, ended, until: None, first: Duration::ZERO });
        }
    }

    fn spawn(self: &Arc<Self>, http: &Arc<Http>, shown: LiveTarget, following: Following) {
        let (live, http) = (Arc::clone(self), Arc::clone(http));
        self.running.spawn(async move {
            let number = following.number;
            live.keep(&http, shown, following).await;
            live.open.remove(number);
        });
    }

    /// Refreshes a message until something ends it, then shows why it ended.
    async fn keep(&self, http: &Http, mut shown: LiveTarget, mut following: Following) {
        let mut next = Instant::now() + following.first;
        let end = loop {
            let until = following.until;
            tokio::select! {
                biased;
                end = &mut following.ended => break end.unwrap_or(StopReason::Asked),
                () = self.shutdown.cancelled() => break StopReason::Leaving,
                () = sleep_until(until.unwrap_or(next).min(next)) => {}
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                break StopReason::Time;
            }
            next = Instant::now() + self.settings.every;
            match self.refresh(http, &mut shown).await {
                Refreshed::Shown => {}
                Refreshed::Denied(why) => break StopReason::Denied(why),
                Refreshed::Gone => {
                    info!("a live message is gone; it is not refreshed any more");
                    return self.forget(&shown).await;
                }
            }
        };
        let is_of_channel = matches!(shown.target, Target::Message { .. });
        if is_of_channel && end == StopReason::Leaving {
            // It continues after the restart.
            return;
        }
        if is_of_channel {
            self.forget(&shown).await;
            if shown.last.is_none() {
                shown.last = match self.run(&shown.asked).await {
                    Refresh::Ran(answer) | Refresh::Denied(answer) => Some(*answer),
                    Refresh::NotNow => None,
                };
            }
        }
        info!(end = end.name(), "a live message ended");
        let Some(last) = &shown.last else { return };
        let note = end_note(&end, shown.asked.caller.language, &clock_time(SystemTime::now()));
        let _shown = shown.edit(http, &noted(last, &note)).await;
    }

    /// Runs the command once more and shows its answer.
    async fn refresh(&self, http: &Http, shown: &mut LiveTarget) -> Refreshed {
        let answer = match self.run(&shown.asked).await {
            Refresh::Ran(answer) => *answer,
            Refresh::Denied(answer) => return Refreshed::Denied(answer.reply.plain()),
            // Another process of this bot has it and shows it too, or the next refresh will work.
            Refresh::NotNow => return Refreshed::Shown,
        };
        let (language, seconds) = (shown.asked.caller.language, self.settings.every.as_secs());
        let note = match &shown.target {
            Target::Original { .. } => {
                let until = clock_time(shown.asked.sent + TOKEN_HOLDS);
                say!(language, "live-on", seconds = seconds, until = until)
            }
            Target::Message { .. } => say!(language, "live-channel-note", seconds = seconds),
        };
        let edited = shown.edit(http, &noted(&answer, &note)).await;
        shown.last = Some(answer);
        match edited {
            Edited::Gone => Refreshed::Gone,
            Edited::Done | Edited::Failed => Refreshed::Shown,
        }
    }

    /// Runs the same command for the same caller, as an event of its own: there is one id a second.
    async fn run(&self, asked: &Interaction) -> Refresh {
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let n = u32::try_from(second).unwrap_or(u32::MAX);
        let again = Interaction { id: EventId::of_call(asked.id, n), sent: now, ..asked.clone() };
        self.dispatcher.refresh(&Inbound::Interaction(again)).await
    }

    async fn forget(&self, shown: &LiveTarget) {
        let Target::Message { id, .. } = shown.target else { return };
        let kept = LiveMessage { message: id.get(), interaction: shown.asked.clone() };
        if let Err(problem) = self.kept.forget(&kept).await {
            warn!(error = %problem, "a live message that is over could not be forgotten");
        }
    }
}

/// A message that is being followed.
struct Following {
    /// Its number among the open ones.
    number: u64,
    /// Receives the reason to end it.
    ended: Receiver<StopReason>,
    /// When its token expires, if it has one.
    until: Option<Instant>,
    /// How long until the first refresh.
    first: Duration,
}

/// The outcome of a refresh.
enum Refreshed {
    /// Shown, or to be shown with the next refresh.
    Shown,
    /// The command may no longer run, for this reason.
    Denied(String),
    /// The message no longer exists.
    Gone,
}

/// How long a response may still be edited. A clock that is off makes it no longer than a token is valid.
fn left(sent: SystemTime, now: SystemTime) -> Duration {
    TOKEN_HOLDS.saturating_sub(now.duration_since(sent).unwrap_or_default())
}

fn end_note(end: &StopReason, language: Language, at: &str) -> String {
    match end {
        StopReason::Time => say!(language, "live-ended-time", at = at),
        StopReason::Replaced => say!(language, "live-ended-replaced", at = at),
        StopReason::Crowded => say!(language, "live-ended-crowded", at = at),
        StopReason::Asked => say!(language, "live-ended-asked", at = at),
        StopReason::Leaving => say!(language, "live-ended-leaving", at = at),
        StopReason::Unlisted => say!(language, "live-ended-unlisted", at = at),
        StopReason::Denied(why) => say!(language, "live-ended-denied", at = at, why = why.as_str()),
    }
}

/// The link to a message. See Discord's documentation, message links.
fn link(place: Place, message: MessageId) -> String {
    match place {
        Place::Guild { guild, channel } => format!("https://discord.com/channels/{guild}/{channel}/{message}"),
        Place::Direct { channel } => format!("https://discord.com/channels/@me/{channel}/{message}"),
        Place::Console => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn every_end_is_told_in_every_language() {
        let ends = [
            StopReason::Time,
            StopReason::Replaced,
            StopReason::Crowded,
            StopReason::Asked,
            StopReason::Leaving,
            StopReason::Unlisted,
            StopReason::Denied("You may not.".to_owned()),
        ];
        for language in Language::all() {
            for end in &ends {
                let note = end_note(end, language, "12:03:04 UTC");
                assert!(note.contains("12:03:04 UTC") && !note.contains('⟨'), "{language}: {note}");
            }
        }
    }
}
