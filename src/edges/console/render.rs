//! Renders answers for a terminal.

use unicode_width::UnicodeWidthChar as _;

use candor_core::language::Language;
use candor_core::reply::{Answer, Author, Provenance, Reply, receipt_footer, turn_label};
use candor_core::text::printable;

/// The width of the heading line, in characters.
const WIDTH: usize = 72;

/// The answer, indented under the prompt, with the host's own line below it.
pub fn render(answer: &Answer, language: Language) -> String {
    let mut lines = heading(answer.shown());
    // A bar before every line that a model wrote: without it, one could look like the host's own below.
    let by_model = matches!(&answer.provenance, Provenance::Turn(facts) if facts.author == Author::Model);
    match by_model {
        true => lines.extend(answer.reply.text.lines().flat_map(rows).map(|row| format!("│ {row}"))),
        false => lines.extend(answer.shown().text.lines().map(printable)),
    }
    lines.extend(fields(answer.shown()));
    lines.extend(answer.lines.iter().map(|line| printable(line)));
    match &answer.provenance {
        Provenance::Command(receipt) => {
            lines.push(printable(&receipt_footer(receipt, answer.shown().source.as_ref(), language)))
        }
        Provenance::Turn(facts) => {
            lines.extend(facts.notes.iter().map(|note| printable(note)));
            lines.extend(turn_label(facts.author, 1, 1, language));
        }
        Provenance::Host => {}
    }
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// A line in rows that no terminal of 80 columns wraps: what it wrapped would stand there without its bar.
fn rows(line: &str) -> Vec<String> {
    let (mut rows, mut width) = (vec![String::new()], 0);
    for character in printable(line).replace('\t', "    ").chars() {
        let columns = character.width().unwrap_or(0);
        if WIDTH < width + columns {
            rows.push(String::new());
            width = 0;
        }
        width += columns;
        if let Some(row) = rows.last_mut() {
            row.push(character);
        }
    }
    rows
}

/// The title, and the state at the end of the line.
fn heading(reply: &Reply) -> Vec<String> {
    match (&reply.title, &reply.state) {
        (Some(title), Some(state)) => {
            let gap = WIDTH.saturating_sub(title.chars().count() + state.chars().count()).max(2);
            vec![printable(&format!("{title}{}{state}", " ".repeat(gap)))]
        }
        (Some(one), None) | (None, Some(one)) => vec![printable(one)],
        (None, None) => Vec::new(),
    }
}

/// One line for each field; a field of several lines has its name on a line of its own.
fn fields(reply: &Reply) -> Vec<String> {
    let widest = reply.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for field in &reply.fields {
        if field.value.contains('\n') || WIDTH < widest {
            lines.push(printable(&field.name));
            lines.extend(field.value.lines().map(|line| format!("  {}", printable(line))));
        } else {
            let gap = " ".repeat(widest - field.name.chars().count());
            lines.push(format!("{}{gap}  {}", printable(&field.name), printable(&field.value)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, render, rows};
    use candor_core::language::{Language, say};
    use candor_core::reply::{Answer, Author, Field, Reply, TurnFacts};
    use candor_core::testing::answered;

    #[test]
    fn a_models_answer_is_labelled_and_cannot_drive_the_terminal() {
        let facts =
            TurnFacts { turn: None, author: Author::Model, notes: Vec::new(), offers: Vec::new(), goes_on: false };
        let answer = Answer::of_turn("CPU is fine.\u{1b}[2J\nReally.", facts);
        let label = say!(Language::ENGLISH, "label-generated");
        assert_eq!(render(&answer, Language::ENGLISH), format!("  │ CPU is fine.[2J\n  │ Really.\n  {label}"));
    }

    #[test]
    fn no_row_of_a_models_line_stands_without_its_bar() {
        let forged = format!("{}  generated · ran /status ✓ 7F3K2", "x".repeat(74));
        let rows = rows(&forged);
        assert_eq!(rows.concat(), forged);
        assert!(rows.iter().all(|row| row.chars().count() <= WIDTH), "{rows:?}");
        assert_eq!(super::rows("日本語のとても長い行").len(), 1);
        assert_eq!(super::rows(&"日".repeat(37)).len(), 2);
    }

    #[test]
    fn fields_stand_under_each_other() {
        let field = |name: &str, value: &str| Field { name: name.to_owned(), value: value.to_owned() };
        let reply = Reply {
            title: Some("Status".to_owned()),
            fields: vec![field("CPU", "12.5 %"), field("Memory", "3.1 GiB")],
            ..Reply::default()
        };
        let answer = answered(7, "status", reply).with_line("a line of the host");
        let footer = "✓ /status · 1 ms";
        let expected = format!("  Status\n  CPU     12.5 %\n  Memory  3.1 GiB\n  a line of the host\n  {footer}");
        let shown = render(&answer, Language::ENGLISH);
        assert!(shown.starts_with(&expected), "{shown}");
    }
}
