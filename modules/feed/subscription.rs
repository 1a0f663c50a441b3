//! A guild's feed as stored: the entries seen so far, and the time of its next look.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::page::{ENTRIES_MAX, Entry, Page};
use candor_core::contract::Validators;
use candor_core::inbound::ChannelId;

pub(super) const INTERVAL: Duration = Duration::from_secs(30 * 60);

/// The longest pause, for a feed that fails again and again.
const PAUSE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// A look that is late by more than this was lost with a failed run.
const LOST_AFTER: Duration = Duration::from_secs(2 * 3_600);

/// An entry this many seconds older than the feed's addition is never new, even if it appears later.
const BEFORE_MAX: u64 = 24 * 3_600;

/// How many entries are remembered: those of the last look, and as many that a feed may have removed for a while.
const SEEN_MAX: usize = 2 * ENTRIES_MAX;

/// A feed. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredFeed {
    /// The address as given.
    pub(super) address: String,
    /// The id of the channel for its entries, in this guild.
    channel: u64,
    since: u64,
    pub(super) read: u64,
    /// When the next look is due. A scheduled call for another time is obsolete.
    next: u64,
    /// For conditional requests.
    pub(super) validators: Validators,
    /// Marks of the entries already seen.
    seen: Vec<String>,
    /// Failed reads in a row.
    pub(super) failed: u32,
    /// The last failure, as shown to the person who added the feed.
    pub(super) why: Option<String>,
}

impl StoredFeed {
    /// Creates a feed that was just read. All its entries count as seen.
    pub(super) fn new(
        address: String,
        channel: ChannelId,
        page: &Page,
        validators: Validators,
        now: SystemTime,
    ) -> Self {
        let channel = channel.0;
        let now_s = seconds(now);
        let mut kept = Self {
            address,
            channel,
            since: now_s,
            read: now_s,
            next: now_s,
            validators: Validators::default(),
            seen: Vec::new(),
            failed: 0,
            why: None,
        };
        kept.was_read(Some((page, validators)), now);
        kept
    }

    pub(super) fn channel(&self) -> ChannelId {
        ChannelId(self.channel)
    }

    pub(super) fn next(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.next)
    }

    pub(super) fn news<'a>(&self, page: &'a Page) -> Vec<&'a Entry> {
        let seen: BTreeSet<_> = self.seen.iter().collect();
        let is_old = |entry: &Entry| entry.at.is_some_and(|at| at.saturating_add(BEFORE_MAX) < self.since);
        page.entries.iter().filter(|entry| !seen.contains(&entry.mark) && !is_old(entry)).collect()
    }

    /// Records a successful read; all entries count as seen now. `None`: the feed is unchanged.
    pub(super) fn was_read(&mut self, changed: Option<(&Page, Validators)>, now: SystemTime) {
        if let Some((page, validators)) = changed {
            let there: BTreeSet<_> = page.entries.iter().map(|entry| &entry.mark).collect();
            let before = self.seen.iter().filter(|mark| !there.contains(mark));
            // Newest first, so that `take` drops the oldest.
            let marks = page.entries.iter().rev().map(|entry| &entry.mark).chain(before);
            self.seen = marks.take(SEEN_MAX).cloned().collect();
            self.validators = validators;
        }
        (self.failed, self.why, self.read) = (0, None, seconds(now));
        self.look_after(INTERVAL, now);
    }

    /// Records a failed read or a failed post, and doubles the pause.
    pub(super) fn was_not_read(&mut self, why: String, now: SystemTime) {
        self.failed = self.failed.saturating_add(1);
        self.why = Some(why);
        let pause = INTERVAL.saturating_mul(2_u32.saturating_pow(self.failed));
        self.look_after(pause.min(PAUSE_MAX), now);
    }

    /// Returns whether its next look was lost.
    pub(super) fn is_lost(&self, now: SystemTime) -> bool {
        now.duration_since(self.next()).is_ok_and(|late| LOST_AFTER < late)
    }

    /// Schedules the next look after this pause.
    pub(super) fn look_after(&mut self, pause: Duration, now: SystemTime) {
        self.next = seconds(now).saturating_add(pause.as_secs());
    }
}

fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
