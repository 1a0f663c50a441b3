//! The settings that a guild's administrators may change with `/settings`, and their effect beside the operator's
//! settings: those always win.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::ChatAccess;
use crate::agent::{ChatSettings, PlaceChat, unmarked};
use crate::contract::Policy;
use crate::guild::{Counted, Fixed, GuildCooldowns, GuildModuleSettings, GuildSetting, GuildValue, GuildValues, Unset};
use crate::inbound::GuildId;
use crate::language::Language;

/// The operator's settings that affect guild settings.
#[derive(Clone, Debug, Default)]
pub struct GuildRules {
    chat: ChatSettings,
    access: ChatAccess,
    language: Language,
    /// The operator's cooldowns, except the global ones.
    cooldowns: GuildCooldowns,
    /// The settings of modules that the operator gives, for callers without a registry.
    module_settings: GuildModuleSettings,
}

impl GuildRules {
    /// Builds the rules of `[chat]`, `[chat.access]` and `[language] default`.
    pub fn new(chat: &ChatSettings, access: &ChatAccess, language: Language) -> Self {
        Self { chat: chat.clone(), access: access.clone(), language, ..Self::default() }
    }

    /// Adds the cooldowns of the operator's policies for commands.
    #[must_use]
    pub fn with_policies(self, policies: &BTreeMap<String, Policy>) -> Self {
        let of_command = |(command, policy): (&String, &Policy)| {
            let of = policy.cooldowns;
            let each = [(Counted::Member, of.user), (Counted::Channel, of.channel), (Counted::Guild, of.guild)];
            each.map(|(counted, lasts)| lasts.map(|lasts| (command.clone(), counted, lasts)))
        };
        Self { cooldowns: GuildCooldowns::written(policies.iter().flat_map(of_command).flatten()), ..self }
    }

    /// Adds the settings of modules that the operator gives.
    #[must_use]
    pub fn with_module_settings(self, module_settings: GuildModuleSettings) -> Self {
        Self { module_settings, ..self }
    }

    pub fn allow_any(&self) -> bool {
        !self.chat.guild_settings.is_empty()
    }

    /// Returns whether `[chat] server_settings` lists this setting. The operator may still have set it: see `may_set`.
    pub fn allow(&self, setting: GuildSetting) -> bool {
        self.chat.guild_settings.contains(&setting)
    }

    /// Checks whether the administrators of this guild may set this.
    ///
    /// # Errors
    /// The reason why not.
    pub fn may_set(&self, setting: GuildSetting, guild: GuildId) -> Result<(), Fixed> {
        if self.is_operators(setting, guild) {
            return Err(Fixed::ByOperator);
        }
        if self.allow(setting) { Ok(()) } else { Err(Fixed::NotAllowed) }
    }

    /// Returns whether the operator set this, for this guild or for all.
    fn is_operators(&self, setting: GuildSetting, guild: GuildId) -> bool {
        match setting {
            GuildSetting::Chat => self.is_closed(guild),
            GuildSetting::ChatChannels => self.access.channels.is_some(),
            GuildSetting::ChatRoles => self.access.roles.is_some(),
            GuildSetting::WriteTools => self.has_no_write_tools(),
            GuildSetting::Persona => !self.chat.system.is_empty() || self.is_set_for(guild.0, setting),
            GuildSetting::Model => self.chat.models.is_empty() || self.is_set_for(guild.0, setting),
            GuildSetting::Language => self.is_set_for(guild.0, setting),
            // The operator sets single cooldowns and settings of modules: see `fixed_in`. Channels of modules add to
            // the operator's.
            GuildSetting::Commands
            | GuildSetting::Cooldowns
            | GuildSetting::ModuleSettings
            | GuildSetting::ModuleChannels => false,
        }
    }

    /// Returns whether chat is off in this guild for all callers.
    fn is_closed(&self, guild: GuildId) -> bool {
        let is_elsewhere = self.access.guilds.as_ref().is_some_and(|guilds| !guilds.contains(&guild));
        self.chat.models.is_empty() || is_elsewhere
    }

