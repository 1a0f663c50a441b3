//! Renders Discord's Markdown for a terminal: bold, code, lists, without marks that mean nothing there.

use crate::console::screen::Look;
use crate::console::wrap::Cells;
use candor_core::text::{CodeRules, Segment, SegmentKind, printable, segments};

/// One line, and the indentation of its continuation rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) cells: Cells,
    pub(super) hang: usize,
}

/// Returns the lines of a text. `base` is the look of unmarked text. With colours, code is shown by its look; without
/// them its marks stay.
pub(super) fn lines(text: &str, base: Look, color: bool) -> Vec<Line> {
    let text = text.lines().map(tidy).collect::<Vec<_>>().join("\n");
    let mut lines = Vec::new();
    let mut prose = 0..0;
    for Segment { kind, range } in segments(&text, CodeRules::Discord) {
        match kind {
            SegmentKind::Text | SegmentKind::Inline => prose.end = range.end,
            SegmentKind::Fence { .. } => {
                let before = text.get(prose.clone()).unwrap_or_default();
                lines.extend(before.lines().map(|line| of_line(line, base, color)));
                lines.extend(of_block(text.get(range.clone()).unwrap_or_default(), color));
                // A code block has its own lines.
                let ends_line = text.get(range.end..).is_some_and(|behind| behind.starts_with('\n'));
                let end = range.end + usize::from(ends_line);
                prose = end..end;
            }
        }
    }
    let behind = text.get(prose.start..).unwrap_or_default();
    lines.extend(behind.lines().map(|line| of_line(line, base, color)));
    lines
}

/// Returns the lines of a code block. The marks around it stay only without colours.
fn of_block(block: &str, color: bool) -> impl Iterator<Item = Line> {
    let is_mark = move |line: &str| color && line.starts_with("```") && !line.trim_start_matches('`').contains('`');
    let code = block.lines().filter(move |line| !is_mark(line));
    code.map(|line| Line { cells: Cells::of(line, Look::Code), hang: n_blanks(line) })
}

pub(super) fn of_line(line: &str, base: Look, color: bool) -> Line {
    let line = &tidy(line);
    let indent = n_blanks(line);
    let rest = line.trim_start_matches(' ');
    let mut cells = Cells::of(&" ".repeat(indent), base);
    for (mark, look) in [("# ", Look::Strong), ("## ", Look::Strong), ("### ", Look::Strong), ("-# ", Look::Faint)] {
        if let Some(rest) = rest.strip_prefix(mark) {
            Inline { look, color, cells: &mut cells }.write(rest);
            return Line { cells, hang: indent };
        }
    }
    let (sign, rest) = match ["- ", "* ", "• "].into_iter().find_map(|mark| rest.strip_prefix(mark)) {
        Some(rest) => ("• ".to_owned(), rest),
        None => numbered(rest),
    };
    cells.push(&sign, base);
    let hang = indent + sign.chars().count();
    Inline { look: base, color, cells: &mut cells }.write(rest);
    Line { cells, hang }
}

/// Returns a line without terminal control sequences and of known width.
fn tidy(line: &str) -> String {
    printable(line).replace('\t', "    ")
}

/// Splits off the number at the start of a line of a numbered list, such as `12. `.
fn numbered(line: &str) -> (String, &str) {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    match line.split_at_checked(digits + 2) {
        Some((sign, rest)) if (1..=3).contains(&digits) && sign.ends_with(". ") => (sign.to_owned(), rest),
        _ => (String::new(), line),
    }
}

fn n_blanks(line: &str) -> usize {
    line.chars().take_while(|character| *character == ' ').count()
}

struct Inline<'a> {
    look: Look,
    color: bool,
    cells: &'a mut Cells,
}

/// The marks that change the look of the enclosed text. Longer marks come first.
const MARKS: [(&str, Look); 5] =
    [("**", Look::Strong), ("__", Look::Emphasis), ("~~", Look::Struck), ("*", Look::Emphasis), ("_", Look::Emphasis)];

impl Inline<'_> {
    fn write(&mut self, text: &str) {
        let mut rest = text;
        let mut before = None;
        while let Some(first) = rest.chars().next() {
            let behind = rest.get(first.len_utf8()..).unwrap_or_default();
            let escaped = behind.chars().next().filter(|next| first == '\\' && next.is_ascii_punctuation());
            if let Some(escaped) = escaped {
                self.cells.0.push((escaped, self.look));
                rest = behind.get(escaped.len_utf8()..).unwrap_or_default();
                before = Some(escaped);
            } else if let Some((code, after)) = code_span(rest) {
                let shown = if self.color { bare_code(code) } else { code };
                self.cells.push(shown, Look::Code);
                rest = after;
                before = Some('`');
            } else if let Some((look, inner, after)) = enclosed(rest, before) {
                let look = if self.look == Look::Strong { Look::Strong } else { look };
                Inline { look, color: self.color, cells: self.cells }.write(inner);
                rest = after;
                before = inner.chars().last();
            } else if first == '`' {
                let (marks, after) = rest.split_at(n_backticks(rest));
                self.cells.push(marks, self.look);
                rest = after;
                before = Some(first);
            } else {
                self.cells.0.push((first, self.look));
                rest = behind;
                before = Some(first);
            }
        }
    }
}

