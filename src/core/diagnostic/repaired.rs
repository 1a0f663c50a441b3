//! Reads a file as if the table headers that are not closed were: what stands below one belongs to it, and is not
//! reported as standing where nobody wrote it.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, Error};

/// A text with the brackets that it lacks.
pub(super) struct Repaired<'a> {
    text: Cow<'a, str>,
    /// Where a bracket was put, in the repaired text, from the first on.
    brackets: Vec<usize>,
}

impl<'a> Repaired<'a> {
    /// The text, with what its errors say that table headers lack. As it stands if that leaves as much wrong with it.
    pub(super) fn of(text: &'a str, errors: &[Error]) -> Self {
        let (mut repaired, mut brackets, mut copied) = (String::new(), Vec::new(), 0);
        for (at, missing) in errors.iter().filter_map(missing) {
            // The errors stand in the order of the text; one that does not is left alone.
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

    /// Whether it is another text.
    pub(super) fn is_another(&self) -> bool {
        !self.brackets.is_empty()
    }

    /// The text as it is to be read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where something of the repaired text stands in the text itself.
    pub(super) fn at(&self, span: &Range<usize>) -> Range<usize> {
        let at = |place: usize| place - self.brackets.partition_point(|&bracket| bracket < place);
        at(span.start)..at(span.end)
    }
}

/// Where a table header lacks brackets, and which.
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
