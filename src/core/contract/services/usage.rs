//! The service behind `/usage`: what chat used today.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::{GuildId, Place, UserId};

/// Whose budget it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A person, wherever they are.
    Person(UserId),
    /// A guild, with everybody in it.
    Guild(GuildId),
    /// A place with a budget of its own, with everybody and every place in it: the id of a channel, thread, category or
    /// guild.
    Place(u64),
    /// The whole bot.
    Bot,
}

impl Subject {
    /// Whom a turn of this person in this place counts for.
    pub fn of(user: UserId, place: Place) -> Vec<Self> {
        let guild = match place {
            Place::Guild { guild, .. } => Some(Self::Guild(guild)),
            _ => None,
        };
        [Some(Self::Person(user)), guild, Some(Self::Bot)].into_iter().flatten().collect()
    }

    /// The stable text for it in the store: `person:7`, `guild:5`, `place:6`, `bot`.
    pub fn key(self) -> String {
        match self {
            Self::Person(user) => format!("person:{user}"),
            Self::Guild(guild) => format!("guild:{guild}"),
            Self::Place(id) => format!("place:{id}"),
            Self::Bot => "bot".to_owned(),
        }
    }

    /// The subject of a [`key`](Self::key).
    pub fn from_key(key: &str) -> Option<Self> {
        match key.split_once(':') {
            Some(("person", id)) => id.parse().ok().map(|id| Self::Person(UserId(id))),
            Some(("guild", id)) => id.parse().ok().map(|id| Self::Guild(GuildId(id))),
            Some(("place", id)) => id.parse().ok().map(Self::Place),
            _ => (key == "bot").then_some(Self::Bot),
        }
    }
}

/// Tokens that a model's server took and wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// As the server counted them.
    pub counted: u64,
    /// Estimated, where the server does not say.
    pub estimated: u64,
}

impl Tokens {
    /// Both together.
    pub fn total(self) -> u64 {
        self.counted.saturating_add(self.estimated)
    }

    /// These and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            counted: self.counted.saturating_add(other.counted),
            estimated: self.estimated.saturating_add(other.estimated),
        }
    }
}

/// What was used in a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens of turns that are over.
    pub tokens: Tokens,
    /// Turns that began.
    pub turns: u64,
}

/// The most in a day. `None`: no limit, but it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayLimits {
    /// Tokens, what is shown to the model and what it writes together. 1 to 10^12.
    pub tokens: Option<u64>,
    /// Turns. 1 to 10^9.
    pub turns: Option<u64>,
}

/// What one subject used of its budget on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Whose it is.
    pub subject: Subject,
    /// What was used.
    pub spent: Spent,
    /// What may be used.
    pub limits: DayLimits,
}

/// What chat used today, of everybody.
#[async_trait]
pub trait UsageBook: Send + Sync {
    /// What this subject used on the day of this moment.
    async fn usage(&self, subject: Subject, now: SystemTime) -> Result<Usage, ServiceError>;
    /// What was used of each budget that this place and those around it have of their own, the nearest first.
    async fn of_places(&self, place: Place, now: SystemTime) -> Result<Vec<Usage>, ServiceError>;
    /// The people, guilds and places that used the most tokens on the day of this moment, the most first. At most `n`.
    async fn largest(&self, n: usize, now: SystemTime) -> Result<Vec<Usage>, ServiceError>;
    /// When the day of this moment ends and the next budget begins.
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
