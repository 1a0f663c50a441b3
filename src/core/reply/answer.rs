//! A handler's reply, and the answer that the host makes of it.

use std::ops::Deref;
use std::sync::Arc;

use crate::language::{Language, say};
use crate::record::{Receipt, Source, TurnId};
use crate::reply::chart::{Chart, Png};
use crate::reply::control::{Control, ControlStyle, PreparedCall};
use crate::reply::mark::Mark;

/// The content that a handler returns: plain text with Discord's inline markdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// A short heading.
    pub title: Option<String>,
    /// A short overall state, shown beside the heading: `fresh · 2 s ago`.
    pub state: Option<String>,
    /// The same state in words that do not become outdated, with times from [`moment`](crate::reply::moment) and
    /// [`moment_and_age`](crate::reply::moment_and_age). Surfaces with long-lived answers show it in place of `state`.
    pub lasting_state: Option<String>,
    /// The main text.
    pub text: String,
    /// Named values, in order, such as the fields of an embed.
    pub fields: Vec<Field>,
    /// The colour beside the answer, as `0xrrggbb`; `None`: by how the run ended.
    pub colour: Option<u32>,
    /// The https address of a picture, which Discord fetches. Surfaces without pictures show the address.
    pub picture: Option<String>,
    /// The source of the content.
    pub source: Option<Source>,
    /// The components of the answer: at most 5 rows, each a select menu or up to 5 buttons. Surfaces without components
    /// omit them, so the text must say how to continue.
    pub controls: Vec<Vec<Control>>,
    /// A chart image. Surfaces without images omit it, so the text must say the same.
    pub chart: Option<Chart>,
    /// Whether to start or stop updating the answer where it is shown. Only `/status` uses it, and only on Discord.
    pub live: Option<bool>,
    /// Whether it asks before the command acts: see [`Reply::ask`]. Its receipt then says `asked`, and a run that
    /// changed something fails.
    pub is_question: bool,
    /// The thing that the answer shows to everybody, such as a poll. Only in guilds.
    pub thing: Option<Thing>,
    /// A file beside the answer. Surfaces without files omit it, so the text must say how to get it. It is never
    /// stored.
    pub file: Option<ReplyFile>,
}

/// A thing of a module that an answer shows. The bot remembers the messages that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// Its name within the module and the guild: at most [`Thing::NAME_LENGTH_MAX`] characters, such as the number
    /// of its record.
    pub name: String,
    /// Whether this is its last state, such as the result of a poll. The answer then also replaces the earlier messages
    /// that show it, without components.
    pub is_over: bool,
}

impl Thing {
    /// The longest name, in characters.
    pub const NAME_LENGTH_MAX: usize = 64;
}

/// A file beside an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFile {
    /// The name: letters, digits, `.` and `-`.
    pub name: String,
    /// The content, at most 8 MiB.
    pub content: Vec<u8>,
}

impl Reply {
    /// Builds a reply with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Builds a question that precedes the command's action, with the button that performs it. The run must not have
    /// changed anything. Surfaces without buttons show only the text, so it must say how to continue.
    pub fn ask(call: PreparedCall, label: impl Into<String>, question: impl Into<String>) -> Self {
        let button =
            Control::Button { label: label.into(), emoji: None, style: ControlStyle::Danger, call: Some(call) };
        Self { controls: vec![vec![button]], is_question: true, ..Self::text(question) }
    }

    /// Sets the heading.
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

    /// Returns the whole reply as one string: the input of its digest, and the form printed in a terminal.
    pub fn plain(&self) -> String {
        let head = [&self.title, &self.state].into_iter().flatten().cloned();
        let text = (!self.text.is_empty()).then(|| self.text.clone());
        let fields = self.fields.iter().map(|field| format!("{}: {}", field.name, field.value));
        head.chain(text).chain(fields).chain(self.picture.clone()).collect::<Vec<_>>().join("\n")
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

/// An answer ready to be rendered. Its parts are read-only, because the receipt vouches for the shown content. The
/// host's additions are in [`AnswerParts::lines`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    parts: AnswerParts,
    /// A reduced form of the reply to show in its place: less of it, or nothing.
    shown: Option<Box<Reply>>,
}

/// The parts of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerParts {
    /// The content. For a command: the handler's reply, which the receipt's digest covers.
    pub reply: Reply,
    /// Where the content came from.
    pub provenance: Provenance,
    /// Who may see it.
    pub audience: Audience,
    /// Lines of the host below the content, such as that it is kept up to date. No digest covers them: they come after
    /// the receipt is stored, and do not describe the run.
    pub lines: Vec<String>,
    /// Whether the caller of the command is an operator.
    pub by_operator: bool,
}

