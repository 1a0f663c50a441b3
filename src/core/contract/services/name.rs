//! Services by the names that manifests ask for them with.

/// A service, by the name a manifest asks for it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceName {
    /// `records`: the module's own stored records.
    Records,
    /// `live`: the watched metrics file.
    Live,
    /// `history`: what the live metrics were.
    History,
    /// `workspace`: a folder of files for each community.
    Workspace,
    /// `prompt`: the module tells the chat model about whoever speaks to it.
    Prompt,
    /// `commands`: what is in force, as the caller may use it. Built-in commands only.
    Commands,
    /// `talk`: conversations and the model's name. Builtin only.
    Talk,
    /// `receipts`: what ran. Builtin only.
    Receipts,
}

impl ServiceName {
    /// Every service.
    pub const ALL: [Self; 8] = [
        Self::Records,
        Self::Live,
        Self::History,
        Self::Workspace,
        Self::Prompt,
        Self::Commands,
        Self::Talk,
        Self::Receipts,
    ];

    /// The name in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Live => "live",
            Self::History => "history",
            Self::Workspace => "workspace",
            Self::Prompt => "prompt",
            Self::Commands => "commands",
            Self::Talk => "talk",
            Self::Receipts => "receipts",
        }
    }

    /// Whether only the harness may ask for it.
    pub fn builtin_only(self) -> bool {
        matches!(self, Self::Commands | Self::Talk | Self::Receipts)
    }
}
