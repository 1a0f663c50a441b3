//! The settings of chat: what the model is shown, the limits of one turn, and what becomes of its reply.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::agent::budget::BudgetSettings;
use crate::inbound::ChannelId;

/// The settings of chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSettings {
    /// The bot's name in the system text.
    pub name: String,
    /// The operator's own system text.
    pub system: String,
    /// How many earlier exchanges the model is shown. 0 to 200.
    pub history: usize,
    /// Whether a reply is shown as it grows, where the surface can.
    pub stream: bool,
    /// Channels where every message is addressed to the bot, each once.
    pub channels: Vec<ChannelId>,
    /// `[model] tools`: how the models call commands.
    pub tools: ToolSetting,
    /// `[model] context_tokens`: how much the model can be shown and answer, together. 1,024 to 4,000,000 tokens,
    /// estimated at three bytes a token.
    pub context_tokens: usize,
    /// `[model] max_tokens`: the part of the context that is left free for the answer.
    pub answer_tokens: usize,
    /// `[chat] write_tools`: commands that change something and that the model may call, such as `/tasks add`.
    pub write_tools: BTreeSet<String>,
    /// `[chat] confirm_s`: how long to wait for a person's confirmation of such a command. 5 s to 10 min.
    pub confirm_within: Duration,
    /// `[chat.limits]`
    pub limits: TurnLimits,
    /// `[chat.budget]`
    pub budget: BudgetSettings,
    /// `[guard]`
    pub guard: GuardSettings,
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            name: "Candor".to_owned(),
            system: String::new(),
            history: 20,
            stream: true,
            channels: Vec::new(),
            tools: ToolSetting::Auto,
            context_tokens: 8_192,
            answer_tokens: 1_024,
            write_tools: BTreeSet::new(),
            confirm_within: Duration::from_secs(60),
            limits: TurnLimits::default(),
            budget: BudgetSettings::default(),
            guard: GuardSettings::default(),
        }
    }
}

/// The limits of one turn: `[chat.limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Requests to the model, retries and corrections included. 1 to 32.
    pub steps: usize,
    /// Calls that run in one step; further ones are answered as not run. 1 to 16.
    pub calls_per_step: usize,
    /// Time for the model's words and the commands together. Waiting does not count: for the first token of an answer,
    /// or for a person's confirmation.
    pub time: Duration,
    /// How often one unknown name is corrected before the turn is given up. 0 to 16.
    pub corrections_per_name: u32,
    /// How often anything is corrected before the turn is given up. 0 to 64.
    pub corrections: u32,
    /// The longest result of a tool that the model is shown, in bytes of UTF-8. 256 to 1 MiB.
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

/// What is taken out of a model's reply, and what the host adds: `[guard]`. Whatever is switched off, what ran is
/// shown, and nothing that stands amid words runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// Calls of this bot's own tools amid words are taken out and offered as buttons.
    pub tool_text: bool,
    /// Made-up results of this bot's own tools are taken out.
    pub made_up_results: bool,
    /// Of the commands that the request or the reply touches and that did not run, one line says so.
    pub touched: bool,
    /// Parts of this bot's commands that do not exist are pointed out.
    pub command_names: bool,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self { tool_text: true, made_up_results: true, touched: true, command_names: true }
    }
}

/// How the models call tools, as set: `[model] tools`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSetting {
    /// A probe finds out, for each model.
    Auto,
    /// All in this way.
    Fixed(ToolMode),
}

impl ToolSetting {
    /// All settings.
    pub const ALL: [Self; 4] =
        [Self::Auto, Self::Fixed(ToolMode::Native), Self::Fixed(ToolMode::Text), Self::Fixed(ToolMode::None)];

    /// The word for it in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fixed(mode) => mode.name(),
        }
    }
}

/// How a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode {
    /// As tool calls of the chat API.
    Native,
    /// By a JSON block that is the whole message.
    Text,
    /// Not at all: none are offered.
    None,
}

impl ToolMode {
    /// The word for it in the settings, the log and the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
            Self::None => "none",
        }
    }
}
