//! A text as tokens: words, numbers, paths and addresses, each in one piece.

/// A token of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// Without the marks around it.
    pub(super) text: &'a str,
    /// What stands before it.
    pub(super) before: Gap,
    /// Whether its line is a heading.
    pub(super) is_heading: bool,
    /// The rest of its line.
    behind: &'a str,
}

/// What stands between two tokens. The greater says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Spaces, perhaps emphasis.
    Space,
    /// A comma, a bracket, a quotation mark.
    Break,
    /// The end of a line.
    Line,
}

impl Token<'_> {
    /// Whether a colon follows: `**Free Space**: 3 GiB`.
    pub(super) fn is_label(&self) -> bool {
        self.behind.trim_start_matches(['*', '_', '`']).starts_with(':')
    }

    /// Whether this is the number of a list's item.
    pub(super) fn is_list_number(&self) -> bool {
        self.before == Gap::Line
            && self.text.chars().all(|digit| digit.is_ascii_digit())
            && self.text.len() <= LIST_NUMBER_LENGTH_MAX
            && self.behind.starts_with(['.', ')'])
    }
}

/// Digits of the greatest number of a list.
const LIST_NUMBER_LENGTH_MAX: usize = 3;

/// The tokens of a text, in order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    text.lines().flat_map(of_line)
}

fn of_line(line: &str) -> Vec<Token<'_>> {
    let is_heading = line.trim_start().starts_with('#');
    let mut tokens = Vec::new();
    let mut gap = Gap::Line;
    let mut start = None;
    let mut before = ' ';
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let begun = start.and_then(|start| line.get(start..at)).unwrap_or_default();
        let belongs = is_of_token(character)
            || (is_between_digits(character) && before.is_ascii_digit() && next.is_ascii_digit())
            || (matches!(character, '=' | ',' | ';') && is_url(begun));
        before = character;
        if belongs {
            start = start.or(Some(at));
            continue;
        }
        if let Some(start) = start.take() {
            push(&mut tokens, line, (start, at), &mut gap, is_heading);
        }
        if !character.is_whitespace() && !matches!(character, '*' | '`') && gap != Gap::Line {
            gap = Gap::Break;
        }
    }
    if let Some(start) = start {
        push(&mut tokens, line, (start, line.len()), &mut gap, is_heading);
    }
    tokens
}

/// Adds a token without the marks around it, if anything is left of it.
fn push<'a>(tokens: &mut Vec<Token<'a>>, line: &'a str, place: (usize, usize), gap: &mut Gap, is_heading: bool) {
    let (start, end) = place;
    let raw = line.get(start..end).unwrap_or_default();
    let text = raw.trim_end_matches(['.', ':', '?', ',', '-', '_', '~', '&', '+', '#']);
    let ends = text.len() < raw.len();
    let length = text.len();
    let text = text.trim_start_matches([':', '?', ',', '-', '_', '&', '+', '#']);
    let text = if text.starts_with("~/") { text } else { text.trim_start_matches('~') };
    if text.chars().any(char::is_alphanumeric) {
        let behind = line.get(start + length..).unwrap_or_default();
        tokens.push(Token { text, before: *gap, is_heading, behind });
        *gap = if ends { Gap::Break } else { Gap::Space };
    } else if *gap != Gap::Line {
        *gap = Gap::Break;
    }
}

fn is_of_token(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(
            character,
            '.' | ':' | '/' | '\\' | '-' | '_' | '@' | '%' | '+' | '#' | '&' | '?' | '~' | '$' | '€' | '£' | '°'
        )
}

/// Marks that part thousands, and the decimal comma.
fn is_between_digits(character: char) -> bool {
    matches!(character, ',' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Whether a token is a URL so far: looked for at its front, where the scheme is.
fn is_url(begun: &str) -> bool {
    /// The longest scheme that counts, with its `://`.
    const SCHEME_LENGTH_MAX: usize = 12;
    let front = begun.char_indices().nth(SCHEME_LENGTH_MAX).map_or(begun, |(at, _)| begun.get(..at).unwrap_or(begun));
    front.contains("://") || front.starts_with("www.")
}

#[cfg(test)]
mod tests {
    use super::{Gap, tokens};

    #[test]
    fn a_text_is_parted_into_tokens() {
        let cases = [
            ("CPU is at 12.5 %.", vec!["CPU", "is", "at", "12.5"]),
            ("**3.1** of `24,0` GiB, 5%", vec!["3.1", "of", "24,0", "GiB", "5%"]),
            ("{\"a\":1,\"b\":[12,34]}", vec!["a", "1", "b", "12,34"]),
            ("see https://x.org/a?b=1,2;c. Bye", vec!["see", "https://x.org/a?b=1,2;c", "Bye"]),
            ("<@123> (@ada, a@b.org)", vec!["@123", "@ada", "a@b.org"]),
            ("~/x ~5 ./a -7 #9 a=b", vec!["~/x", "5", "./a", "7", "9", "a", "b"]),
            ("Ada's 1\u{a0}000", vec!["Ada", "s", "1\u{a0}000"]),
            ("- : ...", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text).map(|token| token.text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_stands_between_tokens_is_told() {
        let gaps: Vec<_> = tokens("- a **b**, c\nd. e").map(|token| token.before).collect();
        assert_eq!(gaps, [Gap::Line, Gap::Space, Gap::Break, Gap::Line, Gap::Break]);
        let labels: Vec<_> = tokens("a: **b**: c:d").map(|token| token.is_label()).collect();
        assert_eq!(labels, [true, true, false]);
        let numbers: Vec<_> = tokens("12. 13. a\n14) b\n15 c").map(|token| token.is_list_number()).collect();
        assert_eq!(numbers, [true, false, false, true, false, false, false]);
    }
}
