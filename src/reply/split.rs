//! Long text in pieces that Discord takes.

/// The longest content of a message, in UTF-16 units, which is never more lenient than Discord's own count.
/// See Discord's documentation, "Create Message".
pub const CONTENT_LENGTH_MAX: usize = 2_000;

/// Cuts text into pieces of at most `limit` UTF-16 units, at line ends where there are any. Nothing is lost
/// but blank lines at a cut. Blank text gives no piece.
pub fn split_content(text: &str, limit: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    // The units of the last piece.
    let mut used = 0;
    for part in text.lines().flat_map(|line| parts(line, limit)) {
        let units = units(part);
        match pieces.last_mut() {
            Some(piece) if used + 1 + units <= limit => {
                piece.push('\n');
                piece.push_str(part);
                used += 1 + units;
            }
            _ => {
                pieces.push(part.to_owned());
                used = units;
            }
        }
    }
    let trimmed = pieces.iter().map(|piece| piece.trim_matches('\n').to_owned());
    trimmed.filter(|piece| !piece.trim().is_empty()).collect()
}

/// A line in parts of at most `limit` units. An empty line is one empty part.
fn parts(line: &str, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    loop {
        let mut used = 0;
        let over = rest.char_indices().find(|(_, character)| {
            used += character.len_utf16();
            limit < used
        });
        // The index is that of a character, and not of the first one as long as the limit holds one.
        match over.and_then(|(at, _)| rest.split_at_checked(at)).filter(|(part, _)| !part.is_empty()) {
            Some((part, more)) => {
                parts.push(part);
                rest = more;
            }
            None => {
                parts.push(rest);
                return parts;
            }
        }
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