impl Deref for Answer {
    type Target = AnswerParts;

    fn deref(&self) -> &AnswerParts {
        &self.parts
    }
}

impl Answer {
    /// Builds the answer of a run, with its receipt.
    pub(crate) fn of_run(reply: Reply, receipt: Arc<Receipt>, audience: Audience, by_operator: bool) -> Self {
        let mut answer = Self::new(reply, Provenance::Command(receipt), audience);
        answer.parts.by_operator = by_operator;
        answer
    }

    /// Builds the answer of a chat turn.
    pub fn of_turn(text: impl Into<String>, facts: TurnFacts) -> Self {
        Self::new(Reply::text(text), Provenance::Turn(Box::new(facts)), Audience::Place)
    }

    /// Builds a message of the router or of access control, for the caller only.
    pub fn host(text: impl Into<String>) -> Self {
        Self::new(Reply::text(text), Provenance::Host, Audience::Asker)
    }

    /// Like `host`, with a button below it.
    pub fn host_with(text: impl Into<String>, button: Control) -> Self {
        Self::new(Reply { controls: vec![vec![button]], ..Reply::text(text) }, Provenance::Host, Audience::Asker)
    }

    fn new(reply: Reply, provenance: Provenance, audience: Audience) -> Self {
        Self { parts: AnswerParts { reply, provenance, audience, lines: Vec::new(), by_operator: false }, shown: None }
    }

    /// Returns whether only an operator reads it.
    pub fn is_for_operator(&self) -> bool {
        self.by_operator && self.audience == Audience::Asker
    }

    /// Returns whether it is the reply of a command, and not a refusal or fault.
    pub fn is_reply_of_command(&self) -> bool {
        matches!(&self.parts.provenance, Provenance::Command(receipt) if receipt.facts().outcome.is_reply())
    }

    /// Returns the buttons and lists that run a command, for surfaces of text. Buttons that only run the same command
    /// again are left out.
    pub fn controls(&self) -> impl Iterator<Item = &Control> {
        let ran = match &self.parts.provenance {
            Provenance::Command(receipt) => Some(receipt.facts()),
            Provenance::Turn(_) | Provenance::Host => None,
        };
        let is_same = move |call: &PreparedCall| {
            ran.is_some_and(|facts| {
                let arguments = serde_json::from_str(&facts.arguments);
                facts.command == call.path.to_string() && arguments.ok().as_ref() == Some(&call.arguments)
            })
        };
        let controls = ran.map(|_| self.shown().controls.iter().flatten());
        let is_useful = move |control: &&Control| match control.button() {
            Some((_, call)) => !is_same(call),
            None => control.call().is_some(),
        };
        controls.into_iter().flatten().filter(is_useful)
    }

    /// Sets who may see it.
    #[must_use]
    pub fn shown_to(mut self, audience: Audience) -> Self {
        self.parts.audience = audience;
        self
    }

    /// Marks the receipt as missing from the ledger.
    #[must_use]
    pub fn without_receipt(mut self) -> Self {
        if let Provenance::Command(receipt) = &mut self.parts.provenance {
            *receipt = receipt.not_kept();
        }
        self
    }

    /// Adds a line of the host below it.
    #[must_use]
    pub fn with_line(mut self, line: impl Into<String>) -> Self {
        self.parts.lines.push(line.into());
        self
    }

    /// Adds a line on how to get updates, if the reply asked for them. Use it where answers cannot be kept up to date.
    #[must_use]
    pub fn not_live(self, language: Language) -> Self {
        let command = match (&self.parts.reply.live, &self.parts.provenance) {
            (Some(_), Provenance::Command(receipt)) => receipt.facts().command.clone(),
            _ => return self,
        };
        self.with_line(say!(language, "live-picker-only", command = command))
    }

    /// Adds the rendered image of its chart.
    #[must_use]
    pub fn with_picture(mut self, png: Png) -> Self {
        if let Some(chart) = &mut self.parts.reply.chart {
            chart.png = Some(png);
        }
        self
    }

