//! Made-up results, as they were met, and what stays.

use serde_json::{Value, json};

use super::{recoverable_memory, strip_made_up};
use crate::agent::honesty::stripped::Stripped;
use crate::agent::tools::OfferedTool;
use crate::inbound::CommandPath;

fn assert_stripped(text: &str, results: &[&str], kept: &str, removed: &[&str]) {
    let removed = removed.iter().map(|&removed| removed.to_owned()).collect();
    assert_eq!(strip_made_up(text, results), Stripped { kept: kept.to_owned(), removed }, "{text}");
}

fn memory() -> OfferedTool {
    OfferedTool {
        name: "save_memory".to_owned(),
        path: CommandPath::new("memory", Some("save")),
        description: "Save a memory".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "content": { "type": "string", "minLength": 1, "maxLength": 1000 },
                "kind": { "type": "string", "enum": ["journal", "fact", "preference", "task"] },
            },
            "required": ["content"],
            "additionalProperties": false,
        }),
        writes: true,
        claims: vec!["saved".to_owned()],
    }
}

fn recovered(removed: &[&str]) -> Option<Value> {
    let removed: Vec<_> = removed.iter().map(|&text| text.to_owned()).collect();
    recoverable_memory(&removed, &memory()).map(Value::Object)
}

#[test]
fn a_reply_without_made_up_results_is_only_trimmed() {
    for text in [
        "Hello!",
        "As a result: it is 42.",
        "The result is 42. Results: see above.",
        "Use `Result: 42` as a label.",
        "## Results\n\nAll is well.",
        "[a link](https://example.org) to click",
        "[2026-02-01 09:30] was when it began.",
        "{name} is a placeholder.",
        "{{name}} is one too.",
        "Here is the file:\n```json\n{\"a\": 1}\n```",
        "Here it is: {\"a\": 1}",
        "Here it is:\n\n{\"a\": 1}",
        "An example:\n```\nTool Result: 42\n\nResult: 43\n```\nThat is all.",
        "```rust\nfn main() {}\n```",
        "6 times 7.\nResult: 42",
        "6 times 7.\n\n**Result:** 42\n\nObservation: it is even.",
        "A.\n\nResults:\n\nCPU 5 %",
        "What it looks like.\nResult: {\"port\": 80}\nTry it.",
        "What it looks like.\nResult: {\"port\": 80,\n\"host\": \"a\"}",
        "```json\n{\"port\": 80}\n```",
        "```\n[{\"port\": 80}, {\"port\": 81}]\n```\nThat is the file.",
        "``` {\"port\": 80} ```",
        "~~~json\n{\"port\": 80,\n~~~",
        "```json\n{\"port\": 80}\n```\nResult: it listens on port 80.",
        "<b>bold</b>",
    ] {
        assert_stripped(&format!("  {text}\n"), &["42 is the result"], text, &[]);
    }
}

#[test]
fn empty_and_blank_text_stays_empty() {
    for text in ["", " ", "\n\n \t\n", "\u{200b}\n"] {
        assert_eq!(strip_made_up(text, &["{}"]).removed, Vec::<String>::new(), "{text:?}");
    }
    assert_stripped("\n\n \t\n", &[], "", &[]);
}

#[test]
fn a_leading_object_is_taken_out() {
    for object in [
        r#"{"success":true,"id":7}"#,
        r#"{"content":"a } b"}"#,
        r#"{"content":"say \"}\" and \\"}"#,
        r#"{"a":{"b":[{}]}}"#,
        "{\n  \"a\": 1,\n\n  \"b\": 2\n}",
        "{success: true, note: it's saved}",
        "{'content': 'a } b'}",
        r#"[{"a":1},{"b":2}]"#,
        "[2026-02-01 09:30] {\"a\":1}",
        "[2026-02-01 09:30]\n{\"a\":1}",
        "[2026-02-01T09:30:15 UTC] {\"a\":1}",
        "[2026-02-01 09:30] Tool Result: done",
        "[2026-02-01 09:30]\n```json\n{\"a\":1}\n```",
        "```json\n{\"success\":true}\n```",
        "```JSON\n{\"status\":\"up\",\"a\":1}```",
        "``` {\"ok\":true} ```",
        "```json {error: none} ```",
        "```json\n[{\"id\":1,\"result\":2},{\"id\":3}]\n```",
        "```json\n{\"content\":\"tea\",\"kind\":\"fact\"}\n```",
        "~~~json\n{\"output\": \"```\"}\n~~~",
        "{}",
    ] {
        assert_stripped(&format!("{object}\n\nIt is saved."), &[], "It is saved.", &[object]);
        assert_stripped(&format!(" \n\u{feff}{object}"), &[], "", &[format!("\u{feff}{object}").as_str()]);
    }
}

