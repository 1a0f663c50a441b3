//! Contexts and installations: where a command may be used, and how the bot must be installed for it.

/// A context in which a command may be used. See Discord's documentation, "Interaction Context Types".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InteractionContext {
    /// In guilds.
    Guild = 0,
    /// In direct messages with the bot.
    BotDm = 1,
    /// In direct messages and groups without the bot.
    PrivateChannel = 2,
}

/// The installation that a command needs to be shown. See Discord's documentation, "Application Integration Types".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Install {
    /// In the guild.
    Guild = 0,
    /// By the user.
    User = 1,
}
