//! Live answers (`/status live: true`): kept up to date by editing.
//!
//! The response to an interaction is edited until the interaction's token expires, 15 minutes after it came. In a
//! channel that the settings list, a message of the bot is edited instead, until somebody ends it, also across
//! restarts. Each refresh runs the same command for the same caller, and has a receipt of its own.

mod sessions;
mod target;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serenity::all::MessageId;
use tokio::sync::oneshot::Receiver;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::edges::discord::render::posts::without_components;
use crate::edges::discord::rest::{Rest, twice};
use crate::host::dispatch::{Dispatcher, Refresh};
use crate::host::{LiveMessage, LiveMessages};
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId, Inbound, Interaction, Place};
use candor_core::language::{Language, say};
use candor_core::record::Outcome;
use candor_core::reply::{Answer, Audience, Provenance, clock_time};
use candor_core::settings::LiveSettings;
use sessions::{LiveOwner, LiveSessions, StopReason};
use target::{Edited, LiveTarget, Target};

/// How long an interaction's token is used. It is valid for 15 minutes; the last edit, which says that it is over,
/// needs some of them.
const TOKEN_HOLDS: Duration = Duration::from_secs(14 * 60 + 30);

/// How soon after the end of another process its live messages are looked for, at the earliest.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// What a refresh may take beside its interval before another process takes over: a command's time and an edit's.
const LEASE_SLACK: Duration = Duration::from_secs(60);

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
        rest: &Arc<Rest>,
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
            (Some(false), _) => (self.end(asked, answer).await, None),
            (Some(true), Some(channel)) => (Box::pin(self.begin_in(channel, rest, asked, answer)).await, None),
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
        let note = say!(language, "live-on", seconds = self.settings.every.as_secs(), until = until);
        let first = answer.clone().with_line(note);
        let target = Target::Original { token: token.to_owned() };
        let shown = LiveTarget { target, asked: asked.clone(), last: Some(answer) };
        (first, Some(PendingLive { shown, of: LiveOwner::Person(asked.caller.id), until: Instant::now() + left }))
    }

    /// Keeps an answer up to date from now on.
    pub(crate) fn follow(self: &Arc<Self>, rest: &Arc<Rest>, pending: PendingLive) {
        let PendingLive { shown, of, until } = pending;
        let (number, ended) = self.open.add_for_person(of);
        info!(user.id = shown.asked.caller.id.0, "an answer is kept up to date");
        let (until, first) = (Some(until), self.settings.every);
        self.spawn(rest, shown, Following { number, ended, until, first, is_kept: false });
    }

    /// Sends the channel's live message, and says where it is.
    async fn begin_in(
        self: &Arc<Self>,
        channel: ChannelId,
        rest: &Arc<Rest>,
        asked: &Interaction,
        answer: Answer,
    ) -> Answer {
        let language = asked.caller.language;
        let instead = |text: String| answer.clone().withheld(text).shown_to(Audience::Asker);
        let Some((number, ended)) = self.open.add_for_channel(channel) else {
            return instead(say!(language, "live-channel-has-one"));
        };
        match self.has_lease(channel).await {
            Some(true) => {}
            Some(false) => {
                self.open.remove(number);
                return instead(say!(language, "live-channel-has-one"));
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
                warn!(channel.id = channel.0, error = %problem, "could not send a live message");
                self.give_back(channel).await;
                self.open.remove(number);
                return answer.with_line(say!(language, "live-channel-refused"));
            }
        };
        let kept = LiveMessage { message: message.get(), interaction: asked.clone() };
        let remembered = self.kept.remember(&kept).await;
        if let Err(problem) = &remembered {
            warn!(channel.id = channel.0, error = %problem, "a live message lasts only until the next restart");
        }
        let link = link(asked.place, message);
        let shown =
            LiveTarget { target: Target::Message { channel: to, id: message }, asked: asked.clone(), last: None };
        let (every, is_kept) = (self.settings.every, remembered.is_ok());
        self.spawn(rest, shown, Following { number, ended, until: None, first: every, is_kept });
        instead(say!(language, "live-channel-on", link = link))
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
            Some(_) if !self.dispatcher.is_operator(&asked.caller, asked.place) => {
                say!(language, "live-operators-only")
            }
            Some(channel) if self.open.end(LiveOwner::Channel(channel), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            // The process that edits it finds it forgotten, and says that it is over.
            Some(_) if self.forgotten(elsewhere.as_ref()).await => say!(language, "live-stopped"),
            None if self.open.end(LiveOwner::Person(asked.caller.id), StopReason::Asked) => {
                say!(language, "live-stopped")
            }
            Some(_) | None => say!(language, "live-none"),
        };
        answer.with_line(note)
    }

    /// Takes up the live messages of channels that no process edits, now and again and again until the bot stops, and
    /// ends those whose channel is no longer listed.
    pub(crate) async fn resume(self: Arc<Self>, rest: Arc<Rest>) {
        loop {
            self.take_up(&rest).await;
            let pause = sleep(self.settings.every.max(LOOK_AGAIN_AFTER));
            if self.shutdown.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    async fn take_up(self: &Arc<Self>, rest: &Arc<Rest>) {
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
            // It may have ended meanwhile.
            let is_kept =
                async || self.kept_of(channel).await.ok().flatten().is_some_and(|kept| kept.message == message);
            if self.has_lease(channel).await != Some(true) || !is_kept().await {
                self.open.remove(number);
                continue;
            }
            let (id, to) = (MessageId::new(message.max(1)), serenity::all::ChannelId::new(channel.0.max(1)));
            if self.channel(asked.place).is_none() {
                self.open.end(LiveOwner::Channel(channel), StopReason::Unlisted);
            }
            info!(channel.id = channel.0, "a live message is taken up again");
            let shown = LiveTarget { target: Target::Message { channel: to, id }, asked, last: None };
            let first = Duration::ZERO;
            self.spawn(rest, shown, Following { number, ended, until: None, first, is_kept: true });
        }
    }

    fn spawn(self: &Arc<Self>, rest: &Arc<Rest>, shown: LiveTarget, following: Following) {
        let (live, rest) = (Arc::clone(self), Arc::clone(rest));
        self.running.spawn(async move {
            let number = following.number;
            live.keep(&rest, shown, following).await;
            live.open.remove(number);
        });
    }

    /// Refreshes a message until something ends it, then shows why it ended.
    async fn keep(&self, rest: &Rest, mut shown: LiveTarget, mut following: Following) {
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
            match self.standing(&shown, &following).await {
                Standing::Ours => {}
                Standing::Unknown => continue,
                Standing::Ended => break StopReason::Asked,
                Standing::Elsewhere => {
                    info!("another process edits a live message");
                    return;
                }
            }
            match self.refresh(rest, &mut shown).await {
                Refreshed::Shown => {}
                Refreshed::Denied(why) => break StopReason::Denied(why),
                Refreshed::Gone => {
                    info!("a live message is gone; it is not refreshed any more");
                    self.forget(&shown).await;
                    return self.leave(&shown).await;
                }
            }
        };
        let is_of_channel = matches!(shown.target, Target::Message { .. });
        if is_of_channel && end == StopReason::Leaving {
            // It continues after the restart, or in another process.
            return self.leave(&shown).await;
        }
        if is_of_channel {
            self.forget(&shown).await;
            self.leave(&shown).await;
            if shown.last.is_none() {
                shown.last = match self.run(&shown.asked).await {
                    Refresh::Ran(answer) | Refresh::Denied(answer) => Some(*answer),
                    Refresh::NotNow => None,
                };
            }
        }
        // The next one may begin before this one shows that it ended.
        self.open.remove(following.number);
        info!(end = end.name(), "a live message ended");
        let Some(last) = &shown.last else { return };
        let note = end_note(&end, shown.asked.caller.language, &clock_time(SystemTime::now()));
        let _shown = shown.edit(rest, &last.clone().with_line(note)).await;
    }

    /// Renews the lease of a channel's message, and looks whether it has ended.
    async fn standing(&self, shown: &LiveTarget, following: &Following) -> Standing {
        let Target::Message { channel, id } = shown.target else { return Standing::Ours };
        let channel = ChannelId(channel.get());
        match self.has_lease(channel).await {
            Some(true) => {}
            Some(false) => return Standing::Elsewhere,
            None => return Standing::Unknown,
        }
        match self.kept_of(channel).await {
            Ok(kept) if following.is_kept && kept.as_ref().is_none_or(|kept| kept.message != id.get()) => {
                Standing::Ended
            }
            Ok(_) | Err(_) => Standing::Ours,
        }
    }

    /// Whether this process is certain to be the one that edits the live message of a channel. `None` if the store
    /// fails: then nobody knows.
    async fn has_lease(&self, channel: ChannelId) -> Option<bool> {
        let lasts = self.settings.every * 2 + LEASE_SLACK;
        let taken = self.kept.take_lease(&lease_of(channel), lasts, self.dispatcher.now()).await;
        taken
            .inspect_err(|problem| {
                warn!(channel.id = channel.0, error = %problem, "it is not known which process edits a live message");
            })
            .ok()
    }

    /// Lets another process edit the message of a channel.
    async fn leave(&self, shown: &LiveTarget) {
        if let Target::Message { channel, .. } = shown.target {
            self.give_back(ChannelId(channel.get())).await;
        }
    }

    async fn give_back(&self, channel: ChannelId) {
        if let Err(problem) = self.kept.give_back_lease(&lease_of(channel)).await {
            warn!(channel.id = channel.0, error = %problem, "a live message is free for other processes only after a while");
        }
    }

    /// The live message that is stored for a channel.
    async fn kept_of(&self, channel: ChannelId) -> Result<Option<LiveMessage>, ServiceError> {
        let of_channel = |kept: &LiveMessage| match kept.interaction.place {
            Place::Guild { channel: of, .. } | Place::Direct { channel: of } => of == channel,
            Place::Console => false,
        };
        Ok(self.kept.remembered().await?.into_iter().find(of_channel))
    }

    /// Forgets a live message. False if it could not be.
    async fn forgotten(&self, kept: Option<&LiveMessage>) -> bool {
        match kept {
            Some(kept) => self.kept.forget(kept).await.is_ok(),
            None => false,
        }
    }

    /// Runs the command once more and shows its answer.
    async fn refresh(&self, rest: &Rest, shown: &mut LiveTarget) -> Refreshed {
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
        let edited = shown.edit(rest, &answer.clone().with_line(note)).await;
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
    /// It is stored: whoever ends it removes it there.
    is_kept: bool,
}

/// Whether this process goes on editing a message.
enum Standing {
    /// It does.
    Ours,
    /// Another process does.
    Elsewhere,
    /// The store fails. Nobody edits it meanwhile: two processes would contradict each other.
    Unknown,
    /// Somebody ended it, by another process.
    Ended,
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

/// The lease of the process that edits the live message of a channel.
fn lease_of(channel: ChannelId) -> String {
    format!("live:{channel}")
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
