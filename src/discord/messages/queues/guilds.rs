//! Caches which guilds the bot is in, for calls that a guild scheduled itself: Discord is not asked at each call.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::rest::{Rest, STANDS_FOR, Standing, standing_of_guild};
use candor_core::inbound::{Caller, GuildId, Place};

/// The maximum number of remembered guilds. For others, Discord is asked more often.
const GUILDS_MAX: usize = 10_000;

/// When Discord last confirmed that the bot is in a guild.
#[derive(Default)]
pub(crate) struct FoundIn(Mutex<HashMap<GuildId, Instant>>);

impl FoundIn {
    pub(super) async fn standing(&self, rest: &Rest, caller: &Caller, place: Place) -> Standing {
        let Place::Guild { guild, .. } = place else { return Standing::Left };
        if self.is_known(guild, Instant::now()) {
            return Standing::Here(caller.clone());
        }
        let standing = standing_of_guild(rest, caller, place).await;
        match &standing {
            Standing::Here(_) => self.found(guild, Instant::now()),
            Standing::Left | Standing::Unknown => {}
        }
        standing
    }

    fn is_known(&self, guild: GuildId, now: Instant) -> bool {
        self.all().get(&guild).is_some_and(|found| holds(*found, now))
    }

    fn found(&self, guild: GuildId, now: Instant) {
        let mut all = self.all();
        if GUILDS_MAX <= all.len() {
            all.retain(|_, found| holds(*found, now));
        }
        if all.len() < GUILDS_MAX {
            all.insert(guild, now);
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<GuildId, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn holds(found: Instant, now: Instant) -> bool {
    now.saturating_duration_since(found) < STANDS_FOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guild_is_known_for_an_hour_and_so_many_are_at_once() {
        let found = FoundIn::default();
        let start = Instant::now();
        let later = start + STANDS_FOR;
        (0..GUILDS_MAX as u64).for_each(|guild| found.found(GuildId(guild), start));
        assert!(found.is_known(GuildId(0), start) && !found.is_known(GuildId(0), later));
        found.found(GuildId(u64::MAX), start);
        assert!(!found.is_known(GuildId(u64::MAX), start), "there is no room");
        found.found(GuildId(u64::MAX), later);
        assert!(found.is_known(GuildId(u64::MAX), later));
        assert_eq!(found.all().len(), 1);
    }
}
