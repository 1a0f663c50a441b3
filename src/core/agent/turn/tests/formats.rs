//! Calls in the formats that models are known to write: each is read as the call, or refused in words that name the
//! command that did not run.

use crate::agent::turn::tests::fixture::{follow, note, obliging, prose, says, setup};
use crate::contract::ToolMode;
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

/// Whose format it is, a message in it, and what becomes of that.
const FORMATS: &[(&str, &str, Alone)] = &[
    ("the protocol's block", r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "parameters": {}}]}"#, Read),
    ("Hermes, Qwen", "<tool_call>\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}\n</tool_call>", Read),
    ("Hermes-Theta", "<|im_start|>{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}<|im_end|>", Read),
    ("Hermes-Theta, XML", "<?xml version=\"1.0\"?>{\"name\": \"status\", \"arguments\": {}}", Read),
    ("xLAM", r#"{"tool_calls": [{"name": "status", "arguments": {"metric": "cpu"}}]}"#, Read),
    ("granite", r#"<function_call> {"name": "status", "arguments": {"metric": "cpu"}}"#, Read),
    ("GLM", "status\n{\"metric\": \"cpu\"}", Read),
    ("pythonic", r#"[status(metric="cpu")]"#, Read),
    ("pythonic, two", r#"[status(metric="cpu"), status(metric="disk")]"#, Read),
    ("pythonic, a name that is not this bot's among them", r#"[status(metric="cpu"), weather(city="Rome")]"#, Refused),
    // In a program amid words a function that is called `status` is the program's own.
    ("pythonic, fenced as python", "```python\n[files_write(path=\"a.txt\")]\n```", Read),
    ("pythonic, fenced", "```\n[files_write(path=\"a.txt\")]\n```", Read),
    ("pythonic, escaped", r#"[files\_write(path="a.txt")]"#, Read),
    ("pythonic, in texts", r#"['status(metric="cpu")']"#, Read),
    ("Raven, gorilla: bare", r#"status(metric="cpu")"#, Read),
    ("Raven, gorilla: the value of the only argument", r#"status("cpu")"#, Read),
    ("JavaScript: an object of arguments", r#"status({"metric": "cpu"})"#, Read),
    ("Raven, gorilla: the value of the only one that must be given", r#"save_memory("likes tea")"#, Read),
    ("Raven, gorilla: values without their names", r#"save_memory("likes tea", "fact")"#, Refused),
    ("Raven, gorilla: a word without quotation marks", "status(cpu)", Refused),
    ("a list of objects", r#"[{"name": "status", "arguments": {"metric": "cpu"}}]"#, Read),
    ("JSON in a fence", "```json\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}\n```", Read),
    (
        "DeepSeek 3, cogito",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>status\n```json\n{\"metric\": \"cpu\"}\n```\
         <｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        Read,
    ),
    ("DeepSeek 3.1", "<｜tool▁call▁begin｜>status<｜tool▁sep｜>{\"metric\": \"cpu\"}<｜tool▁call▁end｜>", Read),
    ("Gemma 4", "<|tool_call>call:status{metric:<|\"|>cpu<|\"|>}<tool_call|>", Read),
    ("GLM 4.6", "<tool_call>status\n<arg_key>metric</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>", Read),
    ("Ministral", r#"[TOOL_CALLS]status[ARGS]{"metric": "cpu"}"#, Read),
    ("LFM 2", "<|tool_call_start|>[status(metric=\"cpu\")]<|tool_call_end|>", Read),
    (
        "Qwen 3 coder, Nemotron 3",
        "<tool_call>\n<function=status>\n<parameter=metric>\ncpu\n</parameter>\n</function>\n</tool_call>",
        Read,
    ),
    ("Qwen 3 VL", r#"<tool_call>{"name": "status", "arguments": {"metric": "cpu"}}</tool_call>"#, Read),
    ("Nemotron", r#"<TOOLCALL>[{"name": "status", "arguments": {"metric": "cpu"}}]</TOOLCALL>"#, Read),
    (
        "harmony",
        "<|channel|>commentary to=functions.status <|constrain|>json<|message|>{\"metric\": \"cpu\"}<|call|>",
        Read,
    ),
    ("Llama", r#"<|python_tag|>{"name": "status", "parameters": {"metric": "cpu"}}"#, Read),
    ("Mistral", r#"[TOOL_CALLS][{"name": "status", "arguments": {"metric": "cpu"}}]"#, Read),
    ("a name alone", "status", Refused),
    ("a mark and a name", "[TOOL_CALLS] status", Read),
    ("tags and a name", "<tool_call>status</tool_call>", Read),
    ("a label and a name", "Action: status", Refused),
    ("cut in the middle", "tasks_done(id=", Refused),
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
