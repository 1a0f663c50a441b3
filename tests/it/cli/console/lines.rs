//! `candor console`: the README's first command, over a pipe.

use std::process::Output;

use crate::support::bot::Folder;
use crate::support::said::{ANY, assert_says, said, says};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_empty_folder_is_enough_and_status_shows_this_machine() {
    let folder = Folder::empty();
    let output = folder.console("/status\n/staus\n/tasks add title: milk\nhello\n");
    let said = stdout(&output);
    // A line has no answer.
    assert_eq!(output.status.code(), Some(1), "{output:?}");

    // What runs comes first; every command stands in `candor check` and `/help`.
    let mut lines = said.lines();
    let banner = lines.next().unwrap();
    assert!(banner.starts_with("candor ") && banner.ends_with("· no token: console only"), "{banner}");
    assert_eq!(
        lines.next().unwrap(),
        "38 commands of 9 modules and 9 built-in: registered 47, reachable 47, rejected 0"
    );
    assert_eq!(lines.next().unwrap(), said!("console-hint"));
    // Then an answer a line.
    assert!(lines.next().unwrap().starts_with("  Status"), "{said}");
    assert!(said.contains("fresh · "), "{said}");
    assert!(said.contains("GiB"), "{said}");
    let as_of = said!("footer-source-as-of", source = "data/live/metrics.json", time = ANY, age = ANY);
    assert_says(&said, format!("✓ /status · {as_of}"));
    assert_says(&said, said!("unknown-command-near", command = "/staus", near = "`/status`"));
    assert!(said.contains("✓ /tasks add · "), "{said}");
    assert_says(&said, said!("model-not-configured"));
    assert!(folder.path().join("data/candor.db").exists());
    // What the file says is what is shown.
    let file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("data/live/metrics.json")).unwrap()).unwrap();
    assert!(0 < file["memory"]["total_bytes"].as_u64().unwrap());
}

#[test]
fn lines_of_a_script_have_an_exit_code() {
    let folder = Folder::empty();
    let cases: [(&[&str], i32); 7] = [
        (&["/tasks add title: milk"], 0),
        (&["/tasks list", "/status range: 24h"], 0),
        (&["/staus"], 1),
        (&["/tasks done id: soon"], 1),
        // Refused by the command itself.
        (&["/tasks done id: 99", "/tasks list"], 1),
        (&["hello"], 1),
        // No line of a session, which ends with `exit`.
        (&["exit"], 1),
    ];
    for (lines, code) in cases {
        let arguments: Vec<_> = ["console"].into_iter().chain(lines.iter().flat_map(|line| ["-c", line])).collect();
        let output = folder.run(&arguments);
        let said = stdout(&output);
        assert_eq!(output.status.code(), Some(code), "{lines:?}: {output:?}");
        // Every line is answered, and nothing else is said.
        assert!(said.starts_with("  ") && !says(&said, said!("console-hint")), "{said}");
        let last = lines.last().and_then(|line| line.split(' ').next()).unwrap();
        assert!(last == "exit" || last == "hello" || said.contains(last), "{lines:?}: {said}");
        // Piped in, they are as good a script; there, `exit` ends it.
        let piped = Folder::empty().console(&lines.join("\n"));
        assert_eq!(piped.status.code(), Some(if lines == ["exit"] { 0 } else { code }), "{lines:?}: {piped:?}");
    }
    let left = folder.console("/staus\nexit\n/status\n");
    assert!(left.status.code() == Some(1) && !stdout(&left).contains("✓"), "{left:?}");
}

#[test]
fn answers_are_on_standard_output_and_the_log_is_not() {
    let folder = Folder::empty();
    let mut command = folder.candor(&["console"]);
    let output = command.env("RUST_LOG", "debug").stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success());
    let (said, logged) = (stdout(&output), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(!said.contains("DEBUG") && !said.contains("INFO"), "{said}");
    assert!(logged.contains("INFO") || logged.contains("DEBUG"), "{logged}");
}

