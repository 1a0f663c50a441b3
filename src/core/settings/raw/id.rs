//! Discord's ids as an operator writes them.

/// What an id is of.
#[derive(Clone, Copy)]
pub(super) enum IdKind {
    /// A person.
    User,
    /// A channel.
    Channel,
    /// A role.
    Role,
    /// A server.
    Guild,
}

impl IdKind {
    /// The word for many of them.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::User => "people",
            Self::Channel => "channels",
            Self::Role => "roles",
            Self::Guild => "servers",
        }
    }

    /// Where the id is found in Discord's app.
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

/// A number written in ASCII digits and nothing else; `parse` alone would take a plus sign.
pub(super) fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
