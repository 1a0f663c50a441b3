//! Daily chat budgets: limits of tokens and turns, and the amounts used.
//!
//! A day is a UTC day. A turn counts for several [`Subject`]s at once: the person, the guild, the whole bot, and each
//! surrounding place that has a budget. A turn begins only if every subject has something left. A running turn is not
//! cut off: it may exceed a token limit by its own usage, which `[chat.limits]` bounds.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::contract::ServiceError;
use crate::inbound::{GuildId, Place, UserId};

/// The length of a UTC day. Unix time has no leap seconds.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The operator is warned from this percentage of a limit on.
const NEAR_PERCENT: u128 = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(u64);

impl Day {
    /// Returns the UTC day of a moment. A moment before 1970 counts as the first day.
    pub fn of(at: SystemTime) -> Self {
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(since.as_secs() / DAY.as_secs())
    }

    pub fn begins(self) -> SystemTime {
        let begins = self.0.checked_mul(DAY.as_secs()).map(Duration::from_secs);
        begins.and_then(|begins| SystemTime::UNIX_EPOCH.checked_add(begins)).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    pub fn ends(self) -> SystemTime {
        Self(self.0.saturating_add(1)).begins()
    }
}

/// The limits from `[chat.budget]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetSettings {
    /// `person_tokens` and `person_turns`, for each person.
    pub person: DayLimits,
    /// `guild_tokens` and `guild_turns`, for each guild.
    pub guild: DayLimits,
    /// `bot_tokens` and `bot_turns`.
    pub bot: DayLimits,
}

impl BudgetSettings {
    /// Returns the subject's budget. Budgets of places are in the settings of the places.
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

/// The daily limits of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub subject: Subject,
    pub limits: DayLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Within,
    /// A turn may begin, but 80 % of a limit are used.
    Near,
    /// No turn may begin before the day is over.
    Used,
}

impl Budget {
    /// Returns the verdict of the limit that is closest to its end.
    pub fn verdict(&self, spent: Spent) -> Verdict {
        let of = |limit: Option<u64>, used: u64| match limit {
            Some(limit) if limit <= used => Verdict::Used,
            Some(limit) if u128::from(limit) * NEAR_PERCENT <= u128::from(used) * 100 => Verdict::Near,
            Some(_) | None => Verdict::Within,
        };
        of(self.limits.tokens, spent.tokens.total()).max(of(self.limits.turns, spent.turns))
    }
}

/// Storage of the usage, shared by all processes on the same store.
#[async_trait]
pub trait Spending: Send + Sync {
    /// Counts a turn for every budget, or for none if one of them is used up. Returns the first such subject.
    async fn begin_turn(&self, day: Day, budgets: Vec<Budget>) -> Result<Option<Subject>, ServiceError>;
    async fn add_tokens(&self, day: Day, subjects: &[Subject], tokens: Tokens) -> Result<(), ServiceError>;
    async fn spent(&self, day: Day, subject: Subject) -> Result<Spent, ServiceError>;
    /// Returns whether this is the first warning of the day, and records it. The record survives restarts.
    async fn warns_first(&self, day: Day) -> Result<bool, ServiceError>;

    /// Returns the people, guilds and places that used the most tokens on a day, largest first, at most `n`.
    async fn largest(&self, day: Day, n: usize) -> Result<Vec<(Subject, Spent)>, ServiceError>;
}

/// The owner of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A person, in every place.
    Person(UserId),
    /// A guild and everyone in it.
    Guild(GuildId),
    /// A place with a separate budget, including every person and place in it: the id of a channel, thread, category or
    /// guild.
    Place(u64),
    /// The whole bot.
    Bot,
}

impl Subject {
    /// Returns the subjects that a turn of this person in this place counts for.
    pub fn of(user: UserId, place: Place) -> Vec<Self> {
        let guild = match place {
            Place::Guild { guild, .. } => Some(Self::Guild(guild)),
            _ => None,
        };
        [Some(Self::Person(user)), guild, Some(Self::Bot)].into_iter().flatten().collect()
    }

    /// Returns the stable key in the store: `person:7`, `guild:5`, `place:6`, `bot`.
    pub fn key(self) -> String {
        match self {
            Self::Person(user) => format!("person:{user}"),
            Self::Guild(guild) => format!("guild:{guild}"),
            Self::Place(id) => format!("place:{id}"),
            Self::Bot => "bot".to_owned(),
        }
    }

    /// Parses a [`key`](Self::key).
    pub fn from_key(key: &str) -> Option<Self> {
        match key.split_once(':') {
            Some(("person", id)) => id.parse().ok().map(|id| Self::Person(UserId(id))),
            Some(("guild", id)) => id.parse().ok().map(|id| Self::Guild(GuildId(id))),
            Some(("place", id)) => id.parse().ok().map(Self::Place),
            _ => (key == "bot").then_some(Self::Bot),
        }
    }
}

/// Input and output tokens of a provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Counted by the provider.
    pub counted: u64,
    /// Estimated, if the provider does not report them.
    pub estimated: u64,
}

impl Tokens {
    pub fn total(self) -> u64 {
        self.counted.saturating_add(self.estimated)
    }

    /// Returns the sum of these and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            counted: self.counted.saturating_add(other.counted),
            estimated: self.estimated.saturating_add(other.estimated),
        }
    }
}

/// The usage of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens of finished turns.
    pub tokens: Tokens,
    /// Turns that began.
    pub turns: u64,
}

/// The limits of a day. `None` means no limit; usage is still counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayLimits {
    /// Input and output tokens together. 1 to 10^12.
    pub tokens: Option<u64>,
    /// Turns. 1 to 10^9.
    pub turns: Option<u64>,
}

/// One subject's usage and limits on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub subject: Subject,
    pub spent: Spent,
    pub limits: DayLimits,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::ChannelId;

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

    #[test]
    fn a_turn_counts_for_the_person_the_guild_and_the_bot() {
        let keys = |place| Subject::of(UserId(7), place).into_iter().map(Subject::key).collect::<Vec<_>>();
        let guild = Place::Guild { guild: GuildId(5), channel: ChannelId(6) };
        assert_eq!(keys(guild), ["person:7", "guild:5", "bot"]);
        assert_eq!(keys(Place::Direct { channel: ChannelId(6) }), ["person:7", "bot"]);
        assert_eq!(keys(Place::Console), ["person:7", "bot"]);
    }

    #[test]
    fn a_subject_is_read_back_from_its_key() {
        for subject in [Subject::Person(UserId(7)), Subject::Guild(GuildId(5)), Subject::Place(6), Subject::Bot] {
            assert_eq!(Subject::from_key(&subject.key()), Some(subject));
        }
        for key in ["", "bot:1", "person:", "person:x", "channel:7"] {
            assert_eq!(Subject::from_key(key), None, "{key}");
        }
    }
}
