//! Limits the rate of runs that modules start without a caller: for events, schedules and later calls.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use candor_core::contract::Owner;
use candor_core::inbound::{Place, UserId};
use candor_core::record::Outcome;

/// The most runs of one [`Paced`] within a [`WINDOW`], so that a raid of joining accounts is not greeted.
const RUNS_MAX: u32 = 20;

const WINDOW: Duration = Duration::from_secs(60);

/// The most keys counted within a window. Further keys run nothing until it is over.
const PACED_MAX: usize = 10_000;

/// The key under which runs are counted: a module in a guild or a direct message channel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Paced {
    owner: Owner,
    scope: String,
    /// The person of a compiled-in module's later call: many people may want to be reminded at once.
    person: UserId,
}

impl Paced {
    pub(super) fn new(owner: &Owner, place: Place, person: UserId) -> Self {
        Self { owner: owner.clone(), scope: place.scope(), person }
    }
}

/// Counts the runs of a window, and remembers the posted failures.
#[derive(Default)]
pub(super) struct Pace(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    since: Option<SystemTime>,
    runs: BTreeMap<Paced, Runs>,
    /// The failures posted since the last success.
    told: BTreeMap<Paced, Vec<Outcome>>,
}

#[derive(Clone, Copy, Default)]
struct Runs {
    made: u32,
    put_off: u32,
}

impl Pace {
    /// Counts a run. Returns whether it may be made.
    pub(super) fn admits(&self, paced: &Paced, now: SystemTime) -> bool {
        self.with(|counted| {
            counted.begin(now);
            let Some(runs) = counted.runs_of(paced) else { return false };
            let is_admitted = runs.made < RUNS_MAX;
            runs.made += u32::from(is_admitted);
            is_admitted
        })
    }

    /// Uncounts a run that was not made, because it ran before.
    pub(super) fn gives_back(&self, paced: &Paced) {
        self.with(|counted| {
            if let Some(runs) = counted.runs.get_mut(paced) {
                runs.made = runs.made.saturating_sub(1);
            }
        });
    }

    /// Returns when to try a refused run again. Each later window gets at most as many as may run in it.
    pub(super) fn puts_off(&self, paced: &Paced, now: SystemTime) -> SystemTime {
        self.with(|counted| {
            let since = counted.begin(now);
            let Some(runs) = counted.runs_of(paced) else { return since + WINDOW };
            let windows = runs.put_off / RUNS_MAX + 1;
            runs.put_off = runs.put_off.saturating_add(1);
            since + WINDOW * windows
        })
    }

    /// Whether to post the outcome of a run. A failure is posted once, until a run succeeds.
    pub(super) fn tells(&self, paced: &Paced, outcome: Outcome) -> bool {
        self.with(|Counted { told, .. }| {
            if outcome.is_reply() {
                told.remove(paced);
                return true;
            }
            if PACED_MAX <= told.len() && !told.contains_key(paced) {
                // Failures may then be posted twice, which is better than never.
                told.clear();
            }
            let of_paced = told.entry(paced.clone()).or_default();
            let is_news = !of_paced.contains(&outcome);
            if is_news {
                of_paced.push(outcome);
            }
            is_news
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Counted) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Counted {
    fn begin(&mut self, now: SystemTime) -> SystemTime {
        match self.since.filter(|since| now.duration_since(*since).is_ok_and(|age| age < WINDOW)) {
            Some(since) => since,
            None => {
                self.runs.clear();
                *self.since.insert(now)
            }
        }
    }

    /// Returns `None` if too many keys are counted.
    fn runs_of(&mut self, paced: &Paced) -> Option<&mut Runs> {
        if PACED_MAX <= self.runs.len() && !self.runs.contains_key(paced) {
            return None;
        }
        Some(self.runs.entry(paced.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::inbound::{ChannelId, GuildId};

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    fn paced(module: &str, guild: u64, person: UserId) -> Paced {
        let place = Place::Guild { guild: GuildId(guild), channel: ChannelId(guild) };
        Paced::new(&Owner::Module(module.to_owned()), place, person)
    }

    #[test]
    fn each_module_has_so_much_run_in_each_place_within_a_minute() {
        let pace = Pace::default();
        let welcome = paced("welcome", 1, UserId::NOBODY);
        for n in 1..=RUNS_MAX + 5 {
            assert_eq!(pace.admits(&welcome, START), n <= RUNS_MAX, "{n}");
        }
        for other in
            [paced("welcome", 2, UserId::NOBODY), paced("other", 1, UserId::NOBODY), paced("welcome", 1, UserId(7))]
        {
            assert!(pace.admits(&other, START), "{other:?}");
        }
        assert!(!pace.admits(&welcome, START + WINDOW / 2));
        pace.gives_back(&welcome);
        assert!(pace.admits(&welcome, START + WINDOW / 2), "one ran before");
        assert!(pace.admits(&welcome, START + WINDOW));
        assert!(pace.admits(&welcome, START), "a clock that goes back stops nothing");
    }

    #[test]
    fn no_more_than_so_many_are_counted_or_remembered() {
        let pace = Pace::default();
        for guild in 0..PACED_MAX as u64 {
            assert!(pace.admits(&paced("a", guild, UserId::NOBODY), START));
            assert!(pace.tells(&paced("a", guild, UserId::NOBODY), Outcome::Failed));
        }
        let one_more = paced("a", u64::MAX, UserId::NOBODY);
        assert!(!pace.admits(&one_more, START));
        assert_eq!(pace.puts_off(&one_more, START), START + WINDOW);
        assert!(pace.admits(&one_more, START + WINDOW));
        assert!(pace.tells(&one_more, Outcome::Failed));
        assert_eq!(pace.with(|counted| (counted.runs.len(), counted.told.len())), (1, 1));
    }

    #[test]
    fn what_is_put_off_comes_in_as_many_windows_as_it_needs() {
        let pace = Pace::default();
        let bomb = paced("bomb", 1, UserId::NOBODY);
        assert!(pace.admits(&bomb, START));
        for n in 0..RUNS_MAX * 2 + 1 {
            assert_eq!(pace.puts_off(&bomb, START + WINDOW / 2), START + WINDOW * (n / RUNS_MAX + 1), "{n}");
        }
    }

    #[test]
    fn a_failure_is_told_once_until_a_run_succeeds() {
        let pace = Pace::default();
        let tea = paced("tea", 1, UserId::NOBODY);
        for (outcome, is_told) in [
            (Outcome::Done, true),
            (Outcome::Refused, true),
            (Outcome::Refused, false),
            (Outcome::Failed, true),
            (Outcome::Refused, false),
            (Outcome::Done, true),
            (Outcome::Refused, true),
        ] {
            assert_eq!(pace.tells(&tea, outcome), is_told, "{outcome:?}");
        }
        assert!(pace.tells(&paced("tea", 2, UserId::NOBODY), Outcome::Refused));
    }
}
