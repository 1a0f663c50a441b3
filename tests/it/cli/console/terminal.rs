//! The console at a terminal, a pseudo-terminal whose other end the test has: width, keys, pastes, history, colours.

use unicode_width::UnicodeWidthStr as _;

use crate::support::bot::Folder;
use crate::support::pty::{Terminal, rows};
use crate::support::said::{assert_says, said, says};

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const UP: &str = "\u{1b}[A";

/// What the prompt says to the terminal, once it takes keys one by one: to mark pastes.
const PROMPTED: &str = "\u{1b}[?2004h";

/// The console at a terminal of this width, at its first prompt.
fn console(folder: &Folder, columns: u16) -> Terminal {
    let terminal = Terminal::start(&mut folder.candor(&["console"]), columns);
    terminal.shows(PROMPTED, 1);
    terminal
}

#[test]
fn the_width_of_the_screen_is_followed_and_no_mark_is_shown() {
    for columns in [40, 80, 120] {
        let folder = Folder::empty();
        let mut terminal = console(&folder, columns);
        terminal.types("/help\r");
        terminal.shows("✓", 1);
        terminal.types("/tasks add title: buy *milk* `x`\r");
        terminal.shows("✓", 2);
        terminal.types("/status\r");
        let shown = terminal.shows("✓", 3);
        let rows = rows(&shown);
        let widest = rows.iter().map(|row| row.width()).max().unwrap();
        assert!(widest <= usize::from(columns), "{columns} columns, and a row of {widest}:\n{}", rows.join("\n"));
        // Where there is room it is used.
        assert!(usize::from(columns.min(72)) - 16 < widest, "{columns} columns, and {widest}:\n{}", rows.join("\n"));
        assert!(rows.iter().any(|row| row.contains("buy *milk* `x`")), "{}", rows.join("\n"));
        assert!(!shown.contains("**") && !shown.contains("\\*"), "{}", rows.join("\n"));
    }
}

#[test]
fn the_first_lines_are_few_and_say_how_to_go_on_and_how_to_leave() {
    for leave in [CTRL_D, "exit\r", "quit\r", "/exit\r", " :q \r"] {
        let folder = Folder::empty();
        let mut terminal = console(&folder, 120);
        let shown = terminal.shows("> ", 1);
        let first: Vec<_> = rows(&shown).into_iter().take_while(|row| !row.starts_with("> ")).collect();
        assert!(first.len() <= 4, "{first:?}");
        assert_says(first.join(" "), said!("console-hint"));
        terminal.types(leave);
        let (status, shown) = terminal.ended();
        assert!(status.success(), "{leave:?}: {status}");
        assert!(!says(&shown, said!("model-not-configured")), "{leave:?}: {shown}");
    }
}

#[test]
fn tab_completes_and_lists_what_can_stand_there() {
    let folder = Folder::empty();
    let mut terminal = console(&folder, 100);
    terminal.types("/stat\t");
    terminal.shows("/status ", 1);
    terminal.types("\t");
    let shown = terminal.shows("live:", 1);
    assert!(shown.contains("metric:") && shown.contains("range:"), "{shown}");
    // What Tab completed stays.
    terminal.types("ra\t");
    terminal.shows("/status range: ", 1);
    terminal.types("\t");
    let shown = terminal.shows("7d", 1);
    assert!(shown.contains("24h"), "{shown}");
    terminal.types("2\t\r");
    terminal.shows("✓", 1);
    terminal.types("/tasks \t");
    let shown = terminal.shows("remove", 1);
    assert!(["add", "list", "done"].iter().all(|name| shown.contains(name)), "{shown}");
    terminal.types("li\t\r");
    terminal.shows("✓", 2);
    // A value that only the command knows.
    terminal.types("/help command: /pri\t\r");
    let shown = terminal.shows("✓", 3);
    assert!(shown.contains("> /help command: /privacy"), "{shown}");
}

