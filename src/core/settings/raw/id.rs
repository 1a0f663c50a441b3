//! Discord ids in the settings.

/// No id of Discord's is smaller: it would be of the first month that Discord's ids count from.
pub(super) const LEAST: u64 = 10_000_000_000_000_000;

/// The kind of an id.
#[derive(Clone, Copy)]
pub(super) enum IdKind {
    /// A user.
    User,
    /// A channel.
    Channel,
    /// A role.
    Role,
    /// A guild.
    Guild,
}

impl IdKind {
    /// The plural of its name.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::User => "people",
            Self::Channel => "channels",
            Self::Role => "roles",
            Self::Guild => "servers",
        }
    }

    /// Where Discord's app shows the id.
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
