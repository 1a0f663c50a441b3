//! A server's answer read: status and body become the model's words, or the one failure that they are.
//!
//! Servers differ, so everything that does not touch the words is tolerated: unknown fields, a missing role,
//! a byte order mark, a missing or empty finish reason. What makes the words doubtful is a failure of its own,
//! never an answer: words that were cut off, filtered, or ended for a reason nobody here knows.

use std::time::Duration;

use serde_json::Value;

use crate::agent::ModelFailure;
use crate::unicode::is_invisible;

/// The longest answer taken, in characters. Fifty messages of Discord: no person reads more.
const ANSWER_LENGTH_MAX: usize = 100_000;

/// The words of an answer. `retry_after` is the wait that the server asked for, if it asked for one.
pub(super) fn answer_of(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Result<String, ModelFailure> {
    let answer = parse(body);
    match status {
        200..=299 => words_of(&answer.ok_or(ModelFailure::NotJson)?, retry_after),
        _ => Err(failure_of(status, retry_after, &answer.unwrap_or_default()["error"])),
    }
}

/// The body as JSON. JSON allows white space in front of it; a byte order mark is what some gateways add.
pub(super) fn parse(body: &[u8]) -> Option<Value> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice(body).ok()
}

fn words_of(answer: &Value, retry_after: Option<Duration>) -> Result<String, ModelFailure> {
    reported(&answer["error"], retry_after)?;
    let choices = answer["choices"].as_array().ok_or(ModelFailure::NotJson)?;
    let choice = choices.first().ok_or(ModelFailure::Empty)?;
    reported(&choice["error"], retry_after)?;
    let message = &choice["message"];
    if !message.is_object() {
        return Err(ModelFailure::NotJson);
    }
    if says_something(&message["refusal"]) {
        return Err(ModelFailure::Filtered);
    }
    if says_something(&message["tool_calls"]) || says_something(&message["function_call"]) {
        return Err(ModelFailure::ToolCall);
    }
    whole(&choice["finish_reason"])?;
    let text = text_of(&message["content"])?;
    let words = without_thinking(&text).trim();
    if words.chars().all(|character| character.is_whitespace() || is_invisible(character)) {
        return Err(ModelFailure::Empty);
    }
    if words.chars().nth(ANSWER_LENGTH_MAX).is_some() {
        return Err(ModelFailure::TooLarge);
    }
    Ok(words.to_owned())
}

/// What a status stands for that is none of success.
fn failure_of(status: u16, retry_after: Option<Duration>, error: &Value) -> ModelFailure {
    match status {
        // Azure withholds an answer with a status of its own making.
        400 if error["code"] == "content_filter" => ModelFailure::Filtered,
        401 => ModelFailure::Unauthorized,
        // A key without the right, but also a region, a moderation or a proxy that says no.
        403 => ModelFailure::Forbidden,
        404 => ModelFailure::UnknownModel,
        429 => ModelFailure::RateLimited(retry_after),
        500.. => ModelFailure::ServerError(status),
        // Redirects are not followed, and this bot never asks for what a status below 200 answers.
        0..=399 => ModelFailure::Redirected(status),
        _ => ModelFailure::Refused(status),
    }
}

/// An error in place of an answer, though the status says success. OpenRouter writes the status that it should
/// have been as the error's code.
fn reported(error: &Value, retry_after: Option<Duration>) -> Result<(), ModelFailure> {
    if !says_something(error) {
        return Ok(());
    }
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    Err(match code {
        Some(status @ 400..=599) => failure_of(status, retry_after, error),
        _ => ModelFailure::Reported,
    })
}

