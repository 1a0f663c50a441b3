//! Splits a written time into numbers, words and signs.

use unicode_normalization::UnicodeNormalization as _;

/// Composes the text and lowers its case. A lone `M` stays, because it may mean minutes or months.
pub(super) fn folded(text: &str) -> String {
    let text: String = text.trim().nfkc().collect();
    let mut folded = String::with_capacity(text.len());
    for piece in pieces(&text) {
        match piece {
            "M" => folded.push('M'),
            other => folded.push_str(&other.to_lowercase()),
        }
    }
    // The dots would split these into several pieces.
    folded.replace("a.m.", "am").replace("p.m.", "pm").replace("a.m", "am").replace("p.m", "pm")
}

/// Splits a text into numbers, words and single signs, without the spaces.
pub(super) fn split(folded: &str) -> Vec<&str> {
    pieces(folded).filter(|piece| !piece.starts_with(char::is_whitespace)).collect()
}

/// Drops these words at the beginning.
pub(super) fn without<'a, 'b>(pieces: &'b [&'a str], words: &[&str]) -> &'b [&'a str] {
    match pieces {
        [first, rest @ ..] if words.contains(first) => rest,
        _ => pieces,
    }
}

/// Parses a number of up to nine digits, without a sign.
pub(super) fn number(piece: &str) -> Option<i32> {
    let is_number = piece.bytes().all(|byte| byte.is_ascii_digit()) && piece.len() <= 9;
    if is_number { piece.parse().ok() } else { None }
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_within = |c: char| {
            if first.is_ascii_digit() { c.is_ascii_digit() } else { first.is_alphabetic() && c.is_alphabetic() }
        };
        let length = rest.find(|c| !is_within(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        Some(piece)
    })
}