#[test]
fn json_and_prose_glued_together_are_parted() {
    assert_stripped(r#"{"success":true}I saved it."#, &[], "I saved it.", &[r#"{"success":true}"#]);
    assert_stripped("{success: true} I saved it.", &[], "I saved it.", &["{success: true}"]);
}

#[test]
fn several_leading_objects_are_taken_out_each_whole() {
    let text = "{\"a\":1}{\"b\":2}\n\n[2026-02-01 09:30] {\"c\":3}\n```json\n{\"d\":4}\n```\nWords.\n{\"e\":5}";
    let removed = ["{\"a\":1}", "{\"b\":2}", "[2026-02-01 09:30] {\"c\":3}", "```json\n{\"d\":4}\n```"];
    assert_stripped(text, &[], "Words.\n{\"e\":5}", &removed);
}

#[test]
fn an_object_that_is_never_closed_goes_to_the_next_blank_line() {
    assert_stripped("{\"a\":\"b\nc\n\nWords.", &[], "Words.", &["{\"a\":\"b\nc"]);
    assert_stripped("{\"a\":", &[], "", &["{\"a\":"]);
    assert_stripped("{\"a\n\n{\"b\n\n{\"c\":1} Words.", &[], "Words.", &["{\"a", "{\"b", "{\"c\":1}"]);
    assert_stripped("```json\n{\"ok\": 1,", &[], "", &["```json\n{\"ok\": 1,"]);
}

#[test]
fn labelled_blocks_are_taken_out_at_the_start_of_any_line() {
    let cases = [
        ("Result: 42", "", "Result: 42"),
        ("Sure.\nTool Execution: status\nAll is well.", "Sure.\n\nAll is well.", "Tool Execution: status"),
        ("**Tool Execution:** status\n\nWell.", "Well.", "**Tool Execution:** status"),
        ("### Result: 42\n\nWell.", "Well.", "### Result: 42"),
        ("> Result: 42\n\nWell.", "Well.", "> Result: 42"),
        ("A.\n\nTool Result:\nCPU 5 %\nDisk 6 %\n\nB.", "A.\n\nB.", "Tool Result:\nCPU 5 %\nDisk 6 %"),
        ("A.\n\nTool Result:\n\nCPU 5 %\n\nB.", "A.\n\nB.", "Tool Result:\n\nCPU 5 %"),
        ("Results:\n\nCPU 5 %", "CPU 5 %", "Results:"),
        ("A.\nResult: {\"success\": true}\nB.", "A.\n\nB.", "Result: {\"success\": true}"),
        ("Observation: {\"a\":\n\n1} B.", "B.", "Observation: {\"a\":\n\n1}"),
        ("Function Result:\n```\n{}\n\nx\n```\nB.", "B.", "Function Result:\n```\n{}\n\nx\n```"),
        ("Tool Output: ```\nx\n\ny\n```\nB.", "B.", "Tool Output: ```\nx\n\ny\n```"),
        ("Result:\n\n{\"a\":1}\n\nB.", "B.", "Result:\n\n{\"a\":1}"),
        ("A.\n<tool_response>\nx\n\ny</tool_response> B.", "A.\n\nB.", "<tool_response>\nx\n\ny</tool_response>"),
        ("A.\n<function_results>x\n\ny", "A.", "<function_results>x\n\ny"),
        ("<tool_result>x</tool_result>", "", "<tool_result>x</tool_result>"),
    ];
    for (text, kept, removed) in cases {
        assert_stripped(text, &[], kept, &[removed]);
    }
}

#[test]
fn json_and_lesser_labels_right_behind_a_block_belong_to_it() {
    let text =
        "Let me see.\nTool Execution: status\nParameters: {\"metric\":\"cpu\"}\nOutput: 5 %\n{\"a\":1}\n\nOutput: x";
    let removed = ["Tool Execution: status", "Parameters: {\"metric\":\"cpu\"}", "Output: 5 %", "{\"a\":1}"];
    assert_stripped(text, &[], "Let me see.\n\nOutput: x", &removed);

    let text = "Let me see.\nTool Execution: status\n```json\n{\"cpu\": 5}\n```\n\nResult: 5 %\nWell.\nResult: well.";
    let removed = ["Tool Execution: status", "```json\n{\"cpu\": 5}\n```", "Result: 5 %"];
    assert_stripped(text, &[], "Let me see.\n\nWell.\nResult: well.", &removed);
}

#[test]
fn what_a_receipt_says_stays() {
    let result = "{\"cpu\": 12.5, \"load\": [1, 2]}";
    assert_stripped("{\"load\":[1,2],\"cpu\":12.5} there.", &[result], "{\"load\":[1,2],\"cpu\":12.5} there.", &[]);
    assert_stripped("{\"cpu\":13.5} there.", &[result], "there.", &["{\"cpu\":13.5}"]);
    let result = "CPU 12.5 %   Memory 3.1 GiB\nDisk 13 %";
    for text in ["Result: CPU 12.5 % Memory", "Tool Result:\nMemory 3.1 GiB\nDisk 13 %", "Result:\n```\nDisk 13 %\n```"]
    {
        assert_stripped(text, &["other", result], text, &[]);
    }
    assert_stripped("Result: CPU 99 %", &[result], "", &["Result: CPU 99 %"]);
    // Too short to be told from chance, unless it is all there is.
    assert_stripped("{\"a\":1}", &["{\"a\":1,\"b\":2}"], "", &["{\"a\":1}"]);
    assert_stripped("Tool Result: 3.1", &[result], "", &["Tool Result: 3.1"]);
    assert_stripped("Tool Result: 3.1", &["3.1"], "Tool Result: 3.1", &[]);
    assert_stripped("Result:", &[result], "", &["Result:"]);
}

#[test]
fn a_sentence_behind_an_ordinary_label_stays_if_its_figures_are_a_receipts() {
    let result = "CPU: 12.5 % on db1\nat 12:03";
    for text in [
        "Result: CPU is at 12.5 %.",
        "**Result:** CPU is at 12.5 %.",
        "Result:\nDB1 runs at 12.5 % as of 12:03.\n\nAnything else?",
        "Result: CPU is at 12.5 %.\nStatus: healthy",
        "[2026-02-01 09:30] Result: 12.5 %.",
        "Result: 12.5",
    ] {
        assert_stripped(text, &["other", result], text, &[]);
    }
    let cases = [
        ("Result: CPU is at 12.6 %.", "", "Result: CPU is at 12.6 %."),
        ("Result: CPU is at 12.5 % of 16.", "", "Result: CPU is at 12.5 % of 16."),
        ("Result: all is well.", "", "Result: all is well."),
        // An answer of a tool, by its label or its form, says the same or goes.
        ("Tool Result: CPU is at 12.5 %.", "", "Tool Result: CPU is at 12.5 %."),
        ("Result: {\"cpu\": 12.5}", "", "Result: {\"cpu\": 12.5}"),
        ("Result:\n```\ncpu 12.5\n```", "", "Result:\n```\ncpu 12.5\n```"),
        ("Result: CPU is at 12.5 %.\nResult: disk 9 %", "Result: CPU is at 12.5 %.", "Result: disk 9 %"),
        ("Result: CPU is at 12.5 %.\n{\"a\":1}", "Result: CPU is at 12.5 %.", "{\"a\":1}"),
    ];
    for (text, kept, removed) in cases {
        assert_stripped(text, &[result], kept, &[removed]);
    }
    assert_stripped("Result: 42", &[], "", &["Result: 42"]);
}

#[test]
fn what_the_host_told_the_model_stays_if_its_result_is_a_receipts() {
    let results = ["CPU: \"12.5 %\"\nDisk: 13 %", "{\"load\": 1}"];
    let told = |result: Value| json!({ "tool": "status", "outcome": "done", "receipt": "7F3K2", "result": result });
    let mut cut = told(json!("CPU: \"12.5 %\""));
    cut["cut"] = json!("only the first bytes are shown");
    for told in [told(json!(results[0])), told(json!({ "load": 1 })), told(json!(results[1])), cut] {
        let text = told.to_string();
        assert_stripped(&text, &results, &text, &[]);
        assert_stripped(
            &format!("```json\n{text}\n```\nWell."),
            &results,
            &format!("```json\n{text}\n```\nWell."),
            &[],
        );
    }
    let mut more = told(json!(results[0]));
    more["deleted"] = json!(9);
    for made_up in [told(json!("CPU: 99 %")), told(json!({ "load": 2 })), told(json!("")), more] {
        let text = made_up.to_string();
        assert_stripped(&text, &results, "", &[&text]);
    }
}

#[test]
fn what_is_true_stays_and_its_line_with_it() {
    let text = "{\"b\": 2}\n{\"a\": 1}\nWords.";
    assert_stripped(text, &["{\"a\":1}"], "{\"a\": 1}\nWords.", &["{\"b\": 2}"]);
}

#[test]
fn what_is_true_stays_and_what_is_made_up_behind_it_goes() {
    let text = "{\"a\": 1}\n{\"b\": 2}\nWords.";
    assert_stripped(text, &["{\"a\":1}"], "{\"a\": 1}\n\nWords.", &["{\"b\": 2}"]);
}

#[test]
fn a_long_hostile_text_is_parted_without_growing() {
    let n = 40_000;
    for piece in [
        "{\"a\n\n",
        "{}",
        "Result: {\n\n",
        "```",
        "<tool_result>",
        "[{",
        "Tool Result:\n\n",
        "> # ",
        "Result:\n",
        "Result: 1\n",
        "x\nResult: {a:\n",
    ] {
        let text = piece.repeat(n / piece.len());
        let stripped = strip_made_up(&text, &["nothing of this"]);
        let length = stripped.kept.len() + stripped.removed.iter().map(String::len).sum::<usize>();
        assert!(length <= text.len() + 2 * stripped.removed.len(), "{piece:?}");
    }
}

#[test]
fn a_memory_is_recovered_from_strict_json_that_fits_the_tool() {
    let plain = json!({ "content": "Ada likes tea" });
    let kind = json!({ "content": "Ada likes tea", "kind": "fact" });
    let cases = [
        (r#"{"content":"Ada likes tea"}"#, Some(&plain)),
        (r#"{"content":"Ada likes tea","kind":"fact","success":true,"id":7}"#, Some(&kind)),
        (r#"{"success":true,"memory":{"content":"Ada likes tea","kind":"fact"}}"#, Some(&kind)),
        (r#"{"tool":"save_memory","parameters":{"content":"Ada likes tea"}}"#, Some(&plain)),
        (r#"{"name":"save_memory","arguments":"{\"content\":\"Ada likes tea\"}"}"#, Some(&plain)),
        (r#"{"result":{"content":"Ada likes tea"}}"#, Some(&plain)),
        (r#"{"data":{"content":"Ada likes tea"}}"#, Some(&plain)),
        (r#"[{"content":"Ada likes tea"}]"#, Some(&plain)),
        ("[2026-02-01 09:30] {\"content\":\"Ada likes tea\"}", Some(&plain)),
        ("```json\n{\"content\":\"Ada likes tea\"}\n```", Some(&plain)),
        ("Tool Result: {\"content\":\"Ada likes tea\"}", Some(&plain)),
        ("<tool_response>{\"content\":\"Ada likes tea\"}</tool_response>", Some(&plain)),
        // Not the tool's.
        ("{content: \"Ada likes tea\"}", None),
        (r#"{"content":"Ada likes tea""#, None),
        (r#"{"content":""}"#, None),
        (r#"{"content":7}"#, None),
        (r#"{"content":"Ada likes tea","kind":"diary"}"#, None),
        (r#"{"kind":"fact"}"#, None),
        (r#"{"tool":"files_write","parameters":{"content":"Ada likes tea"}}"#, None),
        (r#"{"path":"a.txt","content":"Ada likes tea"}"#, None),
        (r#"{"success":false,"content":"Ada likes tea"}"#, None),
        (r#"{"error":"full","content":"Ada likes tea"}"#, None),
        ("Result: saved", None),
        ("\"content\"", None),
        ("", None),
    ];
    for (removed, expected) in cases {
        assert_eq!(recovered(&[removed]).as_ref(), expected, "{removed}");
    }
    assert_eq!(recovered(&[&format!(r#"{{"content":"{}"}}"#, "a".repeat(1001))]), None);
}

#[test]
fn of_two_different_memories_none_is_recovered() {
    let (tea, coffee) = (r#"{"content":"tea"}"#, r#"{"content":"coffee"}"#);
    assert_eq!(recovered(&[]), None);
    assert_eq!(recovered(&["Result: saved", tea, tea]), Some(json!({ "content": "tea" })));
    assert_eq!(recovered(&[tea, coffee]), None);
    assert_eq!(recovered(&[r#"[{"content":"tea"},{"content":"coffee"}]"#]), None);
}

#[test]
fn an_object_before_prose_is_recovered_from_what_was_stripped() {
    let text = "{\"success\":true,\"content\":\"a } b\"}I have saved that.";
    let stripped = strip_made_up(text, &[]);
    assert_eq!(stripped.kept, "I have saved that.");
    let arguments = recoverable_memory(&stripped.removed, &memory());
    assert_eq!(arguments.map(Value::Object), Some(json!({ "content": "a } b" })));
}
