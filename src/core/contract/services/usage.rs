//! The service behind `/usage`: chat usage of the day.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::contract::services::service::ServiceError;
use crate::inbound::{GuildId, Place, UserId};

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
    /// Returns the sum of both.
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
    /// The owner of the budget.
    pub subject: Subject,
    /// The used part.
    pub spent: Spent,
    /// The limits.
    pub limits: DayLimits,
}

/// A service for the chat usage of today, of everyone.
#[async_trait]
pub trait UsageBook: Send + Sync {
    /// Returns this subject's usage on the day of `now`.
    async fn usage(&self, subject: Subject, now: SystemTime) -> Result<Usage, ServiceError>;
    /// Returns the usage of each separate budget of this place and its parents, the nearest first.
    async fn of_places(&self, place: Place, now: SystemTime) -> Result<Vec<Usage>, ServiceError>;
    /// Returns the people, guilds and places with the most tokens on the day of `now`, the most first. At most `n`.
    async fn largest(&self, n: usize, now: SystemTime) -> Result<Vec<Usage>, ServiceError>;
    /// Returns when the day of `now` ends and the next budget begins.
    fn ends(&self, now: SystemTime) -> SystemTime;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::ChannelId;

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
