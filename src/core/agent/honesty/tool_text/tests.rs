//! What is taken out of a text, what is not, and at what cost.

use proptest::prelude::*;

use super::*;
use crate::agent::fixture::offered;

fn strip(text: &str) -> Stripped {
    strip_tool_text(text, &offered())
}

/// Asserts that a call is taken out as one piece, alone and with words around it.
fn assert_taken(case: &str, call: &str) {
    let alone = Stripped { kept: String::new(), removed: vec![call.to_owned()] };
    assert_eq!(strip(call), alone, "{case}, alone");
    let amid = strip(&format!("Let me look.\n\n{call}\n\nThat is all."));
    let expected = Stripped { kept: "Let me look.\n\nThat is all.".to_owned(), removed: vec![call.to_owned()] };
    assert_eq!(amid, expected, "{case}, amid words");
}

#[test]
fn calls_in_the_format_of_any_vendor_are_taken_out() {
    let cases = [
        ("Hermes", r#"<tool_call>{"name": "status", "arguments": {"metric": "cpu"}}</tool_call>"#),
        ("Hermes, on lines", "<tool_call>\n{\"name\": \"status\",\n\n \"arguments\": {}}\n</tool_call>"),
        ("Hermes, in capitals", r#"<TOOL_CALL>{"name": "status"}</TOOL_CALL>"#),
        ("Qwen3-Coder", "<tool_call><function=status><parameter=metric>\ncpu\n</parameter></function></tool_call>"),
        ("Llama", r#"<|python_tag|>{"name": "status", "parameters": {}}"#),
        ("Llama, two calls", r#"<|python_tag|>{"name": "a", "parameters": {}}; {"name": "b", "parameters": {}}"#),
        ("Llama, a program", "<|python_tag|>status.call(query=\"x\")"),
        ("Llama, a user's function", r#"<function=status>{"metric": "cpu"}</function>"#),
        ("pythonic", r#"[status(metric="a ] ) b"), tasks_list()]"#),
        ("Mistral", r#"[TOOL_CALLS][{"name": "status", "arguments": {}}]"#),
        ("Mistral, new", r#"[TOOL_CALLS]status[ARGS]{"metric": "cpu"}"#),
        ("Mistral, new, two calls", r#"[TOOL_CALLS]status[ARGS]{}[TOOL_CALLS]tasks_list[ARGS]{}"#),
        ("Mistral, without its marker", r#"status[ARGS]{"metric": "cpu"}"#),
        (
            "DeepSeek",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>status\n```json\n{}\n```<｜tool▁call▁end｜>\
             <｜tool▁calls▁end｜>",
        ),
        ("DeepSeek, a later one", "<｜tool▁call▁begin｜>status<｜tool▁sep｜>{}<｜tool▁call▁end｜>"),
        (
            "DeepSeek, with its name",
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"status\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        ),
        ("Phi, firefunction", r#"functools[{"name": "status", "arguments": {}}]"#),
        ("Phi, small", r#"<|tool_call|>[{"name": "status", "arguments": {}}]<|/tool_call|>"#),
        ("functionary", ">>>status\n{\"metric\": \"cpu\"}"),
        ("GLM", "<tool_call>status\n<arg_key>metric</arg_key>\n<arg_value>cpu</arg_value>\n</tool_call>"),
        ("GLM, old", "status\n{\"metric\": \"cpu\"}"),
        (
            "Kimi",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.status:0<|tool_call_argument_begin|>{}\
             <|tool_call_end|><|tool_calls_section_end|>",
        ),
        ("harmony", "<|channel|>commentary to=functions.status <|constrain|>json<|message|>{}<|call|>"),
        ("harmony, without an end", "<|channel|>commentary to=functions.status<|message|>{\"metric\": \"cpu\"}"),
        ("harmony, without tags", "assistantcommentary to=functions.status json{\"metric\": \"cpu\"}"),
        ("Anthropic", "<function_calls>\n<invoke name=\"status\">\n</invoke>\n</function_calls>"),
        ("Anthropic, bare", "<invoke name=\"status\"><parameter name=\"metric\">cpu</parameter></invoke>"),
        ("Anthropic, in a namespace", "<invoke name=\"status\"></invoke>"),
        ("Gemini", "<tool_code>print(status())</tool_code>"),
        ("Gemini, fenced", "```tool_code\nprint(status())\n```"),
        ("the protocol", r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "parameters": {}}]}"#),
        ("the protocol, fenced", "```json\n{\n  \"tool_calls\": [\n    {\"tool\": \"x\"}\n  ]\n}\n```"),
        ("the protocol, in tildes", "~~~JSON\n{\"tool_calls\": [{\"tool\": \"x\"}]}\n~~~"),
        ("the protocol, fenced on a line", "```json {\"tool_calls\": [{\"tool\": \"x\"}]}```"),
        ("the protocol, quoted", "> ```json\n> {\"tool_calls\":\n>   [{\"tool\": \"x\"}]}\n> ```"),
        ("a list of calls", r#"[{"tool": "a", "parameters": {}}, {"tool": "b", "parameters": {}}]"#),
        ("the call of an API", r#"{"type": "function", "function": {"name": "status", "arguments": "{}"}}"#),
        ("a call without its list", r#"{"name": "status", "parameters": {"metric": "cpu"}}"#),
        ("a call without parameters", r#"{"tool": "status"}"#),
        ("single quotes", "{'tool_calls': [{'tool': 'it', 'parameters': {'all': True}}]}"),
        ("unquoted keys", r#"{tool_calls: [{tool: "x", parameters: {}}]}"#),
        ("braces and fences in texts", r#"{"name": "x", "arguments": {"a": "} ``` \" {", "b": "]"}}"#),
        ("a line break in a text", "{\"name\": \"x\", \"arguments\": {\"a\": \"b {\nc\"}}"),
        ("in back-ticks", r#"`{"tool": "status"}`"#),
    ];
    for (case, call) in cases {
        assert_taken(case, call);
    }
}

#[test]
fn what_is_half_written_goes_to_the_end_of_its_paragraph() {
    let cases = [
        ("an open tag", "<tool_call>\nstatus with metric cpu"),
        ("an open tag with a value", r#"<tool_call>{"name": "status", "arguments": {}}"#),
        ("an open function", "<function=status><parameter=metric>cpu"),
        ("an object", r#"{"tool_calls": [{"tool": "status", "parameters": {"me"#),
        ("an object in a text", r#"{"tool": "files_write", "parameters": {"content": "hello"#),
        ("a bracket too few", r#"{"tool_calls": [{"tool": "status"}"#),
        ("a pythonic list", r#"[status(metric="cpu"#),
        ("a closing tag alone", "</tool_call>"),
        ("a marker alone", "[TOOL_CALLS] status"),
    ];
    for (case, call) in cases {
        assert_taken(case, call);
    }
    let open = "```json\n{\"tool_calls\": [{\"tool\": \"status\"}]}";
    assert_eq!(strip(open), Stripped { kept: String::new(), removed: vec![open.to_owned()] });
    let far = "```\nA log of some lines.\n{\"tool\": \"status\"}\nThe end of it.";
    let expected = Stripped {
        kept: "```\nA log of some lines.\n\nThe end of it.".to_owned(),
        removed: vec!["{\"tool\": \"status\"}".to_owned()],
    };
    assert_eq!(strip(far), expected);
}

#[test]
fn what_is_no_call_stays_byte_for_byte() {
    let cases = [
        "",
        "Hello! How are you?",
        r#"{"name":"Alice","age":3}"#,
        r#"{"name": "Alice", "pets": [{"name": "Rex", "tool": "bone"}]}"#,
        "```json\n{\n  \"name\": \"Alice\"\n}\n```",
        "```python\ndef status():\n    return {\"name\": \"x\", \"arguments\": {}}\n```",
        "```rust\nlet call = \"<tool_call>\";\n\n\n\nlet list = [status()];\n```",
        "Type /status to see the metrics, or `/tasks list`.",
        "A function is a tool of the trade: tool_calls, parameters and arguments are words.",
        "A <b>bold</b> claim, a <details> tag and <function> in HTML; 1 < 2 > 0 <3",
        "[a link](https://example.org/status), a [ ] box, [status] and [x(1)]",
        "The tags `<tool_call>` and `</tool_call>` stand around a call; Mistral writes `[TOOL_CALLS]`.",
        "Smile :{ and brace {} or {x} or { \"quotes\" and 5\" screens }",
        ">>> print(1)\n1",
        "status\nis fine",
        "> a quotation\n> of two lines",
        "- one\n\n\n\n- two  \n  three",
        "to=functions. is odd",
        "<|channel|>final<|message|>Hello<|return|>",
        "fn main() { println!(\"{}\", 1); }",
        "The set {\"a\", \"b\"} has two members, {name: none} has one.",
    ];
    for text in cases {
        assert_eq!(strip(text), Stripped { kept: text.to_owned(), removed: Vec::new() }, "{text}");
    }
    assert_eq!(strip(" \n words \n").kept, "words");
}

#[test]
fn a_stray_brace_in_front_does_not_hide_a_call_nor_take_words_along() {
    let call = r#"{"tool_calls": [{"tool": "x"}]}"#;
    let text = format!("Write {{\"a\" to open, it's easy.\n\n{call}\n\nAnd }} to close.");
    let expected = "Write {\"a\" to open, it's easy.\n\nAnd } to close.";
    assert_eq!(strip(&text), Stripped { kept: expected.to_owned(), removed: vec![call.to_owned()] });
}

#[test]
fn no_gap_is_left_where_something_was() {
    let call = "<tool_call>x</tool_call>";
    let cases = [
        (format!("One {call} two"), "One two"),
        (format!("One{call}two"), "Onetwo"),
        (format!("One\n{call}\ntwo"), "One\n\ntwo"),
        (format!("One\n{call}\n    two"), "One\n\n    two"),
        (format!("One\n\n\n{call}\n\n\ntwo\n\n\nthree"), "One\n\ntwo\n\n\nthree"),
        (format!("{call} {call}\n{call}\nOne"), "One"),
        (format!("One\n- {call}\n> {call}\ntwo"), "One\n\ntwo"),
        (format!("One `{call}` two"), "One two"),
    ];
    for (text, kept) in cases {
        assert_eq!(strip(&text).kept, kept, "{text:?}");
    }
}

#[test]
fn several_calls_are_taken_out_in_order() {
    let text =
        "First:\n<tool_call>a</tool_call>\nthen {\"tool\": \"status\"} and\n```json\n{\"tool_calls\": []}\n```\ndone";
    let expected = Stripped {
        kept: "First:\n\nthen and\n\ndone".to_owned(),
        removed: ["<tool_call>a</tool_call>", "{\"tool\": \"status\"}", "```json\n{\"tool_calls\": []}\n```"]
            .map(str::to_owned)
            .to_vec(),
    };
    assert_eq!(strip(text), expected);
}

#[test]
fn an_open_tag_does_not_take_the_words_up_to_another_call() {
    let text = "<tool_call>{\"name\": \"a\"}\n\nSome words.\n\n<tool_call>{\"name\": \"b\"}</tool_call>";
    let stripped = strip(text);
    assert_eq!(stripped.kept, "Some words.");
    assert_eq!(stripped.removed.len(), 2);
}

/// Each of these would take minutes if anything were scanned once for each sign in it.
#[test]
fn hostile_text_costs_no_more_than_other_text() {
    let long = |piece: &str| piece.repeat(400_000 / piece.len());
    let unchanged = ["{", "[", "<", "`", "<|", "{ ", "[ ", "x[args]", "<a ", "\"", ">", "[[{", "{'a", "{\"a\" \n\n"];
    for piece in unchanged {
        let text = long(piece);
        assert_eq!(strip(&text), Stripped { kept: text.trim().to_owned(), removed: Vec::new() }, "{piece:?}");
    }
    let taken = [
        "<tool_call>",
        "<tool_call>{",
        "<tool_call> ",
        "</tool_call> ",
        "<function=a>",
        "{\"tool_calls\":",
        "{\"tool_calls\":[",
        "{\"tool_calls\":\n\n",
        "{\"tool\":\"status\"} ",
        "[status(",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]\n\n",
        "[TOOL_CALLS]a[ARGS]",
        "<|python_tag|>status ",
        "<|start|> to=<|channel|> to=",
        "<tool_call><tool_calls>",
        "`<tool_use>x</tool_use>` ",
        "functools[{",
        "```json\n{\"tool_calls\":1}\n```\n",
        "> - <tool_use>\n\n",
    ];
    for piece in taken {
        let stripped = strip(&long(piece));
        assert!(stripped.kept.len() < 20, "{piece:?} leaves {} bytes", stripped.kept.len());
        assert!(!stripped.removed.is_empty(), "{piece:?}");
    }
    let calls_in_open_braces = strip(&"{\"a\":{\"tool\":\"status\"},".repeat(20_000));
    assert_eq!(calls_in_open_braces.removed.len(), 20_000);
    assert_eq!(calls_in_open_braces.kept, "{\"a\":,".repeat(20_000));
}

/// What text of every kind of call is made of, and some that is none.
const PIECES: [&str; 38] = [
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
    "~~~",
    "\n",
    "\n\n",
    " ",
    "> ",
    "- ",
    "é",
    "｜",
    "tool_calls",
    "\"tool\"",
    "\"name\"",
    "\"arguments\"",
    "status",
    "status(",
    "<tool_call>",
    "</tool_call>",
    "<｜tool▁call▁begin｜>",
    "<|channel|> to=",
    "<|call|>",
    "<invoke name=",
    "[TOOL_CALLS]",
    "[ARGS]",
    "functools[",
    "to=functions.status",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sign_of_a_text_is_either_kept_or_taken_out(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
    ) {
        let text = pieces.concat();
        let stripped = strip(&text);
        let signs = |text: &str| text.chars().filter(|sign| !sign.is_whitespace()).collect::<Vec<_>>();
        let mut told = signs(&stripped.kept);
        told.extend(stripped.removed.iter().flat_map(|piece| signs(piece)));
        told.sort_unstable();
        let mut all = signs(&text);
        all.sort_unstable();
        prop_assert_eq!(told, all);
        prop_assert!(stripped.removed.iter().all(|piece| text.contains(piece.as_str())));
    }
}
