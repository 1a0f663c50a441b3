//! Responses of every shape, and what is read from them.

use serde_json::json;

use super::*;
use candor_core::agent::tools::RawArguments;

/// A whole answer with this message in it.
fn message(message: Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

fn content(content: impl Into<Value>) -> Value {
    message(json!({"role": "assistant", "content": content.into()}))
}

fn ended(reason: impl Into<Value>) -> Value {
    json!({"choices": [{"message": {"content": "half"}, "finish_reason": reason.into()}]})
}

fn words(answer: Result<Completion, ModelFailure>) -> Result<String, ModelFailure> {
    answer.map(|completion| {
        assert_eq!(completion.calls, [], "no calls");
        completion.text
    })
}

/// What a body with this status says.
fn answer_of(
    status: u16,
    retry_after: Option<Duration>,
    offer: Offer,
    body: &[u8],
) -> Result<Completion, ModelFailure> {
    match status {
        200 => completion(&parse(body)?, retry_after, offer),
        _ => Err(refusal(status, retry_after, offer, body)),
    }
}

/// The words of an answer to a request without tools.
fn read(answer: &Value) -> Result<String, ModelFailure> {
    words(answer_of(200, None, Offer::Nothing, answer.to_string().as_bytes()))
}

#[test]
fn words_are_read_from_whatever_a_server_wraps_them_in() {
    let cases = [
        (content("hello"), "hello"),
        (content(" \n hello \n "), "hello"),
        (content(json!([{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}])), "hello"),
        (content(json!([{"type": "thinking", "thinking": []}, {"type": "text", "text": "hello"}])), "hello"),
        (content("<think>hm</think>hello"), "hello"),
        (content("\n<think>\nhm\n</think>\n\n<think></think>hello"), "hello"),
        (content("the mark <think>x</think> stays"), "the mark <think>x</think> stays"),
        (content("Okay, the user says hi.\n</think>\n\nhello"), "hello"),
        (content("the mark `</think>` stays"), "the mark `</think>` stays"),
        (message(json!({"role": null, "content": "hello", "reasoning_content": "hm"})), "hello"),
        (message(json!({"content": "hello", "tool_calls": null, "refusal": null})), "hello"),
        (message(json!({"content": "hello", "tool_calls": [], "refusal": "", "function_call": {}})), "hello"),
        (json!({"error": null, "choices": [{"message": {"content": "hello"}, "error": null}]}), "hello"),
        (json!({"choices": [{"message": {"content": "hello"}}], "usage": {}, "service_tier": "on_demand"}), "hello"),
        (json!({"choices": [{"message": {"content": "one"}}, {"message": {"content": "two"}}]}), "one"),
        (content("/status is a command"), "/status is a command"),
    ];
    for (answer, expected) in cases {
        assert_eq!(read(&answer), Ok(expected.to_owned()), "{answer}");
    }
}

#[test]
fn words_without_a_known_end_are_cut_off_there_and_without_words_that_is_a_failure() {
    for reason in ["", "stop", "eos", "eos_token", "stop_sequence", "end", "endturn", "end_turn", "COMPLETE"] {
        assert_eq!(read(&ended(reason)), Ok("half".to_owned()), "{reason:?}");
    }
    assert_eq!(read(&ended(Value::Null)), Ok("half".to_owned()));
    let call = json!([{"id": "1", "type": "function", "function": {"name": "status", "arguments": "{}"}}]);
    let calls = json!(std::iter::repeat_n(call[0].clone(), 1_000).collect::<Vec<_>>());
    // The reason, the calls, and what ends the words; without words, the failure.
    let cases = [
        (json!("length"), Value::Null, Some(Cut::Length), ModelFailure::CutOff),
        (json!("MAX_TOKENS"), Value::Null, Some(Cut::Length), ModelFailure::CutOff),
        (json!("model_length"), Value::Null, Some(Cut::Length), ModelFailure::CutOff),
        (json!("tool_calls"), Value::Null, Some(Cut::Call), ModelFailure::ToolCall),
        (json!("tool_call"), Value::Null, Some(Cut::Call), ModelFailure::ToolCall),
        (json!("function_call"), Value::Null, Some(Cut::Call), ModelFailure::ToolCall),
        (json!("stop"), call, Some(Cut::Call), ModelFailure::ToolCall),
        (json!("stop"), calls, Some(Cut::Call), ModelFailure::TooManyCalls),
        (json!("error"), Value::Null, Some(Cut::Lost), ModelFailure::Reported),
        (json!("abort"), Value::Null, Some(Cut::Lost), ModelFailure::UnknownEnd),
        (json!("insufficient_system_resource"), Value::Null, Some(Cut::Lost), ModelFailure::UnknownEnd),
        (json!(7), Value::Null, Some(Cut::Lost), ModelFailure::UnknownEnd),
        (json!("content_filter"), Value::Null, None, ModelFailure::Filtered),
        (json!("content_filter: RECITATION"), Value::Null, None, ModelFailure::Filtered),
        (json!("SAFETY"), Value::Null, None, ModelFailure::Filtered),
    ];
    for (reason, calls, cut, failure) in cases {
        let read = |words: &str| {
            let message = json!({"content": words, "tool_calls": calls});
            completion(&json!({"choices": [{"message": message, "finish_reason": reason}]}), None, Offer::Nothing)
        };
        let half = Completion { text: "half".to_owned(), calls: Vec::new(), cut };
        assert_eq!(read("half"), if cut.is_some() { Ok(half) } else { Err(failure.clone()) }, "{reason}");
        assert_eq!(read("<think>hm"), Err(failure), "{reason}");
    }
}

#[test]
fn an_answer_beyond_the_longest_is_cut_there_and_known_to_be_cut() {
    let call = json!([{"id": "1", "type": "function", "function": {"name": "status", "arguments": "{}"}}]);
    for (length, cut) in [(ANSWER_LENGTH_MAX, None), (ANSWER_LENGTH_MAX + 1, Some(Cut::Longest))] {
        let words = "é".repeat(length);
        let read = completion(&content(words.as_str()), None, Offer::Nothing);
        assert_eq!(read, Ok(Completion { text: "é".repeat(ANSWER_LENGTH_MAX), calls: Vec::new(), cut }));
        let called = json!({"content": words, "tool_calls": call});
        let n_calls = completion(&message(called), None, Offer::Tools).unwrap().calls.len();
        assert_eq!(n_calls, usize::from(cut.is_none()), "half an answer calls nothing");
    }
}

#[test]
fn what_is_no_answer_is_never_read_as_one() {
    let call = json!([{"id": "1", "type": "function", "function": {"name": "status", "arguments": "{}"}}]);
    let cases = [
        (json!({"choices": []}), ModelFailure::Empty),
        (content(Value::Null), ModelFailure::Empty),
        (content(""), ModelFailure::Empty),
        (content(" \n\t\u{a0} "), ModelFailure::Empty),
        (content("\u{200b}\u{feff}\u{2060}"), ModelFailure::Empty),
        (content(json!([])), ModelFailure::Empty),
        (content("<think>hm</think> \n"), ModelFailure::Empty),
        (content("<think>hm, the answer must be"), ModelFailure::Empty),
        (message(json!({"reasoning_content": "hm"})), ModelFailure::Empty),
        (message(json!({"content": null, "refusal": {"code": 1}})), ModelFailure::Filtered),
        (message(json!({"content": null, "tool_calls": call})), ModelFailure::ToolCall),
        (message(json!({"content": "", "function_call": {"name": "status"}})), ModelFailure::ToolCall),
        (content(5), ModelFailure::NotJson),
        (json!({"choices": [{"text": "hello"}]}), ModelFailure::NotJson),
        (json!({"choices": ["hello"]}), ModelFailure::NotJson),
        (json!({"choices": null}), ModelFailure::NotJson),
        (json!({"response": "hello"}), ModelFailure::NotJson),
        (json!({"object": "list", "data": []}), ModelFailure::NotJson),
        (json!(["hello"]), ModelFailure::NotJson),
        (json!("hello"), ModelFailure::NotJson),
        (json!(null), ModelFailure::NotJson),
    ];
    for (answer, expected) in cases {
        assert_eq!(read(&answer), Err(expected), "{answer}");
    }
    let refusals = [
        message(json!({"content": null, "refusal": "I will not"})),
        content(json!([{"type": "refusal", "refusal": "I will not"}])),
    ];
    for refusal in refusals {
        assert_eq!(read(&refusal), Ok("I will not".to_owned()), "{refusal}");
    }
    assert_eq!(read(&content("é".repeat(100_000))).map(|words| words.chars().count()), Ok(100_000));
}

#[test]
fn an_error_with_a_status_of_success_is_an_error() {
    let wait = Some(Duration::from_secs(3));
    let cases = [
        (json!({"error": {"message": "out of memory"}}), ModelFailure::Reported),
        (json!({"error": "out of memory"}), ModelFailure::Reported),
        (json!({"error": {"code": "overloaded", "message": "later"}}), ModelFailure::Reported),
        (json!({"error": {"code": 200}}), ModelFailure::Reported),
        (json!({"error": {"code": 429}}), ModelFailure::RateLimited(wait)),
        (json!({"error": {"code": 502}}), ModelFailure::ServerError(502)),
        (json!({"error": {"code": 402}}), ModelFailure::Refused(402)),
        (json!({"error": {"code": 400, "type": "exceed_context_size_error"}}), ModelFailure::ContextTooLong),
        (json!({"object": "error", "message": "out of memory"}), ModelFailure::Reported),
        (json!({"object": "error", "message": "later", "code": 503}), ModelFailure::Overloaded(wait)),
        (json!({"choices": [{"error": {"code": 401}, "message": {"content": "half"}}]}), ModelFailure::Unauthorized),
    ];
    for (answer, expected) in cases {
        assert_eq!(answer_of(200, wait, Offer::Nothing, answer.to_string().as_bytes()), Err(expected), "{answer}");
    }
}

#[test]
fn a_status_is_told_whatever_the_body_says() {
    let cases = [
        (302, ModelFailure::Redirected(302)),
        (400, ModelFailure::Refused(400)),
        (401, ModelFailure::Unauthorized),
        (500, ModelFailure::ServerError(500)),
        (529, ModelFailure::Overloaded(None)),
    ];
    for (status, expected) in cases {
        for body in ["", "<html>", "data: {\"choi", &content("hello").to_string()] {
            let answer = answer_of(status, None, Offer::Nothing, body.as_bytes());
            assert_eq!(answer, Err(expected.clone()), "{status} {body}");
        }
    }
    let errors = [
        json!({"error": {"message": "gemma does not support tools"}}),
        json!({"error": "gemma does not support tools"}),
        json!({"object": "error", "message": "gemma does not support tools"}),
    ];
    for error in errors {
        let answer = answer_of(400, None, Offer::Tools, error.to_string().as_bytes());
        assert_eq!(answer, Err(ModelFailure::ToolsUnsupported), "{error}");
    }
}

#[test]
fn calls_are_taken_if_tools_were_offered_and_the_answer_is_whole() {
    let call = |arguments| RawCall { id: Some("1".to_owned()), name: "status".to_owned(), arguments };
    let expected = |text: &str| Completion {
        text: text.to_owned(),
        calls: vec![call(RawArguments::Object(serde_json::Map::new()))],
        cut: None,
    };
    let calls = json!([{"id": "1", "type": "function", "function": {"name": "status", "arguments": "{}"}}]);
    let read = |reason: Value, message: &Value| {
        let answer = json!({"choices": [{"message": message, "finish_reason": reason}]});
        answer_of(200, None, Offer::Tools, answer.to_string().as_bytes())
    };
    let silent = json!({"role": "assistant", "content": null, "tool_calls": calls});
    for reason in ["tool_calls", "tool_call", "function_call", "stop", "", "eos", "end_turn"] {
        assert_eq!(read(reason.into(), &silent), Ok(expected("")), "{reason:?}");
    }
    assert_eq!(read(Value::Null, &silent), Ok(expected("")));
    let contents = [
        (json!("I look"), "I look"),
        (json!("<think>which tool?</think>I look"), "I look"),
        (json!("<think>which tool?"), ""),
        (json!(" \u{200b}\n"), ""),
        (json!([]), ""),
    ];
    for (content, text) in contents {
        let message = json!({"content": content, "tool_calls": calls});
        assert_eq!(read("tool_calls".into(), &message), Ok(expected(text)), "{content}");
    }
    let lost = Completion { text: "I look".to_owned(), calls: Vec::new(), cut: Some(Cut::Call) };
    assert_eq!(read("tool_calls".into(), &json!({"content": "I look"})), Ok(lost));
    let refused = Completion { text: "I will not".to_owned(), calls: Vec::new(), cut: None };
    assert_eq!(read("stop".into(), &json!({"tool_calls": calls, "refusal": "I will not"})), Ok(refused));
    let failures = [
        ("length", json!({"tool_calls": calls}), ModelFailure::CutOff),
        ("content_filter", json!({"tool_calls": calls}), ModelFailure::Filtered),
        ("abort", json!({"tool_calls": calls}), ModelFailure::UnknownEnd),
        ("tool_calls", json!({"content": " "}), ModelFailure::LostCall),
        ("tool_calls", json!({"content": null, "reasoning_content": calls}), ModelFailure::LostCall),
        ("stop", json!({"content": null, "reasoning_content": calls.to_string()}), ModelFailure::Empty),
        ("stop", json!({"content": null, "tool_calls": "status"}), ModelFailure::NotJson),
    ];
    for (reason, message, expected) in failures {
        assert_eq!(read(reason.into(), &message), Err(expected), "{reason} {message}");
    }
}

#[test]
fn a_stream_is_read_like_the_whole_answer_that_it_is() {
    let body = |reason: &str| {
        let delta = json!({"choices": [{"delta": {"content": "hello"}}]});
        let end = json!({"choices": [{"delta": {}, "finish_reason": reason}]});
        format!("\u{feff}data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n")
    };
    let cases = [
        ("stop", Ok("hello".to_owned())),
        ("length", Ok("hello".to_owned())),
        ("content_filter", Err(ModelFailure::Filtered)),
        ("tool_calls", Ok("hello".to_owned())),
    ];
    for (reason, expected) in cases {
        assert_eq!(words(answer_of(200, None, Offer::Nothing, body(reason).as_bytes())), expected, "{reason}");
    }
    let error = "data: {\"error\":{\"message\":\"out of memory\"}}\n\n";
    let answer = answer_of(200, None, Offer::Nothing, error.as_bytes());
    assert_eq!(answer, Err(ModelFailure::Reported));
}

#[test]
fn bytes_that_are_no_json_are_no_answer() {
    let whole = content("hello").to_string();
    for prefix in ["\u{feff}", "\u{feff} \n", "\r\n\t "] {
        let body = format!("{prefix}{whole}\n");
        assert_eq!(words(answer_of(200, None, Offer::Nothing, body.as_bytes())), Ok("hello".to_owned()));
    }
    let bodies: [&[u8]; 8] = [
        b"",
        b"  ",
        b"hello",
        b"<!doctype html><p>hello",
        b"data: hello\n\n",
        b"{\"choices\":[{\"message\":{\"content\":\"hel",
        b"{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
        b"\x1f\x8b\x08\x00",
    ];
    for body in bodies {
        assert_eq!(
            answer_of(200, None, Offer::Nothing, body),
            Err(ModelFailure::NotJson),
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    let deep = "[".repeat(100_000);
    assert_eq!(answer_of(200, None, Offer::Nothing, deep.as_bytes()), Err(ModelFailure::NotJson));
    let twice = format!("{whole}{whole}");
    assert_eq!(answer_of(200, None, Offer::Nothing, twice.as_bytes()), Err(ModelFailure::NotJson));
}

#[test]
fn tokens_are_taken_from_where_a_server_counts_them() {
    let cases = [
        (json!({"usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}), Some(12)),
        (json!({"usage": {"prompt_tokens": 9, "completion_tokens": 3}}), Some(12)),
        (json!({"usage": {"prompt_tokens": 9}}), Some(9)),
        (json!({"usage": {"completion_tokens": 3}}), None),
        (json!({"usage": {"total_tokens": 0}}), None),
        (json!({"usage": {"total_tokens": -5}}), None),
        (json!({"usage": {"total_tokens": u64::MAX}}), None),
        (json!({"usage": {"total_tokens": "12"}}), None),
        (json!({"usage": null}), None),
        (json!({}), None),
    ];
    for (answer, expected) in cases {
        assert_eq!(tokens_used(&answer), expected, "{answer}");
    }
    let piece = r#"{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":null}"#;
    let last = r#"{"choices":[],"usage":{"total_tokens":7}}"#;
    let stream = format!("data: {piece}\n\ndata: {last}\n\ndata: [DONE]\n\n");
    assert_eq!(tokens_used(&parse(stream.as_bytes()).unwrap()), Some(7), "behind the last piece of a stream");
}