#[test]
fn a_button_of_the_last_answer_is_pressed_by_its_number_or_its_label() {
    let folder = Folder::empty();
    folder.console("/files write path: a.txt content: one\n/files write path: b.txt content: two\n");
    let said = stdout(&folder.console("/press 1\n/files remove path: a.txt\n/press 2\n/press 1\n/press 1\n"));
    let none = |button| said!("console-no-button", button = button);
    assert!(says(&said, none("1")) && says(&said, none("2")), "{said}");
    assert!(said.contains("1 [Remove the file] /files remove path: \"a.txt\" confirm: true"), "{said}");
    assert_says(&said, said!("console-press", n = 1));
    assert_eq!(said.matches("Removed the file `a.txt`").count(), 1, "{said}");
    // After a refusal it is still there.
    let lines = ["/files remove path: b.txt", "/tasks done id: 99", "/press remove the file", "/files list"];
    let arguments = lines.iter().flat_map(|line| ["-c", line]);
    let said = stdout(&folder.run(&["console"].into_iter().chain(arguments).collect::<Vec<_>>()));
    assert_eq!(said.matches("Removed the file `b.txt`").count(), 1, "{said}");
    assert!(!said.contains("`b.txt` ·"), "{said}");
}

#[test]
fn an_entry_of_a_list_under_the_last_answer_is_chosen_by_its_number_or_its_name() {
    let folder = Folder::empty();
    folder.console("/memory save content: likes tea kind: preference\n/memory save content: has a cat kind: fact\n");
    let said = stdout(&folder.console("/memory list\n/press 1 2\n/press 1 fact\n/press 1 9\n"));
    assert!(said.contains("1 [Only one kind] /memory list kind: 1 "), "{said}");
    assert_says(&said, said!("console-choose", n = 1));
    assert_says(&said, said!("console-no-choice", n = 1, choice = "9"));
    assert_eq!((said.matches("likes tea").count(), said.matches("has a cat").count()), (2, 2), "{said}");
}

#[test]
fn tasks_and_receipts_outlive_the_process() {
    let folder = Folder::empty();
    folder.console("/tasks add title: milk\n/tasks add title: bread\n");
    let said = stdout(&folder.console("/tasks done id: 1\n/tasks list\n/receipt\n"));
    assert!(said.contains("bread") && said.contains("✓ /tasks list"), "{said}");
    // `/receipt` shows the last thing that ran, and that is not `/receipt` itself.
    let shown = said.split("✓ /tasks list").nth(1).unwrap();
    assert!(shown.contains("`/tasks list`") && says(shown, said!("outcome-answered")), "{shown}");
}

#[test]
fn slash_text_is_never_chat_and_malformed_commands_show_their_usage() {
    let folder = Folder::empty();
    let lines = [
        "/status history extra: 1",
        "/tasks history",
        "/tasks done id: soon",
        "//x",
        "/ x",
        "/home/user",
        "\u{200b}/staus",
        "**/staus**",
        "<@5> /staus",
        "1. /staus",
    ];
    for line in lines {
        let said = stdout(&folder.console(&format!("{line}\n")));
        assert!(!says(&said, said!("model-not-configured")), "{line}: {said}");
    }
    let said =
        stdout(&folder.console("`/tasks add title: milk`\n> /tasks add title: milk\n~/tasks is home\n/tasks list\n"));
    for why in ["code", "quote"] {
        assert_says(&said, said!("not-plain", command = "/tasks add", why = why));
    }
    assert_says(&said, said!("model-not-configured"));
    assert!(!said.contains("✓ /tasks add"), "{said}");
    let said = stdout(&folder.console("/tasks history\n/tasks done id: soon\n"));
    assert!(said.contains("/tasks add") && said.contains("/tasks remove"), "{said}");
    assert!(said.contains("/tasks done id: <whole number>"), "{said}");
}

#[test]
fn help_lists_exactly_what_is_in_force() {
    let folder = Folder::with("[modules]\ndisabled = [\"tasks\"]\n");
    let said = stdout(&folder.console("/help\n/help command: /status\n"));
    assert!(said.contains("/status") && said.contains("/receipt") && !said.contains("/tasks"), "{said}");
    assert!(said.contains("/status [metric: <text>]"), "{said}");
}

#[test]
fn help_explains_a_subcommand_by_its_words() {
    let folder = Folder::with("");
    let unknown = |command: &str| said!("help-unknown", command = command);
    let near = |command: &str, near: &str| said!("help-unknown-near", command = command, near = near);
    let cases = [
        ("/help tasks add", vec!["/tasks add title: <text>".to_owned(), "✓ /help".to_owned()]),
        ("/help /tasks  add", vec!["/tasks add title: <text>".to_owned()]),
        (
            "/help command: tasks done",
            vec!["Mark a task as done".to_owned(), "/tasks done id: <whole number>".to_owned()],
        ),
        ("/help inspect server", vec!["/inspect server permission".to_owned()]),
        ("/help inspect server permission", vec!["/inspect server permission".to_owned()]),
        ("/help tasks ad", vec![near("/tasks ad", "/tasks add")]),
        ("/help status add", vec![unknown("/status add")]),
        ("/help nothing at all", vec![unknown("/nothing at all")]),
    ];
    for (line, expected) in cases {
        let said = stdout(&folder.run(&["console", "-c", line]));
        for part in expected {
            assert_says(&said, part);
        }
        assert!(!said.contains("/tasks remove"), "{line}: {said}");
    }
}

