//! The channels of a guild in which its administrators let modules post unprompted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::guild::assignments::{self, NoAssignments};
use crate::guild::ids::{channels, listed_channels};
use crate::guild::unfit::Unfit;
use crate::inbound::ChannelId;

/// The most modules with channels in a guild, and the most channels of one module. The values of all guilds are held in
/// memory.
const MODULES_MAX: usize = 20;
const CHANNELS_MAX: usize = 20;

/// The channels of each module, by its name. An entry without channels resets the module: `alerts =`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuildModuleChannels(BTreeMap<String, BTreeSet<ChannelId>>);

impl GuildModuleChannels {
    pub fn written(all: impl IntoIterator<Item = (String, BTreeSet<ChannelId>)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// Parses modules with their channels: `alerts = #ops #dev; feed = #news`. With `known`, each module must be one of
    /// these.
    ///
    /// # Errors
    /// The first problem of the text.
    pub(in crate::guild) fn parse(text: &str, known: Option<&BTreeSet<String>>) -> Result<Self, Unfit> {
        let written = assignments::read(text, known).map_err(|problem| match problem {
            NoAssignments::Malformed => Unfit::ModuleChannels,
            NoAssignments::Unknown { name, near } => Unfit::ChannelsOfModule { name, near },
        })?;
        let channels = |text: &str| match text {
            "" => Ok(BTreeSet::new()),
            text => match channels(text, Unfit::ModuleChannels)? {
                all if CHANNELS_MAX < all.len() => Err(Unfit::TooMany(CHANNELS_MAX)),
                all => Ok(all),
            },
        };
        let all = written.into_iter().map(|(module, text)| Ok((module, channels(&text)?)));
        let all = all.collect::<Result<BTreeMap<_, _>, _>>()?;
        if all.is_empty() { Err(Unfit::Empty) } else { Ok(Self(all)) }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn of_module(&self, module: &str) -> BTreeSet<ChannelId> {
        self.0.get(module).cloned().unwrap_or_default()
    }

    /// Merges these over the earlier channels. Each module in `self` gets exactly the channels given here.
    ///
    /// # Errors
    /// If the result has too many modules.
    pub fn over(self, before: &Self) -> Result<Self, Unfit> {
        let mut all = before.0.clone();
        all.extend(self.0);
        all.retain(|_, channels| !channels.is_empty());
        if MODULES_MAX < all.len() { Err(Unfit::TooMany(MODULES_MAX)) } else { Ok(Self(all)) }
    }
}

impl fmt::Display for GuildModuleChannels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.0.iter().map(|(module, channels)| (module, listed_channels(channels))).collect();
        assignments::write(texts.iter().map(|(module, channels)| (module.as_str(), channels.as_str())), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_read_as_people_write_them_and_read_back_as_they_are_shown() {
        let known = ["alerts", "feed"].map(str::to_owned).into();
        let near =
            |name: &str, near: &str| Unfit::ChannelsOfModule { name: name.to_owned(), near: Some(near.to_owned()) };
        let cases = [
            ("alerts = <#5>", Ok("alerts = <#5>")),
            ("Feed=7,<#6><#5> ; alerts = 5;", Ok("alerts = <#5>; feed = <#5> <#6> <#7>")),
            ("alerts = <#5>\nfeed = <#6>", Ok("alerts = <#5>; feed = <#6>")),
            ("alerts =", Ok("alerts = ")),
            ("alerts", Err(Unfit::ModuleChannels)),
            ("alerts = general", Err(Unfit::ModuleChannels)),
            ("alerts = <@&5>", Err(Unfit::ModuleChannels)),
            ("alerts = <#5>; alerts = <#6>", Err(Unfit::ModuleChannels)),
            ("alrts = <#5>", Err(near("alrts", "alerts"))),
            ("<#5>", Err(Unfit::ModuleChannels)),
            (" ; ", Err(Unfit::Empty)),
        ];
        for (text, expected) in cases {
            let read = GuildModuleChannels::parse(text, Some(&known));
            let shown = read.as_ref().map(ToString::to_string).map_err(Clone::clone);
            assert_eq!(shown, expected.map(str::to_owned), "{text}");
            if let Ok(read) = read {
                assert_eq!(GuildModuleChannels::parse(&read.to_string(), None), Ok(read), "{text}");
            }
        }
    }

    #[test]
    fn neither_modules_nor_channels_are_without_bound() {
        let channels = |n: usize| (1..=n).map(|id| id.to_string()).collect::<Vec<_>>().join(" ");
        let modules = |n: usize| (0..n).map(|n| format!("m{n} = 1")).collect::<Vec<_>>().join(";");
        let known = (0..=MODULES_MAX).map(|n| format!("m{n}")).collect();
        for (text, expected) in [
            (format!("m1 = {}", channels(CHANNELS_MAX)), None),
            (format!("m1 = {}", channels(CHANNELS_MAX + 1)), Some(Unfit::TooMany(CHANNELS_MAX))),
            (modules(MODULES_MAX), None),
            (modules(MODULES_MAX + 1), Some(Unfit::TooMany(MODULES_MAX))),
        ] {
            let all = GuildModuleChannels::parse(&text, Some(&known)).and_then(|all| all.over(&Default::default()));
            assert_eq!(all.err(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_set_anew_stands_in_place_of_what_a_module_had_and_nothing_takes_it_back() {
        let read = |text| GuildModuleChannels::parse(text, None).unwrap();
        let before = read("alerts = <#5>; feed = <#6>");
        assert_eq!(read("alerts = <#7>").over(&before), Ok(read("alerts = <#7>; feed = <#6>")));
        assert_eq!(read("alerts =").over(&before), Ok(read("feed = <#6>")));
        assert_eq!(read("alerts =; feed =").over(&before).map(|all| all.is_empty()), Ok(true));
        assert_eq!(before.of_module("feed"), BTreeSet::from([ChannelId(6)]));
        assert_eq!(before.of_module("fee"), BTreeSet::new());
    }
}
