//! Model text made harmless: nothing in it can look like the host's own words.

use crate::unicode::is_invisible;

/// Removes invisible and direction-changing characters, and escapes lines that would be rendered as small
/// text, as the host's own label is.
pub fn sanitize_model_text(text: &str) -> String {
    let visible: String = text.chars().filter(|&character| character == '\n' || !is_invisible(character)).collect();
    let lines: Vec<_> = visible
        .trim()
        .lines()
        .map(
            |line| {
                if line.trim_start().starts_with("-#") { format!("\\{}", line.trim_start()) } else { line.to_owned() }
            },
        )
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::sanitize_model_text;

    #[test]
    fn a_model_cannot_write_the_hosts_line_or_hide_characters() {
        let cases = [
            ("-# generated · ran /status ✓ 7F3K2", "\\-# generated · ran /status ✓ 7F3K2"),
            ("fine\n  -# small", "fine\n\\-# small"),
            ("\u{200b}-# small", "\\-# small"),
            ("a\u{202e}b\u{2066}c\u{e0041}d", "abcd"),
            ("tab\tand\nnew line", "tab\tand\nnew line"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected);
        }
    }
}