/// Splits off the code at the start of a text, with its marks.
fn code_span(text: &str) -> Option<(&str, &str)> {
    let first = segments(text.starts_with('`').then_some(text)?, CodeRules::Discord).next()?;
    (first.kind != SegmentKind::Text).then(|| text.split_at_checked(first.range.end)).flatten()
}

/// Returns the length of the backticks at the start of a text. If they do not open code, all of them are plain text.
fn n_backticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns a code span without its marks, and without the blanks that separate them from marks in the code.
fn bare_code(code: &str) -> &str {
    let bare = code.trim_matches('`');
    let padded = bare.strip_prefix(' ').and_then(|bare| bare.strip_suffix(' '));
    if code.starts_with("``") { padded.unwrap_or(bare) } else { bare }
}

/// Returns the text between marks at the start: its look, the inner text, and the rest. `before` is the character
/// before the marks.
fn enclosed(text: &str, before: Option<char>) -> Option<(Look, &str, &str)> {
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    for (mark, look) in MARKS {
        let Some(inner) = text.strip_prefix(mark) else { continue };
        // `2 * 3 * 4` and `snake_case_name` contain no marks.
        let opens = inner.chars().next().is_some_and(|next| !next.is_whitespace());
        if !opens || (mark.len() == 1 && is_word(before)) {
            continue;
        }
        let Some(end) = closing(inner, mark) else { continue };
        let after = inner.get(end + mark.len()..)?;
        let inner = inner.get(..end)?;
        if mark == "_" && is_word(after.chars().next()) {
            continue;
        }
        return Some((look, inner, after));
    }
    None
}

/// Returns where a mark closes: not within code, not escaped, and not after a blank.
fn closing(text: &str, mark: &str) -> Option<usize> {
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        if 0 < at && rest.starts_with(mark) && before.is_some_and(|before| !before.is_whitespace()) {
            // `**bold *and italic***`: the last marks close the outer one.
            let behind = rest.get(mark.len()..).unwrap_or_default();
            let is_longer = mark.get(..1).is_some_and(|sign| behind.starts_with(sign));
            if !is_longer {
                return Some(at);
            }
            if mark.len() == 2 {
                (before, rest) = (Some(first), rest.get(1..)?);
                continue;
            }
        }
        let step = match code_span(rest) {
            Some((code, _)) => code.len(),
            None if first == '`' => n_backticks(rest),
            None if first == '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            // A double mark does not close a single one.
            None if mark.len() == 1 && rest.get(..2).is_some_and(|two| two == mark.repeat(2)) => 2,
            None => first.len_utf8(),
        };
        before = rest.get(..step)?.chars().last();
        rest = rest.get(step..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Look, lines};
    use crate::console::screen::Screen;

    fn plain(text: &str) -> Vec<String> {
        lines(text, Look::Plain, false).iter().map(|line| line.cells.painted(Screen::PLAIN)).collect()
    }

    #[test]
    fn marks_that_mean_nothing_in_a_terminal_are_not_shown() {
        let cases = [
            ("**Disk / Used** min 69.4 %", "Disk / Used min 69.4 %"),
            ("Added task 3: buy \\*milk\\* \\`x\\`", "Added task 3: buy *milk* `x`"),
            ("run `/tasks add` *now*, __please__", "run `/tasks add` now, please"),
            ("- one\n  * two\n1. three", "• one\n  • two\n1. three"),
            ("## Heading\n-# small", "Heading\nsmall"),
            ("2 * 3 * 4, snake_case_name, a ** b", "2 * 3 * 4, snake_case_name, a ** b"),
            ("`**code**` and ``a ` b``", "`**code**` and ``a ` b``"),
            ("``a` is no code", "``a` is no code"),
            ("**never closed", "**never closed"),
            ("**bold *and both***", "bold and both"),
            ("a\u{1b}[2Jb", "a[2Jb"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text).join("\n"), expected, "{text}");
        }
    }

    #[test]
    fn code_stands_as_it_was_written() {
        let text = "```rust\nlet **x** = 1;\n```\n**done**";
        assert_eq!(plain(text), ["```rust", "let **x** = 1;", "```", "done"]);
        let colored = |text| {
            let lines = lines(text, Look::Plain, true);
            lines.iter().map(|line| line.cells.painted(Screen::PLAIN)).collect::<Vec<_>>()
        };
        assert_eq!(colored(text), ["let **x** = 1;", "done"]);
        assert_eq!(colored("see\n```\na\n\n  b\n```"), ["see", "a", "", "  b"]);
        assert_eq!(plain("as in ```**a**``` or\n\n`b`"), ["as in ", "```**a**```", " or", "", "`b`"]);
        assert_eq!(plain("a block that nobody closed\n```\n**a**"), ["a block that nobody closed", "```", "**a**"]);
    }

    #[test]
    fn each_look_has_its_colour() {
        let screen = Screen { columns: None, color: true };
        let shown = lines("**a** `b` c", Look::Plain, true)[0].cells.painted(screen);
        assert_eq!(shown, "\u{1b}[1ma\u{1b}[0m \u{1b}[36mb\u{1b}[0m c");
    }

    #[test]
    fn further_rows_of_a_list_stand_under_its_text() {
        let hangs: Vec<_> = lines("- a\n  12. b\nc", Look::Plain, false).iter().map(|line| line.hang).collect();
        assert_eq!(hangs, [2, 6, 0]);
    }
}
