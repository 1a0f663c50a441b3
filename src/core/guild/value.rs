//! The value of a setting. People write it and the store holds it in the same form.

use std::collections::BTreeSet;
use std::fmt;

use crate::guild::cooldowns::GuildCooldowns;
use crate::guild::ids;
use crate::guild::module_channels::GuildModuleChannels;
use crate::guild::module_settings::GuildModuleSettings;
use crate::guild::setting::GuildSetting;
use crate::guild::switched_off::SwitchedOff;
use crate::guild::unfit::Unfit;
use crate::inbound::{ChannelId, RoleId};
use crate::language::Language;

/// The longest persona, in characters: a page of text. The model reads it with every answer.
const PERSONA_LENGTH_MAX: usize = 2_000;

/// The longest model name that is looked up, in characters.
const MODEL_LENGTH_MAX: usize = 200;

/// The names that values may refer to.
#[derive(Clone, Copy, Debug)]
pub struct KnownNames<'a> {
    /// The models that conversations may use.
    pub models: &'a [String],
    /// The commands, `/tasks` and `/tasks add`, and the modules.
    pub commands: &'a BTreeSet<String>,
    /// The settings of modules that administrators may set, `welcome.hint`.
    pub settings: &'a BTreeSet<String>,
    /// The modules that post unprompted.
    pub senders: &'a BTreeSet<String>,
}

impl KnownNames<'static> {
    pub const NOTHING: Self = Self { models: &[], commands: &NO_NAMES, settings: &NO_NAMES, senders: &NO_NAMES };
}

static NO_NAMES: BTreeSet<String> = BTreeSet::new();

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuildValue {
    Chat(bool),
    /// The channels in which it answers, with their threads, or the categories. At least one.
    ChatChannels(BTreeSet<ChannelId>),
    /// The roles of which a member needs one. At least one.
    ChatRoles(BTreeSet<RoleId>),
    /// Whether the chat model may call commands that change something.
    WriteTools(bool),
    Persona(Persona),
    /// The model of conversations without a chosen one.
    Model(String),
    /// The language for people with an unknown language.
    Language(Language),
    Commands(SwitchedOff),
    Cooldowns(GuildCooldowns),
    ModuleSettings(GuildModuleSettings),
    /// The channels in which modules may post unprompted.
    ModuleChannels(GuildModuleChannels),
}

/// A text that tells the model who it is: not empty, and at most a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persona(String);