#[test]
fn without_a_chat_model_what_needs_one_is_not_offered_and_says_why() {
    let (without, with) =
        (Folder::with(""), Folder::with("[model]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"one\"]\n"));
    for command in ["/clear", "/context", "/model", "/thread", "/usage"] {
        let line = format!("{command}\n/help\n");
        let said = stdout(&without.console(&line));
        assert_says(&said, said!("command-of-chat", command = command));
        assert!(!said.contains(&format!("\n  `{command}` ")), "{said}");
        let said = stdout(&with.console(&line));
        assert!(!says(&said, said!("command-of-chat", command = command)), "{said}");
        assert!(said.contains(command), "{said}");
    }
    // Rules for what is left out are no mistake.
    let ruled = Folder::with("[permissions.\"/model\"]\nowners = true\n");
    assert!(ruled.run(&["check"]).status.success());
}

#[test]
fn a_page_that_is_not_there_is_said() {
    let folder = Folder::with("");
    let misfit = |max: u32| format!("`page` {}", said!("misfit-too-large", max = max.to_string()));
    let cases = [
        ("/tasks list page: 1", None),
        ("/tasks list page: 99", Some(said!("page-beyond", pages = 1))),
        ("/memory list page: 2", Some(said!("page-beyond", pages = 1))),
        ("/receipt page: 9", Some(said!("page-beyond", pages = 1))),
        ("/tasks list page: 99999999999999999999", Some(misfit(u32::MAX))),
    ];
    for (line, expected) in cases {
        let said = stdout(&folder.run(&["console", "-c", line]));
        match expected {
            Some(expected) => assert_says(&said, expected),
            None => assert!(!says(&said, said!("page-beyond", pages = 1)), "{said}"),
        }
    }
}

#[test]
fn a_conversations_model_is_shown_chosen_and_remembered() {
    let folder = Folder::with("[model]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodels = [\"small\", \"large\"]\n");
    let said = stdout(&folder.console("/model\n/model name: huge\n/model name: large\n"));
    let in_use = said!("model-in-use");
    assert!(
        says(&said, format!("`small` ({in_use})"))
            && says(&said, format!("• `large` – {}", said!("model-tools-unknown"))),
        "{said}"
    );
    assert_says(&said, said!("model-unknown", known = "`small`, `large`"));
    assert_says(&said, said!("model-chosen", name = "large"));
    let said = stdout(&folder.console("/model\n/clear\n/receipt id: nonsense\nhello\n"));
    for wanted in [
        format!("`large` ({in_use})"),
        said!("clear-nothing"),
        said!("receipt-unknown", id = "nonsense"),
        said!("model-unreachable"),
    ] {
        assert_says(&said, wanted);
    }
}

#[test]
fn half_of_a_line_is_never_another_message() {
    let folder = Folder::empty();
    let said = stdout(&folder.console(&format!("{}/status\n/tasks list\n", "q".repeat(64 * 1024))));
    assert_says(&said, said!("console-line-too-long"));
    assert!(!said.contains("✓ /status") && said.contains("✓ /tasks list"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_no_reason_to_end() {
    use std::io::Write as _;
    use std::process::Stdio;
    for format in ["text", "json"] {
        let folder = Folder::with(&format!("[log]\nformat = \"{format}\"\n"));
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = folder.candor(&["console"]);
        command.env("RUST_LOG", "debug,no=such=directive").stderr(full).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"/status\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(stdout(&output).contains("\u{2713} /status"), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_closes_the_store_although_the_input_is_still_open() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    let folder = Folder::empty();
    let mut child = folder.candor(&["console"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take().unwrap();
    // The banner says that everything was started.
    let mut banner = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut banner).unwrap();
    assert!(folder.path().join("data/candor.db").exists());
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(!folder.path().join("data/candor.db-wal").exists(), "the store was not closed");
    drop(open);
}

#[test]
fn it_speaks_the_language_of_the_environment() {
    let folder = Folder::with("");
    for (name, value, words) in [("LANG", "de_DE.UTF-8", "Nichts ist offen"), ("LC_ALL", "C", "Nothing is open")] {
        let output = folder.candor(&["console", "-c", "/tasks list"]).env(name, value).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(words), "{name}={value}: {shown}");
    }
}
