//! Breaks lines between words into rows as wide as the screen.

use unicode_width::UnicodeWidthChar as _;

use crate::console::screen::{Look, Screen};

/// Characters, each with its look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells(pub(super) Vec<(char, Look)>);

impl Cells {
    pub(super) fn of(text: &str, look: Look) -> Self {
        Self(text.chars().map(|character| (character, look)).collect())
    }

    pub(super) fn push(&mut self, text: &str, look: Look) {
        self.0.extend(text.chars().map(|character| (character, look)));
    }

    pub(super) fn width(&self) -> usize {
        width(&self.0)
    }

    /// Returns the text, with escape sequences if the screen shows colours.
    pub(super) fn painted(&self, screen: Screen) -> String {
        let parts = self.0.chunk_by(|(_, one), (_, other)| one == other);
        parts
            .map(|part| {
                let text: String = part.iter().map(|(character, _)| *character).collect();
                screen.painted(&text, part.first().map_or(Look::Plain, |(_, look)| *look))
            })
            .collect()
    }

    /// Breaks the cells between words into rows of at most `columns`. Rows after the first begin with `hang` blanks.
    /// Only a word longer than a row is itself broken.
    pub(super) fn rows(&self, columns: usize, hang: usize) -> Vec<Self> {
        // A row that is mostly indentation has no room for words.
        let hang = if columns < hang * 2 { 0 } else { hang };
        let mut rows = vec![Self::default()];
        let mut used = 0;
        // The blanks between two words; they are dropped at a break.
        let mut blanks: &[(char, Look)] = &[];
        for word in words(&self.0) {
            if word.first().is_some_and(|cell| is_blank(*cell)) && !(rows.len() == 1 && used == 0) && word.len() == 1 {
                blanks = word;
                continue;
            }
            let gap = width(blanks);
            let wide = width(word);
            if columns < used + gap + wide && hang < used {
                rows.push(Self(vec![(' ', Look::Plain); hang]));
                used = hang;
            } else {
                extend(&mut rows, blanks);
                used += gap;
            }
            blanks = &[];
            for cell in word {
                let wide = cell.0.width().unwrap_or(0);
                if columns < used + wide {
                    rows.push(Self(vec![(' ', Look::Plain); hang]));
                    used = hang;
                }
                used += wide;
                extend(&mut rows, &[*cell]);
            }
        }
        rows
    }
}

fn extend(rows: &mut [Cells], cells: &[(char, Look)]) {
    if let Some(row) = rows.last_mut() {
        row.0.extend_from_slice(cells);
    }
}

fn is_blank((character, _): (char, Look)) -> bool {
    character == ' '
}

/// Splits cells into words and single blanks. Several blanks in a row belong to a figure or an indentation, and count
/// as a word.
fn words(cells: &[(char, Look)]) -> impl Iterator<Item = &[(char, Look)]> {
    let blanks_and_words = cells.chunk_by(|one, other| is_blank(*one) == is_blank(*other));
    blanks_and_words.filter(|part| !part.is_empty())
}

fn width(cells: &[(char, Look)]) -> usize {
    cells.iter().map(|(character, _)| character.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::{Cells, Look, Screen};

    fn rows(text: &str, columns: usize, hang: usize) -> Vec<String> {
        let rows = Cells::of(text, Look::Plain).rows(columns, hang);
        rows.iter().map(|row| row.painted(Screen::PLAIN)).collect()
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(rows("The quick brown fox jumped", 10, 0), ["The quick", "brown fox", "jumped"]);
        assert_eq!(rows("• one two three", 9, 2), ["• one two", "  three"]);
        assert_eq!(rows("", 10, 0), [""]);
        assert_eq!(rows("  indented text", 10, 2), ["  indented", "  text"]);
        assert_eq!(rows("one two", usize::MAX, 0), ["one two"]);
    }

    #[test]
    fn only_a_word_that_no_row_holds_is_broken() {
        assert_eq!(rows("see 0123456789abcdef now", 10, 0), ["see", "0123456789", "abcdef now"]);
        assert_eq!(rows("日本語の長い行", 6, 0), ["日本語", "の長い", "行"]);
    }

    #[test]
    fn several_blanks_stay_where_they_are() {
        assert_eq!(rows("`     ▁█`", 20, 0), ["`     ▁█`"]);
    }
}
