//! Messages that are blocks, almost are, and are not.

use serde_json::json;

use super::*;

fn calls(reasoning: &str, calls: Vec<(&str, Value)>) -> ProtocolReading {
    let call = |(name, arguments): (&str, Value)| RawCall {
        id: None,
        name: name.to_owned(),
        arguments: RawArguments::Object(arguments.as_object().unwrap().clone()),
    };
    ProtocolReading::Calls { reasoning: reasoning.to_owned(), calls: calls.into_iter().map(call).collect() }
}

const BLOCK: &str = r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "parameters": {}}]}"#;

fn one_status() -> ProtocolReading {
    calls("why", vec![("status", json!({}))])
}

/// The inputs that a reader made of a regular expression got wrong, and the one that it got right.
#[test]
fn every_measured_input_is_calls_an_error_or_text() {
    enum Is {
        Calls(ProtocolReading),
        Broken(&'static str),
        Prose,
    }
    let fenced = |open: &str, body: &str, close: &str| format!("{open}\n{body}\n{close}");
    let unreadable = "the JSON cannot be read: ";
    let cases: [(&str, String, Is); 29] = [
        ("the canonical block", fenced("```json", BLOCK, "```"), Is::Calls(one_status())),
        ("no fence", BLOCK.to_owned(), Is::Calls(one_status())),
        ("a tag in capitals", fenced("```JSON", BLOCK, "```"), Is::Calls(one_status())),
        ("a fence without a tag", fenced("```", BLOCK, "```"), Is::Calls(one_status())),
        ("tildes", fenced("~~~json", BLOCK, "~~~"), Is::Calls(one_status())),
        ("jsonc", fenced("```jsonc", BLOCK, "```"), Is::Calls(one_status())),
        (
            "a list in place of the object",
            fenced("```json", r#"[{"tool": "status", "parameters": {}}]"#, "```"),
            Is::Broken("the block must be an object"),
        ),
        ("an unclosed fence", format!("```json\n{BLOCK}"), Is::Broken("the code fence is not closed")),
        (
            "truncated JSON",
            "```json\n{\"tool_calls\": [{\"tool\": \"sta".to_owned(),
            Is::Broken("the block is cut off"),
        ),
        (
            "prose behind the object, inside the fence",
            fenced("```json", &format!("{BLOCK}\nThis shows the status."), "```"),
            Is::Broken("there is text behind the object"),
        ),
        (
            "a comment behind the object, inside the fence",
            fenced("```json", &format!("{BLOCK} // asks for the status"), "```"),
            Is::Broken("there is text behind the object"),
        ),
        ("a quoted fence", format!("> ```json\n> {BLOCK}\n> ```"), Is::Prose),
        ("a tag", format!("<tool_call>{BLOCK}</tool_call>"), Is::Prose),
        ("Llama", r#"<|python_tag|>{"name": "status", "parameters": {}}"#.to_owned(), Is::Prose),
        ("Mistral", r#"[TOOL_CALLS][{"name": "status", "arguments": {}}]"#.to_owned(), Is::Prose),
        ("pythonic", r#"[status(metric="cpu")]"#.to_owned(), Is::Prose),
        (
            "harmony",
            "<|channel|>commentary to=functions.status<|constrain|>json<|message|>{}<|call|>".to_owned(),
            Is::Prose,
        ),
        ("single quotes", "{'tool_calls': [{'tool': 'status', 'parameters': {}}]}".to_owned(), Is::Broken(unreadable)),
        (
            "Python literals",
            r#"{"tool_calls": [{"tool": "status", "parameters": {"all": True}}]}"#.to_owned(),
            Is::Broken(unreadable),
        ),
        ("unquoted keys", r#"{tool_calls: [{tool: "status", parameters: {}}]}"#.to_owned(), Is::Broken(unreadable)),
        (
            "a trailing comma",
            r#"{"tool_calls": [{"tool": "status", "parameters": {},}]}"#.to_owned(),
            Is::Broken("the JSON cannot be read: trailing comma at line 1 column 53."),
        ),
        (
            "a raw line break in a text",
            "{\"tool_calls\": [{\"tool\": \"write\", \"parameters\": {\"content\": \"a\nb\"}}]}".to_owned(),
            Is::Broken(unreadable),
        ),
        (
            "a fence inside a text",
            fenced(
                "```json",
                r#"{"tool_calls": [{"tool": "write", "parameters": {"content": "```sh\nls\n```"}}]}"#,
                "```",
            ),
            Is::Calls(calls("", vec![("write", json!({ "content": "```sh\nls\n```" }))])),
        ),
        (
            "two blocks",
            format!("{}\n{}", fenced("```json", BLOCK, "```"), fenced("```json", BLOCK, "```")),
            Is::Broken("there is more than one block"),
        ),
        (
            "an example in front of the real call",
            format!(
                "For example:\n{}\nNow really:\n{}",
                fenced("```json", BLOCK, "```"),
                fenced("```json", BLOCK, "```")
            ),
            Is::Prose,
        ),
        (
            "a call without its list",
            r#"{"tool": "status", "parameters": {}}"#.to_owned(),
            Is::Broken("the block must be an object with the calls in a list under \"tool_calls\""),
        ),
        ("a made-up result", r#"{"success": true}"#.to_owned(), Is::Prose),
        (
            "null for the list",
            r#"{"tool_calls": null}"#.to_owned(),
            Is::Broken("\"tool_calls\" must be a list, not null"),
        ),
        (
            "an object for the list",
            r#"{"tool_calls": {"tool": "status"}}"#.to_owned(),
            Is::Broken("\"tool_calls\" must be a list, not an object"),
        ),
    ];
    for (case, text, expected) in cases {
        match (read(&text), expected) {
            (reading, Is::Calls(expected)) => assert_eq!(reading, expected, "{case}"),
            (reading, Is::Prose) => assert_eq!(reading, ProtocolReading::Prose, "{case}"),
            (ProtocolReading::Broken { problem }, Is::Broken(start)) => {
                assert!(problem.starts_with(start), "{case}: {problem}");
            }
            (reading, Is::Broken(start)) => panic!("{case}: {reading:?} and not: {start}"),
        }
    }
}

#[test]
fn several_calls_with_anything_in_their_texts_are_read_in_order() {
    let content = json!({ "content": "} ] { ``` ~~~ \" \\ {\"tool_calls\": []}", "deep": { "a": [{ "b": {} }] } });
    let block = json!({ "tool_calls": [
        { "tool": "write", "parameters": content },
        { "tool": "status" },
        { "tool": "status", "parameters": null, "id": 7 },
    ]});
    let expected = calls("", vec![("write", content), ("status", json!({})), ("status", json!({}))]);
    let pretty = serde_json::to_string_pretty(&block).unwrap();
    for text in [
        block.to_string(),
        pretty.clone(),
        format!("\u{feff}\r\n  {block}\n\n"),
        format!("```json {block}```"),
        format!("````Json\r\n{pretty}\r\n````"),
        format!("~~~~\n{pretty}\n~~~~~"),
    ] {
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn every_invalid_block_says_what_is_wrong() {
    let cases = [
        (r#"{"tool_calls": []}"#, "\"tool_calls\" is empty; answer in plain words if no tool is needed"),
        (r#"{"tool_calls": "status"}"#, "\"tool_calls\" must be a list, not a text"),
        (r#"{"tool_calls": ["status"]}"#, "call 1 is a text; it must be an object with \"tool\" and \"parameters\""),
        (r#"{"tool_calls": [{"tool": "a"}, {}]}"#, "call 2 has no \"tool\""),
        (
            r#"{"tool_calls": [{"tool": "a", "dry_run": true}]}"#,
            "call 1 has \"tool\" and \"parameters\" and nothing else, but here is \"dry_run\"",
        ),
        (
            r#"{"tool_calls": [{"tool": "a", "arguments": {}, "parameters": null}]}"#,
            "call 1 has \"tool\" and \"parameters\" and nothing else, but here is \"arguments\"",
        ),
        (
            r#"{"tool_calls": [{"tool": "a"}], "id": 1}"#,
            "a block has \"reasoning\" and \"tool_calls\" and nothing else, but here is \"id\"",
        ),
        (r#"{"tool_calls": [{"tool": " "}]}"#, "\"tool\" of call 1 is blank"),
        (r#"{"tool_calls": [{"tool": 7}]}"#, "\"tool\" of call 1 must be text, not a number"),
        (
            r#"{"tool_calls": [{"tool": "a"}]} Done!"#,
            "there is text behind the object; a message with calls is the block alone",
        ),
        (r#"{"tool": "a"}{"tool": "b"}"#, "there is more than one block; put every call into one \"tool_calls\" list"),
        (
            "```json\n{\"tool_calls\": [{\"tool\": \"a\"}]}\n``",
            "there is text behind the object; a message with calls is the block alone",
        ),
        (
            "```\n{\"tool_calls\": [{\"tool\": \"a\"}]}\n```\nDone!",
            "there is text behind the object; a message with calls is the block alone",
        ),
        (r#"{"reasoning": "I should"#, "the block is cut off: EOF while parsing a string at line 1 column 23"),
        (r#"{"reasoning": "x", "tool_ca"#, "the block is cut off: EOF while parsing a string at line 1 column 27"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), ProtocolReading::Broken { problem: expected.to_owned() }, "{text}");
    }
    for (text, start) in [
        (
            r#"{"tool_calls": [], "tool_calls": [{"tool": "a"}]}"#,
            "the JSON cannot be read: the key `tool_calls` is there twice at line 1 column",
        ),
        (
            r#"{"tool_calls": [{"tool": "a", "tool": "b"}]}"#,
            "the JSON cannot be read: the key `tool` is there twice at line 1 column",
        ),
        (
            "```json\n// call it\n{\"tool_calls\": []}\n```",
            "the JSON cannot be read: expected value at line 1 column 1",
        ),
    ] {
        let reading = read(text);
        assert!(
            matches!(&reading, ProtocolReading::Broken { problem } if problem.starts_with(start)),
            "{text}: {reading:?}"
        );
    }
}

#[test]
fn words_behind_an_empty_list_of_calls_are_an_answer() {
    let says =
        |reasoning: &str| ProtocolReading::NoCalls { reasoning: reasoning.to_owned(), words: "Hello!".to_owned() };
    let cases = [
        ("{\"tool_calls\": []}\n\nHello!", says("")),
        ("```json\n{\"reasoning\": \"why\", \"tool_calls\": []}\n```\nHello!", says("why")),
    ];
    for (text, reading) in cases {
        assert_eq!(read(text), reading, "{text}");
    }
    let broken = read("{\"tool_calls\": [], \"answer\": 1} Hello!");
    assert!(matches!(broken, ProtocolReading::Broken { .. }), "{broken:?}");
}

#[test]
fn parameters_that_are_no_object_are_never_taken_for_none() {
    let cases = [
        (r#""{\"a\": 1}""#, "\"parameters\" must be an object, not a text"),
        ("[1]", "\"parameters\" must be an object, not a list"),
        ("0", "\"parameters\" must be an object, not a number"),
        ("false", "\"parameters\" must be an object, not a truth value"),
    ];
    let unreadable = |problem: &str| ProtocolReading::Calls {
        reasoning: String::new(),
        calls: vec![RawCall {
            id: None,
            name: "a".to_owned(),
            arguments: RawArguments::Unreadable { problem: problem.to_owned() },
        }],
    };
    for (parameters, problem) in cases {
        let text = format!(r#"{{"tool_calls": [{{"tool": "a", "parameters": {parameters}}}]}}"#);
        assert_eq!(read(&text), unreadable(problem), "{parameters}");
    }
    let text = r#"{"tool_calls": [{"tool": "a", "arguments": "b"}]}"#;
    assert_eq!(read(text), unreadable("\"arguments\" must be an object, not a text"));
}

#[test]
fn parameters_are_read_under_each_name_that_models_give_them() {
    for key in PARAMETERS {
        let text = format!(r#"{{"tool_calls": [{{"tool": "a", "{key}": {{"b": 1}}, "id": "1"}}]}}"#);
        let ProtocolReading::Calls { calls, .. } = read(&text) else { panic!("{text}") };
        let expected = RawArguments::Object(Map::from_iter([("b".to_owned(), Value::from(1))]));
        assert_eq!(calls, [RawCall { id: None, name: "a".to_owned(), arguments: expected }], "{key}");
    }
}

#[test]
fn text_that_does_not_begin_as_a_block_is_text() {
    let cases = [
        "",
        " \n",
        "Hello!",
        r#"{"name":"Alice","age":3}"#,
        "```json\n{\"name\": \"Alice\"}\n```",
        "```python\nprint({'tool_calls': []})\n```",
        "[a link](https://example.org/tool: )",
        "{ not JSON at all",
        r#"[1, 2, {"a": 3}]"#,
        "Sure: {\"tool_calls\": [{\"tool\": \"status\"}]}",
        "`code`",
        r#"{"answer": 42} and "tool_calls": []"#,
        r#"{"a": {"tool_calls": []}}"#,
    ];
    for text in cases {
        assert_eq!(read(text), ProtocolReading::Prose, "{text}");
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = format!("{{\"tool_calls\": {}", "[".repeat(100_000));
    let problem = "the JSON cannot be read: more than 32 objects and arrays within each other";
    let reading = read(&deep);
    assert!(
        matches!(&reading, ProtocolReading::Broken { problem: found } if found.starts_with(problem)),
        "{reading:?}"
    );
    assert_eq!(read(&"{".repeat(100_000)), ProtocolReading::Prose);
}
