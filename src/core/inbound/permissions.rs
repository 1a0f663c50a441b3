//! Discord's permissions, by the names and bits in its documentation.

use std::fmt;

/// A set of Discord permissions, as bits. See Discord's documentation, "Permissions", bitwise permission flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permissions(pub u64);

/// Each permission by its documented name in lower case.
const NAMES: &[(&str, u32)] = &[
    ("create_instant_invite", 0),
    ("kick_members", 1),
    ("ban_members", 2),
    ("administrator", 3),
    ("manage_channels", 4),
    ("manage_guild", 5),
    ("add_reactions", 6),
    ("view_audit_log", 7),
    ("priority_speaker", 8),
    ("stream", 9),
    ("view_channel", 10),
    ("send_messages", 11),
    ("send_tts_messages", 12),
    ("manage_messages", 13),
    ("embed_links", 14),
    ("attach_files", 15),
    ("read_message_history", 16),
    ("mention_everyone", 17),
    ("use_external_emojis", 18),
    ("view_guild_insights", 19),
    ("connect", 20),
    ("speak", 21),
    ("mute_members", 22),
    ("deafen_members", 23),
    ("move_members", 24),
    ("use_vad", 25),
    ("change_nickname", 26),
    ("manage_nicknames", 27),
    ("manage_roles", 28),
    ("manage_webhooks", 29),
    ("manage_guild_expressions", 30),
    ("use_application_commands", 31),
    ("request_to_speak", 32),
    ("manage_events", 33),
    ("manage_threads", 34),
    ("create_public_threads", 35),
    ("create_private_threads", 36),
    ("use_external_stickers", 37),
    ("send_messages_in_threads", 38),
    ("use_embedded_activities", 39),
    ("moderate_members", 40),
    ("view_creator_monetization_analytics", 41),
    ("use_soundboard", 42),
    ("create_guild_expressions", 43),
    ("create_events", 44),
    ("use_external_sounds", 45),
    ("send_voice_messages", 46),
    ("send_polls", 49),
    ("use_external_apps", 50),
    ("pin_messages", 51),
    ("bypass_slowmode", 52),
];

/// The names in Discord's app that differ from those of the API.
const SHOWN: [(&str, &str); 10] = [
    ("create_instant_invite", "Create Invite"),
    ("manage_guild", "Manage Server"),
    ("stream", "Video"),
    ("send_tts_messages", "Send Text-to-Speech Messages"),
    ("mention_everyone", "Mention @everyone, @here and All Roles"),
    ("view_guild_insights", "View Server Insights"),
    ("use_vad", "Use Voice Activity"),
    ("manage_guild_expressions", "Manage Expressions"),
    ("create_guild_expressions", "Create Expressions"),
    ("moderate_members", "Timeout Members"),
];

impl Permissions {
    /// Implies every other permission.
    pub const ADMINISTRATOR: Self = Self(1 << 3);

    /// Returns the permission with that name, such as `manage_messages`.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, bit)| Self(1 << bit))
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the names as Discord shows them, such as `Manage Server`, separated by commas; bits without a name as
    /// numbers.
    pub fn shown(self) -> String {
        let title = |name: &str| match SHOWN.iter().find(|(known, _)| *known == name) {
            Some((_, shown)) => (*shown).to_owned(),
            None => {
                let words = name.split('_').map(|word| {
                    let (first, rest) = word.split_at(word.len().min(1));
                    format!("{}{rest}", first.to_uppercase())
                });
                words.collect::<Vec<_>>().join(" ")
            }
        };
        self.to_string().split(", ").map(title).collect::<Vec<_>>().join(", ")
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the permissions in `wanted` that are not in this set. An administrator lacks none.
    #[must_use]
    pub fn missing(self, wanted: Self) -> Self {
        if self.0 & Self::ADMINISTRATOR.0 != 0 { Self(0) } else { Self(wanted.0 & !self.0) }
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Permissions {
    /// Writes the names, separated by commas; bits without a name as numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut shown = Vec::new();
        for (name, bit) in NAMES {
            if rest & (1 << bit) != 0 {
                rest &= !(1 << bit);
                shown.push((*name).to_owned());
            }
        }
        shown.extend((rest != 0).then(|| format!("{rest:#x}")));
        f.write_str(&shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bits_are_discords() {
        let both =
            Permissions::from_name("manage_messages").unwrap().and(Permissions::from_name("ban_members").unwrap());
        assert_eq!((both.0, both.to_string()), (0x2004, "ban_members, manage_messages".to_owned()));
        assert_eq!(both.shown(), "Ban Members, Manage Messages");
        assert_eq!(Permissions::from_name("manage_guild").unwrap().shown(), "Manage Server");
        assert_eq!(Permissions::from_name("Manage_Messages"), None);
        assert_eq!(Permissions(1 << 63).to_string(), "0x8000000000000000");
    }

    #[test]
    fn an_administrator_lacks_nothing() {
        let wanted = Permissions(0x2004);
        for (has, missing) in [(0, 0x2004), (0x2000, 0x4), (0x2004, 0), (0x8, 0)] {
            assert_eq!(Permissions(has).missing(wanted), Permissions(missing), "{has:#x}");
        }
    }
}
