//! Service names as used in manifests.

/// A service, by the name a manifest uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceName {
    /// `records`: the module's own stored records.
    Records,
    /// `live`: the watched metrics file.
    Live,
    /// `history`: past samples of the live metrics.
    History,
    /// `workspace`: a folder of files per community.
    Workspace,
    /// `prompt`: tells the chat model about the person it is talking to.
    Prompt,
    /// `time`: calls at a later time.
    Time,
    /// `send`: messages to channels that the operator allowed.
    Send,
    /// `http`: what hosts on the public internet answer.
    Http,
    /// `commands`: the commands in force, as the caller may use them. Built-in only.
    Commands,
    /// `talk`: conversations and the model's name. Built-in only.
    Talk,
    /// `receipts`: the ledger of what ran. Built-in only.
    Receipts,
    /// `privacy`: what is kept of the caller. Built-in only.
    Privacy,
    /// `usage`: what chat used today. Built-in only.
    Usage,
    /// `guild`: what the operator says about the settings of guilds. Built-in only.
    Guild,
    /// `effects`: announces changes that no commit can take back. Every module with a program or a server has it, and
    /// no manifest asks for it.
    Effects,
}

impl ServiceName {
    /// Every service.
    pub const ALL: [Self; 15] = [
        Self::Records,
        Self::Live,
        Self::History,
        Self::Workspace,
        Self::Prompt,
        Self::Time,
        Self::Send,
        Self::Http,
        Self::Commands,
        Self::Talk,
        Self::Receipts,
        Self::Privacy,
        Self::Usage,
        Self::Guild,
        Self::Effects,
    ];

    /// The name used in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Live => "live",
            Self::History => "history",
            Self::Workspace => "workspace",
            Self::Prompt => "prompt",
            Self::Time => "time",
            Self::Send => "send",
            Self::Http => "http",
            Self::Commands => "commands",
            Self::Talk => "talk",
            Self::Receipts => "receipts",
            Self::Privacy => "privacy",
            Self::Usage => "usage",
            Self::Guild => "guild",
            Self::Effects => "effects",
        }
    }

    /// Whether only built-in commands may ask for it.
    pub fn builtin_only(self) -> bool {
        use ServiceName as S;
        matches!(self, S::Commands | S::Talk | S::Receipts | S::Privacy | S::Usage | S::Guild | S::Effects)
    }
}
