//! Long text in pieces that Discord takes.

/// The longest content of a message, in UTF-16 units, which is never more lenient than Discord's own count.
/// See Discord's documentation, "Create Message".
pub const CONTENT_LENGTH_MAX: usize = 2_000;

/// Cuts text into pieces of at most `limit` UTF-16 units, at line ends where there are any. Nothing is lost
/// but the line end at a cut. Empty text gives no piece.
pub fn split_content(text: &str, limit: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for line in text.split_inclusive('\n') {
        if limit < units(&piece) + units(line.trim_end_matches('\n')) {
            push(&mut pieces, &mut piece);
        }
        for character in line.chars() {
            let visible = character != '\n';
            if visible && limit < units(&piece) + character.len_utf16() {
                push(&mut pieces, &mut piece);
            }
            piece.push(character);
        }
    }
    push(&mut pieces, &mut piece);
    pieces
}

fn push(pieces: &mut Vec<String>, piece: &mut String) {
    let whole = std::mem::take(piece);
    let trimmed = whole.trim_end_matches('\n');
    if !trimmed.trim().is_empty() {
        pieces.push(trimmed.to_owned());
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::split_content;

    #[test]
    fn text_is_cut_at_line_ends_and_inside_lines_only_when_it_must_be() {
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("short", &["short"]),
            ("12345\n67890\nabc", &["12345", "67890\nabc"]),
            ("0123456789ABCDE", &["0123456789", "ABCDE"]),
            ("😀😀😀😀😀😀", &["😀😀😀😀😀", "😀"]),
            ("one\n\n\n\n\n\n\n\n\n\ntwo", &["one", "two"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split_content(text, 10), expected, "{text:?}");
        }
    }
}
