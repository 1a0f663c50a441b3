//! Formats untrusted text as inline code or as a code block that the text cannot close.

use std::fmt::Display;

use crate::text::markdown::segments::{CodeRules, SegmentKind, segments};

/// Formats the text as inline code.
pub fn in_code_span(text: &str) -> String {
    format!("`{}`", without_backticks(text))
}

/// Formats each text as inline code, separated by commas.
pub fn in_code_spans(texts: impl IntoIterator<Item: Display>) -> String {
    texts.into_iter().map(|text| in_code_span(&text.to_string())).collect::<Vec<_>>().join(", ")
}

/// Formats the text as a code block. Its backticks are replaced only if they could end the block: see
/// [`ends_code_block`].
pub fn in_code_block(text: &str) -> String {
    match ends_code_block(text) {
        true => format!("```\n{}\n```", without_backticks(text)),
        false => format!("```\n{text}\n```"),
    }
}

/// Returns whether a text would end its enclosing code block. Discord ends a block at any three backticks, and has no
/// longer fences.
pub fn ends_code_block(text: &str) -> bool {
    text.contains("```")
}

/// Returns whether a text ends inside an unclosed code block: on Discord, a line below it would be code.
pub fn ends_in_code_block(text: &str) -> bool {
    let is_block = |kind| matches!(kind, SegmentKind::Fence { .. });
    let last = segments(text, CodeRules::Discord).last().filter(|segment| is_block(segment.kind));
    // A closed block ends with its marks, and has room for the opening ones before them.
    last.and_then(|block| text.get(block.range)).is_some_and(|block| !(5 < block.len() && block.ends_with("```")))
}

/// Replaces each backtick by a look-alike.
fn without_backticks(text: &str) -> String {
    text.replace('`', "ˋ")
}

#[cfg(test)]
mod tests {
    use super::{ends_in_code_block, in_code_block, in_code_span, in_code_spans};

    #[test]
    fn nothing_ends_the_code_that_it_stands_in() {
        let cases = [
            ("plain", "`plain`", "```\nplain\n```"),
            ("`a` and ``b``", "`ˋaˋ and ˋˋbˋˋ`", "```\n`a` and ``b``\n```"),
            ("a\n```\n`b`", "`a\nˋˋˋ\nˋbˋ`", "```\na\nˋˋˋ\nˋbˋ\n```"),
            ("````", "`ˋˋˋˋ`", "```\nˋˋˋˋ\n```"),
        ];
        for (text, span, block) in cases {
            assert_eq!(in_code_span(text), span);
            assert_eq!(in_code_block(text), block);
        }
        assert_eq!(in_code_spans(["a", "b`c"]), "`a`, `bˋc`");
        assert_eq!(in_code_spans([0; 0]), "");
    }

    #[test]
    fn a_block_is_open_until_its_marks_come_again() {
        for text in ["```", "```rs\na", "see ```a", "```\na\n```\n```b"] {
            assert!(ends_in_code_block(text), "{text:?}");
        }
        for text in ["", "`a", "```\na\n```", "see ```a``` b", "\\```a"] {
            assert!(!ends_in_code_block(text), "{text:?}");
        }
    }
}
