//! Where a command is named in a sentence.

use crate::agent::honesty::command_names::written::Written;

/// A slash in a sentence that a name may follow.
pub(super) struct Mention<'a> {
    /// Where the slash stands, in bytes.
    pub(super) at: usize,
    /// The name.
    pub(super) written: Written<'a>,
    /// The text between the quotation marks or the marks of emphasis around it, if it is set apart.
    pub(super) set_apart: Option<&'a str>,
}

/// Characters between the marks around a command.
const SET_APART_LENGTH_MAX: usize = 100;

/// The commands named in a piece of a line, in order.
pub(super) fn mentions(words: &str) -> impl Iterator<Item = Mention<'_>> {
    words.match_indices('/').filter_map(move |(at, _)| {
        let (before, behind) = words.split_at_checked(at)?;
        let before = before.chars().next_back();
        let written = Written::read(behind).filter(|_| before.is_none_or(may_precede))?;
        // `</b>` closes a tag of HTML; `</status:123>` is how Discord links a command.
        if before == Some('<') && !is_link(behind) {
            return None;
        }
        Some(Mention { at, written, set_apart: before.and_then(|mark| set_apart(mark, behind)) })
    })
}

/// Whether a command's slash may stand behind this character. Behind letters and digits it is `and/or` or `1/2`, behind
/// the rest it is part of a path, a URL or a pattern.
fn may_precede(character: char) -> bool {
    !character.is_alphanumeric()
        && !matches!(
            character,
            '/' | '\\'
                | '.'
                | ':'
                | '~'
                | '-'
                | '='
                | '&'
                | '?'
                | '#'
                | '@'
                | '%'
                | '+'
                | '$'
                | '^'
                | ')'
                | ']'
                | '}'
                | '>'
        )
}

/// Whether the text up to the next bracket is a command's mention by its id.
fn is_link(behind: &str) -> bool {
    let end = behind.char_indices().take(SET_APART_LENGTH_MAX).find(|(_, character)| *character == '>');
    let inside = end.and_then(|(at, _)| behind.get(..at)).unwrap_or_default();
    inside.rsplit_once(':').is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

fn set_apart(mark: char, behind: &str) -> Option<&str> {
    let close = match mark {
        '*' | '_' | '"' | '\'' => mark,
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let end = behind.char_indices().take(SET_APART_LENGTH_MAX).find(|(_, character)| *character == close);
    end.and_then(|(at, _)| behind.get(..at)).map(str::trim)
}
