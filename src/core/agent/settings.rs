//! The settings of chat: the prompt, the limits of a turn, and the handling of its reply.
//!
//! Also the settings of single places: `[chat.places."<id>"]`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::agent::budget::{BudgetSettings, DayLimits};
use crate::agent::conversation::Whose;
use crate::guild::GuildSetting;
use crate::inbound::ChannelId;
use crate::language::Language;
use crate::text::{Zone, names};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSettings {
    /// The bot's name in the system text.
    pub name: String,
    pub system: String,
    /// The time zone of the times shown to the model, and of times that people write without a zone.
    pub time_zone: Zone,
    /// The number of earlier exchanges shown to the model. 0 to 200.
    pub history: usize,
    /// Whether a model summarises exchanges that are no longer shown.
    pub summaries: bool,
    /// Who shares the conversations in guilds.
    pub conversation: Whose,
    /// Whether a mention in a guild's channel opens a thread for the answer.
    pub thread: bool,
    /// Whether a reply is shown while it grows, if the surface can.
    pub stream: bool,
    /// The channels where every message is addressed to the bot, without duplicates. Their threads and posts count too.
    pub channels: Vec<ChannelId>,
    /// `[chat] own_threads`: whose messages are answered without a mention in threads that the bot opened. `None` means
    /// [`OwnThreads::Owner`] if the application has the Message Content intent.
    pub own_threads: Option<OwnThreads>,
    /// The models for conversations, the default first. Empty if chat is off.
    pub models: Vec<OfferedModel>,
    /// `[chat] fallbacks`: the names of the models to ask, in this order, if the provider of the chosen one fails.
    pub fallbacks: Vec<String>,
    /// `[chat] write_tools`: the commands that write and that the model may call, such as `/tasks add`. `None` allows
    /// all except those that remove something.
    pub write_tools: Option<BTreeSet<String>>,
    /// `[chat] confirm_s`: the time limit for a person to confirm such a command. 5 s to 10 min.
    pub confirm_within: Duration,
    pub limits: TurnLimits,
    pub budget: BudgetSettings,
    pub guard: GuardSettings,
    /// `[chat.places]`: overrides for single places, by id.
    pub places: BTreeMap<u64, PlaceChat>,
    /// `[chat] server_settings`: the settings that administrators of a guild may change.
    pub guild_settings: BTreeSet<GuildSetting>,
}

impl ChatSettings {
    /// Returns the rule for threads that the bot opened: `Mention` if chat is off.
    pub fn own_threads(&self) -> OwnThreads {
        match self.models.is_empty() {
            true => OwnThreads::Mention,
            false => self.own_threads.unwrap_or(OwnThreads::Owner),
        }
    }

    /// Returns whether chat needs the words of messages that do not mention the bot: a privileged intent at Discord.
    pub fn message_content(&self) -> MessageContent {
        match self.own_threads() {
            _ if !self.channels.is_empty() => MessageContent::Needed("[chat] channels"),
            OwnThreads::Mention => MessageContent::Unused,
            OwnThreads::All | OwnThreads::Owner if self.own_threads.is_some() => {
                MessageContent::Needed("[chat] own_threads")
            }
            OwnThreads::All | OwnThreads::Owner => MessageContent::IfEnabled,
        }
    }

    /// Merges the overrides for a place. `ids` are its own and those of the places around it, nearest first.
    pub fn place(&self, ids: impl IntoIterator<Item = u64>) -> PlaceChat {
        ids.into_iter().filter_map(|id| self.places.get(&id)).fold(PlaceChat::default(), PlaceChat::or)
    }

    /// Applies the overrides of a place.
    pub fn in_place(&self, here: &PlaceChat) -> Cow<'_, Self> {
        if here.system.is_none() && here.history.is_none() && here.time_zone.is_none() && here.summaries.is_none() {
            return Cow::Borrowed(self);
        }
        let mut settings = self.clone();
        settings.system = here.system.clone().unwrap_or(settings.system);
        settings.time_zone = here.time_zone.clone().unwrap_or(settings.time_zone);
        settings.history = here.history.unwrap_or(settings.history);
        settings.summaries = here.summaries.unwrap_or(settings.summaries);
        Cow::Owned(settings)
    }
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            name: "Candor".to_owned(),
            system: String::new(),
            time_zone: Zone::UTC,
            history: 20,
            summaries: false,
            conversation: Whose::default(),
            thread: false,
            stream: true,
            channels: Vec::new(),
            own_threads: None,
            models: Vec::new(),
            fallbacks: Vec::new(),
            write_tools: None,
            confirm_within: Duration::from_secs(60),
            limits: TurnLimits::default(),
            budget: BudgetSettings::default(),
            guard: GuardSettings::default(),
            places: BTreeMap::new(),
            guild_settings: BTreeSet::new(),
        }
    }
}