/// Whether a field is more than a placeholder: some servers write every field they know.
fn says_something(field: &Value) -> bool {
    match field {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

/// Whether the answer is whole, by the reason it ended for. Servers spell the reasons in many ways.
fn whole(finish_reason: &Value) -> Result<(), ModelFailure> {
    let reason = match finish_reason {
        Value::Null => return Ok(()),
        Value::String(reason) => reason,
        _ => return Err(ModelFailure::UnknownEnd),
    };
    let letters = reason.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    match letters.collect::<String>().as_str() {
        "" | "stop" | "stopsequence" | "eos" | "eostoken" | "end" | "endturn" | "complete" => Ok(()),
        "length" | "modellength" | "maxlength" | "maxtokens" => Err(ModelFailure::CutOff),
        "toolcall" | "toolcalls" | "tooluse" | "functioncall" => Err(ModelFailure::ToolCall),
        "error" => Err(ModelFailure::Reported),
        "safety" | "recitation" | "refusal" => Err(ModelFailure::Filtered),
        // Gemini adds its own reason: `content_filter: RECITATION`.
        filtered if filtered.starts_with("contentfilter") => Err(ModelFailure::Filtered),
        _ => Err(ModelFailure::UnknownEnd),
    }
}

/// The text of a message: a string, or an array of parts, of which only text is read.
fn text_of(content: &Value) -> Result<String, ModelFailure> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if parts.iter().any(|part| part["type"] == "refusal") => Err(ModelFailure::Filtered),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["type"] == "text").map(|part| &part["text"]);
            Ok(texts.filter_map(Value::as_str).collect())
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(ModelFailure::NotJson),
    }
}

