//! The text of a chat turn's reply, split for Discord, with the host's own small lines below it.

use candor_core::language::{Language, say};
use candor_core::reply::{CONTENT_LENGTH_MAX, TurnFacts, split_content, turn_label};
use candor_core::text::{one_line, utf16_length};

/// The longest note, in characters.
const NOTE_LENGTH_MAX: usize = 300;

/// The longest notes together, in UTF-16 units. The rest of a message is for the text above them.
const NOTES_LENGTH_MAX: usize = 900;

/// The longest label, in UTF-16 units: the receipts of about ten calls.
const LABEL_LENGTH_MAX: usize = 600;

/// The prefix of a small line.
pub(crate) const SMALL: &str = "-# ";

/// The pieces. The host's lines are under the last of them, and never without text above if there is any.
pub(crate) fn pieces(text: &str, facts: &TurnFacts, language: Language) -> Vec<String> {
    let below = below(facts, language);
    let mut pieces = split_content(text, CONTENT_LENGTH_MAX);
    if below.is_empty() {
        return pieces;
    }
    let room = CONTENT_LENGTH_MAX.saturating_sub(utf16_length(&below) + 1);
    if let Some(last) = pieces.pop() {
        pieces.extend(if utf16_length(&last) <= room { vec![last] } else { split_content(&last, room) });
    }
    match pieces.last_mut() {
        Some(last) => *last = format!("{last}\n{below}"),
        None => pieces.push(below),
    }
    pieces
}

/// A piece after which the rest could not be sent: its text, a note on that, and the host's lines.
pub(crate) fn ended(piece: &str, facts: &TurnFacts, language: Language) -> String {
    // What failed may have arrived all the same.
    let lines = [format!("{SMALL}{}", say!(language, "rest-missing")), below(facts, language)];
    let lines: Vec<_> = lines.into_iter().filter(|lines| !lines.is_empty()).collect();
    shortened(piece, &lines.join("\n"))
}

/// As much of a text as fits above these lines, and the lines: none of them is ever cut.
pub(crate) fn shortened(text: &str, below: &str) -> String {
    let room = CONTENT_LENGTH_MAX.saturating_sub(utf16_length(below) + 1);
    match split_content(text, room).into_iter().next() {
        Some(text) => format!("{text}\n{below}"),
        None => below.to_owned(),
    }
}

/// The notes and the label. None of them holds a backtick: it could pair with one in the text above and make code of
/// them.
pub(crate) fn below(facts: &TurnFacts, language: Language) -> String {
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
    lines.extend(turn_label(facts, language).map(|label| format!("{SMALL}{}", cut(&label, language))));
    lines.join("\n")
}

/// A note as a small line. Markdown in it could pair with marks in the text above and hide both.
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

/// A label that is too long, up to the last receipt that fits.
fn cut(label: &str, language: Language) -> String {
    if utf16_length(label) <= LABEL_LENGTH_MAX {
        return label.to_owned();
    }
    let mut used = 0;
    let fits = |entry: &&str| {
        used += utf16_length(entry) + 2;
        used <= LABEL_LENGTH_MAX
    };
    let shown: Vec<_> = label.split(", ").take_while(fits).collect();
    let left_out = label.split(", ").count() - shown.len();
    format!("{} {}", shown.join(", "), say!(language, "label-more", n = left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::reply::Author;

    fn facts(author: Author, notes: &[&str]) -> TurnFacts {
        let notes = notes.iter().map(|&note| note.to_owned()).collect();
        TurnFacts { turn: None, author, ran: Vec::new(), notes, offers_fix: false }
    }

    #[test]
    fn notes_and_label_stand_under_the_last_piece() {
        let label = "-# generated · no command ran";
        let cases = [
            ("hello", Author::Model, vec![], vec![format!("hello\n{label}")]),
            ("", Author::Model, vec![], vec![label.to_owned()]),
            ("hello", Author::Model, vec!["one"], vec![format!("hello\n-# one\n{label}")]),
            ("failed", Author::Host, vec![], vec!["failed".to_owned()]),
            ("failed", Author::Host, vec!["x\ny `||z`"], vec!["failed\n-# x y '\\|\\|z'".to_owned()]),
        ];
        for (text, author, notes, expected) in cases {
            assert_eq!(pieces(text, &facts(author, &notes), Language::ENGLISH), expected, "{text:?} {notes:?}");
        }
    }

    #[test]
    fn whatever_the_length_every_piece_fits_and_the_label_is_never_alone() {
        let notes = vec!["n".repeat(250); 9];
        let notes: Vec<_> = notes.iter().map(String::as_str).collect();
        for length in [1, 900, 1_500, 1_969, 1_970, 1_971, 2_000, 2_001, 4_500] {
            for notes in [[].as_slice(), notes.as_slice()] {
                let pieces = pieces(&"Q".repeat(length), &facts(Author::Model, notes), Language::ENGLISH);
                assert!(pieces.iter().all(|piece| utf16_length(piece) <= CONTENT_LENGTH_MAX), "{length}");
                let last = pieces.last().unwrap();
                assert!(last.contains('Q') && last.ends_with("\n-# generated · no command ran"), "{length}: {last}");
                assert_eq!(last.contains("6 more: /receipt shows them"), !notes.is_empty(), "{length}: {last}");
                assert_eq!(pieces.concat().matches('Q').count(), length);
            }
        }
    }

    #[test]
    fn a_piece_that_nothing_follows_has_the_hosts_lines_whatever_its_length() {
        let (rest, label) = ("-# the rest of this reply may be missing", "-# generated · no command ran");
        let full = "Q".repeat(CONTENT_LENGTH_MAX);
        let kept = "Q".repeat(CONTENT_LENGTH_MAX - utf16_length(&format!("\n{rest}\n-# one\n{label}")));
        let cases = [
            ("hello", Author::Model, format!("hello\n{rest}\n-# one\n{label}")),
            ("hello", Author::Host, format!("hello\n{rest}\n-# one")),
            (&full, Author::Model, format!("{kept}\n{rest}\n-# one\n{label}")),
        ];
        for (piece, author, expected) in cases {
            assert_eq!(ended(piece, &facts(author, &["one"]), Language::ENGLISH), expected);
        }
        assert_eq!(ended("failed", &facts(Author::Host, &[]), Language::ENGLISH), format!("failed\n{rest}"));
    }

    #[test]
    fn no_line_of_the_hosts_ends_a_code_span_that_the_text_left_open() {
        let (note, long) = ("see `x` and ```y".to_owned(), "`z ".repeat(200));
        for author in [Author::Model, Author::Host] {
            let below = below(&facts(author, &[&note, &long, &long, &long, &long]), Language::ENGLISH);
            assert!(below.contains("see 'x'") && below.contains("more: /receipt shows them"), "{below}");
            assert!(!below.contains('`'), "{below}");
        }
    }

    #[test]
    fn a_label_of_many_calls_says_how_many_it_leaves_out() {
        let label = format!("generated · ran {}", vec!["/status ✓ 7F3K2"; 50].join(", "));
        let short = cut(&label, Language::ENGLISH);
        assert!(utf16_length(&short) < 700, "{short}");
        assert!(short.starts_with("generated · ran /status ✓ 7F3K2, ") && !short.contains('`'), "{short}");
        assert!(short.ends_with("/status ✓ 7F3K2 and 16 more: /receipt shows them"), "{short}");
    }
}