#[test]
fn ctrl_c_clears_the_line_and_twice_says_how_to_leave() {
    let folder = Folder::empty();
    let mut terminal = console(&folder, 80);
    terminal.types("/tasks add title: half a thought");
    terminal.shows("thought", 1);
    terminal.types(CTRL_C);
    terminal.shows(PROMPTED, 2);
    terminal.types("/tasks list\r");
    let shown = terminal.shows("✓", 1);
    assert!(shown.contains("✓") && !shown.contains("Added task"), "{shown}");
    assert!(!says(&shown, said!("console-leave")), "{shown}");
    for n in 3..5 {
        terminal.shows(PROMPTED, n);
        terminal.types(CTRL_C);
    }
    // The first lines name Ctrl-D, too.
    terminal.shows("Ctrl-D", 2);
    terminal.shows(PROMPTED, 5);
    terminal.types(CTRL_D);
    assert!(terminal.ended().0.success());
}

#[test]
fn every_line_of_a_paste_runs_in_its_turn() {
    let lines = ["/tasks add title: milk", "/status metric: load", "/help nope", "/tasks list"];
    let typed_ahead = format!("{}\r", lines.join("\r"));
    let bracketed = format!("\u{1b}[200~{}\u{1b}[201~\r", lines.join("\n"));
    for paste in [typed_ahead, bracketed] {
        let folder = Folder::empty();
        let mut terminal = console(&folder, 100);
        terminal.types(&paste);
        let shown = terminal.shows(" /tasks list · ", 1);
        let rows = rows(&shown).join("\n");
        let at = |text: &str| rows.rfind(text).unwrap_or_else(|| panic!("`{text}` is not in\n{rows}"));
        let (added, status, listed) = (at("✓ /tasks add"), at("✓ /status"), at("✓ /tasks list"));
        assert!(added < status && status < listed, "{rows}");
        assert!(rows.contains("nope") && !rows.contains("milk /status"), "{rows}");
    }
}

#[test]
fn commands_come_back_in_the_next_session_and_words_do_not() {
    let folder = Folder::empty();
    let mut terminal = console(&folder, 100);
    for (n, line) in ["/tasks list", "/memory save content: my PIN is 4711", "hello there"].iter().enumerate() {
        terminal.types(&format!("{line}\r"));
        terminal.shows(PROMPTED, n + 2);
    }
    terminal.types(CTRL_D);
    assert!(terminal.ended().0.success());
    let kept = std::fs::read_to_string(folder.path().join("data/console_history")).unwrap();
    assert_eq!(kept, "/tasks list\n");

    let mut terminal = console(&folder, 100);
    terminal.types(&format!("{UP}\r"));
    let shown = terminal.shows("✓", 1);
    assert!(shown.contains("/tasks list"), "{shown}");
}

#[test]
fn colours_are_shown_where_they_are_wanted() {
    let folder = Folder::empty();
    let mut terminal = console(&folder, 80);
    terminal.types("/status\r");
    terminal.shows("\u{1b}[32m✓\u{1b}[0m", 1);
    // Between two prompts the terminal takes the key for itself.
    terminal.shows(PROMPTED, 2);
    terminal.types(CTRL_D);
    terminal.ended();
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let mut terminal = Terminal::start_with(&mut folder.candor(&["console"]), name, value);
        terminal.shows("> ", 1);
        terminal.types("/status\r");
        let shown = terminal.shows("✓ /status", 1);
        assert!(!shown.contains("\u{1b}[32m") && !shown.contains("\u{1b}[1m"), "{name}: {shown:?}");
    }
}

#[test]
fn the_check_has_colours_where_they_are_wanted() {
    let folder = Folder::with("[status]\nfle = \"x\"\n");
    let check = |name: &str, value: &str| {
        let terminal = Terminal::start_with(&mut folder.candor(&["check"]), name, value);
        terminal.shows("registered", 1);
        terminal.ended().1
    };
    assert!(check("TERM", "xterm").contains("\u{1b}["));
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let shown = check(name, value);
        assert!(shown.contains("config-unknown-key") && !shown.contains('\u{1b}'), "{name}: {shown:?}");
    }
}
