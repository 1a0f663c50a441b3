//! Calls in the formats of many models, alone and amid words; and what is no call.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::agent::tools::may_become_call;

fn is_tool(name: &str) -> bool {
    ["status", "tasks_add", "tasks_list"].contains(&name)
}

fn read(text: &str) -> Vec<ToolText> {
    find_tool_text(text, &is_tool)
}

/// The calls as `[["status", {"metric": "cpu"}]]`.
fn as_json(calls: impl IntoIterator<Item = TextCall>) -> Value {
    calls.into_iter().map(|call| json!([call.name, call.arguments])).collect()
}

/// A call of each kind: whose format it is, the text, and the calls in it.
fn formats() -> Vec<(&'static str, &'static str, Value)> {
    let cpu = || json!([["status", {"metric": "cpu"}]]);
    let bare = || json!([["status", {}]]);
    let two = || json!([["status", {"metric": "cpu"}], ["tasks_list", {}]]);
    vec![
        ("Hermes", r#"<tool_call>{"name": "status", "arguments": {"metric": "cpu"}}</tool_call>"#, cpu()),
        ("Hermes, on lines", "<tool_call>\n{\"name\": \"status\",\n\n \"arguments\": {}}\n</tool_call>", bare()),
        ("Hermes, in capitals", r#"<TOOL_CALL>{"name": "status", "arguments": {}}</TOOL_CALL>"#, bare()),
        ("Hermes, open", "<tool_call>\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}", cpu()),
        (
            "Hermes, two",
            "<tool_call>\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}\n</tool_call>\n<tool_call>\n\
             {\"name\": \"tasks_list\", \"arguments\": {}}\n</tool_call>",
            two(),
        ),
        (
            "Qwen3-Coder",
            "<tool_call>\n<function=status>\n<parameter=metric>\ncpu\n</parameter>\n</function>\n</tool_call>",
            cpu(),
        ),
        ("Llama", r#"<|python_tag|>{"name": "status", "parameters": {"metric": "cpu"}}"#, cpu()),
        ("Llama, bare", r#"{"name": "status", "parameters": {"metric": "cpu"}}"#, cpu()),
        ("Llama, a function", r#"<function=status>{"metric": "cpu"}</function>"#, cpu()),
        ("pythonic", r#"[status(metric="cpu"), tasks_list()]"#, two()),
        ("pythonic, escaped", r#"[status(metric="cpu"), tasks\_list()]"#, two()),
        ("pythonic, in texts", r#"['status(metric="cpu")', "tasks_list()"]"#, two()),
        ("pythonic, fenced", "```python\n[status(metric='cpu'), tasks_list()]\n```", two()),
        ("bare pythonic", r#"status(metric="cpu")"#, cpu()),
        ("bare pythonic, lines", "status(metric=\"cpu\")\ntasks_list()", two()),
        ("Gemini", "<tool_code>print(default_api.status(metric='cpu'))</tool_code>", cpu()),
        ("Gemini, fenced", "```tool_code\nprint(status(metric='cpu'))\n```", cpu()),
        ("Mistral", r#"[TOOL_CALLS][{"name": "status", "arguments": {"metric": "cpu"}}]"#, cpu()),
        ("Mistral, new", r#"[TOOL_CALLS]status[ARGS]{"metric": "cpu"}"#, cpu()),
        ("Mistral, new, two", r#"[TOOL_CALLS]status[ARGS]{"metric": "cpu"}[TOOL_CALLS]tasks_list[ARGS]{}"#, two()),
        (
            "DeepSeek",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>status\n```json\n{\"metric\": \"cpu\"}\n```\
             <｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            cpu(),
        ),
        (
            "DeepSeek, a later one",
            "<｜tool▁call▁begin｜>status<｜tool▁sep｜>{\"metric\": \"cpu\"}<｜tool▁call▁end｜>",
            cpu(),
        ),
        (
            "DeepSeek, with its name",
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"status\">\n<｜DSML｜parameter name=\"metric\" \
             string=\"true\">cpu</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
            cpu(),
        ),
        ("Phi", r#"functools[{"name": "status", "arguments": {"metric": "cpu"}}]"#, cpu()),
        ("Phi, small", r#"<|tool_call|>[{"name": "status", "arguments": {"metric": "cpu"}}]<|/tool_call|>"#, cpu()),
        ("functionary", ">>>status\n{\"metric\": \"cpu\"}", cpu()),
        ("GLM", "<tool_call>status\n<arg_key>metric</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>", cpu()),
        ("GLM, old", "status\n{\"metric\": \"cpu\"}", cpu()),
        (
            "Kimi",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.status:0<|tool_call_argument_begin|>\
             {\"metric\": \"cpu\"}<|tool_call_end|><|tool_calls_section_end|>",
            cpu(),
        ),
        (
            "harmony",
            "<|channel|>commentary to=functions.status <|constrain|>json<|message|>{\"metric\": \"cpu\"}<|call|>",
            cpu(),
        ),
        (
            "harmony, with a start",
            "<|start|>assistant<|channel|>commentary to=functions.status<|message|>{\"metric\": \"cpu\"}",
            cpu(),
        ),
        (
            "Anthropic",
            "<function_calls>\n<invoke name=\"status\">\n<parameter name=\"metric\">cpu</parameter>\n</invoke>\n\
             </function_calls>",
            cpu(),
        ),
        ("granite", r#"<function_call> {"name": "status", "arguments": {"metric": "cpu"}}"#, cpu()),
        ("xLAM", r#"{"tool_calls": [{"name": "status", "arguments": {"metric": "cpu"}}]}"#, cpu()),
        ("xLAM, a list", r#"[{"name": "status", "arguments": {"metric": "cpu"}}]"#, cpu()),
        (
            "OpenAI",
            r#"{"type": "function", "function": {"name": "status", "arguments": "{\"metric\": \"cpu\"}"}}"#,
            cpu(),
        ),
        ("the protocol", r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "parameters": {}}]}"#, bare()),
        ("flat", r#"{"tool": "status", "metric": "cpu"}"#, cpu()),
        ("the name as a key", r#"{"tasks_add": {"title": "milk"}}"#, json!([["tasks_add", {"title": "milk"}]])),
        ("single quotes", "{'tool_calls': [{'tool': 'status', 'parameters': {'metric': 'cpu'}}]}", cpu()),
        ("a trailing comma", r#"{"tool": "status", "parameters": {"metric": "cpu",},}"#, cpu()),
        ("brackets missing", r#"{"tool_calls": [{"tool": "status", "parameters": {"metric": "cpu"}"#, cpu()),
        ("fenced, not closed", "```json\n{\"tool\": \"status\", \"parameters\": {\"metric\": \"cpu\"}}", cpu()),
        ("Mistral, the name alone", "[TOOL_CALLS] status", bare()),
        ("Hermes, the name alone", "<tool_call>status</tool_call>", bare()),
        ("Gemma 4", "<|tool_call>call:status{metric:<|\"|>cpu<|\"|>}<tool_call|>", cpu()),
        ("Hermes-Theta", "<?xml version=\"1.0\"?>{\"name\": \"status\", \"arguments\": {}}", bare()),
        ("bare pythonic, a value without its name", "tasks_add(\"milk\")", json!([["tasks_add", {"": "milk"}]])),
        ("ReAct", "Action: status\nAction Input: {\"metric\": \"cpu\"}", cpu()),
        (
            "a brace in a text",
            r#"{"name": "tasks_add", "arguments": {"title": "a } ``` \" {"}}"#,
            json!([["tasks_add", {"title": "a } ``` \" {"}]]),
        ),
    ]
}

#[test]
fn no_beginning_of_a_call_is_taken_for_words() {
    for (case, text, _) in formats() {
        for (end, _) in text.char_indices() {
            let beginning = text.get(..end).unwrap();
            assert!(may_become_call(beginning, &is_tool), "{case}: {beginning:?}");
        }
        assert!(may_become_call(text, &is_tool), "{case}");
    }
}

#[test]
fn calls_in_the_format_of_any_vendor_are_read() {
    for (case, text, expected) in formats() {
        let alone = whole_message(text, &is_tool);
        assert_eq!(alone.map(as_json), Some(expected.clone()), "{case}, alone");
        let amid = format!("Let me look.\n\n{text}\n\nThat is all.");
        let found = read(&amid);
        let [piece] = found.as_slice() else { panic!("{case}, amid words: {found:?}") };
        assert_eq!(as_json(piece.calls.clone()), expected, "{case}, amid words");
        assert_eq!(amid.get(piece.span.clone()), Some(text), "{case}, amid words");
        assert_eq!(whole_message(&amid, &is_tool), None, "{case}, amid words");
    }
}

#[test]
fn what_was_only_begun_or_acted_out_is_found_and_never_whole() {
    let cases = [
        ("{success: true, tool: status}", json!([["status", {"success": true}]])),
        ("{\"tool\": \"tasks_add\", \"parameters\": {\"title\": \"mi", json!([["tasks_add", {"title": "mi"}]])),
        ("tasks_add(title=\"mi", json!([["tasks_add", {"title": "mi"}]])),
        ("tasks_add(\"milk\", \"bread\")", json!([["tasks_add", {"": "bread"}]])),
        ("tasks_add(milk)", json!([["tasks_add", {"": "milk"}]])),
        ("Action: tasks_list", json!([["tasks_list", {}]])),
        ("🔧 Calling tool: status", json!([["status", {}]])),
    ];
    for (text, expected) in cases {
        let found = read(text);
        let [piece] = found.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!(as_json(piece.calls.clone()), expected, "{text}");
        assert_eq!(whole_message(text, &is_tool), None, "{text}");
    }
}

#[test]
fn what_is_no_call_of_this_bots_tools_is_not_found() {
    let cases = [
        "",
        "Hello! How are you?",
        r#"{"name": "Alice", "age": 3}"#,
        r#"{"name": "status", "value": 3}"#,
        r#"{"status": "active", "tasks": []}"#,
        r#"<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>"#,
        "```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n```",
        "Result: 42",
        "The status is fine. status (fresh) means new.",
        "Use `status()` to see it, or `tasks_list()`.",
        "My status: {good}",
        "status: all is well",
        "HTTP status {200} and status[0]",
        "def status():\n    return 1",
        "function status() {\n  return 1;\n}\n\nstatus();\nlet result = status(1);",
        "Type /status or call status() yourself.",
        "{x : x > 0} is a set with a status.",
        r#"{"name": "aws.status", "arguments": {"region": "eu"}}"#,
    ];
    for text in cases {
        assert_eq!(read(text), [], "{text}");
    }
}

#[test]
fn a_call_in_a_block_of_code_amid_words_is_marked_as_code() {
    let text = "Here is how:\n```json\n{\"tool\": \"status\"}\n```\nTry it.";
    let found = read(text);
    assert!(matches!(found.as_slice(), [piece] if piece.is_code), "{found:?}");
    assert_eq!(text.get(found[0].span.clone()), Some("```json\n{\"tool\": \"status\"}\n```"));
    let bare = read("Here is how:\n{\"tool\": \"status\"}\nTry it.");
    assert!(matches!(bare.as_slice(), [piece] if !piece.is_code), "{bare:?}");
}

#[test]
fn an_answer_acted_out_right_behind_a_call_goes_with_it() {
    let text = "Let me see.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\nDisk 6 %\n\nAll is well.";
    let found = read(text);
    assert_eq!(
        text.get(found[0].span.clone()),
        Some("Action: status\nAction Input: {}\nObservation: CPU 5 %\nDisk 6 %")
    );
}

/// Each of these would take minutes if anything were scanned once for each sign in it.
#[test]
fn hostile_text_costs_no_more_than_other_text() {
    let pieces = [
        "{",
        "[",
        "<",
        "`",
        "{ ",
        "{\"a\":",
        "{'a",
        "[{",
        "{a:b,",
        "{\"a\":[{},{},",
        "status(",
        "status",
        "status\n{",
        "status(a=",
        "[status(",
        "<function=status>",
        "<tool_call>",
        "[TOOL_CALLS]",
        "status `",
        "```\nstatus()\n```\n",
        "{\"tool\":\"status\"} ",
        "Action: status\n",
        "status()\n",
        "status[ARGS]{",
        "to=functions.status ",
    ];
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        let found = read(&text);
        assert!(found.iter().all(|piece| piece.span.end <= text.len()), "{piece}");
    }
}

/// What text of every kind of call is made of, and some that is none.
const PIECES: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    ":",
    ",",
    "\\",
    "`",
    "```",
    "```json\n",
    "\n",
    "\n\n",
    " ",
    "> ",
    "- ",
    "é",
    "｜",
    "\"tool\"",
    "\"name\"",
    "\"arguments\"",
    "status",
    "status(",
    "<tool_call>",
    "</tool_call>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "Action: ",
    "to=functions.status",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_stand_in_order_and_each_has_a_call(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
    ) {
        let text = pieces.concat();
        let mut behind = 0;
        for piece in read(&text) {
            prop_assert!(behind <= piece.span.start && piece.span.start < piece.span.end, "{:?} in {text:?}", piece);
            prop_assert!(text.get(piece.span.clone()).is_some());
            prop_assert!(piece.calls.iter().all(|call| is_tool(&call.name)) && !piece.calls.is_empty());
            behind = piece.span.end;
        }
    }
}
