//! Model text made harmless: nothing in it can look like the host's own words.

use crate::unicode::is_invisible;

/// Removes invisible and direction-changing characters, escapes lines that would be rendered as small text, as
/// the host's own label is, and sets a mark before lines that begin like a receipt or a label.
pub fn sanitize_model_text(text: &str) -> String {
    let visible: String = text.chars().filter(|&character| character == '\n' || !is_invisible(character)).collect();
    let lines: Vec<_> = visible.trim().lines().map(harmless).collect();
    lines.join("\n")
}

fn harmless(line: &str) -> String {
    // Marks that Discord does not show must not hide how the line begins.
    let shown = line.trim_start_matches(|mark: char| mark.is_whitespace() || "*_~`|>#-".contains(mark));
    let like_a_label = shown.strip_prefix("generated").is_some_and(|rest| rest.trim_start().starts_with('·'));
    if line.trim_start().starts_with("-#") {
        format!("\\{}", line.trim_start())
    } else if shown.starts_with(['✓', '✗', '✔', '✅']) || like_a_label {
        format!("(model) {line}")
    } else {
        line.to_owned()
    }
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
            ("✓ /status · 1 ms · receipt 7F3K2", "(model) ✓ /status · 1 ms · receipt 7F3K2"),
            ("**✓ /status**", "(model) **✓ /status**"),
            ("> generated · ran /status", "(model) > generated · ran /status"),
            ("generated code is fine", "generated code is fine"),
            ("a\u{202e}b\u{2066}c\u{e0041}d", "abcd"),
            ("tab\tand\nnew line", "tab\tand\nnew line"),
        ];
        for (text, expected) in cases {
            assert_eq!(sanitize_model_text(text), expected);
        }
    }
}
