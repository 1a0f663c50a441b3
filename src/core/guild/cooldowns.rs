//! Command cooldowns that a guild's administrators set.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use crate::guild::switched_off::OffHere;
use crate::guild::unfit::Unfit;
use crate::inbound::{CommandPath, CommandType};
use crate::text::{excerpt, nearest};

/// The most cooldowns of a guild.
const COOLDOWNS_MAX: usize = 50;

/// The longest cooldown, in seconds: a day, as for those of manifests and of the operator.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// Which runs in a guild a cooldown counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// The runs of each member.
    Member,
    /// The runs in each channel.
    Channel,
    Guild,
}

impl Counted {
    /// Returns the word that people write after the time. A member's cooldown has none.
    fn word(self) -> &'static str {
        match self {
            Self::Member => "",
            Self::Channel => " channel",
            Self::Guild => " server",
        }
    }

    fn named(word: &str) -> Option<Self> {
        match word {
            "user" | "member" => Some(Self::Member),
            "channel" => Some(Self::Channel),
            "server" | "guild" => Some(Self::Guild),
            _ => None,
        }
    }
}

/// Cooldowns by command, `/tasks` or `/tasks add`. A command's cooldown counts everything below it together. Each
/// replaces the manifest's cooldown of the same kind; a cooldown of zero only removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildCooldowns(BTreeMap<(String, Counted), Duration>);

impl GuildCooldowns {
    pub fn written(all: impl IntoIterator<Item = (String, Counted, Duration)>) -> Self {
        Self(all.into_iter().map(|(command, counted, lasts)| ((command, counted), lasts)).collect())
    }

    /// Parses comma-separated cooldowns, such as `/tasks add 30s, /poll 5m channel`. With `known`, each must be for one
    /// of these commands.
    ///
    /// # Errors
    /// The first problem of the text.
    pub(super) fn parse(text: &str, known: Option<&BTreeSet<String>>) -> Result<Self, Unfit> {
        let mut all = BTreeMap::new();
        for part in text.split(',').map(str::to_lowercase).filter(|part| !part.trim().is_empty()) {
            let (name, counted, lasts) = one(&part).ok_or(Unfit::Cooldowns)?;
            if OffHere::is_exempt(&CommandPath::at(CommandType::Slash, &names(&name))) {
                match known {
                    Some(_) => return Err(Unfit::Waits(name)),
                    // Stored by a version that allowed a cooldown for this command: keep the others.
                    None => continue,
                }
            }
            if let Some(known) = known.filter(|known| !known.contains(&name)) {
                let commands = known.iter().map(String::as_str).filter(|command| command.starts_with('/'));
                let near = nearest(&name, commands, 1).first().map(|&near| near.to_owned());
                return Err(Unfit::CooldownOf { name: excerpt(&name), near });
            }
            if all.insert((name, counted), lasts).is_some() {
                return Err(Unfit::Cooldowns);
            }
        }
        match all.len() {
            0 => Err(Unfit::Empty),
            n if COOLDOWNS_MAX < n && known.is_some() => Err(Unfit::TooMany(COOLDOWNS_MAX)),
            _ => Ok(Self(all)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the cooldowns that apply to a run of this command, each with its command.
    pub fn of(&self, path: &CommandPath) -> impl Iterator<Item = (&str, Counted, Duration)> {
        let is_for = move |command: &str| {
            let mut below = path.names();
            let names = names(command);
            path.command_type() == CommandType::Slash && names.iter().all(|name| below.next() == Some(name))
        };
        let all = self.0.iter().map(|((command, counted), &lasts)| (command.as_str(), *counted, lasts));
        all.filter(move |(command, ..)| is_for(command))
    }

    /// Returns the cooldowns that `others` does not set for the same command and kind.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        Self(
            self.0.iter().filter(|(key, _)| !others.0.contains_key(*key)).map(|(key, &it)| (key.clone(), it)).collect(),
        )
    }
}

impl fmt::Display for GuildCooldowns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, ((command, counted), lasts)) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{command} {}s{}", lasts.as_secs(), counted.word())?;
        }
        Ok(())
    }
}

/// Splits a command, as people type it, into its names.
fn names(command: &str) -> Vec<&str> {
    command.trim_start_matches('/').split(' ').collect()
}

