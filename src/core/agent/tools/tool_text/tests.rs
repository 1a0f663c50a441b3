//! Calls in the formats of many models, alone and amid words; and what is no call.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::agent::tools::may_become_call;

fn names() -> ToolNames<'static> {
    ["status", "tasks_add", "tasks_list"].into_iter().collect()
}

fn read(text: &str) -> Vec<ToolText> {
    find_tool_text(text, &names())
}

/// The calls as `[["status", {"metric": "cpu"}]]`.
fn as_json(calls: impl IntoIterator<Item = TextCall>) -> Value {
    calls.into_iter().map(|call| json!([call.name, call.arguments])).collect()
}

/// A form of a call, from `forms.toml`.
#[derive(serde::Deserialize)]
struct Form {
    of: String,
    text: String,
    #[serde(default = "cpu")]
    arguments: Value,
    #[serde(default)]
    second: bool,
    /// The name's underscores are escaped as in Markdown.
    #[serde(default)]
    is_escaped: bool,
    /// A name of one word is a word there.
    #[serde(default)]
    is_compound: bool,
}

#[derive(serde::Deserialize)]
struct Forms {
    form: Vec<Form>,
}

fn cpu() -> Value {
    json!({ "metric": "cpu" })
}

/// Names of every kind that a tool may have.
fn kinds_of_names() -> [String; 7] {
    let short = ["status", "tasks_list", "cf_get-weather", "weather.get", "2fa_v3", "getHTTP2"];
    let [a, b, c, d, e, f] = short.map(str::to_owned);
    [a, b, c, d, e, f, "cf_read-file.v2_".repeat(4)]
}

/// Every form with this name: whose it is, the text, and the calls in it.
fn forms(name: &str) -> Vec<(String, String, Value)> {
    let all: Forms = toml::from_str(include_str!("forms.toml")).unwrap();
    let fitting = all.form.into_iter().filter(|form| !form.is_compound || name.contains(['_', '-', '.']));
    let filled = fitting.map(|form| {
        let written = if form.is_escaped { name.replace('_', "\\_") } else { name.to_owned() };
        let text = form.text.trim_start().replace("NAME", &written).replace("SECOND", "list_all");
        let first = json!([name, form.arguments]);
        let calls = if form.second { json!([first, ["list_all", {}]]) } else { json!([first]) };
        (form.of, text, calls)
    });
    filled.collect()
}

#[test]
fn no_beginning_of_a_call_is_taken_for_words() {
    for name in kinds_of_names() {
        let names: ToolNames<'_> = [name.as_str(), "list_all"].into_iter().collect();
        for (case, text, _) in forms(&name) {
            for (end, _) in text.char_indices() {
                let beginning = text.get(..end).unwrap();
                assert!(may_become_call(beginning, &names), "{case}: {beginning:?}");
            }
            assert!(may_become_call(&text, &names), "{case}");
        }
    }
}

#[test]
fn calls_in_the_format_of_any_vendor_are_read() {
    let mut faults = String::new();
    for name in kinds_of_names() {
        let names: ToolNames<'_> = [name.as_str(), "list_all"].into_iter().collect();
        for (case, text, expected) in forms(&name) {
            let alone = whole_message(&text, &names).map(as_json);
            let amid = format!("Let me look.\n\n{text}\n\nThat is all.");
            let found = find_tool_text(&amid, &names);
            let spans: Vec<_> = found.iter().map(|piece| amid.get(piece.span.clone()).unwrap()).collect();
            let calls = as_json(found.iter().flat_map(|piece| piece.calls.clone()));
            if alone.as_ref() != Some(&expected) {
                faults += &format!("{name}, {case}, alone: {alone:?}\n");
            }
            if calls != expected || spans != [text.as_str()] || whole_message(&amid, &names).is_some() {
                faults += &format!("{name}, {case}, amid words: {calls} {spans:?}\n");
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
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
        assert_eq!(whole_message(text, &names()), None, "{text}");
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
        "<function=status><parameter=a>",
        "<function=status><parameter=a>b</parameter>",
        "<function=status><parameter=a></parameter> c",
        "<status>",
        "<tool_call>status<arg_key>a</arg_key><arg_value>",
        "name: status\narguments:\n",
        "name: status\narguments:\n a: b\n",
        "<tool_call>other<",
    ];
    for piece in pieces {
        // The last tags close the first call.
        let text = piece.repeat(200_000 / piece.len()) + "</parameter></function></status>";
        let found = read(&text);
        assert!(found.iter().all(|piece| piece.span.end <= text.len()), "{piece}");
        let _whole = whole_message(&piece.repeat(20_000 / piece.len()), &names());
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
            prop_assert!(piece.calls.iter().all(|call| names().contains(&call.name)) && !piece.calls.is_empty());
            behind = piece.span.end;
        }
    }
}
