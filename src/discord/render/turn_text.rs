//! The text of a chat turn's reply, split for Discord, with the host's own small lines below it.

use candor_core::language::{Language, say};
use candor_core::reply::{CONTENT_LENGTH_MAX, TurnFacts, split_content, still_writing};
use candor_core::text::{one_line, utf16_length};

/// The maximum of a note, in characters.
const NOTE_LENGTH_MAX: usize = 300;

/// The maximum of all notes together, in UTF-16 units. The rest of a message is for the text above them.
const NOTES_LENGTH_MAX: usize = 900;

/// The room for the mark below each message, in UTF-16 units. A mark of many commands takes more.
const MARK_ROOM: usize = 100;

/// The maximum of messages of one reply. A longer reply comes as a file.
const MESSAGES_MAX: usize = 4;

pub(crate) const SMALL: &str = "-# ";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TurnTexts {
    /// The messages, each with the host's lines under it: at most four.
    pub(crate) messages: Vec<TurnText>,
    /// The whole reply for a file, marked in its first line, if it did not fit.
    pub(crate) file: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnText {
    pub(crate) text: String,
    /// The host's small lines under it.
    pub(crate) below: String,
}

impl TurnText {
    pub(crate) fn content(&self) -> String {
        match (self.text.is_empty(), self.below.is_empty()) {
            (_, true) => self.text.clone(),
            (true, false) => self.below.clone(),
            (false, false) => format!("{}\n{}", self.text, self.below),
        }
    }

    /// Renders it as the last message of a reply whose rest is missing.
    pub(crate) fn ended(&self, facts: &TurnFacts, language: Language) -> String {
        // The failed message may have arrived anyway.
        let rest = format!("{SMALL}{}", say!(language, "rest-missing"));
        let notes = notes(facts, language);
        let mark = facts.mark_of(1, 1, language).map(|mark| small(&mark));
        let lines: Vec<_> = [rest, notes].into_iter().chain(mark).filter(|line| !line.is_empty()).collect();
        fitted_above(&self.text, &lines.join("\n"))
    }
}

/// Splits a reply into messages. A model's words are marked in every message; the notes are under the last.
pub(crate) fn texts(text: &str, facts: &TurnFacts, language: Language) -> TurnTexts {
    let notes = notes(facts, language);
    let rest = say!(language, "label-rest-in-file");
    let longest = facts.mark_of(MESSAGES_MAX, MESSAGES_MAX, language).map(|mark| small(&format!("{mark} · {rest}")));
    let mark_room = longest.map_or(0, |mark| utf16_length(&mark) + 1).max(MARK_ROOM);
    let (pieces, is_cut) = pieces(text, &notes, mark_room);
    let of = pieces.len();
    let message = |(n, text): (usize, String)| {
        let mark = facts.mark_of(n, of, language).map(|mark| match is_cut && n == of {
            true => small(&format!("{mark} · {rest}")),
            false => small(&mark),
        });
        let notes = (n == of && !notes.is_empty()).then(|| notes.clone());
        let below = notes.into_iter().chain(mark).collect::<Vec<_>>().join("\n");
        TurnText { text, below }
    };
    let mut messages: Vec<_> = (1..).zip(pieces).map(message).collect();
    messages.retain(|message| !message.content().is_empty());
    let file = is_cut.then(|| match facts.mark_of(1, 1, language) {
        Some(mark) => format!("{mark}\n\n{text}"),
        None => text.to_owned(),
    });
    TurnTexts { messages, file }
}

/// Splits a model's unfinished reply into messages. Each says that it is not finished: if the bot ends before the reply
/// does, they stay as they are.
pub(crate) fn growing(text: &str, language: Language) -> Vec<String> {
    let (pieces, _) = pieces(text, "", MARK_ROOM);
    let of = pieces.len();
    let message = |(n, text): (usize, String)| format!("{text}\n{SMALL}{}", still_writing(n, of, language));
    (1..).zip(pieces).map(message).collect()
}

/// Splits a reply into at least one and at most the maximum of messages. Returns them, and whether some text is
/// missing. The last one leaves room for the notes.
fn pieces(text: &str, notes: &str, mark_room: usize) -> (Vec<String>, bool) {
    let room = CONTENT_LENGTH_MAX.saturating_sub(mark_room);
    let mut pieces = split_content(text, room);
    let last_room = room.saturating_sub(utf16_length(notes) + 1);
    if let Some(last) = pieces.pop() {
        pieces.extend(if utf16_length(&last) <= last_room { vec![last] } else { split_content(&last, last_room) });
    }
    let is_cut = MESSAGES_MAX < pieces.len();
    if let Some(last) = pieces.get_mut(MESSAGES_MAX - 1).filter(|_| is_cut) {
        *last = split_content(last, last_room).into_iter().next().unwrap_or_default();
    }
    pieces.truncate(MESSAGES_MAX);
    if pieces.is_empty() {
        pieces.push(String::new());
    }
    (pieces, is_cut)
}

/// Shortens a text to fit above these lines, which are never cut.
fn fitted_above(text: &str, below: &str) -> String {
    let room = CONTENT_LENGTH_MAX.saturating_sub(utf16_length(below) + 1);
    match split_content(text, room).into_iter().next() {
        Some(text) => format!("{text}\n{below}"),
        None => below.to_owned(),
    }
}

/// Renders the notes. They hold no backticks: one could pair with a backtick in the text above and turn the notes into
/// code.
fn notes(facts: &TurnFacts, language: Language) -> String {
    let mut lines = Vec::new();
    let mut used = 0;
    for (index, note) in facts.notes.iter().enumerate() {
        let line = small(note);
        used += utf16_length(&line) + 1;
        if NOTES_LENGTH_MAX < used {
            lines.push(format!("{SMALL}{}", say!(language, "notes-more", n = facts.notes.len() - index)));
            break;
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// Returns the text of a closed question: its last line, which says who may decide, is replaced.
pub(crate) fn closed_question(text: &str, end: &str) -> String {
    let asked = text.rsplit_once('\n').map_or(text, |(asked, _)| asked);
    format!("{asked}\n{SMALL}{end}")
}

/// Renders a note as a small line. Markdown in it could pair with marks in the text above and hide both.
pub(crate) fn small(note: &str) -> String {
    let plain = one_line(note, NOTE_LENGTH_MAX);
    let mut line = SMALL.to_owned();
    for character in plain.chars() {
        if "*_~|\\".contains(character) {
            line.push('\\');
        }
        line.push(character);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::reply::{Author, Mark};
    use candor_core::testing::ran;

    const EN: Language = Language::ENGLISH;

    fn facts(author: Author, notes: &[&str]) -> TurnFacts {
        let notes = notes.iter().map(|&note| note.to_owned()).collect();
        TurnFacts {
            turn: None,
            author,
            mark: Mark::default(),
            notes,
            offers: Vec::new(),
            goes_on: false,
            questions: Vec::new(),
        }
    }

    /// The small line under a model's words.
    fn label() -> String {
        format!("-# {} · {}", say!(EN, "label-generated"), say!(EN, "label-none"))
    }

    /// The same under message `n` of a reply of several.
    fn label_of(n: usize, of: usize) -> String {
        let generated = say!(EN, "label-generated");
        let part = say!(EN, "label-part", n = n, of = of);
        format!("-# {generated} · {part} · {}", say!(EN, "label-none"))
    }

    fn contents(text: &str, author: Author, notes: &[&str]) -> Vec<String> {
        let texts = texts(text, &facts(author, notes), EN);
        texts.messages.iter().map(TurnText::content).collect()
    }

    #[test]
    fn notes_and_label_stand_under_the_words() {
        let label = label();
        let cases = [
            ("hello", Author::Model, vec![], vec![format!("hello\n{label}")]),
            ("", Author::Model, vec![], vec![label.clone()]),
            ("hello", Author::Model, vec!["one"], vec![format!("hello\n-# one\n{label}")]),
            ("failed", Author::Host, vec![], vec!["failed".to_owned()]),
            ("failed", Author::Host, vec!["x\ny `||z`"], vec!["failed\n-# x y '\\|\\|z'".to_owned()]),
        ];
        for (text, author, notes, expected) in cases {
            assert_eq!(contents(text, author, &notes), expected, "{text:?} {notes:?}");
        }
    }

    #[test]
    fn every_message_is_marked_and_fits_whatever_the_length() {
        let notes = vec!["n".repeat(250); 9];
        let notes: Vec<_> = notes.iter().map(String::as_str).collect();
        for length in [1, 900, 1_500, 1_939, 1_940, 1_941, 2_000, 2_001, 4_500, 7_500] {
            for notes in [[].as_slice(), notes.as_slice()] {
                let found = contents(&"Q".repeat(length), Author::Model, notes);
                assert!(found.iter().all(|content| utf16_length(content) <= CONTENT_LENGTH_MAX), "{length}");
                let mark = format!("\n-# {}", say!(EN, "label-generated"));
                let is_marked = |content: &String| content.contains(&mark) && content.contains('Q');
                assert!(found.iter().all(is_marked), "{length}: {found:?}");
                let more = say!(EN, "notes-more", n = 6);
                assert_eq!(found.last().unwrap().contains(&more), !notes.is_empty(), "{length}");
                if found.len() < 4 {
                    assert_eq!(found.concat().matches('Q').count(), length);
                }
            }
        }
        // With the longest mark, whose underscores are escaped.
        let runs: Vec<_> = (0..40).map(|n| ran(n, &format!("a_{n}"))).collect();
        let mark = Mark::of(runs.iter().map(AsRef::as_ref)).folded(true);
        for length in (1_400..2_100).step_by(7) {
            let facts = TurnFacts { mark: mark.clone(), ..facts(Author::Model, &[]) };
            let found = texts(&"Q".repeat(length), &facts, EN);
            assert!(
                found.messages.iter().all(|message| utf16_length(&message.content()) <= CONTENT_LENGTH_MAX),
                "{length}"
            );
        }
        let three = contents(&"Q ".repeat(2_500), Author::Model, &[]);
        let labels: Vec<_> = three.iter().map(|content| content.rsplit('\n').next().unwrap()).collect();
        assert_eq!(labels, [label_of(1, 3), label_of(2, 3), label_of(3, 3)]);
    }

    #[test]
    fn a_growing_reply_says_in_each_message_that_it_is_not_finished() {
        assert_eq!(growing("Hello", EN), [format!("Hello\n-# {}", still_writing(1, 1, EN))]);
        for (length, of) in [(2_500, 3), (9_000, 4)] {
            let found = growing(&"Q ".repeat(length), EN);
            assert_eq!(found.len(), of);
            for (n, message) in (1..).zip(found) {
                assert!(message.ends_with(&format!("\n-# {}", still_writing(n, of, EN))), "{message}");
                assert!(utf16_length(&message) <= CONTENT_LENGTH_MAX);
            }
        }
        let open = growing(&format!("```rust\n{}", "let x = 1;\n".repeat(300)), EN);
        let closed = format!("\n```\n-# {}", say!(EN, "label-generated"));
        assert!(open.iter().all(|message| message.contains(&closed)), "{open:?}");
    }

    #[test]
    fn what_four_messages_do_not_hold_is_in_the_file() {
        let long = "Q ".repeat(6_000);
        let found = texts(&long, &facts(Author::Model, &["one"]), EN);
        let last = found.messages[3].content();
        let file = format!("{}\n\n{long}", label().trim_start_matches(SMALL));
        assert_eq!((found.messages.len(), found.file), (4, Some(file)));
        let below = format!("\n-# one\n{} · {}", label_of(4, 4), say!(EN, "label-rest-in-file"));
        assert!(last.ends_with(&below), "{last}");
        assert_eq!(texts("short", &facts(Author::Model, &[]), EN).file, None);
    }

    #[test]
    fn a_piece_that_nothing_follows_has_the_hosts_lines_whatever_its_length() {
        let rest = format!("-# {}", say!(EN, "rest-missing"));
        let label = label();
        let full = "Q".repeat(CONTENT_LENGTH_MAX);
        let kept = "Q".repeat(CONTENT_LENGTH_MAX - utf16_length(&format!("\n{rest}\n-# one\n{label}")));
        let cases = [
            ("hello", Author::Model, format!("hello\n{rest}\n-# one\n{label}")),
            ("hello", Author::Host, format!("hello\n{rest}\n-# one")),
            (&full, Author::Model, format!("{kept}\n{rest}\n-# one\n{label}")),
        ];
        for (piece, author, expected) in cases {
            let piece = TurnText { text: piece.to_owned(), below: String::new() };
            assert_eq!(piece.ended(&facts(author, &["one"]), EN), expected);
        }
    }

    #[test]
    fn no_line_of_the_hosts_ends_a_code_span_that_the_text_left_open() {
        let note = "see `x` and ```y".to_owned();
        let long = "`z ".repeat(200);
        for author in [Author::Model, Author::Host] {
            let below = notes(&facts(author, &[&note, &long, &long, &long, &long]), EN);
            let more = say!(EN, "notes-more", n = 2);
            assert!(below.contains("see 'x'") && below.contains(&more), "{below}");
            assert!(!below.contains('`'), "{below}");
        }
    }
}
