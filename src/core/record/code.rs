//! The name of the code that a command ran, and the chat model that called it.

use std::fmt;
use std::sync::Arc;

use crate::inbound::EventId;
use crate::record::receipt::Digest;

/// The code of a module as it was checked: its name, its version, and the SHA-256 of its files or of the bot's program.
/// As text: `tasks 0.2.0 sha256:…`, or `weather sha256:…` without a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeName(Arc<str>);

impl CodeName {
    pub fn new(module: &str, version: Option<&str>, digest: Digest) -> Self {
        let version = version.map_or(String::new(), |version| format!(" {version}"));
        Self(format!("{module}{version} sha256:{digest}").into())
    }

    /// Reads a name as [`new`](Self::new) writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (named, digest) = text.rsplit_once(" sha256:")?;
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        let is_named = named.split(' ').count() <= 2 && named.split(' ').all(is_word);
        (is_digest && is_named).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The chat model that called a command for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// The model's name in the settings.
    pub model: String,
    /// The person's press of *Confirm*: the id of Discord's interaction. `None` if the call needed no consent.
    pub confirm: Option<EventId>,
}

impl ModelCall {
    /// Returns the digest of both for the chain.
    pub(super) fn digest(&self) -> Digest {
        let confirm = self.confirm.map(|press| press.0.to_be_bytes());
        Digest::of(&[self.model.as_bytes(), confirm.as_ref().map_or(&[], |press| &press[..])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written_and_nothing_else_is_one() {
        let digest = Digest([0xab; 32]);
        let names = [CodeName::new("tasks", Some("0.2.0"), digest), CodeName::new("weather", None, digest)];
        for name in &names {
            assert_eq!(CodeName::parse(name.as_str()).as_ref(), Some(name));
        }
        assert_eq!(names[1].as_str(), format!("weather sha256:{}", "ab".repeat(32)));

        let sum = "ab".repeat(32);
        for wrong in [
            String::new(),
            format!("sha256:{sum}"),
            format!(" sha256:{sum}"),
            format!("a  sha256:{sum}"),
            format!("a b c sha256:{sum}"),
            format!("a\n sha256:{sum}"),
            format!("tasks sha256:{}", "AB".repeat(32)),
            format!("tasks sha256:{sum}0"),
            format!("tasks sha256:{sum} "),
        ] {
            assert_eq!(CodeName::parse(&wrong), None, "{wrong}");
        }
    }
}
