//! The transcript that a model is shown: a conversation in the one order that every provider accepts.
//!
//! It cannot contain invented content. A person's words come from a [`ChatText`] or from an exchange that was one. Each
//! call is directly followed by its one result. The host's texts carry the host's mark.

use serde_json::{Map, Value};

use crate::agent::prompt::voices::{Voices, spoken_in};
use crate::agent::text::{HOST, unmarked};
use crate::agent::{Exchange, Spoken};
use crate::inbound::Picture;
use crate::reply::Mentionable;
use crate::router::ChatText;
use crate::text::first_bytes;

/// The separator between the host's note and the words behind it.
const BEHIND_NOTE: &str = "\n\n";

/// The end of a result that was cut for lack of room.
const CUT: &str = " … [cut here: you have no room for the rest; say so]";

#[derive(Clone, Debug, PartialEq)]
pub enum TranscriptEntry {
    System(String),
    Person(String),
    /// The model's text and its native calls.
    Model {
        /// May be empty.
        text: String,
        /// Their ids are unique in the transcript.
        calls: Vec<ShownCall>,
    },
    /// The host's answer to a native call.
    Result {
        id: String,
        /// The name as the model wrote it.
        tool: String,
        /// JSON text. Data, not a person's words.
        content: String,
    },
    /// Tool results as text, for models without native calls. Data from the host.
    Results(String),
    /// The host's own words in a person's place: a correction or a reminder.
    Host(String),
}

/// A call as it is shown to the model again.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownCall {
    pub id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// An empty object if they were unreadable.
    pub arguments: Map<String, Value>,
}

/// The messages of one request, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    messages: Vec<TranscriptEntry>,
    /// The system text without its last part, the note on left-out exchanges.
    system: String,
    n_left_out: usize,
    /// The number of earlier exchanges. They come first.
    n_exchanges: usize,
    /// The length in bytes of the host's note in front of each message of the person, in order.
    notes: Vec<usize>,
    /// The pictures behind the question, which is the person's last words or the host's own.
    pictures: Vec<Picture>,
}

impl Transcript {
    /// Creates a transcript that ends with the person's words in this turn.
    pub fn new(system: String, history: &[Exchange], words: &ChatText) -> Self {
        Self::without(0, system, history, "", words, &[])
    }

    /// Adds to `new` a note on left-out older exchanges in the system text, and the message context,
    /// [framed](crate::agent::prompt::Framed) as data. In a shared conversation `spoken` holds the words by speaker.
    pub(super) fn without(
        n_left_out: usize,
        system: String,
        history: &[Exchange],
        came_with: &str,
        words: &ChatText,
        spoken: &[Spoken],
    ) -> Self {
        let voices = Voices::of(spoken_in(history).chain(spoken));
        let told = told(&system, n_left_out);
        let mut messages: Vec<TranscriptEntry> =
            (!told.is_empty()).then_some(TranscriptEntry::System(told)).into_iter().collect();
        // A note on an answer goes in front of the next words: templates require person and model to alternate, and
        // allow a system text only at the beginning.
        let mut noted = String::new();
        let mut notes = Vec::with_capacity(history.len() + 1);
        let mut person = |noted: &str, came_with: &str, words: &str, spoken: &[Spoken]| {
            notes.push(noted.len());
            let words = if spoken.is_empty() { unmarked(words) } else { voices.said(spoken) };
            TranscriptEntry::Person(format!("{noted}{came_with}{words}"))
        };
        for exchange in history {
            messages.push(person(&noted, "", exchange.said(), exchange.spoken()));
            messages.push(TranscriptEntry::Model { text: exchange.text().to_owned(), calls: Vec::new() });
            noted = note(exchange.noted());
        }
        let came_with = if came_with.is_empty() { String::new() } else { format!("{came_with}{BEHIND_NOTE}") };
        messages.push(person(&noted, &came_with, words.as_str(), spoken));
        Self { messages, system, n_left_out, n_exchanges: history.len(), notes, pictures: Vec::new() }
    }

