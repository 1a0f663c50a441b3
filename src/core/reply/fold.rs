//! Shortens a long answer to its beginning, with the number of lines left out.

use crate::language::{Language, say};
use crate::reply::Reply;
use crate::text::{ends_in_code_block, first_characters};

/// The most characters of the text that are shown.
const CHARACTERS_MAX: usize = 900;
const FIELDS_MAX: usize = 9;

/// The most lines, unless they have fewer than `CHARACTERS_MIN` characters together.
const LINES_MAX: usize = 12;
const CHARACTERS_MIN: usize = 300;

impl Reply {
    /// Returns the beginning of a long answer, with a line that says how much more there is. `None` if it is short.
    pub fn folded(&self, language: Language) -> Option<Self> {
        let n_lines = self.text.lines().count();
        let mut kept: Vec<&str> = Vec::new();
        let mut left = CHARACTERS_MAX;
        let mut cut = None;
        for line in self.text.lines() {
            let n_shown = CHARACTERS_MAX - left;
            if LINES_MAX <= kept.len() && CHARACTERS_MIN <= n_shown {
                break;
            }
            match left.checked_sub(line.chars().count() + 1) {
                Some(rest) => left = rest,
                None => {
                    cut = Some(line).filter(|_| n_shown < CHARACTERS_MIN);
                    break;
                }
            }
            kept.push(line);
        }
        let n_more = n_lines - kept.len() + self.fields.len().saturating_sub(FIELDS_MAX);
        if n_more == 0 {
            return None;
        }
        let beginning = cut.map(|line| format!("{}…", first_characters(line, left)));
        let mut text = kept.into_iter().chain(beginning.as_deref()).collect::<Vec<_>>().join("\n");
        let n_more = n_more - usize::from(cut.is_some());
        if ends_in_code_block(&text) {
            text.push_str("\n```");
        }
        let fields = self.fields.iter().take(FIELDS_MAX).cloned().collect();
        let mut folded = Self { text, fields, ..self.clone() };
        if 0 < n_more {
            folded.add_line(&say!(language, "answer-folded", n = n_more));
        }
        Some(folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Field;

    #[test]
    fn a_short_answer_stays_and_a_long_one_says_how_much_more_there_is() {
        let english = Language::ENGLISH;
        let more = |n| say!(english, "answer-folded", n = n);
        assert_eq!(Reply::text("one\ntwo").folded(english), None);
        let lines: Vec<_> = (1..=20).map(|n| format!("{n:30}")).collect();
        let folded = Reply::text(lines.join("\n")).folded(english).unwrap();
        assert_eq!(folded.text, format!("{}\n{}", lines[..12].join("\n"), more(8)));
        // Of short lines more are shown.
        assert_eq!(Reply::text("1. milk\n".repeat(30)).folded(english), None);
        let folded = Reply::text("1. milk\n".repeat(100)).folded(english).unwrap();
        assert_eq!(folded.text.matches("milk").count(), 38);
        let field = Field { name: "CPU".to_owned(), value: "1 %".to_owned() };
        let folded = Reply { fields: vec![field; 11], ..Reply::text("Status") }.folded(english).unwrap();
        assert_eq!((folded.fields.len(), folded.text), (9, format!("Status\n{}", more(2))));
        let folded = Reply::text("x".repeat(5_000)).folded(english).unwrap();
        assert_eq!(folded.text, format!("{}…", "x".repeat(900)));
        // Behind a heading and the begin of a block of code, too.
        let folded = Reply::text(format!("Notes\n```\n{}\n```", "x".repeat(1_300))).folded(english).unwrap();
        assert_eq!(folded.text, format!("Notes\n```\n{}…\n```\n{}", "x".repeat(890), more(1)));
    }

    proptest::proptest! {
        #[test]
        fn a_folded_answer_shows_at_least_300_characters(
            lines in proptest::collection::vec("[a-z] {0,3}[a-z.]{0,700}", 1..60),
            is_code: bool,
        ) {
            let text = lines.join("\n");
            let text = if is_code { format!("Notes\n```\n{text}\n```") } else { text };
            if let Some(folded) = Reply::text(text).folded(Language::ENGLISH) {
                let shown = match folded.text.rsplit_once('\n') {
                    Some((shown, more)) if more.starts_with('…') => shown,
                    _ => folded.text.as_str(),
                };
                proptest::prop_assert!(300 <= shown.chars().count(), "{shown:?}");
            }
        }
    }

    #[test]
    fn what_was_opened_as_code_is_closed_again() {
        let lines: Vec<_> = (1..=20).map(|n| format!("{n:30}")).collect();
        let cases = [
            (format!("```\n{}\n```", lines.join("\n")), format!("```\n{}\n```", lines[..11].join("\n")), 10),
            (format!("see ```{}```", lines.join("\n")), format!("see ```{}\n```", lines[..12].join("\n")), 8),
            (format!("```\n1\n```\n{}", lines.join("\n")), format!("```\n1\n```\n{}", lines[..10].join("\n")), 10),
        ];
        for (text, shown, n_more) in cases {
            let expected = format!("{shown}\n{}", say!(Language::ENGLISH, "answer-folded", n = n_more));
            assert_eq!(Reply::text(text).folded(Language::ENGLISH).unwrap().text, expected);
        }
    }
}
