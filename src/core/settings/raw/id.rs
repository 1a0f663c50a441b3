//! Discord ids in the settings.

/// The least id of Discord: smaller ones would date from the first month of its id scheme.
pub(super) const LEAST: u64 = 10_000_000_000_000_000;

#[derive(Clone, Copy)]
pub(super) enum IdKind {
    User,
    Channel,
    Role,
    Guild,
}

impl IdKind {
    /// Returns the plural of its name.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::User => "people",
            Self::Channel => "channels",
            Self::Role => "roles",
            Self::Guild => "servers",
        }
    }

    /// Explains where Discord's app shows the id.
    pub(super) fn help(self) -> String {
        let (name, entry) = match self {
            Self::User => ("person", "Copy User ID"),
            Self::Channel => ("channel", "Copy Channel ID"),
            Self::Role => ("role in the server's settings", "Copy Role ID"),
            Self::Guild => ("server", "Copy Server ID"),
        };
        format!("an id is digits only: turn on Developer Mode in Discord, right-click the {name}, choose `{entry}`")
    }
}

/// Parses a number of ASCII digits only; `parse` alone would accept a plus sign.
pub(super) fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