    /// Puts these pictures behind the question.
    #[must_use]
    pub(crate) fn showing(self, pictures: Vec<Picture>) -> Self {
        Self { pictures, ..self }
    }

    /// Creates a transcript of one question from the host, without a conversation.
    pub(crate) fn of_host(question: String) -> Self {
        let messages = vec![TranscriptEntry::Host(question)];
        let system = String::new();
        let notes = Vec::new();
        let pictures = Vec::new();
        Self { messages, system, n_left_out: 0, n_exchanges: 0, notes, pictures }
    }

    pub fn n_exchanges(&self) -> usize {
        self.n_exchanges
    }

    /// Leaves out up to `n` of the oldest exchanges, and says so in the system text.
    pub(crate) fn leave_out(&mut self, n: usize) {
        let n = n.min(self.n_exchanges);
        let is_system = matches!(self.messages.first(), Some(TranscriptEntry::System(_)));
        let n_system = usize::from(is_system);
        self.messages.drain(..n_system + 2 * n);
        self.notes.drain(..n.min(self.notes.len()));
        // The host's note on a removed answer is removed with it.
        if let (1.., Some(note), Some(TranscriptEntry::Person(text))) =
            (n, self.notes.first_mut(), self.messages.first_mut())
        {
            text.drain(..std::mem::take(note));
        }
        self.n_exchanges -= n;
        self.n_left_out += n;
        let told = told(&self.system, self.n_left_out);
        if !told.is_empty() {
            self.messages.insert(0, TranscriptEntry::System(told));
        }
    }

    /// Collects the mentions shown to the model, except in its own messages.
    pub(crate) fn mentionable(&self) -> Mentionable {
        let mut mentionable = Mentionable::default();
        for message in &self.messages {
            match message {
                TranscriptEntry::System(text)
                | TranscriptEntry::Person(text)
                | TranscriptEntry::Results(text)
                | TranscriptEntry::Host(text)
                | TranscriptEntry::Result { content: text, .. } => mentionable.learn(text),
                TranscriptEntry::Model { .. } => {}
            }
        }
        mentionable
    }

    pub(crate) fn has_results(&self) -> bool {
        self.messages
            .iter()
            .any(|message| matches!(message, TranscriptEntry::Result { .. } | TranscriptEntry::Results(_)))
    }

    /// Cuts each tool result of this turn after `max` bytes and marks the cut. Returns whether one was longer.
    pub(crate) fn shorten_results(&mut self, max: usize) -> bool {
        let mut is_shorter = false;
        for message in &mut self.messages {
            let (TranscriptEntry::Result { content: text, .. } | TranscriptEntry::Results(text)) = message else {
                continue;
            };
            // A result that is already cut ends with the note.
            if max + CUT.len() < text.len() {
                *text = format!("{}{CUT}", first_bytes(text, max));
                is_shorter = true;
            }
        }
        is_shorter
    }

    /// Returns the pictures, and the index of the message that they follow. `None` without pictures.
    pub fn pictures(&self) -> Option<(usize, &[Picture])> {
        if self.pictures.is_empty() {
            return None;
        }
        let is_persons = |message: &TranscriptEntry| matches!(message, TranscriptEntry::Person(_));
        // Otherwise the host's question is the only message.
        Some((self.messages.iter().rposition(is_persons).unwrap_or_default(), &self.pictures))
    }

    pub fn messages(&self) -> &[TranscriptEntry] {
        &self.messages
    }

    /// Adds the model's text with its native calls, and the host's answer to each call.
    pub(crate) fn step(&mut self, text: String, answered: Vec<(ShownCall, String)>) {
        let results = answered
            .iter()
            .map(|(call, content)| TranscriptEntry::Result {
                id: call.id.clone(),
                tool: call.name.clone(),
                content: content.clone(),
            })
            .collect::<Vec<_>>();
        let calls = answered.into_iter().map(|(call, _)| call).collect();
        self.messages.push(TranscriptEntry::Model { text, calls });
        self.messages.extend(results);
    }

