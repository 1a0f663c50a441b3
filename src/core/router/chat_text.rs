//! Text for the chat model, with proof that it is not slash text.

use crate::inbound::MentionedPerson;
use crate::text::one_line;

/// The longest name that replaces a mention, in characters.
const NAME_LENGTH_MAX: usize = 60;

/// A user's text for the chat model. It is never slash text: only [`classify`](crate::router::classify) creates it, and
/// the model accepts nothing else.
///
/// ```compile_fail
/// let words = candor_core::router::ChatText("/status".to_owned());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatText(String);

impl ChatText {
    /// Wraps text that [`classify`](crate::router::classify) decided is chat. Nothing else calls this.
    pub(super) fn read(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// Replaces mentions by names: `@Ada` for `<@7>`. The text cannot become slash text, because each name begins with
    /// `@` and is one line.
    pub(super) fn naming(self, people: &[MentionedPerson]) -> Self {
        let named = people.iter().fold(self.0, |text, person| {
            let name = format!("@{}", one_line(&person.name, NAME_LENGTH_MAX));
            text.replace(&format!("<@{}>", person.id), &name).replace(&format!("<@!{}>", person.id), &name)
        });
        Self(named)
    }

    /// Joins two messages of one person, in order. Each was classified as chat separately, as its person sent it and
    /// Discord shows it.
    #[must_use]
    pub fn followed_by(self, next: &Self) -> Self {
        Self(format!("{}\n{}", self.0, next.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
