//! Keeps live messages up to date until they end, and takes over those that no process edits.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serenity::all::MessageId;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

use crate::live::sessions::{LiveOwner, StopReason};
use crate::live::status::{Following, LiveStatus, TOKEN_HOLDS};
use crate::live::target::{LiveTarget, Target, is_unreachable};
use crate::rest::{RIGHTS_STAND_FOR, Rest, STANDS_FOR, Standing, standing, twice};
use candor_core::inbound::{CallMethod, ChannelId, EventId, Inbound, Interaction, Place};
use candor_core::language::{Language, say};
use candor_core::reply::clock_time;
use candor_engine::LiveMessage;
use candor_engine::dispatch::Refresh;

/// The shortest pause between looks for live messages of ended processes.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Which process edits a message.
enum Editor {
    Ours,
    Elsewhere,
    /// The store fails. This process pauses its edits, because two processes would contradict each other.
    Unknown,
    /// It was ended through another process.
    Ended,
}

enum Refreshed {
    /// Shown, or to be shown with the next refresh.
    Shown,
    Denied(String),
    Gone,
}

impl LiveStatus {
    /// Repeatedly takes over the live messages of channels that no process edits, until the bot stops. Ends those whose
    /// channel is no longer listed.
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
                warn!(error = %problem, "could not read the live messages of channels; not resuming them");
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
            let id = MessageId::new(message.max(1));
            let to = serenity::all::ChannelId::new(channel.0.max(1));
            if self.channel(asked.place).is_none() {
                self.open.end(LiveOwner::Channel(channel), StopReason::Unlisted);
            }
            info!(channel.id = %channel.0, "a live message is resumed");
            let shown = LiveTarget { target: Target::Message { channel: to, id }, asked, known: None, last: None };
            let first = Duration::ZERO;
            self.spawn(rest, shown, Following { number, ended, until: None, first, is_kept: true });
        }
    }

    pub(super) fn spawn(self: &Arc<Self>, rest: &Arc<Rest>, shown: LiveTarget, following: Following) {
        let live = Arc::clone(self);
        let rest = Arc::clone(rest);
        self.running.spawn(async move {
            let number = following.number;
            live.keep(&rest, shown, following).await;
            live.open.remove(number);
        });
    }

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
                Editor::Ours => {}
                Editor::Unknown => continue,
                Editor::Ended => break StopReason::Asked,
                Editor::Elsewhere => {
                    info!("another process edits a live message");
                    return;
                }
            }
            match self.refresh(rest, &mut shown, &following).await {
                Refreshed::Shown => {}
                Refreshed::Denied(why) => break StopReason::Denied(why),
                Refreshed::Gone => {
                    info!("a live message is gone and is no longer refreshed");
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
                    Refresh::NotNow | Refresh::Elsewhere | Refresh::PutOff => None,
                };
            }
        }
        // The next one may begin before this one shows that it ended.
        self.open.remove(following.number);
        info!(end = end.name(), "a live message ended");
        let Some(last) = &shown.last else { return };
        let note = end_note(&end, shown.asked.caller.language, &clock_time(SystemTime::now()));
        let last = last.clone().with_line(note);
        let _is_gone = is_unreachable(twice(|| shown.edit(rest, &last)).await);
    }

    /// Renews the lease of a channel's message and checks whether it has ended.
    async fn standing(&self, shown: &LiveTarget, following: &Following) -> Editor {
        let Target::Message { channel, id } = shown.target else { return Editor::Ours };
        let channel = ChannelId(channel.get());
        match self.has_lease(channel).await {
            Some(true) => {}
            Some(false) => return Editor::Elsewhere,
            None => return Editor::Unknown,
        }
        match self.kept_of(channel).await {
            Ok(kept) if following.is_kept && kept.as_ref().is_none_or(|kept| kept.message != id.get()) => Editor::Ended,
            Ok(_) | Err(_) => Editor::Ours,
        }
    }

    /// Runs the command once more and shows its answer. Looks up its caller's rights again now and then.
    async fn refresh(&self, rest: &Rest, shown: &mut LiveTarget, following: &Following) -> Refreshed {
        let stands_for = if self.dispatcher.asks_for_member(&shown.asked) { RIGHTS_STAND_FOR } else { STANDS_FOR };
        if shown.known.is_none_or(|since| stands_for <= since.elapsed()) {
            let language = shown.asked.caller.language;
            match standing(rest, &shown.asked.caller, shown.asked.place).await {
                Standing::Here(caller) => (shown.asked.caller, shown.known) = (caller, Some(Instant::now())),
                Standing::Left => return Refreshed::Denied(say!(language, "live-left")),
                // Do not run it for a person who may have lost the right to it.
                Standing::Unknown => return Refreshed::Shown,
            }
        }
        let answer = match self.run(&shown.asked).await {
            Refresh::Ran(answer) => *answer,
            Refresh::Denied(answer) => return Refreshed::Denied(answer.reply.plain()),
            // Another process of this bot has it and shows it too, or the next refresh will work.
            Refresh::NotNow | Refresh::Elsewhere | Refresh::PutOff => return Refreshed::Shown,
        };
        let language = shown.asked.caller.language;
        let seconds = self.settings.every.as_secs();
        let note = match &shown.target {
            Target::Original { .. } => {
                let until = clock_time(shown.asked.sent + TOKEN_HOLDS);
                say!(language, "live-on", seconds = seconds, until = until)
            }
            Target::Message { .. } => say!(language, "live-channel-note", seconds = seconds),
        };
        let noted = answer.clone().with_line(note);
        // A try may wait for minutes. Another process may have taken the message over meanwhile, and shown more recent
        // content or its end.
        let target = &*shown;
        let edit = || async {
            match self.standing(target, following).await {
                Editor::Ours => target.edit(rest, &noted).await,
                Editor::Elsewhere | Editor::Unknown | Editor::Ended => Ok(()),
            }
        };
        let is_gone = is_unreachable(twice(edit).await);
        shown.last = Some(answer);
        if is_gone { Refreshed::Gone } else { Refreshed::Shown }
    }

    async fn run(&self, asked: &Interaction) -> Refresh {
        self.dispatcher.refresh(&Inbound::Interaction(again(asked, SystemTime::now()))).await
    }
}

/// Copies the call as another event, with one id per second. The method is that of a press, so that current permissions
/// count: Discord's picker checked only the first call.
fn again(asked: &Interaction, now: SystemTime) -> Interaction {
    let second = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let n = u32::try_from(second).unwrap_or(u32::MAX);
    Interaction { id: EventId::of_call(asked.id, n), method: CallMethod::Pressed, sent: now, ..asked.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::inbound::{Caller, CommandType, UserId};

    #[test]
    fn h2_a_refresh_counts_as_a_press_whose_permissions_are_compared() {
        let asked = Interaction {
            id: EventId(1),
            caller: Caller::new(UserId(7), "ann"),
            place: Place::Direct { channel: ChannelId(5) },
            method: CallMethod::Picked,
            command_type: CommandType::Slash,
            path: vec!["status".to_owned()],
            arguments: serde_json::Map::new(),
            target: None,
            sent: UNIX_EPOCH,
        };
        let first = again(&asked, UNIX_EPOCH);
        let second = again(&asked, UNIX_EPOCH + Duration::from_secs(1));
        assert_eq!((first.method, second.method), (CallMethod::Pressed, CallMethod::Pressed));
        assert!(first.id != asked.id && first.id != second.id);
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
