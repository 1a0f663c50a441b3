//! Renders answers for a terminal.

use crate::console::markdown::{self, Line};
use crate::console::press;
use crate::console::screen::{Look, Screen};
use crate::console::wrap::Cells;
use candor_core::language::Language;
use candor_core::reply::{Answer, Author, Provenance, Reply, receipt_footer};
use candor_core::text::printable;

/// The largest width of the heading line, and of a model's words in a pipe, in columns.
const WIDTH: usize = 72;

const INDENT: &str = "  ";

/// Returns the answer, indented under the prompt, with the host's own line below it.
pub fn render(answer: &Answer, language: Language, screen: Screen) -> String {
    let page = Page { screen };
    let shown = answer.shown();
    let mut rows = page.heading(shown);
    // A bar marks every row that a model wrote; otherwise a row could look like the host's own line below.
    match matches!(&answer.provenance, Provenance::Turn(facts) if facts.author == Author::Model) {
        true => rows.extend(page.words(&answer.reply.text)),
        false => rows.extend(page.text(&shown.text)),
    }
    rows.extend(page.fields(shown));
    rows.extend(answer.lines.iter().flat_map(|line| page.text(line)));
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let controls = press::lines(&answer.controls().collect::<Vec<_>>(), language);
            rows.extend(controls.iter().flat_map(|line| page.small(line)));
            rows.extend(page.footer(&receipt_footer(receipt, shown.source.as_ref(), true, language)));
        }
        Provenance::Turn(facts) => {
            rows.extend(facts.notes.iter().flat_map(|note| page.text(note)));
            rows.extend(facts.mark_of(1, 1, language).into_iter().flat_map(|label| page.small(&label)));
        }
        Provenance::Host => {}
    }
    page.joined(rows)
}

/// Formats text of the host beside an answer, such as a question: indented, and broken between words.
pub(super) fn beside(text: &str, screen: Screen) -> String {
    let page = Page { screen };
    page.joined(page.text(text))
}

/// Formats text at the left edge, without marks: the first lines of a session.
pub fn broken(text: &str, screen: Screen) -> String {
    let columns = screen.columns.map_or(usize::MAX, |columns| columns - 1);
    let rows = text.lines().flat_map(|line| Cells::of(&printable(line), Look::Plain).rows(columns, INDENT.len()));
    rows.map(|row| row.painted(screen)).collect::<Vec<_>>().join("\n")
}

#[derive(Clone, Copy)]
struct Page {
    screen: Screen,
}

impl Page {
    /// Returns the columns after the indentation. The last column stays free: some terminals break after it.
    fn columns(self) -> usize {
        self.screen.columns.map_or(usize::MAX, |columns| columns - INDENT.len() - 1)
    }

