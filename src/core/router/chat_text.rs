//! Text for the chat model, with proof that it is no slash text.

use crate::inbound::MentionedPerson;
use crate::text::one_line;

/// The longest name that stands for a mention, in characters.
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
    /// Text that [`classify`](crate::router::classify) decided is chat. Nothing else calls this.
    pub(super) fn read(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// The same with names for mentions: `@Ada` for `<@7>`. What stands in front stays no slash: each name has its `@`,
    /// and is one line.
    pub(super) fn naming(self, people: &[MentionedPerson]) -> Self {
        let named = people.iter().fold(self.0, |text, person| {
            let name = format!("@{}", one_line(&person.name, NAME_LENGTH_MAX));
            text.replace(&format!("<@{}>", person.id), &name).replace(&format!("<@!{}>", person.id), &name)
        });
        Self(named)
    }

    /// Several messages of one person as one, in order. Each was decided to be chat as it stood alone, which is how its
    /// person sent it and how Discord shows it.
    #[must_use]
    pub fn followed_by(self, next: &Self) -> Self {
        Self(format!("{}\n{}", self.0, next.0))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
