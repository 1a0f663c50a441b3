//! Contexts and installations: where a command may be used, and how the bot must be installed for it.

/// Where a command may be used. See Discord's documentation, interaction context types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InteractionContext {
    /// In guilds.
    Guild = 0,
    /// In direct messages with the bot.
    BotDm = 1,
    /// In direct messages and groups without the bot.
    PrivateChannel = 2,
}

/// How the bot must be installed for a command to show. See Discord's documentation, application integration types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Install {
    /// In the guild.
    Guild = 0,
    /// By the user.
    User = 1,
}
