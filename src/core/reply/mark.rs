//! The mark under a chat reply: the commands that ran in its turn, from receipts alone.

use crate::language::{Language, say};
use crate::record::{Facts, Outcome, Receipt};

/// The longest command names in a mark together, in characters, with their separators. Further commands are only
/// counted.
const NAMES_LENGTH_MAX: usize = 110;

/// The length of `, ` between two names.
const SEPARATOR_LENGTH: usize = 2;

/// The commands that ran in a chat turn, each once, by how they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    ran: Vec<String>,
    /// Commands that asked a question before acting.
    asked: Vec<String>,
    refused: Vec<String>,
    failed: Vec<String>,
    /// Commands that were cut off: they may have changed something.
    unknown: Vec<String>,
    is_folded: bool,
}

impl Mark {
    /// Builds the mark of a turn with these receipts.
    pub fn of<'a>(receipts: impl IntoIterator<Item = &'a Receipt>) -> Self {
        Self::of_facts(receipts.into_iter().map(Receipt::facts))
    }

    /// Builds the mark of a turn with receipts of these facts.
    pub fn of_facts<'a>(receipts: impl IntoIterator<Item = &'a Facts>) -> Self {
        let mut mark = Self::default();
        for facts in receipts {
            let commands = match facts.outcome {
                Outcome::Done | Outcome::Answered => &mut mark.ran,
                Outcome::Asked => &mut mark.asked,
                Outcome::Refused => &mut mark.refused,
                Outcome::Failed | Outcome::Interrupted => &mut mark.failed,
                Outcome::TimedOut | Outcome::Unknown => &mut mark.unknown,
            };
            let command = facts.command.to_string();
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        mark
    }

    /// Adds commands that started and whose outcome is unknown.
    #[must_use]
    pub fn unknown(mut self, commands: impl IntoIterator<Item = String>) -> Self {
        for command in commands {
            if !self.unknown.contains(&command) {
                self.unknown.push(command);
            }
        }
        self
    }

    /// Returns whether no command ran.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Sets whether only a part of a command's answer is shown.
    #[must_use]
    pub fn folded(self, is_folded: bool) -> Self {
        Self { is_folded, ..self }
    }

    /// Returns the fact alone: `no command ran`, `ran /status, /tasks add · /tasks done was refused`.
    pub fn fact(&self, language: Language) -> String {
        let mut room = NAMES_LENGTH_MAX;
        let mut n_more = 0;
        let mut named = |commands: &[String]| {
            let mut names = Vec::new();
            for command in commands {
                let length = command.chars().count() + SEPARATOR_LENGTH;
                // A command's name has at most 99 characters, so there is always room for the first.
                match length <= room {
                    true => names.push(command.as_str()),
                    false => n_more += 1,
                }
                room = room.saturating_sub(length);
            }
            (!names.is_empty()).then(|| (names.len(), names.join(", ")))
        };
        let ran = named(&self.ran).map(|(_, commands)| say!(language, "label-ran", commands = commands));
        let asked = named(&self.asked).map(|(_, commands)| say!(language, "label-asked", commands = commands));
        let refused =
            named(&self.refused).map(|(n, commands)| say!(language, "label-refused", n = n, commands = commands));
        let failed = named(&self.failed).map(|(_, commands)| say!(language, "label-failed", commands = commands));
        let unknown = named(&self.unknown).map(|(_, commands)| say!(language, "label-unknown", commands = commands));
        let folded = self.is_folded.then(|| say!(language, "label-folded"));
        let more = (0 < n_more).then(|| say!(language, "label-more", n = n_more));
        let facts: Vec<_> = [ran, asked, refused, failed, unknown, more, folded].into_iter().flatten().collect();
        if facts.is_empty() { say!(language, "label-none") } else { facts.join(" · ") }
    }

    /// Returns the mark of message `n` of `of`: `generated · no command ran`, `generated · 2 of 3 · ran /status`.
    pub fn text(&self, n: usize, of: usize, language: Language) -> String {
        format!("{} · {}", generated(n, of, language), self.fact(language))
    }
}

/// Returns the mark of a message whose reply is still written: `generated · still writing`.
pub fn still_writing(n: usize, of: usize, language: Language) -> String {
    format!("{} · {}", generated(n, of, language), say!(language, "label-still-writing"))
}

fn generated(n: usize, of: usize, language: Language) -> String {
    let generated = say!(language, "label-generated");
    if of < 2 { generated } else { format!("{generated} · {}", say!(language, "label-part", n = n, of = of)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Origin;

    const EN: Language = Language::ENGLISH;

    fn mark(runs: impl IntoIterator<Item = (String, Outcome)>) -> Mark {
        let receipts =
            runs.into_iter().map(|(command, outcome)| Receipt::sample(1, &command, "", outcome, Origin::Model));
        Mark::of(receipts.collect::<Vec<_>>().iter().map(AsRef::as_ref))
    }

    #[test]
    fn the_mark_names_each_command_once_by_how_it_ended() {
        use Outcome::{Answered, Asked, Done, Failed, Interrupted, Refused, TimedOut, Unknown};
        let cases: [(&[(&str, Outcome)], &str); 7] = [
            (&[], "no command ran"),
            (&[("/status", Answered), ("/tasks add", Done), ("/status", Answered)], "ran /status, /tasks add"),
            (&[("/files remove", Asked)], "/files remove asked first"),
            (&[("/tasks done", Refused)], "/tasks done was refused"),
            (&[("/a", Refused), ("/b", Refused), ("/a", Done)], "ran /a · /a, /b were refused"),
            (&[("/a", Failed), ("/b", TimedOut)], "/a failed · /b: outcome unknown"),
            (&[("/a", Interrupted), ("/b", Unknown)], "/a failed · /b: outcome unknown"),
        ];
        for (runs, expected) in cases {
            let runs = runs.iter().map(|(command, outcome)| ((*command).to_owned(), *outcome));
            assert_eq!(mark(runs).fact(EN), expected);
        }
    }

    #[test]
    fn a_mark_is_never_longer_than_its_room() {
        let outcomes = [Outcome::Done, Outcome::Refused, Outcome::Failed, Outcome::Unknown];
        for (name, n) in [("x".repeat(60), 20), ("x".repeat(97), 2), ("x".to_owned(), 5)] {
            let commands = move |outcome| {
                (0..n).map({
                    let name = name.clone();
                    move |n| (format!("/{name}{n}"), outcome)
                })
            };
            let mark = mark(outcomes.into_iter().flat_map(commands));
            for language in Language::all() {
                let text = mark.text(10, 10, language);
                assert!(text.chars().count() <= 300, "{text}");
            }
        }
    }
}