/// The people who are answered without a mention in threads that the bot opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnThreads {
    All,
    /// The person for whom the thread was opened.
    Owner,
    /// A mention or a reply is needed.
    Mention,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageContent {
    /// This setting needs it.
    Needed(&'static str),
    /// It is used if the application has it.
    IfEnabled,
    Unused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// The name that people choose: `llama3.2`, or `cloud/gpt-4o` if its provider has a name.
    pub name: String,
    /// `tools`: how it calls commands.
    pub tools: ToolSetting,
    pub images: ImageSetting,
    /// `context_tokens`: the maximum of prompt and answer together. 1,024 to 4,000,000 tokens, estimated at three bytes
    /// a token.
    pub context_tokens: usize,
    /// `max_tokens`: the part of the context reserved for the answer.
    pub answer_tokens: usize,
}

impl OfferedModel {
    /// Creates a model with default settings.
    pub fn named(name: &str) -> Self {
        let tools = ToolSetting::Auto;
        let images = ImageSetting::Auto;
        Self { name: name.to_owned(), tools, images, context_tokens: 8_192, answer_tokens: 1_024 }
    }
}

/// The limits from `[chat.limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Requests to the model, including retries and corrections. 1 to 32.
    pub steps: usize,
    /// Calls that run in one step. Further ones are answered as not run. 1 to 16.
    pub calls_per_step: usize,
    /// Time for the model's words and the commands together. It excludes the wait for an answer's first token or for a
    /// person's confirmation.
    pub time: Duration,
    /// Corrections of one unknown name before the turn is given up. 0 to 16.
    pub corrections_per_name: u32,
    /// Corrections of any kind before the turn is given up. 0 to 64.
    pub corrections: u32,
    /// The maximum size of a tool's result for the model, in bytes of UTF-8. 256 to 1 MiB.
    pub result_bytes: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            steps: 8,
            calls_per_step: 4,
            time: Duration::from_secs(60),
            corrections_per_name: 3,
            corrections: 6,
            result_bytes: 16 * 1024,
        }
    }
}

/// The removals from a model's reply: `[guard]`. No setting changes the mark, and a call amid words never runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// Removes calls of this bot's tools amid words, and offers them as buttons.
    pub tool_text: bool,
    /// Removes made-up results of this bot's tools.
    pub made_up_results: bool,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self { tool_text: true, made_up_results: true }
    }
}

/// `[model] tools`: how the models call tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSetting {
    /// A probe finds out for each model.
    Auto,
    /// All models in this way.
    Fixed(ToolMode),
}

impl ToolSetting {
    pub const ALL: [Self; 4] =
        [Self::Auto, Self::Fixed(ToolMode::Native), Self::Fixed(ToolMode::Text), Self::Fixed(ToolMode::None)];

    /// Returns the word for it in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fixed(mode) => mode.name(),
        }
    }
}

/// `[model] images`: whether the models accept images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageSetting {
    /// A probe finds out for each model.
    Auto,
    /// All of them or none.
    Fixed(bool),
}

impl ImageSetting {
    /// The word for [`Auto`](Self::Auto) in the settings.
    pub const AUTO: &'static str = "auto";
}

impl From<Option<bool>> for ImageSetting {
    fn from(written: Option<bool>) -> Self {
        written.map_or(Self::Auto, Self::Fixed)
    }
}

names! {
    /// The way in which a model calls tools.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ToolMode {
        /// With the chat API's tool calls.
        Native = "native",
        /// With a JSON block that is the whole message.
        Text = "text",
        /// Not at all: no tools are offered.
        None = "none",
    }
}