/// The text behind a leading `<think>…</think>`, where some servers leave what a model thought before it
/// answered. Thinking that never ends leaves nothing. Anywhere else the mark is part of the answer.
fn without_thinking(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(thinking) = rest.strip_prefix("<think>") {
        rest = thinking.split_once("</think>").map_or("", |(_, answer)| answer).trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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

    fn read(answer: &Value) -> Result<String, ModelFailure> {
        answer_of(200, None, answer.to_string().as_bytes())
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
            (content("stray</think>"), "stray</think>"),
            (message(json!({"role": null, "content": "hello", "reasoning_content": "hm"})), "hello"),
            (message(json!({"content": "hello", "tool_calls": null, "refusal": null})), "hello"),
            (message(json!({"content": "hello", "tool_calls": [], "refusal": "", "function_call": {}})), "hello"),
            (json!({"error": null, "choices": [{"message": {"content": "hello"}, "error": null}]}), "hello"),
            (
                json!({"choices": [{"message": {"content": "hello"}}], "usage": {}, "service_tier": "on_demand"}),
                "hello",
            ),
            (json!({"choices": [{"message": {"content": "one"}}, {"message": {"content": "two"}}]}), "one"),
            (content("/status is a command"), "/status is a command"),
        ];
        for (answer, expected) in cases {
            assert_eq!(read(&answer), Ok(expected.to_owned()), "{answer}");
        }
    }

    #[test]
    fn an_answer_that_is_not_whole_is_a_failure_by_its_finish_reason() {
        for reason in ["", "stop", "eos", "eos_token", "stop_sequence", "end", "endturn", "end_turn", "COMPLETE"] {
            assert_eq!(read(&ended(reason)), Ok("half".to_owned()), "{reason:?}");
        }
        assert_eq!(read(&ended(Value::Null)), Ok("half".to_owned()));
        let cases = [
            (ended("length"), ModelFailure::CutOff),
            (ended("MAX_TOKENS"), ModelFailure::CutOff),
            (ended("model_length"), ModelFailure::CutOff),
            (ended("content_filter"), ModelFailure::Filtered),
            (ended("content_filter: RECITATION"), ModelFailure::Filtered),
            (ended("SAFETY"), ModelFailure::Filtered),
            (ended("tool_calls"), ModelFailure::ToolCall),
            (ended("tool_call"), ModelFailure::ToolCall),
            (ended("function_call"), ModelFailure::ToolCall),
            (ended("error"), ModelFailure::Reported),
            (ended("abort"), ModelFailure::UnknownEnd),
            (ended("insufficient_system_resource"), ModelFailure::UnknownEnd),
            (ended(7), ModelFailure::UnknownEnd),
        ];
        for (answer, expected) in cases {
            assert_eq!(read(&answer), Err(expected), "{answer}");
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
            (message(json!({"content": null, "refusal": "I will not"})), ModelFailure::Filtered),
            (content(json!([{"type": "refusal", "refusal": "I will not"}])), ModelFailure::Filtered),
            (message(json!({"content": null, "tool_calls": call})), ModelFailure::ToolCall),
            (message(json!({"content": "I looked", "tool_calls": call})), ModelFailure::ToolCall),
            (message(json!({"content": "", "function_call": {"name": "status"}})), ModelFailure::ToolCall),
            (content("x".repeat(100_001)), ModelFailure::TooLarge),
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
        assert_eq!(read(&content("é".repeat(100_000))).map(|words| words.chars().count()), Ok(100_000));
    }

    #[test]
    fn a_finish_reason_of_length_says_why_there_is_no_text() {
        let answer = json!({"choices": [{"message": {"content": "<think>hm"}, "finish_reason": "length"}]});
        assert_eq!(read(&answer), Err(ModelFailure::CutOff));
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
            (
                json!({"choices": [{"error": {"code": 401}, "message": {"content": "half"}}]}),
                ModelFailure::Unauthorized,
            ),
        ];
        for (answer, expected) in cases {
            assert_eq!(answer_of(200, wait, answer.to_string().as_bytes()), Err(expected), "{answer}");
        }
    }

    #[test]
    fn a_status_is_told_as_what_it_means_whatever_the_body_says() {
        let wait = Some(Duration::from_secs(3));
        let cases = [
            (302, ModelFailure::Redirected(302)),
            (304, ModelFailure::Redirected(304)),
            (400, ModelFailure::Refused(400)),
            (401, ModelFailure::Unauthorized),
            (402, ModelFailure::Refused(402)),
            (403, ModelFailure::Forbidden),
            (404, ModelFailure::UnknownModel),
            (408, ModelFailure::Refused(408)),
            (413, ModelFailure::Refused(413)),
            (429, ModelFailure::RateLimited(wait)),
            (500, ModelFailure::ServerError(500)),
            (503, ModelFailure::ServerError(503)),
            (529, ModelFailure::ServerError(529)),
        ];
        for (status, expected) in cases {
            for body in ["", "<html>", &content("hello").to_string()] {
                assert_eq!(answer_of(status, wait, body.as_bytes()), Err(expected.clone()), "{status} {body}");
            }
        }
        let azure = json!({"error": {"code": "content_filter", "message": "no"}}).to_string();
        assert_eq!(answer_of(400, None, azure.as_bytes()), Err(ModelFailure::Filtered));
    }

    #[test]
    fn bytes_that_are_no_json_are_no_answer() {
        let whole = content("hello").to_string();
        for prefix in ["\u{feff}", "\u{feff} \n", "\r\n\t "] {
            assert_eq!(answer_of(200, None, format!("{prefix}{whole}\n").as_bytes()), Ok("hello".to_owned()));
        }
        let bodies: [&[u8]; 8] = [
            b"",
            b"  ",
            b"hello",
            b"<!doctype html><p>hello",
            b"data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\ndata: [DONE]\n",
            b"{\"choices\":[{\"message\":{\"content\":\"hel",
            b"{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
            b"\x1f\x8b\x08\x00",
        ];
        for body in bodies {
            assert_eq!(answer_of(200, None, body), Err(ModelFailure::NotJson), "{}", String::from_utf8_lossy(body));
        }
        let deep = "[".repeat(100_000);
        assert_eq!(answer_of(200, None, deep.as_bytes()), Err(ModelFailure::NotJson));
        assert_eq!(answer_of(200, None, format!("{whole}{whole}").as_bytes()), Err(ModelFailure::NotJson));
    }
}
