//! How much modules have run for events.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use candor_core::contract::Owner;
use candor_core::inbound::GuildId;

/// How often each module has something run in a guild within a [`WINDOW`]. A raid of joining accounts is not greeted.
const AT_ONCE_MAX: u32 = 20;

/// The time for that.
const WINDOW: Duration = Duration::from_secs(60);

/// The most modules and guilds that are counted within a window. Beyond, nothing is run until it is over.
const COUNTED_MAX: usize = 10_000;

/// How much modules had run lately.
#[derive(Default)]
pub(super) struct EventPace(Mutex<Window>);

struct Window {
    since: SystemTime,
    runs: BTreeMap<(Owner, GuildId), u32>,
}

impl Default for Window {
    fn default() -> Self {
        Self { since: SystemTime::UNIX_EPOCH, runs: BTreeMap::new() }
    }
}

impl EventPace {
    /// Counts a run of this module in this guild, and says whether it is not one too many.
    pub(super) fn admits(&self, owner: &Owner, guild: GuildId, now: SystemTime) -> bool {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.duration_since(window.since).map_or(true, |age| WINDOW <= age) {
            *window = Window { since: now, runs: BTreeMap::new() };
        }
        let key = (owner.clone(), guild);
        if COUNTED_MAX <= window.runs.len() && !window.runs.contains_key(&key) {
            return false;
        }
        let n = window.runs.entry(key).or_default();
        *n = n.saturating_add(1);
        *n <= AT_ONCE_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_has_so_much_run_in_each_guild_within_a_minute() {
        let (pace, start) = (EventPace::default(), SystemTime::UNIX_EPOCH + WINDOW * 100);
        let [welcome, other] = ["welcome", "other"].map(|name| Owner::Module(name.to_owned()));
        for n in 1..=AT_ONCE_MAX + 5 {
            assert_eq!(pace.admits(&welcome, GuildId(1), start), n <= AT_ONCE_MAX, "{n}");
        }
        assert!(pace.admits(&welcome, GuildId(2), start) && pace.admits(&other, GuildId(1), start));
        assert!(!pace.admits(&welcome, GuildId(1), start + WINDOW / 2));
        assert!(pace.admits(&welcome, GuildId(1), start + WINDOW));
        // More guilds than are counted wait for the next window.
        (0..COUNTED_MAX as u64 + 1).for_each(|guild| {
            pace.admits(&other, GuildId(guild), start + WINDOW);
        });
        assert!(!pace.admits(&welcome, GuildId(u64::MAX), start + WINDOW));
        assert!(pace.admits(&welcome, GuildId(u64::MAX), start + WINDOW * 2));
    }
}
