//! What a handler returns, and the answer that the host makes of it.

use crate::record::{Receipt, Source, TurnId};
use crate::reply::chart::Chart;
use crate::reply::control::Control;

/// The content that a handler returns: plain text with Discord's inline markdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// A short heading.
    pub title: Option<String>,
    /// A short state of the whole, shown beside the heading: `fresh · 2 s ago`.
    pub state: Option<String>,
    /// The main text.
    pub text: String,
    /// Named values, in order, such as the fields of an embed.
    pub fields: Vec<Field>,
    /// The source of the content.
    pub source: Option<Source>,
    /// The components of the answer: at most 5 rows, each a select menu or up to 5 buttons. Surfaces without components
    /// omit them, so the text must say how to go on.
    pub controls: Vec<Vec<Control>>,
    /// A chart image. Surfaces without images omit it, so the text must say the same.
    pub chart: Option<Chart>,
    /// Whether to start or stop keeping the answer up to date where it is shown. Only `/status` uses it, and only on
    /// Discord.
    pub live: Option<bool>,
    /// A file beside the answer. Surfaces without files omit it, so the text must say how to get it. It is never kept.
    pub file: Option<ReplyFile>,
}

/// A text file beside an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFile {
    /// Its name: letters, digits, `.` and `-`.
    pub name: String,
    /// Its content, at most 8 MiB.
    pub content: String,
}

impl Reply {
    /// A reply with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same reply with a heading.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds a line below the text.
    pub fn add_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// The whole reply as one string: the input of its digest, and what a terminal prints.
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
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// An answer ready to be rendered: a reply with its provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The content.
    pub reply: Reply,
    /// Where the content came from.
    pub provenance: Provenance,
    /// Who may see it.
    pub audience: Audience,
}

impl Answer {
    /// The same answer, whose receipt turned out not to be in the ledger.
    #[must_use]
    pub fn without_receipt(mut self) -> Self {
        if let Provenance::Command(receipt) = &mut self.provenance {
            receipt.was_not_kept();
        }
        self
    }

    /// A message of the router or of access control, for the caller only.
    pub fn host(text: impl Into<String>) -> Self {
        Self { reply: Reply::text(text), provenance: Provenance::Host, audience: Audience::Asker }
    }
}

/// Where an answer's content came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Provenance {
    /// A command ran; this is its record.
    Command(Box<Receipt>),
    /// A chat turn: the model wrote it, or the host explains why there is no model text.
    Turn(Box<TurnFacts>),
    /// The bot itself: a refusal, an explanation, or a failure of chat.
    Host,
}

/// What the host knows about a chat turn, beside the answers of the commands that ran in it: those are shown by
/// themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnFacts {
    /// Its number, if its record could be stored.
    pub turn: Option<TurnId>,
    /// Who wrote the reply's text.
    pub author: Author,
    /// The host's notes, shown between the text and the label.
    pub notes: Vec<String>,
    /// The commands that the person is offered to run, by their names: `/memory save`. Each runs by its place in the
    /// turn's record.
    pub offers: Vec<String>,
    /// The reply ends in the middle, and the person may have the model go on.
    pub goes_on: bool,
}

/// Who wrote the text of a turn's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The model. Untrusted and sanitized.
    Model,
    /// The host: there was no model answer, and it says why.
    Host,
}

/// Who may see an answer, on surfaces that support the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody who can read the place.
    Place,
    /// Only the caller.
    Asker,
}