    /// Returns whether the chat model may not change anything, anywhere.
    fn has_no_write_tools(&self) -> bool {
        self.chat.write_tools.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Returns whether `[chat.places]` has this setting for exactly this place.
    fn is_set_for(&self, place: u64, setting: GuildSetting) -> bool {
        self.chat.places.get(&place).is_some_and(|here| match setting {
            GuildSetting::Persona => here.system.is_some(),
            GuildSetting::Model => here.model.is_some(),
            GuildSetting::Language => here.language.is_some(),
            GuildSetting::Chat
            | GuildSetting::ChatChannels
            | GuildSetting::ChatRoles
            | GuildSetting::WriteTools
            | GuildSetting::Commands
            | GuildSetting::Cooldowns
            | GuildSetting::ModuleSettings
            | GuildSetting::ModuleChannels => false,
        })
    }

    /// Returns the settings that the operator made for a channel. `around` holds the ids of the channel and of its
    /// parents: a thread's channel, a channel's category.
    pub fn in_channel(&self, around: &[u64]) -> Vec<GuildSetting> {
        let is_set = |setting: &GuildSetting| around.iter().any(|&place| self.is_set_for(place, *setting));
        GuildSetting::ALL.into_iter().filter(is_set).collect()
    }

    /// Returns the effective value of a setting that the guild's administrators did not set. A system text is private
    /// to the operator.
    pub fn unset(&self, setting: GuildSetting, guild: GuildId) -> Unset {
        let here = self.chat.places.get(&guild.0);
        let value = match setting {
            GuildSetting::Chat => Some(if self.is_closed(guild) { "off" } else { "on" }.to_owned()),
            GuildSetting::ChatChannels => self.access.channels.as_ref().map(|ids| mentions(ids, "<#")),
            GuildSetting::ChatRoles => self.access.roles.as_ref().map(|ids| mentions(ids, "<@&")),
            GuildSetting::WriteTools => Some(if self.has_no_write_tools() { "off" } else { "on" }.to_owned()),
            // The registry knows the values of module settings. The operator's channels may be in other guilds, so they
            // are not disclosed here.
            GuildSetting::Persona
            | GuildSetting::Commands
            | GuildSetting::ModuleSettings
            | GuildSetting::ModuleChannels => None,
            GuildSetting::Cooldowns => Some(self.cooldowns.to_string()),
            GuildSetting::Model => {
                let default = self.chat.models.first().map(|model| model.name.clone());
                here.and_then(|here| here.model.clone()).or(default)
            }
            GuildSetting::Language => {
                Some(here.and_then(|here| here.language).unwrap_or(self.language).tag().to_owned())
            }
        };
        let has_some = setting == GuildSetting::Cooldowns && !self.cooldowns.is_empty();
        let is_operators = has_some || self.is_operators(setting, guild);
        Unset { value: value.filter(|value| !value.is_empty()), is_operators }
    }

    /// Returns the values that still apply in a guild: those that are still allowed and still offered.
    pub fn in_force(&self, values: &GuildValues, guild: GuildId) -> GuildValues {
        let is_offered = |setting| setting != GuildSetting::Model || self.vanished(values, guild).is_none();
        let counts = values.only(|setting| self.may_set(setting, guild).is_ok() && is_offered(setting));
        counts.beside(&self.cooldowns).beside_module_settings(&self.module_settings)
    }

    /// Returns the part of a value that does not apply because the operator set it, as people write it. Such parts are
    /// cooldowns that the operator also sets, and the names of settings of modules that the operator gives.
    pub fn fixed_in(&self, value: &GuildValue) -> Option<String> {
        match value {
            GuildValue::Cooldowns(cooldowns) => {
                let fixed = cooldowns.without(&cooldowns.without(&self.cooldowns));
                (!fixed.is_empty()).then(|| fixed.to_string())
            }
            GuildValue::ModuleSettings(written) => written.names_in(&self.module_settings),
            GuildValue::Chat(_)
            | GuildValue::ChatChannels(_)
            | GuildValue::ChatRoles(_)
            | GuildValue::WriteTools(_)
            | GuildValue::Persona(_)
            | GuildValue::Model(_)
            | GuildValue::Language(_)
            | GuildValue::Commands(_)
            | GuildValue::ModuleChannels(_) => None,
        }
    }

    /// Returns a guild's model if it may be set there but is no longer offered. The value of [`GuildRules::unset`] then
    /// applies.
    pub fn vanished<'a>(&self, values: &'a GuildValues, guild: GuildId) -> Option<&'a str> {
        let model = values.model().filter(|_| self.may_set(GuildSetting::Model, guild).is_ok())?;
        (!self.chat.models.iter().any(|offered| offered.name == model)).then_some(model)
    }

    /// Converts applicable values to chat's overrides for a place.
    pub fn place_chat(values: &GuildValues) -> PlaceChat {
        PlaceChat {
            // Only the host may speak as the host.
            system: values.persona().map(|persona| unmarked(persona.as_str())),
            model: values.model().map(str::to_owned),
            language: values.language(),
            write_tools: values.write_tools(),
            ..PlaceChat::default()
        }
    }

    /// Returns the models that conversations may use.
    pub fn models(&self) -> Vec<String> {
        self.chat.models.iter().map(|model| model.name.clone()).collect()
    }
}

