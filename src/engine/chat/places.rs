//! Chat settings of a channel, with those that it inherits from its category and guild, and the rules of its guild.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::rules::{Around, Guilds};
use candor_core::agent::{Budget, ChatSettings, DayLimits, PlaceChat, Subject};
use candor_core::guild::{GuildDenied, GuildModuleChannels, GuildSheet, Rules};
use candor_core::inbound::{Caller, ChannelId, GuildId, Place};
use candor_core::settings::GuildRules;

/// `[chat.places]`, and the parents of channels.
#[derive(Default)]
pub struct Places {
    settings: ChatSettings,
    around: Arc<Around>,
    pub(super) guilds: Option<Arc<Guilds>>,
}

impl Places {
    pub fn new(places: BTreeMap<u64, PlaceChat>) -> Self {
        let settings = ChatSettings { places, ..ChatSettings::default() };
        Self { settings, around: Arc::default(), guilds: None }
    }

    /// Adds the settings of guild administrators. The operator's settings take precedence.
    #[must_use]
    pub fn in_guilds(mut self, guilds: Arc<Guilds>) -> Self {
        self.around = guilds.around().clone();
        self.guilds = Some(guilds);
        self
    }

    /// Reads the sheet of a place's guild, with its last changes.
    pub(crate) async fn sheet(&self, place: Place) -> Option<GuildSheet> {
        self.guilds.as_ref()?.sheet(place).await
    }

    /// Whether the parents of a channel affect its settings.
    pub fn asks_for_above(&self, rules: &Rules) -> bool {
        !self.settings.places.is_empty() || rules.asks_for_channels()
    }

    /// Checks whether the guild's administrators let the chat model answer this caller here.
    ///
    /// # Errors
    /// Returns the first condition that is not met.
    pub fn admits(&self, caller: &Caller, place: Place, rules: &Rules) -> Result<(), GuildDenied> {
        rules.admits(caller, &self.around(place))
    }

    /// Records the parents of a channel, nearest first: a thread's channel, a channel's category.
    pub fn learn(&self, channel: ChannelId, above: Vec<u64>) {
        self.around.learn(channel, above);
    }

    /// Returns the channels where this guild's administrators let a module post unasked, as far as they were read.
    pub(crate) fn channels(&self, guild: GuildId, module: &str) -> BTreeSet<ChannelId> {
        self.guilds.as_ref().map(|guilds| guilds.channels().of(guild, module)).unwrap_or_default()
    }

    /// Forgets the channels of a guild that the bot has left. Modules post nothing unasked there until a command is
    /// called there again.
    pub fn forget_channels(&self, guild: GuildId) {
        if let Some(guilds) = &self.guilds {
            guilds.channels().forget(guild);
        }
    }

    /// Returns the guilds whose administrators let modules post unasked, each with its channels.
    pub(crate) fn guilds_with_channels(&self) -> BTreeMap<GuildId, GuildModuleChannels> {
        self.guilds.as_ref().map(|guilds| guilds.channels().all()).unwrap_or_default()
    }

    /// Returns the operator's settings that override the defaults here.
    pub fn of_operator(&self, place: Place) -> PlaceChat {
        self.settings.place(self.around(place))
    }

    /// Returns the settings that override the defaults here: the operator's, then those of the guild's administrators.
    pub fn at(&self, place: Place, rules: &Rules) -> PlaceChat {
        let here = self.of_operator(place);
        match rules.values() {
            Some(values) => here.or(&GuildRules::place_chat(values)),
            None => here,
        }
    }

    /// Returns the separate budgets of this place and its parents, nearest first.
    pub fn budgets(&self, place: Place) -> Vec<Budget> {
        let budget = |id| {
            let limits = self.settings.places.get(&id)?.day;
            (limits != DayLimits::default()).then_some(Budget { subject: Subject::Place(id), limits })
        };
        self.around(place).into_iter().filter_map(budget).collect()
    }

    /// Returns the ids of a place and its known parents, nearest first.
    fn around(&self, place: Place) -> Vec<u64> {
        self.around.place(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(system: &str) -> PlaceChat {
        PlaceChat { system: Some(system.to_owned()), ..PlaceChat::default() }
    }

    #[test]
    fn a_thread_is_as_its_channel_its_category_and_its_guild_unless_it_says_more() {
        let places = Places::new([(1, says("guild")), (5, says("channel")), (6, says("category"))].into());
        let system = |channel| {
            places
                .of_operator(Place::Guild { guild: GuildId(1), channel: ChannelId(channel) })
                .system
                .unwrap_or_default()
        };
        assert_eq!((system(5), system(7), system(8)), ("channel".to_owned(), "guild".to_owned(), "guild".to_owned()));
        places.learn(ChannelId(7), vec![5, 6]);
        places.learn(ChannelId(8), vec![6]);
        assert_eq!((system(7), system(8)), ("channel".to_owned(), "category".to_owned()));
        assert_eq!(places.of_operator(Place::Console), PlaceChat::default());
        assert_eq!(places.of_operator(Place::Direct { channel: ChannelId(5) }), says("channel"));
    }

    #[test]
    fn each_place_around_has_a_budget_of_its_own() {
        let limits = |turns| DayLimits { turns: Some(turns), tokens: None };
        let day = |turns| PlaceChat { day: limits(turns), ..PlaceChat::default() };
        let places = Places::new([(1, day(9)), (5, says("channel")), (6, day(7)), (7, day(3))].into());
        places.learn(ChannelId(7), vec![5, 6]);
        let budgets = |place| places.budgets(place).into_iter().map(|budget| (budget.subject, budget.limits));
        let thread = budgets(Place::Guild { guild: GuildId(1), channel: ChannelId(7) });
        let expected = [(7, 3), (6, 7), (1, 9)].map(|(id, turns)| (Subject::Place(id), limits(turns)));
        assert_eq!(thread.collect::<Vec<_>>(), expected);
        assert_eq!(budgets(Place::Direct { channel: ChannelId(5) }).count(), 0);
        assert_eq!(budgets(Place::Console).count(), 0);
    }
}
