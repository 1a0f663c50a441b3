//! A feed as it is kept among a server's records: what it said so far, and when it is looked at again.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::page::{ENTRIES_MAX, Entry, Page};
use candor_core::contract::Validators;
use candor_core::inbound::ChannelId;

/// The pause between two looks.
pub(super) const INTERVAL: Duration = Duration::from_secs(30 * 60);

/// The longest pause, for a feed that is not read again and again.
const PAUSE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// A look that is late by more than this was lost, with a run that failed.
const LOST_AFTER: Duration = Duration::from_secs(2 * 3_600);

/// An entry that is older than the feed's adding by more than this is not new, whenever it turns up.
const BEFORE_MAX: u64 = 24 * 3_600;

/// How many entries are remembered: those of the last look, and as many that a feed may have taken back for a while.
const SEEN_MAX: usize = 2 * ENTRIES_MAX;

/// A feed. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Its address, as it was given.
    pub(super) address: String,
    /// Where its entries are told: the id of a channel of this server.
    channel: u64,
    /// When it was added.
    since: u64,
    /// When it was read last.
    pub(super) read: u64,
    /// When it is looked at next. A call for another time is of a look that was taken over.
    next: u64,
    /// For asking only whether it changed.
    pub(super) validators: Validators,
    /// The marks of the entries that were there.
    seen: Vec<String>,
    /// How often in a row it was not read.
    pub(super) failed: u32,
    /// Why not, as told to who added it.
    pub(super) why: Option<String>,
}

impl Kept {
    /// A feed that was just read. All that is in it is known.
    pub(super) fn new(
        address: String,
        channel: ChannelId,
        page: &Page,
        validators: Validators,
        now: SystemTime,
    ) -> Self {
        let (channel, now_s) = (channel.0, seconds(now));
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

    /// Where its entries are told.
    pub(super) fn channel(&self) -> ChannelId {
        ChannelId(self.channel)
    }

    /// When it is looked at next.
    pub(super) fn next(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.next)
    }

    /// The entries that are new, oldest first.
    pub(super) fn news<'a>(&self, page: &'a Page) -> Vec<&'a Entry> {
        let seen: BTreeSet<_> = self.seen.iter().collect();
        let is_old = |entry: &Entry| entry.at.is_some_and(|at| at.saturating_add(BEFORE_MAX) < self.since);
        page.entries.iter().filter(|entry| !seen.contains(&entry.mark) && !is_old(entry)).collect()
    }

    /// It was read, and all that is in it is known now. `None`: it is as it was.
    pub(super) fn was_read(&mut self, changed: Option<(&Page, Validators)>, now: SystemTime) {
        if let Some((page, validators)) = changed {
            let there: BTreeSet<_> = page.entries.iter().map(|entry| &entry.mark).collect();
            let before = self.seen.iter().filter(|mark| !there.contains(mark));
            // The newest ones first, so that the oldest ones are forgotten.
            let marks = page.entries.iter().rev().map(|entry| &entry.mark).chain(before);
            self.seen = marks.take(SEEN_MAX).cloned().collect();
            self.validators = validators;
        }
        (self.failed, self.why, self.read) = (0, None, seconds(now));
        self.look_after(INTERVAL, now);
    }

    /// It was not read, or what was new could not be told.
    pub(super) fn was_not_read(&mut self, why: String, now: SystemTime) {
        self.failed = self.failed.saturating_add(1);
        self.why = Some(why);
        let pause = INTERVAL.saturating_mul(2_u32.saturating_pow(self.failed));
        self.look_after(pause.min(PAUSE_MAX), now);
    }

    /// Whether its next look was lost.
    pub(super) fn is_lost(&self, now: SystemTime) -> bool {
        now.duration_since(self.next()).is_ok_and(|late| LOST_AFTER < late)
    }

    /// It is looked at after this pause.
    pub(super) fn look_after(&mut self, pause: Duration, now: SystemTime) {
        self.next = seconds(now).saturating_add(pause.as_secs());
    }
}

fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