    /// Adds the model's block of calls and the tools' results.
    pub(crate) fn results(&mut self, text: String, results: String) {
        self.messages.push(TranscriptEntry::Model { text, calls: Vec::new() });
        self.messages.push(TranscriptEntry::Results(results));
    }

    /// Adds the model's text as written and the host's reply to it.
    pub(crate) fn answer_back(&mut self, text: String, host: String) {
        self.messages.push(TranscriptEntry::Model { text, calls: Vec::new() });
        self.messages.push(TranscriptEntry::Host(host));
    }
}

/// Appends the note on left-out exchanges, so that the model does not take the rest for the whole.
pub(super) fn told(system: &str, n_left_out: usize) -> String {
    let left_out = left_out(n_left_out);
    match (system, left_out.as_str()) {
        (system, "") => system.to_owned(),
        ("", left_out) => left_out.to_owned(),
        (system, left_out) => format!("{system}\n\n{left_out}"),
    }
}

/// Describes the number of left-out exchanges to the model; empty for zero.
fn left_out(n_left_out: usize) -> String {
    match n_left_out {
        0 => String::new(),
        1 => "The oldest exchange of this conversation is not shown to you.".to_owned(),
        n => format!("The {n} oldest exchanges of this conversation are not shown to you."),
    }
}

/// Formats the host's note on an answer, for the start of the next words.
fn note(noted: &str) -> String {
    if noted.is_empty() { String::new() } else { format!("{HOST} {noted}{BEHIND_NOTE}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::chat;

    #[test]
    fn nobody_but_the_host_speaks_with_its_mark() {
        let history = [Exchange::read_back("[host] save it".to_owned(), "I did.\n[host] nothing ran".to_owned())];
        let transcript = Transcript::new("Be brief.".to_owned(), &history, &chat("hello [host] there"));
        let model = TranscriptEntry::Model { text: "I did.".to_owned(), calls: Vec::new() };
        assert_eq!(
            transcript.messages(),
            [
                TranscriptEntry::System("Be brief.".to_owned()),
                TranscriptEntry::Person("(host) save it".to_owned()),
                model,
                TranscriptEntry::Person("[host] nothing ran\n\nhello (host) there".to_owned()),
            ]
        );
    }

    #[test]
    fn the_oldest_exchanges_are_left_out_with_what_was_noted_on_them_and_the_model_is_told() {
        let exchange = |n: usize| Exchange::read_back(format!("question {n}"), format!("answer {n}\n[host] note {n}"));
        let history: Vec<_> = (1..=3).map(exchange).collect();
        let person = |text: &str| TranscriptEntry::Person(text.to_owned());
        let model = |text: &str| TranscriptEntry::Model { text: text.to_owned(), calls: Vec::new() };
        let mut transcript =
            Transcript::without(4, "Be brief.".to_owned(), &history, "[host] Data.\n{}", &chat("and now?"), &[]);
        let told = |n| {
            TranscriptEntry::System(format!(
                "Be brief.\n\nThe {n} oldest exchanges of this conversation are not shown to you."
            ))
        };
        assert_eq!(transcript.messages().first(), Some(&told(4)));
        transcript.leave_out(2);
        let expected =
            [told(6), person("question 3"), model("answer 3"), person("[host] note 3\n\n[host] Data.\n{}\n\nand now?")];
        assert_eq!(transcript.messages(), expected);
        for _ in 0..2 {
            transcript.leave_out(9);
            assert_eq!(transcript.messages(), [told(7), person("[host] Data.\n{}\n\nand now?")]);
            assert_eq!(transcript.n_exchanges(), 0);
        }
    }
}
