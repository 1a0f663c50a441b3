//! What becomes of a message that is a call: it is read, or refused in words that name the command that did not run. The
//! forms of all models are in `tool_text/forms.toml`.

use crate::agent::settings::ToolMode;
use crate::agent::turn::tests::fixture::{follow, note, obliging, prose, results, says, setup};
use crate::agent::turn::{Ending, TurnFailure};
use crate::record::GuardFinding;

/// What becomes of a message that is a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Alone {
    /// It runs.
    Read,
    /// It does not, and the person is told which command did not run.
    Refused,
}

use Alone::{Read, Refused};

/// A form, a message in it, and what becomes of that.
const FORMATS: &[(&str, &str, Alone)] = &[
    ("the protocol's block", r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "parameters": {}}]}"#, Read),
    ("in tags", "<tool_call>\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}\n</tool_call>", Read),
    ("pythonic, two", r#"[status(metric="cpu"), status(metric="disk")]"#, Read),
    // In a program amid words a function that is called `status` is the program's own.
    ("pythonic, fenced as python", "```python\n[files_write(path=\"a.txt\")]\n```", Read),
    ("the value of the only argument", r#"status("cpu")"#, Read),
    ("an object of arguments", r#"status({"metric": "cpu"})"#, Read),
    ("the value of the only one that must be given", r#"save_memory("likes tea")"#, Read),
    ("values without their names", r#"save_memory("likes tea", "fact")"#, Refused),
    ("a word without quotation marks", "status(cpu)", Refused),
    ("tags and a name", "<tool_call>status</tool_call>", Read),
    ("a mark and a name", "[TOOL_CALLS] status", Refused),
    ("a name alone", "status", Refused),
    ("a label and a name", "Action: status", Refused),
    ("cut in the middle", "tasks_done(id=", Refused),
    ("cut before its last brace", r#"<tool_call>{"name": "status", "arguments": {"metric": "cpu"}"#, Refused),
    ("cut before its closing tag", "<tool_call>status<arg_key>metric</arg_key><arg_value>cpu</arg_value>", Refused),
    ("cut in a value", "<function=status><parameter=metric>cp", Refused),
];

/// The commands that the calls of these formats are of.
fn command(text: &str) -> &'static str {
    match text {
        _ if text.contains("tasks_done") => "/tasks done",
        _ if text.contains("save_memory") => "/memory save",
        _ if text.contains("files") => "/files write",
        _ => "/status",
    }
}

#[test]
fn a_call_in_a_known_format_is_read_or_refused_by_its_commands_name() {
    for mode in [ToolMode::Native, ToolMode::Text] {
        for &(format, text, alone) in FORMATS {
            let told =
                follow(setup(mode), vec![says(text), says(if alone == Read { "Fine." } else { text })], obliging);
            let ran: Vec<_> = told.ran.iter().map(|call| call.tool().path.to_string()).collect();
            match alone {
                Read => {
                    assert!(ran.first().is_some_and(|ran| ran == command(text)), "{mode:?}, {format}: {ran:?}");
                    assert_eq!((prose(&told), &told.finished.notes), ("Fine.", &Vec::new()), "{mode:?}, {format}");
                }
                Refused => {
                    assert_eq!(ran, Vec::<String>::new(), "{mode:?}, {format}");
                    let line = note("note-only-written", command(text));
                    assert_eq!(told.finished.notes, [line], "{mode:?}, {format}");
                }
            }
        }
    }
}

#[test]
fn a_call_in_a_known_format_amid_words_is_refused_by_its_commands_name() {
    // A name alone is a word there.
    for &(format, text, _) in FORMATS.iter().filter(|(format, ..)| *format != "a name alone") {
        let told = follow(setup(ToolMode::Native), vec![says(&format!("Let me look.\n\n{text}"))], obliging);
        assert!(told.ran.is_empty(), "{format}");
        assert!(told.finished.findings.contains(&GuardFinding::ToolText), "{format}");
        assert_eq!(told.finished.notes, [note("note-only-written", command(text))], "{format}");
    }
}

#[test]
fn a_message_that_is_a_call_of_no_tool_is_corrected_within_bounds() {
    let texts = [
        "<tool_call>{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
        "[TOOL_CALLS]write_file[ARGS]{\"path\": \"a\"}",
        "<|channel|>commentary to=functions.write_file<|message|>{\"path\": \"a\"}",
        "<function=write_file><parameter=path>a</parameter></function>",
        r#"{"reasoning": "why", "tool_calls": [{"tool": "write_file", "parameters": {"path": "a"}}]}"#,
    ];
    for mode in [ToolMode::Native, ToolMode::Text] {
        for text in texts {
            let told = follow(setup(mode), vec![says(text), says("I cannot write files.")], obliging);
            assert_eq!((prose(&told), told.n_asked), ("I cannot write files.", 2), "{mode:?}: {text}");
            assert!(told.finished.findings.contains(&GuardFinding::UnknownTool), "{mode:?}: {text}");
            let again = follow(setup(mode), vec![says(text)], obliging);
            let failed = Ending::Failed(TurnFailure::NoSuchTool("write_file".to_owned()));
            assert_eq!((again.finished.ending, again.ran.len()), (failed, 0), "{mode:?}: {text}");
        }
    }
    // Without a mark it is data that a person may have asked for.
    for text in [
        r#"{"name": "write_file", "arguments": {"path": "a"}}"#,
        "```json\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\"}}\n```",
        "[write_file(path=\"a\")]",
    ] {
        let told = follow(setup(ToolMode::Native), vec![says(text)], obliging);
        assert_eq!((prose(&told), told.n_asked), (text, 1), "{text}");
    }
}

#[test]
fn beside_a_call_of_no_tool_the_others_run_and_it_is_corrected() {
    let texts = [
        r#"[status(metric="cpu"), weather(city="Rome")]"#,
        r#"[weather(city="Rome"), status(metric="cpu")]"#,
        "<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": \"status\", \"arguments\": {}}</tool_call>",
    ];
    for text in texts {
        let told = follow(setup(ToolMode::Native), vec![says(text), says("Fine.")], obliging);
        assert_eq!((prose(&told), told.ran.len(), told.n_asked), ("Fine.", 1, 2), "{text}");
        let told_of = results(&told);
        assert!(told_of.iter().any(|result| result.contains("\"weather\" does not exist")), "{told_of:?}");
    }
}
