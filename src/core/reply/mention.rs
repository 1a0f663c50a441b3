//! Mentions, and which of them a model may write: only those that it was shown. Its messages are sent with pings
//! disabled.

use std::collections::BTreeSet;

use crate::inbound::{ChannelId, MentionedPerson, UserId};

/// The longest mention, in bytes: of a command with three names of 32 characters, spaces between them, and an id.
const MENTION_LENGTH_MAX: usize = 130 * 4;

/// The people and channels that a model may mention, because it was shown them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentionable {
    pub(super) people: Vec<MentionedPerson>,
    users: BTreeSet<UserId>,
    channels: BTreeSet<ChannelId>,
}

impl Mentionable {
    /// Adds people whom the model knows by name.
    #[must_use]
    pub fn with_people(mut self, people: Vec<MentionedPerson>) -> Self {
        self.users.extend(people.iter().map(|person| person.id));
        self.people.extend(people);
        self
    }

    /// Adds the people and channels mentioned in a text that the model is shown.
    pub(crate) fn learn(&mut self, text: &str) {
        let mut rest = text;
        while let Some((mention, behind)) = rest.split_once('>') {
            let written = mention.rfind('<').and_then(|at| rest.get(at..=mention.len()));
            match written.and_then(Mention::read) {
                Some(Mention::User(id)) => _ = self.users.insert(id),
                Some(Mention::Channel(id)) => _ = self.channels.insert(id),
                Some(Mention::Other(_)) | None => {}
            }
            rest = behind;
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mention {
    User(UserId),
    Channel(ChannelId),
    /// A role, a command or a page of the guild, in plain words.
    Other(String),
}

impl Mention {
    /// Parses a text from its `<` to its `>`. `None` if it is not a mention.
    pub(super) fn read(written: &str) -> Option<Self> {
        let inner = written.strip_prefix('<')?.strip_suffix('>')?;
        if MENTION_LENGTH_MAX < inner.len() || inner.contains(['<', '>']) {
            return None;
        }
        if let Some(command) = inner.strip_prefix('/') {
            let (name, _) = command.rsplit_once(':').filter(|(name, id)| is_name(name) && is_number(id))?;
            return Some(Self::Other(format!("/{name}")));
        }
        if let Some(page) = inner.strip_prefix("id:") {
            return is_name(page).then(|| Self::Other(inner.to_owned()));
        }
        let sign = inner.chars().next().filter(|sign| "@#".contains(*sign))?;
        let id = inner.get(1..)?.trim_start_matches(['!', '&']);
        let number = is_number(id).then(|| id.parse().ok())?;
        Some(match number {
            Some(id) if sign == '#' => Self::Channel(ChannelId(id)),
            Some(id) if !inner.contains('&') => Self::User(UserId(id)),
            // A Discord id never has so many digits.
            Some(_) | None => Self::Other(format!("{sign}{id}")),
        })
    }

    /// Returns the mention in Discord's form if it is allowed, else in plain words.
    pub(super) fn shown(&self, may_mention: &Mentionable) -> String {
        match self {
            Self::User(id) if may_mention.users.contains(id) => format!("<@{id}>"),
            Self::User(id) => format!("@{id}"),
            Self::Channel(id) if may_mention.channels.contains(id) => format!("<#{id}>"),
            Self::Channel(id) => format!("#{id}"),
            Self::Other(words) => words.clone(),
        }
    }
}

/// Returns whether a text may be a name. A name never has a mark that begins or ends code. Without the signs around it,
/// such a mark would change the meaning of other text.
fn is_name(text: &str) -> bool {
    !text.contains(['\\', '`'])
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_digit())
}