    /// Removes the emoji of its buttons: Discord rejects those that the bot cannot see. `None` if it has no emoji.
    pub fn without_emoji(&self) -> Option<Self> {
        let mut shown = self.shown().clone();
        let emoji = shown.controls.iter_mut().flatten().filter_map(|control| match control {
            Control::Button { emoji, .. } => emoji.take(),
            Control::Ask { .. } | Control::Select { .. } | Control::Pick { .. } => None,
        });
        (0 < emoji.count()).then(|| Self { shown: Some(Box::new(shown)), ..self.clone() })
    }

    /// Returns the beginning of a long answer, with at most `rows_max` rows of components. `None` if it is short.
    pub fn folded(&self, rows_max: usize, language: Language) -> Option<Self> {
        let mut folded = self.reply.folded(language)?;
        folded.controls.truncate(rows_max);
        Some(Self { shown: Some(Box::new(folded)), ..self.clone() })
    }

    /// Hides the reply and shows only this line of the host.
    #[must_use]
    pub fn withheld(mut self, line: impl Into<String>) -> Self {
        self.parts.lines = vec![line.into()];
        self.shown = Some(Box::default());
        self
    }

    /// Returns the shown part of the reply.
    pub fn shown(&self) -> &Reply {
        self.shown.as_deref().unwrap_or(&self.parts.reply)
    }

    /// Returns everything shown as one text: the reply and the host's lines.
    pub fn plain(&self) -> String {
        let reply = Some(self.shown().plain()).filter(|reply| !reply.is_empty());
        reply.into_iter().chain(self.lines.iter().cloned()).collect::<Vec<_>>().join("\n")
    }

    /// Returns its parts by value.
    pub fn into_parts(self) -> AnswerParts {
        self.parts
    }
}

/// Where an answer's content came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Provenance {
    /// A command ran, with this receipt.
    Command(Arc<Receipt>),
    /// A chat turn: the model wrote it, or the host explains why the model's text is missing.
    Turn(Box<TurnFacts>),
    /// The bot itself: a refusal, an explanation, or a failure of chat.
    Host,
}

/// The host's facts about a chat turn. The answers of its commands are shown separately.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnFacts {
    /// The turn's number, if its record could be stored.
    pub turn: Option<TurnId>,
    /// Who wrote the reply's text.
    pub author: Author,
    /// The commands that ran in it.
    pub mark: Mark,
    /// The host's notes, shown between the text and the mark.
    pub notes: Vec<String>,
    /// The commands that the person is offered to run, by name: `/memory save`. A button refers to a command by its
    /// position in the turn's record.
    pub offers: Vec<String>,
    /// Whether the reply ends in the middle, so that the person may have the model continue.
    pub goes_on: bool,
    /// The Discord ids of the messages that it answers.
    pub questions: Vec<u64>,
}

impl TurnFacts {
    /// Returns the mark of message `n` of `of`. `None` for the host's own messages: only a model's words are marked.
    pub fn mark_of(&self, n: usize, of: usize, language: Language) -> Option<String> {
        (self.author == Author::Model).then(|| self.mark.text(n, of, language))
    }
}

/// Who wrote the text of a turn's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The model. Untrusted and sanitized.
    Model,
    /// The host, which explains why the model's answer is missing.
    Host,
}

/// Who may see an answer, on surfaces that support the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All readers of the place.
    Place,
    /// Only the caller.
    Asker,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Digest;
    use crate::testing::answered;

    /// L6: the host's own sentence was shown as the content of a receipt whose digest is of other content.
    #[test]
    fn l6_what_the_host_adds_leaves_what_the_digest_covers_as_it_is() {
        let answer = || answered(7, "status", Reply::text("Load: 1"));
        let line = "It is kept up to date.";
        let changed = [
            answer().with_line(line),
            answer().withheld(line),
            answer().shown_to(Audience::Asker),
            answer().without_receipt(),
        ];
        for answer in changed {
            let Provenance::Command(receipt) = &answer.provenance else { panic!("no receipt: {answer:?}") };
            assert_eq!(receipt.digest(), Digest::of(&[answer.reply.plain().as_bytes()]));
            assert_eq!(answer.reply.plain(), "Load: 1");
            assert!(answer.lines.iter().all(|added| added == line));
        }
    }
}
