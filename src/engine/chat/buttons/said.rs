//! *What it said*: the model's own text of a reply, and the results of its commands.

use tracing::warn;

use crate::chat::Chat;
use candor_core::inbound::{Caller, Place};
use candor_core::language::say;
use candor_core::text::{in_code_block, in_code_span, utf16_length, visible};

/// The most of the reply, and of each result, that is shown, in UTF-16 units.
const SAID_SHOWN_MAX: usize = 12_000;
const RESULT_SHOWN_MAX: usize = 1_000;

impl Chat {
    /// Returns the model's text of the turn whose reply this message shows, as code, so that nothing of it is rendered.
    /// Allowed for the person of the turn and for operators.
    pub async fn said(&self, message: u64, caller: &Caller, place: Place) -> String {
        let language = caller.language;
        // Applies to a blocked operator too.
        if self.access.is_blocked(caller) {
            return say!(language, "chat-blocked");
        }
        let kept = match self.turns.turn_of_message(message).await {
            Ok(Some(kept)) => kept,
            Ok(None) => return say!(language, "said-none"),
            Err(problem) => {
                warn!(error = %problem, "cannot read a turn");
                return say!(language, "said-store");
            }
        };
        if kept.user != caller.id && !self.access.is_operator(caller, place) {
            return say!(language, "said-not-theirs");
        }
        let record = kept.record;
        let mut text = match record.said.trim() {
            "" => say!(language, "said-nothing"),
            said => format!("{}\n{}", say!(language, "said-title"), as_code(said, SAID_SHOWN_MAX)),
        };
        // Results of commands may be for their person only.
        let is_theirs = kept.user == caller.id;
        let results = record.calls.iter().filter(|call| is_theirs && !call.result.is_empty());
        let results: Vec<_> = results
            .map(|call| format!("{}\n{}", in_code_span(&call.tool), as_code(&call.result, RESULT_SHOWN_MAX)))
            .collect();
        if !results.is_empty() {
            text.push_str(&format!("\n{}\n{}", say!(language, "said-results"), results.join("\n")));
        }
        text
    }
}

/// Formats text as a code block of at most about `max` UTF-16 units, in whole lines.
fn as_code(text: &str, max: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut left = max;
    for line in text.lines() {
        if left == 0 {
            lines.push("…".to_owned());
            break;
        }
        let line = visible(&line.replace('\t', "    "), left);
        left = left.saturating_sub(utf16_length(&line) + 1);
        lines.push(line);
    }
    in_code_block(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::as_code;

    #[test]
    fn lines_stay_lines_and_nothing_ends_the_block() {
        assert_eq!(as_code("one\n\ttwo\n```\nsta\u{202e}tus", 100), "```\none\n    two\nˋˋˋ\nsta\\u{202e}tus\n```");
    }

    #[test]
    fn a_long_text_is_cut_with_a_note() {
        assert_eq!(as_code("one\ntwo\nthree", 4), "```\none\n…\n```");
        let cut = as_code(&"x".repeat(5_000), 100);
        assert!(cut.contains("… (cut: ") && cut.len() < 300, "{cut}");
    }
}