fn mentions<I: ToString>(ids: impl IntoIterator<Item = I>, mention: &str) -> String {
    ids.into_iter().map(|id| format!("{mention}{}>", id.to_string())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::OfferedModel;
    use crate::contract::Cooldowns;
    use crate::guild::{ChangedBy, GuildSheet, GuildValue, KnownNames};
    use crate::inbound::{ChannelId, RoleId};
    use crate::record::ReceiptId;
    use GuildSetting as S;

    const HERE: GuildId = GuildId(1);
    const THERE: GuildId = GuildId(2);

    fn chat() -> ChatSettings {
        ChatSettings {
            models: vec![OfferedModel::named("small"), OfferedModel::named("large")],
            guild_settings: S::ALL.into(),
            ..ChatSettings::default()
        }
    }

    fn rules(chat: ChatSettings, access: ChatAccess) -> GuildRules {
        GuildRules::new(&chat, &access, Language::ENGLISH)
    }

    fn place(id: u64, here: PlaceChat) -> ChatSettings {
        ChatSettings { places: [(id, here)].into(), ..chat() }
    }

    #[test]
    fn what_the_operator_set_wins_wherever_it_stands() {
        let german = Language::of_locale("de");
        let open = ChatAccess::default;
        let text = |text: &str| Some(text.to_owned());
        let of_place =
            PlaceChat { system: text("A judge."), model: text("large"), language: german, ..PlaceChat::default() };
        let cases = [
            (rules(chat(), open()), vec![], vec![]),
            (
                rules(ChatSettings { models: Vec::new(), ..chat() }, open()),
                vec![S::Chat, S::Model],
                vec![S::Chat, S::Model],
            ),
            (
                rules(ChatSettings { system: "Be kind.".to_owned(), ..chat() }, open()),
                vec![S::Persona],
                vec![S::Persona],
            ),
            (rules(place(1, of_place.clone()), open()), vec![S::Persona, S::Model, S::Language], vec![]),
            // For a channel alone it does not bind the guild.
            (rules(place(7, of_place), open()), vec![], vec![]),
            (rules(chat(), ChatAccess { guilds: Some([THERE].into()), ..open() }), vec![S::Chat], vec![]),
            (
                rules(chat(), ChatAccess { channels: Some([ChannelId(3)].into()), ..open() }),
                vec![S::ChatChannels],
                vec![S::ChatChannels],
            ),
            (
                rules(ChatSettings { write_tools: Some(BTreeSet::new()), ..chat() }, open()),
                vec![S::WriteTools],
                vec![S::WriteTools],
            ),
            (
                rules(chat(), ChatAccess { roles: Some([RoleId(4)].into()), ..open() }),
                vec![S::ChatRoles],
                vec![S::ChatRoles],
            ),
        ];
        for (n, (rules, here, there)) in cases.into_iter().enumerate() {
            for (guild, expected) in [(HERE, here), (THERE, there)] {
                let fixed =
                    S::ALL.into_iter().filter(|&setting| rules.may_set(setting, guild) == Err(Fixed::ByOperator));
                assert_eq!(fixed.collect::<Vec<_>>(), expected, "case {n}, {guild}");
                for setting in S::ALL {
                    assert_eq!(rules.unset(setting, guild).is_operators, expected.contains(&setting));
                }
            }
        }
    }

    #[test]
    fn nothing_may_be_set_unless_the_operator_says_so() {
        let none = rules(ChatSettings { guild_settings: BTreeSet::new(), ..chat() }, ChatAccess::default());
        let some = rules(ChatSettings { guild_settings: [S::Chat].into(), ..chat() }, ChatAccess::default());
        assert!(S::ALL.iter().all(|&setting| none.may_set(setting, HERE) == Err(Fixed::NotAllowed)));
        assert_eq!((none.allow_any(), some.allow_any()), (false, true));

        // What was set while it was allowed does not count any more.
        let mut sheet = GuildSheet::default();
        let models = some.models();
        let commands = BTreeSet::new();
        let known = KnownNames { models: &models, commands: &commands, ..KnownNames::NOTHING };
        let by = ChangedBy { receipt: ReceiptId::from_number(1), at: std::time::UNIX_EPOCH };
        for (setting, text) in [(S::Chat, "off"), (S::Persona, "A pirate."), (S::Model, "large")] {
            assert!(sheet.set(setting, GuildValue::parse(setting, text, known).ok(), by));
        }
        assert_eq!(none.in_force(sheet.values(), HERE), GuildValues::default());
        let counts = some.in_force(sheet.values(), HERE);
        assert_eq!(counts.iter().map(GuildValue::setting).collect::<Vec<_>>(), [S::Chat]);
        let all = GuildRules::place_chat(sheet.values());
        assert_eq!((all.system.as_deref(), all.model.as_deref()), (Some("A pirate."), Some("large")));
    }

    #[test]
    fn a_model_that_is_not_offered_any_more_does_not_count() {
        let mut sheet = GuildSheet::default();
        let by = ChangedBy { receipt: ReceiptId::from_number(1), at: std::time::UNIX_EPOCH };
        let models = ["large".to_owned()];
        let commands = BTreeSet::new();
        let known = KnownNames { models: &models, commands: &commands, ..KnownNames::NOTHING };
        for (setting, text) in [(S::Model, "large"), (S::Language, "de")] {
            assert!(sheet.set(setting, GuildValue::parse(setting, text, known).ok(), by));
        }
        let offers = |models: &[&str]| {
            let models = models.iter().map(|model| OfferedModel::named(model)).collect();
            rules(ChatSettings { models, ..chat() }, ChatAccess::default())
        };
        let of_operator = PlaceChat { model: Some("small".to_owned()), ..PlaceChat::default() };
        let elsewhere = ChatSettings { models: vec![OfferedModel::named("small")], ..place(1, of_operator) };
        let cases = [
            (offers(&["small", "large"]), None, Some("large")),
            (offers(&["small"]), Some("large"), None),
            // There it would not count anyway.
            (offers(&[]), None, None),
            (rules(elsewhere, ChatAccess::default()), None, None),
        ];
        for (rules, vanished, counts) in cases {
            assert_eq!(rules.vanished(sheet.values(), HERE), vanished, "{:?}", rules.models());
            let in_force = rules.in_force(sheet.values(), HERE);
            assert_eq!((in_force.model(), in_force.language()), (counts, Language::of_locale("de")));
        }
    }

    #[test]
    fn what_is_in_force_without_a_value_is_told_but_not_the_operators_words() {
        let german = PlaceChat { language: Language::of_locale("de"), ..PlaceChat::default() };
        let settings = ChatSettings { system: "Secret.".to_owned(), ..place(1, german) };
        let access = ChatAccess { channels: Some([ChannelId(3), ChannelId(4)].into()), ..ChatAccess::default() };
        let rules = rules(settings, access);
        let values: Vec<_> = S::ALL.into_iter().map(|setting| rules.unset(setting, HERE).value).collect();
        let on = Some("on");
        let places = Some("<#3> <#4>");
        let expected = [on, places, None, on, None, Some("small"), Some("de"), None, None, None, None];
        assert_eq!(values, expected.map(|value| value.map(str::to_owned)));
        // A channel by itself, a channel of a category, and a thread of such a channel.
        for (around, expected) in [
            (&[1][..], vec![S::Language]),
            (&[9, 1], vec![S::Language]),
            (&[8, 9, 1], vec![S::Language]),
            (&[9], vec![]),
        ] {
            assert_eq!(rules.in_channel(around), expected, "{around:?}");
        }
    }

    #[test]
    fn cooldowns_of_the_operator_win_over_those_of_a_guild_for_the_same_command() {
        let seconds = |n| Some(std::time::Duration::from_secs(n));
        let cooldowns = Cooldowns { user: seconds(60), global: seconds(5), ..Cooldowns::default() };
        let policies = [("/tasks".to_owned(), Policy { cooldowns, ..Policy::default() })].into();
        let rules = rules(chat(), ChatAccess::default()).with_policies(&policies);
        let commands = ["/tasks", "/tasks add"].map(str::to_owned).into();
        let value = |text| {
            GuildValue::parse(S::Cooldowns, text, KnownNames { commands: &commands, ..KnownNames::NOTHING }).unwrap()
        };
        let by = ChangedBy { receipt: ReceiptId::from_number(1), at: std::time::UNIX_EPOCH };
        let cases = [
            ("/tasks 5s", Some("/tasks 5s"), None),
            ("/tasks 90s channel", None, Some("/tasks 90s channel")),
            ("/tasks 90s, /tasks add 5s", Some("/tasks 90s"), Some("/tasks add 5s")),
        ];
        for (text, fixed, counts) in cases {
            let mut sheet = GuildSheet::default();
            sheet.set(S::Cooldowns, Some(value(text)), by);
            assert_eq!(rules.fixed_in(&value(text)).as_deref(), fixed, "{text}");
            let in_force = rules.in_force(sheet.values(), HERE);
            assert_eq!(in_force.cooldowns().map(ToString::to_string).as_deref(), counts, "{text}");
        }
        let unset = rules.unset(S::Cooldowns, HERE);
        assert_eq!((unset.value.as_deref(), unset.is_operators), (Some("/tasks 60s"), true));
        assert_eq!(rules.may_set(S::Cooldowns, HERE), Ok(()));
    }
}