impl Persona {
    fn parse(text: &str) -> Result<Self, Unfit> {
        let text = text.trim();
        match text.chars().count() {
            0 => Err(Unfit::Empty),
            length if PERSONA_LENGTH_MAX < length => Err(Unfit::TooLong { max: PERSONA_LENGTH_MAX, length }),
            _ => Ok(Self(text.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl GuildValue {
    /// Parses an administrator's value for a setting.
    ///
    /// # Errors
    /// The first problem of the text.
    pub fn parse(setting: GuildSetting, text: &str, known: KnownNames<'_>) -> Result<Self, Unfit> {
        Self::read(setting, text, Some(known))
    }

    /// Parses a stored value. It may refer to names that no longer exist.
    pub(super) fn stored(setting: GuildSetting, text: &str) -> Option<Self> {
        Self::read(setting, text, None).ok()
    }

    fn read(setting: GuildSetting, text: &str, known: Option<KnownNames<'_>>) -> Result<Self, Unfit> {
        let word = text.trim();
        Ok(match setting {
            GuildSetting::Chat => Self::Chat(switch(word)?),
            GuildSetting::ChatChannels => Self::ChatChannels(ids::channels(text, Unfit::Channels)?),
            GuildSetting::ChatRoles => Self::ChatRoles(ids::roles(text)?),
            GuildSetting::WriteTools => Self::WriteTools(switch(word)?),
            GuildSetting::Persona => Self::Persona(Persona::parse(text)?),
            GuildSetting::Model => {
                let is_known = |known: KnownNames<'_>| known.models.iter().any(|model| model == word);
                match known {
                    Some(known) if !is_known(known) => return Err(Unfit::Model(known.models.to_vec())),
                    _ if word.is_empty() || MODEL_LENGTH_MAX < word.chars().count() => return Err(Unfit::Empty),
                    _ => Self::Model(word.to_owned()),
                }
            }
            GuildSetting::Language => {
                let spoken = Language::all().find(|language| language.tag().eq_ignore_ascii_case(word));
                Self::Language(spoken.ok_or(Unfit::Language)?)
            }
            GuildSetting::Commands => Self::Commands(SwitchedOff::parse(text, known.map(|known| known.commands))?),
            GuildSetting::Cooldowns => Self::Cooldowns(GuildCooldowns::parse(text, known.map(|known| known.commands))?),
            GuildSetting::ModuleSettings => {
                Self::ModuleSettings(GuildModuleSettings::parse(text, known.map(|known| known.settings))?)
            }
            GuildSetting::ModuleChannels => {
                Self::ModuleChannels(GuildModuleChannels::parse(text, known.map(|known| known.senders))?)
            }
        })
    }

    pub fn setting(&self) -> GuildSetting {
        match self {
            Self::Chat(_) => GuildSetting::Chat,
            Self::ChatChannels(_) => GuildSetting::ChatChannels,
            Self::ChatRoles(_) => GuildSetting::ChatRoles,
            Self::WriteTools(_) => GuildSetting::WriteTools,
            Self::Persona(_) => GuildSetting::Persona,
            Self::Model(_) => GuildSetting::Model,
            Self::Language(_) => GuildSetting::Language,
            Self::Commands(_) => GuildSetting::Commands,
            Self::Cooldowns(_) => GuildSetting::Cooldowns,
            Self::ModuleSettings(_) => GuildSetting::ModuleSettings,
            Self::ModuleChannels(_) => GuildSetting::ModuleChannels,
        }
    }
}

fn switch(word: &str) -> Result<bool, Unfit> {
    match word.to_lowercase().as_str() {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Unfit::Switch),
    }
}

impl fmt::Display for GuildValue {
    /// Writes the form that people write and the store holds. Later versions must be able to parse it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chat(true) | Self::WriteTools(true) => f.write_str("on"),
            Self::Chat(false) | Self::WriteTools(false) => f.write_str("off"),
            Self::ChatChannels(ids) => f.write_str(&ids::listed_channels(ids)),
            Self::ChatRoles(ids) => f.write_str(&ids::listed_roles(ids)),
            Self::Persona(persona) => f.write_str(persona.as_str()),
            Self::Model(name) => f.write_str(name),
            Self::Language(language) => language.fmt(f),
            Self::Commands(off) => off.fmt(f),
            Self::Cooldowns(cooldowns) => cooldowns.fmt(f),
            Self::ModuleSettings(settings) => settings.fmt(f),
            Self::ModuleChannels(channels) => channels.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guild::ids::IDS_MAX;

    #[test]
    fn a_value_is_read_as_people_write_it_and_reads_back_as_it_is_shown() {
        use GuildSetting as S;
        let models = ["small".to_owned(), "cloud/large".to_owned()];
        let commands = ["/tasks".to_owned()].into();
        let settings = ["dice.sides".to_owned()].into();
        let senders = ["alerts".to_owned()].into();
        let known = KnownNames { models: &models, commands: &commands, settings: &settings, senders: &senders };
        let page = "x".repeat(PERSONA_LENGTH_MAX);
        let longer = "ü".repeat(PERSONA_LENGTH_MAX + 1);
        let many = (1..=IDS_MAX + 1).map(|id| id.to_string()).collect::<Vec<_>>().join(" ");
        let too_long = |length| Err(Unfit::TooLong { max: PERSONA_LENGTH_MAX, length });
        let cases: [(S, &str, Result<&str, Unfit>); 32] = [
            (S::Chat, "on", Ok("on")),
            (S::Chat, " OFF ", Ok("off")),
            (S::Chat, "yes", Err(Unfit::Switch)),
            (S::WriteTools, "Off", Ok("off")),
            (S::WriteTools, "/tasks add", Err(Unfit::Switch)),
            (S::ChatChannels, "<#2><#1>, 3", Ok("<#1> <#2> <#3>")),
            (S::ChatChannels, "general", Err(Unfit::Channels)),
            (S::ChatChannels, "<@&1>", Err(Unfit::Channels)),
            (S::ChatChannels, "<#1", Err(Unfit::Channels)),
            (S::ChatChannels, "0", Err(Unfit::Channels)),
            (S::ChatChannels, "+7", Err(Unfit::Channels)),
            (S::ChatChannels, "99999999999999999999", Err(Unfit::Channels)),
            (S::ChatChannels, " ", Err(Unfit::Empty)),
            (S::ChatChannels, &many, Err(Unfit::TooMany(IDS_MAX))),
            (S::ChatRoles, "<@&40> 41", Ok("<@&40> <@&41>")),
            (S::ChatRoles, "@everyone", Err(Unfit::Roles)),
            (S::Persona, " A pirate.\nSays arr. ", Ok("A pirate.\nSays arr.")),
            (S::Persona, &page, Ok(&page)),
            (S::Persona, &longer, too_long(PERSONA_LENGTH_MAX + 1)),
            (S::Persona, " \n", Err(Unfit::Empty)),
            (S::Model, "cloud/large", Ok("cloud/large")),
            (S::Model, "huge", Err(Unfit::Model(models.to_vec()))),
            (S::Language, "DE", Ok("de")),
            (S::Language, "tlh", Err(Unfit::Language)),
            (S::Commands, "/tasks", Ok("/tasks")),
            (S::Cooldowns, "/tasks 1m", Ok("/tasks 60s")),
            (S::Cooldowns, "/tasks", Err(Unfit::Cooldowns)),
            (S::ModuleSettings, "dice.sides=6", Ok("dice.sides = 6")),
            (S::ModuleSettings, "dice", Err(Unfit::ModuleSettings)),
            (S::ModuleChannels, "alerts = 5", Ok("alerts = <#5>")),
            (S::ModuleChannels, "alerts", Err(Unfit::ModuleChannels)),
            (S::Commands, "/nosuch", Err(Unfit::Command { name: "/nosuch".to_owned(), near: None })),
        ];
        for (setting, text, expected) in cases {
            let value = GuildValue::parse(setting, text, known);
            let shown = value.as_ref().map(ToString::to_string).map_err(Clone::clone);
            assert_eq!(shown, expected.map(str::to_owned), "{setting} {text}");
            if let Ok(value) = value {
                assert_eq!(value.setting(), setting);
                assert_eq!(GuildValue::stored(setting, &value.to_string()), Some(value));
            }
        }
        // What was stored may name what is gone.
        assert_eq!(GuildValue::stored(S::Model, "huge"), Some(GuildValue::Model("huge".to_owned())));
        assert_eq!(GuildValue::stored(S::Chat, "perhaps"), None);
    }
}