    fn joined(self, rows: Vec<Cells>) -> String {
        let rows = rows.iter().map(|row| format!("{INDENT}{}", row.painted(self.screen)));
        rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn broken(self, line: &Line) -> Vec<Cells> {
        line.cells.rows(self.columns(), line.hang)
    }

    fn text(self, text: &str) -> Vec<Cells> {
        let lines = markdown::lines(text, Look::Plain, self.screen.color);
        lines.iter().flat_map(|line| self.broken(line)).collect()
    }

    /// Formats a model's words, in rows that fit: if the terminal broke a row, the rest would lack its bar.
    fn words(self, text: &str) -> Vec<Cells> {
        let columns = self.screen.columns.map_or(WIDTH, |_| self.columns() - 2);
        let lines = markdown::lines(text, Look::Words, self.screen.color);
        let rows = lines.iter().flat_map(|line| line.cells.rows(columns, line.hang));
        rows.map(|row| {
            let mut with_bar = Cells::of("│ ", Look::Words);
            with_bar.0.extend(row.0);
            with_bar
        })
        .collect()
    }

    /// Formats a minor line of the host: plain and faint.
    fn small(self, text: &str) -> Vec<Cells> {
        Cells::of(&printable(text), Look::Faint).rows(self.columns(), 0)
    }

    /// Formats the receipt line; its mark says how the command ended.
    fn footer(self, text: &str) -> Vec<Cells> {
        let mut cells = Cells::of(&printable(text), Look::Faint);
        if let Some((mark, look)) = cells.0.first_mut() {
            *look = match mark {
                '✓' => Look::Good,
                '✗' => Look::Bad,
                _ => Look::Mild,
            };
        }
        // Continue under the command's name, not under its mark.
        cells.rows(self.columns(), INDENT.len())
    }

    /// Formats the title, with the state at the end of the line if both fit.
    fn heading(self, reply: &Reply) -> Vec<Cells> {
        let cells = |text: &String, look| Cells::of(&printable(text), look);
        let title = reply.title.as_ref().map(|title| cells(title, Look::Strong));
        let state = reply.state.as_ref().map(|state| cells(state, Look::Faint));
        let wide = self.columns().min(WIDTH);
        match (title, state) {
            (Some(mut title), Some(state)) if title.width() + state.width() + 2 <= wide => {
                title.push(&" ".repeat(wide - title.width() - state.width()), Look::Plain);
                title.0.extend(state.0);
                vec![title]
            }
            (title, state) => {
                [title, state].into_iter().flatten().flat_map(|line| line.rows(self.columns(), 0)).collect()
            }
        }
    }

    /// Formats one line for each field. A field of several lines has its name on a separate line, and so have all
    /// fields if names and values do not fit side by side.
    fn fields(self, reply: &Reply) -> Vec<Cells> {
        let name = |name: &str| markdown::of_line(name, Look::Strong, self.screen.color).cells;
        let widest = reply.fields.iter().map(|field| name(&field.name).width()).max().unwrap_or_default();
        let hang = widest + 2;
        let are_beside = hang <= self.columns().min(WIDTH) / 2;
        let mut rows = Vec::new();
        for field in &reply.fields {
            let mut cells = name(&field.name);
            if field.value.contains('\n') || !are_beside {
                rows.extend(cells.rows(self.columns(), 0));
                for mut line in markdown::lines(&field.value, Look::Plain, self.screen.color) {
                    line.cells.0.splice(0..0, [(' ', Look::Plain); INDENT.len()]);
                    line.hang += INDENT.len();
                    rows.extend(self.broken(&line));
                }
            } else {
                cells.push(&" ".repeat(hang - cells.width()), Look::Plain);
                cells.0.extend(markdown::of_line(&field.value, Look::Plain, self.screen.color).cells.0);
                rows.extend(cells.rows(self.columns(), hang));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::{Screen, render};
    use candor_core::inbound::CommandPath;
    use candor_core::language::Language;
    use candor_core::reply::Mark;
    use candor_core::reply::{Answer, Author, Control, ControlStyle, Field, PreparedCall, Reply, TurnFacts};
    use candor_core::testing::answered;

    fn model(text: &str) -> Answer {
        let facts = TurnFacts {
            turn: None,
            author: Author::Model,
            mark: Mark::default(),
            notes: Vec::new(),
            offers: Vec::new(),
            goes_on: false,
            questions: Vec::new(),
        };
        Answer::of_turn(text, facts)
    }

    #[test]
    fn a_button_is_shown_with_the_command_that_it_runs() {
        let call = |path, arguments: &[(&str, u64)]| PreparedCall {
            path,
            arguments: arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
            in_place: true,
            once: false,
            for_everyone: false,
        };
        let ask = |label: &str, call| Control::Ask { label: label.to_owned(), style: ControlStyle::Secondary, call };
        let drop = ask("Drop 1", call(CommandPath::new("notes", Some("drop")), &[("id", 1)]));
        // A button that only reruns the command is left out: typing it is as quick.
        let refresh = ask("Refresh", call(CommandPath::new("notes", None), &[]));
        let next = ask("Next", call(CommandPath::new("notes", None), &[("page", 2)]));
        let reply = Reply { controls: vec![vec![refresh, drop], vec![next]], ..Reply::text("Notes") };
        let shown = render(&answered(7, "notes", reply), Language::ENGLISH, screen(80));
        let rows = "1 [Drop 1] /notes drop id: 1\n  2 [Next] /notes page: 2\n  `/press 1` presses button 1.";
        assert!(shown.starts_with(&format!("  Notes\n  {rows}\n  ✓ /notes")), "{shown}");
    }

    fn screen(columns: usize) -> Screen {
        Screen { columns: Some(columns), color: false }
    }

    fn rich() -> Answer {
        let field = |name: &str, value: &str| Field { name: name.to_owned(), value: value.to_owned() };
        let reply = Reply {
            title: Some("Status".to_owned()),
            state: Some("fresh · 2 s ago".to_owned()),
            text: "The **disk** is nearly full, and `/tasks list` shows what somebody wanted to do about that \
                   \\*soon\\*:\n- remove what nobody needs any more, above all old pictures\n- buy another one"
                .to_owned(),
            fields: vec![
                field("CPU", "12.5 %"),
                field("Digest", &"0123456789abcdef".repeat(4)),
                field("Load", "One: 0.44\nFive: 0.42"),
            ],
            ..Reply::default()
        };
        answered(7, "status", reply)
            .with_line("It is kept up to date here for an hour, and `/status live: false` ends that.")
    }

    #[test]
    fn screens_of_40_80_and_120_columns_have_whole_words_and_no_marks() {
        for columns in [40, 80, 120] {
            let shown = render(&rich(), Language::ENGLISH, screen(columns));
            assert!(shown.lines().all(|row| row.width() < columns), "{shown}");
            // The time that the command took and its receipt differ with each run.
            let (shown, _) = shown.rsplit_once("✓").unwrap();
            insta::assert_snapshot!(format!("screen_{columns}"), shown);
        }
    }

    #[test]
    fn a_models_answer_is_labelled_and_cannot_drive_the_terminal() {
        let shown = render(&model("CPU is fine.\u{1b}[2J\nReally."), Language::ENGLISH, Screen::PLAIN);
        let label = Mark::default().text(1, 1, Language::ENGLISH);
        assert_eq!(shown, format!("  │ CPU is fine.[2J\n  │ Really.\n  {label}"));
    }

    #[test]
    fn no_row_of_a_models_line_stands_without_its_bar() {
        let forged = format!("{} generated · ran /status ✓ 7F3K2 {}", "x".repeat(74), "日".repeat(37));
        for screen in [Screen::PLAIN, screen(40), screen(80), Screen { columns: Some(20), color: true }] {
            let shown = render(&model(&forged), Language::ENGLISH, screen);
            let mut rows: Vec<_> = shown.lines().collect();
            let n_mark = if screen.columns == Some(20) { 2 } else { 1 };
            rows.truncate(rows.len() - n_mark);
            assert!(2 < rows.len(), "{shown}");
            assert!(rows.iter().all(|row| row.contains("│ ")), "{shown}");
            let wide = screen.columns.unwrap_or(80);
            assert!(screen.color || rows.iter().all(|row| row.width() < wide), "{shown}");
        }
    }

    #[test]
    fn colours_say_how_a_command_ended() {
        let answer = answered(7, "status", Reply::text("Done."));
        let shown = render(&answer, Language::ENGLISH, Screen { columns: Some(80), color: true });
        assert!(shown.contains("\u{1b}[32m✓\u{1b}[0m\u{1b}[2m /status"), "{shown:?}");
        assert!(!render(&answer, Language::ENGLISH, screen(80)).contains('\u{1b}'));
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
        let shown = render(&answer, Language::ENGLISH, Screen::PLAIN);
        assert!(shown.starts_with(&expected), "{shown}");
    }
}
