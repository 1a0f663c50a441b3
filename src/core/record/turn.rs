//! The audit record of a chat turn, which `/receipt` and *What it said* show for a reply.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::inbound::{Place, UserId};
use crate::record::ARGUMENTS_LENGTH_MAX;
use crate::text::{names, shortened};

/// The maximum numbers of entries in the lists. A turn within its own limits has fewer tools and calls.
const OFFERED_MAX: usize = 512;
const CALLS_MAX: usize = 64;
const STRIPPED_MAX: usize = 16;
const NOTES_MAX: usize = 16;
const GIVEN_MAX: usize = 32;

/// The maximum lengths of names and notes, in characters.
const NAME_LENGTH_MAX: usize = 100;
const NOTE_LENGTH_MAX: usize = 1_000;

/// The maximum length of a removed text, in characters.
const STRIPPED_LENGTH_MAX: usize = 4_000;

/// The maximum length of a reply, in characters.
const SAID_LENGTH_MAX: usize = 32 * 1024;

/// The maximum length of a result and of the reasons, in characters.
const RESULT_LENGTH_MAX: usize = 4 * 1024;

/// The maximum number of offered commands, and the maximum length of one's arguments in bytes of JSON. Arguments are
/// stored whole or not at all: half of them must not run.
pub(crate) const OFFERS_MAX: usize = 4;
const OFFER_LENGTH_MAX: usize = 64 * 1024;

/// The number of a chat turn in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub u64);

/// A chat turn as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTurn {
    pub id: TurnId,
    pub user: UserId,
    pub place: Place,
    /// When the user's message arrived.
    pub at: SystemTime,
    pub record: TurnRecord,
}

/// A button under a turn's reply that can be used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyButton {
    /// Runs the offered change at this index, from 0.
    Offer(usize),
    /// Lets the model continue the reply.
    GoOn,
}

impl ReplyButton {
    /// Returns the name in the store: `offer 0`, `go on`.
    pub fn key(self) -> String {
        match self {
            Self::Offer(place) => format!("offer {place}"),
            Self::GoOn => "go on".to_owned(),
        }
    }
}

/// The record of a turn. Stored as JSON, so fields are only ever added, each with a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnRecord {
    /// The Discord ids of the answered messages. Empty at the console, and if a press of a button was answered.
    pub questions: Vec<u64>,
    /// The messages answered by the reply that this one continues, and by those before it. This turn does not ask them
    /// again.
    pub goes_on_from: Vec<u64>,
    pub model: String,
    /// The tool mode: `native`, `text` or `none`.
    pub tools: String,
    pub offered: Vec<String>,
    /// Everything given to the model besides the tools, in the order in which it was shown, at most 32.
    pub given: Vec<GivenPiece>,
    /// Every call of the model, in order.
    pub calls: Vec<CallRecord>,
    /// The text removed from its reply.
    pub stripped: Vec<StrippedText>,
    /// Corrections of unknown names, unreadable or invalid calls, and broken blocks.
    pub corrections: u32,
    /// Requests to the model.
    pub steps: u32,
    /// The mark under the reply, without the statement that it was generated: `ran /status`.
    pub mark: String,
    /// The host's notes under the reply.
    pub notes: Vec<String>,
    /// The stable name of the failure, if there was no answer.
    pub failure: Option<String>,
    /// Why the reply ends early, if it does: `length`, `time`, `lost`, `stopped`. Then it can be continued.
    pub cut: Option<String>,
    /// The commands that did not run and were offered to the person, at most 4.
    pub offers: Vec<OfferedRun>,
    /// The reply as the model wrote it, at most 32 KiB.
    pub said: String,
    /// The model's reasons for its calls, if the protocol asks for one, at most 4 KiB.
    pub reasoning: String,
    /// Whether all people in the place share its conversation.
    pub shared: bool,
    /// The words were removed from calls, results, texts, notes and offers.
    pub taken_out: bool,
    /// The private arguments of the offers, in their order. The stored record has none.
    #[serde(skip)]
    pub private_of_offers: Vec<InMemory>,
}

/// Private arguments. They are neither stored nor shown by `Debug`.
#[derive(Clone, Default, PartialEq)]
pub struct InMemory(pub Map<String, Value>);

impl InMemory {
    /// Returns the length as JSON, in bytes; 0 without arguments.
    pub fn length(&self) -> usize {
        if self.0.is_empty() { 0 } else { Value::from(self.0.clone()).to_string().len() }
    }
}

impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InMemory")
    }
}

/// A command that did not run, and that a person may run by a button.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OfferedRun {
    /// Such as `/memory save`.
    pub command: String,
    /// The known arguments. Texts of a change may not fit its options, because they are shown before it runs.
    pub arguments: Map<String, Value>,
    pub writes: bool,
}

impl TurnRecord {
    /// Returns the messages that it answers, including those of the replies that it continues.
    pub fn answered(self) -> impl Iterator<Item = u64> {
        self.questions.into_iter().chain(self.goes_on_from)
    }

    /// Returns the record for the store, with long texts cut and long lists shortened. Refusing a long record would
    /// leave the turn without one.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.offered.truncate(OFFERED_MAX);
        self.calls.truncate(CALLS_MAX);
        self.stripped.truncate(STRIPPED_MAX);
        self.notes.truncate(NOTES_MAX);
        self.given.truncate(GIVEN_MAX);
        for GivenPiece { what, name, bytes: _, note } in &mut self.given {
            shorten_each([what, name, note], NAME_LENGTH_MAX);
        }
        shorten_each([&mut self.model, &mut self.tools].into_iter().chain(&mut self.offered), NAME_LENGTH_MAX);
        shorten_each(self.failure.as_mut().into_iter().chain(&mut self.cut), NAME_LENGTH_MAX);
        shorten_each(self.notes.iter_mut().chain([&mut self.mark]), NOTE_LENGTH_MAX);
        for CallRecord { tool, command, arguments, outcome, receipt, took_ms: _, result } in &mut self.calls {
            shorten_each([tool].into_iter().chain(command).chain(receipt), NAME_LENGTH_MAX);
            shorten_each([arguments], ARGUMENTS_LENGTH_MAX);
            shorten_each([outcome], NOTE_LENGTH_MAX);
            shorten_each([result], RESULT_LENGTH_MAX);
        }
        for StrippedText { kind, text } in &mut self.stripped {
            shorten_each([kind], NAME_LENGTH_MAX);
            shorten_each([text], STRIPPED_LENGTH_MAX);
        }
        shorten_each([&mut self.said], SAID_LENGTH_MAX);
        shorten_each([&mut self.reasoning], RESULT_LENGTH_MAX);
        let fits = |json: String| json.len() <= OFFER_LENGTH_MAX;
        self.offers.truncate(OFFERS_MAX);
        self.offers.retain(|offer| serde_json::to_string(&offer.arguments).is_ok_and(fits));
        self
    }
}

impl TurnRecord {
    /// Returns the record without words. The calls and their receipts stay.
    #[must_use]
    pub fn without_words(mut self) -> Self {
        for CallRecord { arguments, result, outcome, receipt, .. } in &mut self.calls {
            arguments.clear();
            result.clear();
            if receipt.is_none() {
                // It may repeat the model's words.
                outcome.clear();
            }
        }
        for piece in &mut self.given {
            piece.name.clear();
        }
        self.stripped.clear();
        self.notes.clear();
        self.offers.clear();
        self.said.clear();
        self.reasoning.clear();
        self.taken_out = true;
        self
    }
}

fn shorten_each<'a>(texts: impl IntoIterator<Item = &'a mut String>, max: usize) {
    texts.into_iter().for_each(|text| *text = shortened(text, max));
}

/// One piece of the model's input in a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenPiece {
    /// The kind: `system`, `known`, `exchanges`, `summary`, `message`, `file`, `picture`, `other` or `words`.
    pub what: String,
    /// The author or the name, at most 100 characters; may be empty.
    pub name: String,
    /// The shown size in bytes of UTF-8. For `exchanges` their number; for `picture` the size of its file.
    pub bytes: u64,
    /// `cut`, or why nothing was shown. For `picture` its type, its pixels and the beginning of its file's SHA-256.
    /// Empty if it was shown whole.
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// The name as the model wrote it, at most 100 characters.
    pub tool: String,
    /// The command that the tool stands for, such as `/tasks list`, if any.
    pub command: Option<String>,
    /// The arguments as JSON text, at most 1,000 characters.
    pub arguments: String,
    /// `done`, `refused`, `failed`, `timed-out`, or why it did not run.
    pub outcome: String,
    /// The receipt id, if it ran.
    pub receipt: Option<String>,
    pub took_ms: Option<u64>,
    /// The result for the model, at most 4 KiB.
    pub result: String,
}

