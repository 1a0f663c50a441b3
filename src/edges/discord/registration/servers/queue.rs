//! The guilds whose sets are to be compared: first those where people wait, then the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use candor_core::inbound::GuildId;

/// The waits before a guild is retried after an outage. The last one is repeated.
const TRY_AGAIN: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// Whether the stored state counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// It counts: a set that the store says is in place costs no request.
    Trust,
    Read,
}

/// The guilds to compare. Each is in it once at most.
#[derive(Default)]
pub(super) struct Queue {
    /// The guilds where people wait.
    first: BTreeMap<GuildId, Look>,
    rest: BTreeMap<GuildId, Look>,
    /// The guilds being compared now; a guild is never compared twice at once.
    running: BTreeSet<GuildId>,
    later: BTreeMap<GuildId, Instant>,
    failures: BTreeMap<GuildId, usize>,
}

impl Queue {
    /// Compares all of these, after guilds that are requested meanwhile.
    pub(super) fn all(&mut self, guilds: impl IntoIterator<Item = GuildId>) {
        self.rest.extend(guilds.into_iter().map(|guild| (guild, Look::Trust)));
    }

    pub(super) fn next(&mut self, guild: GuildId, look: Look) {
        let look = self.rest.remove(&guild).unwrap_or(look).max(look);
        let waiting = self.first.entry(guild).or_insert(look);
        *waiting = look.max(*waiting);
    }

    pub(super) fn forget(&mut self, guild: GuildId) {
        self.first.remove(&guild);
        self.rest.remove(&guild);
        self.later.remove(&guild);
        self.failures.remove(&guild);
    }

    pub(super) fn take(&mut self) -> Option<(GuildId, Look)> {
        let is_free = |(guild, look): (&GuildId, &Look)| (!self.running.contains(guild)).then_some((*guild, *look));
        let (guild, look) = self.first.iter().find_map(is_free).or_else(|| self.rest.iter().find_map(is_free))?;
        self.first.remove(&guild);
        self.rest.remove(&guild);
        self.later.remove(&guild);
        self.running.insert(guild);
        Some((guild, look))
    }

    /// Marks a comparison as finished. The caller decides whether and when to retry.
    pub(super) fn done(&mut self, guild: GuildId, is_fine: bool) {
        self.running.remove(&guild);
        if is_fine {
            self.failures.remove(&guild);
        }
    }

    /// Retries this guild at this time, or after the next wait.
    pub(super) fn again(&mut self, guild: GuildId, at: Option<Instant>) {
        let failed = self.failures.entry(guild).or_default();
        let wait = TRY_AGAIN.get(*failed).or(TRY_AGAIN.last()).copied().unwrap_or_default();
        *failed += 1;
        self.later.insert(guild, at.unwrap_or_else(|| Instant::now() + wait));
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.later.values().min().copied()
    }

    pub(super) fn due(&mut self) {
        let now = Instant::now();
        let due: Vec<_> = self.later.iter().filter(|(_, at)| **at <= now).map(|(guild, _)| *guild).collect();
        for guild in due {
            self.later.remove(&guild);
            self.rest.insert(guild, Look::Read);
        }
    }

    /// Returns whether every guild was compared, and no retry is pending.
    pub(super) fn is_done(&self) -> bool {
        self.first.is_empty() && self.rest.is_empty() && self.running.is_empty() && self.later.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUILDS: [GuildId; 3] = [GuildId(1), GuildId(2), GuildId(3)];

    #[test]
    fn what_somebody_waits_for_comes_first_and_no_guild_is_compared_twice_at_once() {
        let mut queue = Queue::default();
        queue.all(GUILDS);
        queue.next(GuildId(3), Look::Read);
        assert_eq!(queue.take(), Some((GuildId(3), Look::Read)));
        queue.next(GuildId(3), Look::Trust);
        assert_eq!(queue.take(), Some((GuildId(1), Look::Trust)));
        assert_eq!(queue.take(), Some((GuildId(2), Look::Trust)));
        assert_eq!(queue.take(), None, "it is under way");
        queue.done(GuildId(3), true);
        assert_eq!(queue.take(), Some((GuildId(3), Look::Trust)));
        GUILDS.into_iter().for_each(|guild| queue.done(guild, true));
        assert!(queue.is_done());
    }

    #[tokio::test(start_paused = true)]
    async fn what_failed_is_tried_again_after_longer_and_longer_waits() {
        let mut queue = Queue::default();
        for wait in [2, 10, 60, 300, 300] {
            queue.again(GuildId(1), None);
            assert_eq!(queue.next_due(), Some(Instant::now() + Duration::from_secs(wait)));
            assert!(!queue.is_done());
            tokio::time::advance(Duration::from_secs(wait)).await;
            queue.due();
            assert_eq!(queue.take(), Some((GuildId(1), Look::Read)));
            queue.done(GuildId(1), false);
        }
        queue.done(GuildId(1), true);
        queue.again(GuildId(1), None);
        assert_eq!(queue.next_due(), Some(Instant::now() + Duration::from_secs(2)));
    }
}