/// Chat settings of a guild, a category, a channel or a thread. `None` inherits from the place around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceChat {
    /// Replaces `[chat] system`.
    pub system: Option<String>,
    /// The model of conversations for which none was chosen.
    pub model: Option<String>,
    /// The only commands offered to a model, by path: `/tasks list`.
    pub tools: Option<BTreeSet<String>>,
    /// Whether the model may call commands that write. A guild administrator may disable this, but cannot allow more
    /// than the operator.
    pub write_tools: Option<bool>,
    /// The number of earlier exchanges shown to the model.
    pub history: Option<usize>,
    /// Whether a model summarises exchanges that are no longer shown.
    pub summaries: Option<bool>,
    pub time_zone: Option<Zone>,
    /// The language for people whose own is unknown.
    pub language: Option<Language>,
    /// Who shares the conversations here.
    pub conversation: Option<Whose>,
    /// The daily budget of chat for all people here and for all places within this one. Not inherited: the budgets of
    /// surrounding places count in addition.
    pub day: DayLimits,
    /// Whether a mention in a channel opens a thread for the answer.
    pub thread: Option<bool>,
}

impl PlaceChat {
    /// Fills the unset fields from a surrounding place.
    #[must_use]
    pub fn or(self, above: &Self) -> Self {
        Self {
            system: self.system.or_else(|| above.system.clone()),
            model: self.model.or_else(|| above.model.clone()),
            tools: self.tools.or_else(|| above.tools.clone()),
            write_tools: self.write_tools.or(above.write_tools),
            history: self.history.or(above.history),
            summaries: self.summaries.or(above.summaries),
            time_zone: self.time_zone.or_else(|| above.time_zone.clone()),
            language: self.language.or(above.language),
            conversation: self.conversation.or(above.conversation),
            day: self.day,
            thread: self.thread.or(above.thread),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intent_is_needed_where_a_setting_names_messages_without_a_mention() {
        use MessageContent::{IfEnabled, Needed, Unused};
        let some = vec![ChannelId(1)];
        let none = Vec::new;
        let cases = [
            (some, None, true, Needed("[chat] channels")),
            (none(), None, true, IfEnabled),
            (none(), Some(OwnThreads::Owner), true, Needed("[chat] own_threads")),
            (none(), Some(OwnThreads::All), true, Needed("[chat] own_threads")),
            (none(), Some(OwnThreads::Mention), true, Unused),
            (none(), Some(OwnThreads::All), false, Unused),
        ];
        for (channels, own_threads, has_chat, expected) in cases {
            let models = if has_chat { vec![OfferedModel::named("m")] } else { Vec::new() };
            let settings = ChatSettings { channels, own_threads, models, ..ChatSettings::default() };
            assert_eq!(settings.message_content(), expected, "{own_threads:?}");
        }
    }

    #[test]
    fn the_nearest_place_that_says_something_counts_for_each_setting() {
        let says = |system: Option<&str>, history| PlaceChat {
            system: system.map(str::to_owned),
            history,
            ..PlaceChat::default()
        };
        let places = [(1, says(Some("guild"), Some(1))), (2, says(Some("category"), None)), (3, says(None, Some(3)))];
        let settings = ChatSettings { system: "bot".to_owned(), places: places.into(), ..ChatSettings::default() };
        let here = |ids: &[u64]| {
            let settings = settings.in_place(&settings.place(ids.iter().copied())).into_owned();
            (settings.system, settings.history)
        };
        assert_eq!(here(&[]), ("bot".to_owned(), 20));
        assert_eq!(here(&[9, 1]), ("guild".to_owned(), 1));
        assert_eq!(here(&[3, 2, 1]), ("category".to_owned(), 3));
        assert_eq!(here(&[9, 3, 2, 1]), ("category".to_owned(), 3));

        let summed = PlaceChat { summaries: Some(true), ..PlaceChat::default() };
        let settings = ChatSettings { places: [(1, summed)].into(), ..ChatSettings::default() };
        assert!(
            settings.in_place(&settings.place([9, 1])).summaries && !settings.in_place(&settings.place([9])).summaries
        );

        let time_zone = Zone::named("Europe/Berlin").ok();
        let berlin = PlaceChat { time_zone: time_zone.clone(), ..PlaceChat::default() };
        let settings = ChatSettings { places: [(1, berlin)].into(), ..ChatSettings::default() };
        let zone = |ids: &[u64]| settings.in_place(&settings.place(ids.iter().copied())).time_zone.clone();
        assert_eq!((Some(zone(&[9, 1])), zone(&[9])), (time_zone, Zone::UTC));
    }
}
