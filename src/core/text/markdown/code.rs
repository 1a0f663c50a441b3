//! Formats untrusted text as inline code or as a code block, neither of which it can end.

/// The text as inline code.
pub fn in_code_span(text: &str) -> String {
    format!("`{}`", without_backticks(text))
}

/// The text as a code block. Its backticks are replaced only if they could end the block: see [`ends_code_block`].
pub fn in_code_block(text: &str) -> String {
    match ends_code_block(text) {
        true => format!("```\n{}\n```", without_backticks(text)),
        false => format!("```\n{text}\n```"),
    }
}

/// Whether a text would end the code block that it stands in. Discord ends a block at any three backticks, and knows no
/// longer fences.
pub fn ends_code_block(text: &str) -> bool {
    text.contains("```")
}

/// The text with a look-alike for each backtick.
fn without_backticks(text: &str) -> String {
    text.replace('`', "ˋ")
}

#[cfg(test)]
mod tests {
    use super::{in_code_block, in_code_span};

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
    }
}
