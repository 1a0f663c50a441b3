//! Runs the scheduled commands of modules: checks each minute which times have come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, stream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::messages::queues::guilds::FoundIn;
use crate::rest::{Rest, Standing};
use crate::shared::channels::{GuildsOfChannels, Unplaced};
use candor_core::inbound::{Caller, ChannelId, Place};
use candor_core::language::Language;
use candor_engine::dispatch::Dispatcher;

/// The resolution of a schedule.
const MINUTE: Duration = Duration::from_secs(60);

/// How late a command still runs: after a restart, or after the store failed.
const LATE_MAX: Duration = Duration::from_mins(15);

const AT_ONCE_MAX: usize = 8;

pub(crate) struct ScheduledMessages {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) rest: Arc<Rest>,
    pub(crate) guilds: Arc<GuildsOfChannels>,
    pub(crate) found_in: Arc<FoundIn>,
    /// The bot's language, if a guild has set none.
    pub(crate) language: Language,
}

impl ScheduledMessages {
    pub(crate) async fn send(self, stop: CancellationToken) {
        let mut seen = Seen { before: self.dispatcher.now() - LATE_MAX, by_channel: BTreeMap::new() };
        while !stop.is_cancelled() {
            self.look(&mut seen).await;
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = sleep(until_next_minute(self.dispatcher.now())) => {}
            }
        }
    }

    async fn look(&self, seen: &mut Seen) {
        let now = self.dispatcher.now();
        let channels = self.dispatcher.scheduled_channels(now - LATE_MAX, now);
        seen.by_channel.retain(|channel, _| channels.contains(channel));
        let looks = channels.into_iter().map(|channel| (channel, seen.since(channel, now))).collect::<Vec<_>>();
        let looks = stream::iter(looks).map(|(channel, since)| async move {
            let is_all = self.run_in(channel, since, now).await;
            (channel, if is_all { now } else { since })
        });
        let looked: Vec<_> = looks.buffer_unordered(AT_ONCE_MAX).collect().await;
        seen.by_channel.extend(looked);
        seen.before = now;
    }

    /// Runs the due commands of this channel. Returns whether all ran.
    async fn run_in(&self, channel: ChannelId, since: SystemTime, now: SystemTime) -> bool {
        let guild = match self.guilds.of(&self.rest, channel).await {
            Ok(guild) => guild,
            Err(unplaced) => return unplaced == Unplaced::Nowhere,
        };
        let place = Place::Guild { guild, channel };
        let places = self.dispatcher.chat.talker.places();
        match self.found_in.standing(&self.rest, &Caller::of_guild(self.language), place).await {
            Standing::Here(_) => {}
            Standing::Left => {
                places.forget_channels(guild);
                return true;
            }
            Standing::Unknown => return false,
        }
        let rules = self.dispatcher.chat.rules(place).await;
        let language = places.at(place, &rules).language.unwrap_or(self.language);
        self.dispatcher.run_scheduled(place, &rules, language, since, now).await
    }
}

/// The end of the time range already checked.
struct Seen {
    /// In general.
    before: SystemTime,
    /// In single channels. It can be earlier: failed runs are retried.
    by_channel: BTreeMap<ChannelId, SystemTime>,
}

impl Seen {
    /// Returns the time after which a schedule is new in a channel. A new channel uses the general time.
    fn since(&self, channel: ChannelId, now: SystemTime) -> SystemTime {
        self.by_channel.get(&channel).copied().unwrap_or(self.before).max(now - LATE_MAX)
    }
}

fn until_next_minute(now: SystemTime) -> Duration {
    let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    MINUTE - Duration::from_millis(u64::try_from(since_epoch.as_millis() % MINUTE.as_millis()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_goes_on_where_the_last_one_ended_and_at_most_so_far_back() {
        let start = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let [old, failing, new] = [1, 2, 3].map(ChannelId);
        let by_channel = BTreeMap::from([(old, start), (failing, start - LATE_MAX * 2)]);
        let seen = Seen { before: start - MINUTE, by_channel };
        let since = [old, failing, new].map(|channel| seen.since(channel, start + MINUTE));
        assert_eq!(since, [start, start + MINUTE - LATE_MAX, start - MINUTE]);
    }

    #[test]
    fn the_next_look_is_when_a_minute_begins() {
        for (millis, wanted) in [(0, 60_000), (1, 59_999), (59_999, 1), (60_000, 60_000)] {
            let now = UNIX_EPOCH + Duration::from_millis(1_800_000_000_000 + millis);
            assert_eq!(until_next_minute(now), Duration::from_millis(wanted), "{millis}");
        }
    }
}
