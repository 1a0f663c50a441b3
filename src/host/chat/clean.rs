//! Removes made-up output from an older reply, at its person's request.

use tracing::{info, warn};

use crate::host::chat::Chat;
use candor_core::agent::honesty::{strip_made_up, strip_tool_text};
use candor_core::agent::tools::OfferedSet;
use candor_core::inbound::{Caller, Place};
use candor_core::language::{Language, say};
use candor_core::record::{StrippedKind, StrippedText};
use candor_core::reply::sanitize_model_text;

/// The prefix of the host's own lines under a reply. No line of a model has it: see [`sanitize_model_text`].
const SMALL: &str = "-# ";

/// The result for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleaned {
    /// It stays as it is. The text tells the person why.
    Untouched(String),
    /// It gets new content.
    Changed {
        /// What is left of the model's text, made harmless; the host's own words if nothing is.
        text: String,
        /// The host's own lines below it.
        below: Vec<String>,
        /// How many pieces were removed.
        n_removed: usize,
    },
}

impl Chat {
    /// Removes made-up output from a message of this bot that says `content`. Only for the person whose turn it was, or
    /// an operator, and for nobody who is blocked.
    pub async fn clean(&self, message: u64, content: &str, caller: &Caller, place: Place) -> Cleaned {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Cleaned::Untouched(say!(language, "clean-blocked"));
        }
        let kept = match self.turns.turn_of_message(message).await {
            Ok(Some(kept)) => kept,
            Ok(None) => return Cleaned::Untouched(say!(language, "clean-no-turn")),
            Err(problem) => {
                warn!(error = %problem, "cannot read a turn");
                return Cleaned::Untouched(say!(language, "clean-store"));
            }
        };
        if kept.user != caller.id && !self.access.is_operator(caller, place) {
            return Cleaned::Untouched(say!(language, "clean-not-theirs"));
        }
        let (cleaned, removed) = without_made_up(content, language);
        if !removed.is_empty() {
            info!(
                user.id = caller.id.0,
                turn = kept.id.0,
                removed = removed.len(),
                "took made-up output out of a reply"
            );
            // What is no longer shown stays in the record, whatever becomes of the message.
            let mut record = kept.record;
            record.stripped.extend(removed);
            if let Err(problem) = self.turns.amend(kept.id, &record).await {
                warn!(error = %problem, "the record of a turn could not be amended");
                return Cleaned::Untouched(say!(language, "clean-store-unwritable"));
            }
        }
        cleaned
    }
}

/// A reply without what only looks like a tool's output or a call.
fn without_made_up(content: &str, language: Language) -> (Cleaned, Vec<StrippedText>) {
    let (text, below) = parted(content);
    let without_results = strip_made_up(text, &[]);
    let without_calls = strip_tool_text(&without_results.kept, &OfferedSet::none());
    let kind = |kind: StrippedKind| move |text| StrippedText { kind: kind.name().to_owned(), text };
    let results = without_results.removed.into_iter().map(kind(StrippedKind::MadeUpResult));
    let removed: Vec<_> = results.chain(without_calls.removed.into_iter().map(kind(StrippedKind::ToolText))).collect();
    if removed.is_empty() {
        return (Cleaned::Untouched(say!(language, "clean-nothing-found")), removed);
    }
    // What was in the middle of a line may now begin one.
    let left = sanitize_model_text(&without_calls.kept);
    let text = if left.is_empty() { say!(language, "clean-nothing-left") } else { left };
    let below = below.into_iter().map(str::to_owned).collect();
    (Cleaned::Changed { text, below, n_removed: removed.len() }, removed)
}

/// Splits a reply into the text and the host's own lines at its end.
fn parted(content: &str) -> (&str, Vec<&str>) {
    let mut below = Vec::new();
    let mut text = content.trim_end();
    while let Some(line) = text.lines().next_back().filter(|line| line.starts_with(SMALL)) {
        below.insert(0, line);
        text = text.strip_suffix(line).unwrap_or_default().trim_end();
    }
    (text, below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_lines_are_parted_from_the_text_above_them() {
        let label = "-# generated · no command ran";
        let cases: [(&str, &str, &[&str]); 5] = [
            ("text\n-# a note\n-# generated · no command ran", "text", &["-# a note", label]),
            (label, "", &[label]),
            ("text", "text", &[]),
            ("\\-# not the host's\n-# generated · no command ran", "\\-# not the host's", &[label]),
            ("-# above\ntext", "-# above\ntext", &[]),
        ];
        for (content, text, below) in cases {
            assert_eq!(parted(content), (text, below.to_vec()), "{content:?}");
        }
    }

    #[test]
    fn a_reply_without_made_up_output_stays() {
        let content = "CPU is fine.\n-# generated · no command ran";
        assert!(
            matches!(without_made_up(content, Language::ENGLISH).0, Cleaned::Untouched(why) if why.contains("no made-up output"))
        );
    }
}
