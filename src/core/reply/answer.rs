//! What we answer, neutral of the surface it is shown on.
//!
//! A handler returns a [`Reply`]; it never sends one. The host turns it into an [`Answer`], which always
//! knows its [`Provenance`]: a command's receipt, a model, or the router itself. Edges render answers and
//! add nothing of their own.

use crate::record::{Receipt, Source, TurnId};
use crate::reply::chart::Chart;
use crate::reply::control::Control;

/// The content a handler made. Plain text with Discord's inline markdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// A short heading.
    pub title: Option<String>,
    /// A remark on the whole, shown beside the heading: `fresh · 2 s ago`.
    pub state: Option<String>,
    /// The main text.
    pub text: String,
    /// Named values, in order.
    pub fields: Vec<Field>,
    /// Where the content was read from.
    pub source: Option<Source>,
    /// What can be pressed under it: at most 5 rows; a list has its row to itself, and at most 5 buttons share one.
    /// Surfaces without buttons leave them out, so the text has to say how to go on.
    pub controls: Vec<Vec<Control>>,
    /// A picture. Surfaces without pictures leave it out, so the text has to say the same.
    pub chart: Option<Chart>,
    /// Whether it is to be kept up to date where it is shown, or no longer. Only `/status` asks for that, and only
    /// Discord does it.
    pub live: Option<bool>,
}

impl Reply {
    /// A reply of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same reply with a heading.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets a line below its text.
    pub fn add_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// Every word of it in one string: what a digest is taken of and what a terminal would print.
    pub fn plain(&self) -> String {
        let head = [&self.title, &self.state].into_iter().flatten().cloned();
        let text = (!self.text.is_empty()).then(|| self.text.clone());
        let fields = self.fields.iter().map(|field| format!("{}: {}", field.name, field.value));
        head.chain(text).chain(fields).collect::<Vec<_>>().join("\n")
    }
}

/// A named value in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is.
    pub name: String,
    /// What it says.
    pub value: String,
}

/// An answer ready to be rendered: content, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What is said.
    pub reply: Reply,
    /// Who said it.
    pub provenance: Provenance,
    /// Who may see it.
    pub audience: Audience,
}

impl Answer {
    /// The router's or the guard's own words, for the asker alone.
    pub fn host(text: impl Into<String>) -> Self {
        Self { reply: Reply::text(text), provenance: Provenance::Host, audience: Audience::Asker }
    }
}

/// Where an answer's content came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Provenance {
    /// A command ran; this is its record.
    Command(Box<Receipt>),
    /// A chat turn: a model wrote it, or the host says why there is nothing that a model wrote.
    Turn(Box<TurnFacts>),
    /// The bot itself: a refusal, an explanation, a failure of chat.
    Host,
}

/// What the host knows of a chat turn: all that its label and its notes are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnFacts {
    /// Its number, if its record could be kept.
    pub turn: Option<TurnId>,
    /// Who wrote the reply's text.
    pub author: Author,
    /// Every command that ran in it, in order.
    pub ran: Vec<Receipt>,
    /// The host's notes, to stand under the text and over the label.
    pub notes: Vec<String>,
    /// Whether the person is asked to save for real what the model only pretended to save.
    pub offers_fix: bool,
}

/// Who wrote the text of a turn's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The model. Untrusted, and sanitized.
    Model,
    /// The host: there was no answer, and it says why.
    Host,
}

/// Who may see an answer, where the surface knows the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody who can read the place.
    Place,
    /// Only the person who asked.
    Asker,
}