/// Parses one cooldown: the command, the time, and optionally the runs that count.
fn one(text: &str) -> Option<(String, Counted, Duration)> {
    let mut words: Vec<_> = text.split_whitespace().collect();
    let counted = match Counted::named(words.last()?) {
        Some(counted) => {
            words.pop();
            counted
        }
        None => Counted::Member,
    };
    let mut time = words.pop()?.to_owned();
    if time.chars().all(char::is_alphabetic) {
        time = format!("{}{time}", words.pop()?);
    }
    let name = words.join(" ");
    (name.starts_with('/') && 1 < name.len()).then_some((name, counted, duration(&time)?))
}

/// Parses a time such as `30`, `30s`, `5m` or `2h`.
fn duration(text: &str) -> Option<Duration> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let in_seconds = match unit {
        "" | "s" | "sec" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        _ => return None,
    };
    number.checked_mul(in_seconds).filter(|&seconds| seconds <= SECONDS_MAX).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cooldowns_are_read_as_people_write_them() {
        let known: BTreeSet<_> = ["/tasks", "/tasks add", "/poll", "/games 8ball", "tasks"].map(str::to_owned).into();
        let many: BTreeSet<_> = (0..=COOLDOWNS_MAX).map(|n| format!("/x{n}")).collect();
        let too_many = many.iter().map(|name| format!("{name} 1")).collect::<Vec<_>>().join(",");
        let of = |name: &str, near: Option<&str>| {
            Err(Unfit::CooldownOf { name: name.to_owned(), near: near.map(str::to_owned) })
        };
        let cases = [
            ("/tasks 30", Some(&known), Ok("/tasks 30s")),
            ("/Tasks  ADD 5m, /poll 1h server,", Some(&known), Ok("/poll 3600s server, /tasks add 300s")),
            ("/poll 2 min channel, /poll 10 s user", Some(&known), Ok("/poll 10s, /poll 120s channel")),
            ("/games 8ball 24h", Some(&known), Ok("/games 8ball 86400s")),
            ("/tasks 0", Some(&known), Ok("/tasks 0s")),
            ("/tasks 25h", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks 99999999999999999999", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks 5307721328585529h", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks 1.5s", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks 1s each", Some(&known), Err(Unfit::Cooldowns)),
            ("30s", Some(&known), Err(Unfit::Cooldowns)),
            ("server", Some(&known), Err(Unfit::Cooldowns)),
            ("tasks 30s", Some(&known), Err(Unfit::Cooldowns)),
            ("/tasks 1s, /tasks 2s", Some(&known), Err(Unfit::Cooldowns)),
            ("/taks 30s", Some(&known), of("/taks", Some("/tasks"))),
            ("/zzzzzzzzzz 30s", Some(&known), of("/zzzzzzzzzz", None)),
            ("/settings set 30s", Some(&known), Err(Unfit::Waits("/settings set".to_owned()))),
            ("/help 1s", Some(&known), Err(Unfit::Waits("/help".to_owned()))),
            (" , ", Some(&known), Err(Unfit::Empty)),
            (&too_many, Some(&many), Err(Unfit::TooMany(COOLDOWNS_MAX))),
            // What was stored may name what is gone, and what may have none any more is left out.
            ("/gone 30s, /privacy erase 1s", None, Ok("/gone 30s")),
        ];
        for (text, known, expected) in cases {
            let found = GuildCooldowns::parse(text, known);
            let shown = found.as_ref().map(ToString::to_string).map_err(Clone::clone);
            assert_eq!(shown, expected.map(str::to_owned), "{text}");
            if let Ok(cooldowns) = found {
                assert_eq!(GuildCooldowns::parse(&cooldowns.to_string(), known), Ok(cooldowns), "{text}");
            }
        }
    }

    #[test]
    fn one_for_a_command_counts_everything_below_it_and_nothing_beside_it() {
        let cooldowns = GuildCooldowns::parse("/tasks 30s, /tasks add 5s channel, /tasksx 9s", None).unwrap();
        let of = |path: CommandPath| {
            cooldowns.of(&path).map(|(name, _, lasts)| format!("{name} {}", lasts.as_secs())).collect::<Vec<_>>()
        };
        let path = |names: &[&str]| CommandPath::at(CommandType::Slash, names);
        assert_eq!(of(path(&["tasks", "add"])), ["/tasks 30", "/tasks add 5"]);
        assert_eq!(of(path(&["tasks", "list"])), ["/tasks 30"]);
        assert_eq!(of(path(&["task"])), Vec::<String>::new());
        assert_eq!(of(CommandPath::at(CommandType::MessageMenu, &["tasks"])), Vec::<String>::new());
        let operators = GuildCooldowns::parse("/tasks 60s, /tasks add 1s", None).unwrap();
        assert_eq!(cooldowns.without(&operators).to_string(), "/tasks add 5s channel, /tasksx 9s");
    }
}
