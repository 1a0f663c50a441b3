//! Closes unclosed table headers before a file is read. Otherwise the keys below one would be reported as misplaced.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, Error};

/// A text with the missing brackets of its table headers.
pub(super) struct Repaired<'a> {
    text: Cow<'a, str>,
    /// The positions of inserted brackets in the repaired text, in ascending order.
    brackets: Vec<usize>,
}

impl<'a> Repaired<'a> {
    /// Inserts the brackets that the errors report as missing. Keeps the original text if that does not reduce the
    /// errors.
    pub(super) fn of(text: &'a str, errors: &[Error]) -> Self {
        let mut repaired = String::new();
        let mut brackets = Vec::new();
        let mut copied = 0;
        for (at, missing) in errors.iter().filter_map(missing) {
            // The errors are ordered by position. Skip one that is not.
            let Some(before) = text.get(copied..at) else { continue };
            repaired.push_str(before);
            brackets.extend((0..missing.len()).map(|n| repaired.len() + n));
            repaired.push_str(missing);
            copied = at;
        }
        repaired.push_str(text.get(copied..).unwrap_or_default());
        let is_better = || DeTable::parse_recoverable(&repaired).1.len() < errors.len();
        match !brackets.is_empty() && is_better() {
            true => Self { text: repaired.into(), brackets },
            false => Self { text: text.into(), brackets: Vec::new() },
        }
    }

    /// Returns whether the text was changed.
    pub(super) fn is_another(&self) -> bool {
        !self.brackets.is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Maps a range of the repaired text to the original text.
    pub(super) fn at(&self, span: &Range<usize>) -> Range<usize> {
        let at = |place: usize| place - self.brackets.partition_point(|&bracket| bracket < place);
        at(span.start)..at(span.end)
    }
}

/// Returns the position and text of the brackets that a table header lacks.
pub(super) fn missing(error: &Error) -> Option<(usize, &str)> {
    let rest = error.message().strip_prefix("unclosed table, expected `");
    let rest = rest.or_else(|| error.message().strip_prefix("unclosed array table, expected `"))?;
    Some((error.span()?.start, rest.strip_suffix('`').filter(|brackets| brackets.chars().all(|c| c == ']'))?))
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::Repaired;

    #[test]
    fn what_stands_below_a_header_belongs_to_it_also_if_it_is_not_closed() {
        for (text, expected) in [
            ("[a]\nx = 1\n", "[a]\nx = 1\n"),
            ("[a\nx = 1\n", "[a]\nx = 1\n"),
            ("[a # why\nx = 1\n[b\ny = 2\n", "[a] # why\nx = 1\n[b]\ny = 2\n"),
            ("[[a\nx = 1\n[[b]\ny = 2", "[[a]]\nx = 1\n[[b]]\ny = 2"),
            ("[ä.\"b c\"\nx = 1\n", "[ä.\"b c\"]\nx = 1\n"),
            // Nothing is gained by a bracket here.
            ("[\"a\nx = 1\n", "[\"a\nx = 1\n"),
            ("[a\nx = 1\n[a]\n", "[a\nx = 1\n[a]\n"),
            ("x = [1, 2\n", "x = [1, 2\n"),
            ("", ""),
        ] {
            let repaired = Repaired::of(text, &DeTable::parse_recoverable(text).1);
            assert_eq!(repaired.text(), expected);
            for name in ["x", "y", "="] {
                let (Some(there), Some(here)) = (repaired.text().find(name), text.find(name)) else { continue };
                assert_eq!(repaired.at(&(there..there + 1)), here..here + 1, "{name} of {text:?}");
            }
        }
    }
}
