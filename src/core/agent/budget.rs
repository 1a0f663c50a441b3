//! Daily budgets of chat: limits of tokens and turns, what was used, and whether anything is left.
//!
//! A day is one of UTC and counts for several [`Subject`]s at once: the person, the guild, the whole bot, and the
//! places around the conversation that have a budget of their own. A turn begins only if each of them has something
//! left. A turn that has begun is not cut off: it may go beyond a limit of tokens by what it uses itself, which
//! `[chat.limits]` bounds.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::contract::{DayLimits, ServiceError, Spent, Subject, Tokens};

/// The length of a day of UTC. Unix time has no leap seconds.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// From this part of a limit on, in percent, the operator is warned.
const NEAR_PERCENT: u128 = 80;

/// A day of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(u64);

impl Day {
    /// The day of a moment. Before 1970 it is the first one.
    pub fn of(at: SystemTime) -> Self {
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(since.as_secs() / DAY.as_secs())
    }

    /// When it begins.
    pub fn begins(self) -> SystemTime {
        let begins = self.0.checked_mul(DAY.as_secs()).map(Duration::from_secs);
        begins.and_then(|begins| SystemTime::UNIX_EPOCH.checked_add(begins)).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// When it ends and the next budget begins.
    pub fn ends(self) -> SystemTime {
        Self(self.0.saturating_add(1)).begins()
    }
}

/// The limits of each kind of subject: `[chat.budget]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetSettings {
    /// `person_tokens`, `person_turns`: of each person.
    pub person: DayLimits,
    /// `guild_tokens`, `guild_turns`: of each guild.
    pub guild: DayLimits,
    /// `bot_tokens`, `bot_turns`: of the whole bot.
    pub bot: DayLimits,
}

impl BudgetSettings {
    /// The budget of one subject. Those of places stand with the places.
    pub fn of(&self, subject: Subject) -> Budget {
        let limits = match subject {
            Subject::Person(_) => self.person,
            Subject::Guild(_) => self.guild,
            Subject::Place(_) => DayLimits::default(),
            Subject::Bot => self.bot,
        };
        Budget { subject, limits }
    }
}

/// What one subject may use in a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Whose it is.
    pub subject: Subject,
    /// How much it is.
    pub limits: DayLimits,
}

/// How a budget stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A turn may begin.
    Within,
    /// A turn may begin, and 80 % of a limit are used.
    Near,
    /// No turn may begin before the day is over.
    Used,
}

impl Budget {
    /// How it stands after so much was used. The limit that is nearest counts.
    pub fn verdict(&self, spent: Spent) -> Verdict {
        let of = |limit: Option<u64>, used: u64| match limit {
            Some(limit) if limit <= used => Verdict::Used,
            Some(limit) if u128::from(limit) * NEAR_PERCENT <= u128::from(used) * 100 => Verdict::Near,
            Some(_) | None => Verdict::Within,
        };
        of(self.limits.tokens, spent.tokens.total()).max(of(self.limits.turns, spent.turns))
    }
}

/// Keeps what was used, for every process on the same store.
#[async_trait]
pub trait Spending: Send + Sync {
    /// Counts a turn for each of these, unless one of them has nothing left: then for none, and the first such is
    /// returned.
    async fn begin_turn(&self, day: Day, budgets: Vec<Budget>) -> Result<Option<Subject>, ServiceError>;
    /// Adds tokens for each of these.
    async fn add_tokens(&self, day: Day, subjects: &[Subject], tokens: Tokens) -> Result<(), ServiceError>;
    /// What a subject used on a day.
    async fn spent(&self, day: Day, subject: Subject) -> Result<Spent, ServiceError>;
    /// Whether the operator was not warned of this day yet. From now on they were, over restarts too.
    async fn warns_first(&self, day: Day) -> Result<bool, ServiceError>;

    /// The people, guilds and places that used the most tokens on a day, the most first. At most `n`.
    async fn largest(&self, day: Day, n: usize) -> Result<Vec<(Subject, Spent)>, ServiceError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(counted: u64, estimated: u64, turns: u64) -> Spent {
        Spent { tokens: Tokens { counted, estimated }, turns }
    }

    #[test]
    fn a_budget_is_used_up_at_its_limit_and_near_from_80_percent_on() {
        let limits = |tokens, turns| DayLimits { tokens, turns };
        let cases = [
            (limits(None, None), spent(u64::MAX, u64::MAX, u64::MAX), Verdict::Within),
            (limits(Some(100), None), spent(79, 0, 9), Verdict::Within),
            (limits(Some(100), None), spent(40, 40, 9), Verdict::Near),
            (limits(Some(100), None), spent(99, 0, 9), Verdict::Near),
            (limits(Some(100), None), spent(50, 50, 0), Verdict::Used),
            (limits(Some(100), None), spent(u64::MAX, 1, 0), Verdict::Used),
            (limits(None, Some(5)), spent(999, 0, 3), Verdict::Within),
            (limits(None, Some(5)), spent(999, 0, 4), Verdict::Near),
            (limits(None, Some(5)), spent(0, 0, 5), Verdict::Used),
            (limits(Some(100), Some(5)), spent(10, 0, 5), Verdict::Used),
            (limits(Some(100), Some(5)), spent(80, 0, 1), Verdict::Near),
            (limits(Some(1), Some(1)), spent(0, 0, 0), Verdict::Within),
        ];
        for (limits, spent, expected) in cases {
            let budget = Budget { subject: Subject::Bot, limits };
            assert_eq!(budget.verdict(spent), expected, "{limits:?} {spent:?}");
        }
    }

    #[test]
    fn a_day_is_one_of_utc() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for (seconds, begins) in [(0, 0), (86_399, 0), (86_400, 86_400), (200_000, 172_800)] {
            let day = Day::of(at(seconds));
            assert_eq!((day.begins(), day.ends()), (at(begins), at(begins + 86_400)), "{seconds}");
        }
        assert_eq!(Day::of(SystemTime::UNIX_EPOCH - DAY), Day(0));
    }
}