/// Text of the model that was not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrippedText {
    /// `tool-text` or `made-up-result`.
    pub kind: String,
    /// The text, at most 4,000 characters.
    pub text: String,
}

impl StrippedText {
    pub(crate) fn new(kind: StrippedKind, text: impl Into<String>) -> Self {
        Self { kind: kind.name().to_owned(), text: text.into() }
    }
}

names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StrippedKind {
        /// A tool call written as text.
        ToolText = "tool-text",
        /// A result that no tool returned.
        MadeUpResult = "made-up-result",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn record(n_entries: usize, length: usize) -> TurnRecord {
        let text = "é".repeat(length);
        let call = CallRecord {
            tool: text.clone(),
            command: Some(text.clone()),
            arguments: text.clone(),
            outcome: text.clone(),
            receipt: Some(text.clone()),
            took_ms: Some(u64::MAX),
            result: text.clone(),
        };
        TurnRecord {
            questions: vec![7, u64::MAX],
            goes_on_from: vec![8],
            model: text.clone(),
            tools: text.clone(),
            offered: vec![text.clone(); n_entries],
            given: vec![
                GivenPiece { what: text.clone(), name: text.clone(), bytes: u64::MAX, note: text.clone() };
                n_entries
            ],
            calls: vec![call; n_entries],
            stripped: vec![StrippedText { kind: text.clone(), text: text.clone() }; n_entries],
            corrections: u32::MAX,
            steps: u32::MAX,
            mark: text.clone(),
            notes: vec![text.clone(); n_entries],
            failure: Some(text.clone()),
            cut: Some(text.clone()),
            offers: vec![
                OfferedRun {
                    command: text.clone(),
                    arguments: Map::from_iter([("text".to_owned(), json!(text))]),
                    writes: true,
                };
                n_entries.min(4)
            ],
            said: text.clone(),
            reasoning: text,
            shared: false,
            taken_out: false,
            private_of_offers: Vec::new(),
        }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        for (n_entries, length) in [(0, 0), (1, 1), (16, 100)] {
            assert_eq!(record(n_entries, length).bounded(), record(n_entries, length));
        }
    }

    #[test]
    fn without_its_words_a_turn_still_says_what_ran() {
        let mut record = record(2, 1);
        record.calls[1].receipt = None;
        let kept = record.without_words();
        assert_eq!((kept.calls.len(), kept.calls[0].receipt.as_deref(), kept.steps), (2, Some("é"), u32::MAX));
        assert_eq!((kept.calls[0].outcome.as_str(), kept.calls[1].outcome.as_str()), ("é", ""));
        let texts = [&kept.calls[0].arguments, &kept.calls[0].result, &kept.said, &kept.reasoning];
        assert!(kept.taken_out && texts.iter().all(|text| text.is_empty()));
        assert!(kept.stripped.is_empty() && kept.notes.is_empty() && kept.offers.is_empty());
        assert!(kept.given.iter().all(|piece| piece.name.is_empty() && !piece.what.is_empty()));
        assert_eq!(kept.clone().without_words(), kept);
    }

    #[test]
    fn whatever_a_turn_holds_its_record_has_a_bound() {
        let kept = record(1_000, 100_000).bounded();
        assert_eq!((kept.offered.len(), kept.calls.len(), kept.stripped.len(), kept.notes.len()), (512, 64, 16, 16));
        assert_eq!(kept.given.len(), 32);
        let lengths = [
            (&kept.given[31].name, 100),
            (&kept.model, 100),
            (&kept.calls[63].tool, 100),
            (&kept.calls[63].arguments, 1_000),
            (&kept.calls[63].outcome, 1_000),
            (&kept.stripped[15].text, 4_000),
            (&kept.notes[15], 1_000),
            (&kept.said, 32 * 1024),
            (&kept.calls[63].result, 4 * 1024),
            (&kept.reasoning, 4 * 1024),
        ];
        for (text, length) in lengths {
            assert_eq!(text.chars().count(), length);
            assert!(text.ends_with("é…"), "{text}");
        }
        assert_eq!(kept.offers, [], "whole or not at all");
        assert!(serde_json::to_string(&kept).unwrap().len() < 2 * 1024 * 1024);
    }
}
