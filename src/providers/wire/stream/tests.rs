//! Streams of every shape, and the answers assembled from them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Stream, is_stream, whole};
use candor_core::agent::ModelFailure;
use candor_core::settings::ModelApi;

const NONE: Value = Value::Null;

/// A chunk with this delta.
fn delta(delta: Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn piece(index: impl Into<Value>, id: impl Into<Value>, name: impl Into<Value>, arguments: impl Into<Value>) -> Value {
    let function = json!({"name": name.into(), "arguments": arguments.into()});
    json!({"index": index.into(), "id": id.into(), "type": "function", "function": function})
}

fn calls(pieces: Vec<Value>) -> Value {
    delta(json!({"content": null, "tool_calls": pieces}))
}

/// The events as a server sends them, with `[DONE]`.
fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn read(body: &str) -> Result<Value, ModelFailure> {
    assert_eq!(is_stream(body.as_bytes()), Some(true), "{body}");
    whole(body.as_bytes())
}

/// The text of an answer that was put together.
fn text(body: &str) -> Result<String, ModelFailure> {
    read(body).map(|answer| answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned())
}

/// The calls of an answer that was put together: id, name and arguments.
fn called(events: &[Value]) -> Vec<(Option<String>, String, String)> {
    let answer = read(&stream(events)).unwrap();
    let of = |value: &Value| value.as_str().map(str::to_owned);
    let calls = answer["choices"][0]["message"]["tool_calls"].as_array().unwrap();
    let function = |call: &Value, field: &str| of(&call["function"][field]).unwrap();
    calls.iter().map(|call| (of(&call["id"]), function(call, "name"), function(call, "arguments"))).collect()
}

#[test]
fn words_are_put_together_whatever_stands_between_them() {
    let (hel, lo) = (delta(json!({"role": "assistant", "content": "hel"})), delta(json!({"content": "lö"})));
    let stop = end("stop");
    let plain = stream(&[hel.clone(), lo.clone(), stop.clone()]);
    let multi =
        format!("data: {{\"choices\":\ndata:[{{\"delta\":{{\"content\":\ndata:  \"hellö\"}}}}]}}\n\n{}", stream(&[]));
    let usage = json!({"choices": [], "usage": {"total_tokens": 2}});
    let cases = [
        plain.clone(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace("data: ", "data:"),
        format!("\n\n{plain}"),
        format!(": ping\n\n{}", plain.replace("\n\n", "\n: OPENROUTER PROCESSING\n\n")),
        format!("retry: 3000\nid: 1\nevent: message\n{plain}"),
        multi.clone(),
        multi.replace('\n', "\r\n"),
        // No `[DONE]`, but a reason to end; and the other way round.
        format!("data: {hel}\n\ndata: {lo}\n\ndata: {stop}\n\n"),
        format!("data: {hel}\n\ndata: {lo}\n\ndata: {stop}"),
        stream(&[hel.clone(), lo.clone()]),
        format!("data: {hel}\n\ndata: {lo}\n\ndata:[DONE]"),
        // No empty lines between the events.
        format!("data: {hel}\ndata: {lo}\ndata: {stop}\ndata: [DONE]\n"),
        stream(&[json!({"type": "ping"}), hel.clone(), lo.clone(), stop.clone(), usage]),
        stream(&[delta(json!({"reasoning_content": "hm", "tool_calls": null})), hel.clone(), lo.clone(), stop.clone()]),
        stream(&[hel, json!({"choices": [{"index": 1, "delta": {"content": "other"}}]}), lo.clone(), stop.clone()]),
        stream(&[delta(json!({"content": [{"type": "text", "text": "hellö"}]})), stop]),
        format!("{plain}data: {lo}\n\n"),
    ];
    for body in cases {
        assert_eq!(text(&body), Ok("hellö".to_owned()), "{body}");
    }
    let whole = json!({"choices": [{"message": {"content": "hellö"}, "finish_reason": "stop"}]});
    assert_eq!(read(&stream(std::slice::from_ref(&whole))), Ok(whole), "one event with the whole answer");
}

#[test]
fn a_call_is_put_together_whatever_its_pieces_say_again_or_leave_out() {
    let call = |id: &str, name: &str, arguments: &str| (Some(id.to_owned()), name.to_owned(), arguments.to_owned());
    let cases = [
        (
            "name once, arguments in pieces",
            vec![piece(0, "1", "status", ""), piece(0, NONE, NONE, "{\"a\""), piece(0, NONE, NONE, ":1}")],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        (
            "an empty name in later chunks",
            vec![piece(0, "1", "status", "{\"a\""), piece(0, "", "", ":1}")],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        (
            "the name and the id again in each chunk",
            vec![piece(0, "1", "status", "{\"a\""), piece(0, "1", "status", ":1}")],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        (
            "another id in each chunk",
            vec![piece(0, "1", "status", "{\"a\""), piece(0, "2", "", ":1}")],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        (
            "a name that grows",
            vec![piece(0, "1", "sta", ""), piece(0, "1", "status", "{}")],
            vec![call("1", "status", "{}")],
        ),
        (
            "a name in parts",
            vec![piece(0, "1", "files", ""), piece(0, NONE, "_read", "{}")],
            vec![call("1", "files_read", "{}")],
        ),
        (
            "no index",
            vec![piece(NONE, "1", "status", "{\"a\""), piece(NONE, NONE, NONE, ":1}")],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        (
            "no index, told apart by their ids",
            vec![
                piece(NONE, "1", "status", "{\"a\""),
                piece(NONE, "2", "tasks", "{\"b\""),
                piece(NONE, "1", NONE, ":1}"),
                piece(NONE, "2", NONE, ":2}"),
            ],
            vec![call("1", "status", "{\"a\":1}"), call("2", "tasks", "{\"b\":2}")],
        ),
        (
            "out of order",
            vec![piece(1, "2", "tasks", "{}"), piece(0, "1", "status", "{}")],
            vec![call("1", "status", "{}"), call("2", "tasks", "{}")],
        ),
        (
            "interleaved",
            vec![
                piece(0, "1", "status", "{\"a\""),
                piece(1, "2", "tasks", "{\"b\""),
                piece(0, NONE, NONE, ":1}"),
                piece(1, NONE, NONE, ":2}"),
            ],
            vec![call("1", "status", "{\"a\":1}"), call("2", "tasks", "{\"b\":2}")],
        ),
        (
            "every call at index 0",
            vec![piece(0, "1", "status", "{}"), piece(0, "2", "status", "{}")],
            vec![call("1", "status", "{}"), call("2", "status", "{}")],
        ),
        (
            "arguments as an object",
            vec![piece(0, "1", "status", json!({"a": 1}))],
            vec![call("1", "status", "{\"a\":1}")],
        ),
        ("no arguments", vec![piece(0, "1", "status", NONE)], vec![call("1", "status", "")]),
    ];
    for (case, pieces, expected) in cases {
        let events: Vec<_> = pieces.into_iter().map(|piece| calls(vec![piece])).chain([end("tool_calls")]).collect();
        assert_eq!(called(&events), expected, "{case}");
    }
}

#[test]
fn calls_that_nothing_tells_apart_are_unreadable_and_not_mixed_up() {
    let unnamed = |name: &str, arguments: &str| piece(NONE, NONE, name, arguments);
    let of = |name: &str, arguments: &str| (None, name.to_owned(), arguments.to_owned());
    let twice = [calls(vec![unnamed("status", "{\"a\":1}")]), calls(vec![unnamed("status", "{\"a\":2}")])];
    assert_eq!(called(&twice), [of("status", "{\"a\":1}{\"a\":2}")]);
    // Two in one chunk, or two names, are two calls.
    let side_by_side = [calls(vec![unnamed("status", "{}"), unnamed("status", "{}")])];
    assert_eq!(called(&side_by_side), [of("status", "{}"), of("status", "{}")]);
    let two_names = [calls(vec![unnamed("status", "{}")]), calls(vec![unnamed("tasks", "{}")])];
    assert_eq!(called(&two_names), [of("status", "{}"), of("tasks", "{}")]);
}

#[test]
fn words_calls_and_the_older_form_of_a_call_stand_side_by_side() {
    let events = [
        delta(json!({"content": "I look"})),
        calls(vec![piece(0, "1", "status", "{}")]),
        delta(json!({"function_call": {"name": "status", "arguments": ""}})),
        delta(json!({"function_call": {"arguments": "{}"}})),
        delta(json!({"refusal": "no"})),
        end("tool_calls"),
    ];
    let function = json!({"name": "status", "arguments": "{}"});
    let message = json!({
        "content": "I look",
        "refusal": "no",
        "tool_calls": [{"id": "1", "function": function}],
        "function_call": function,
    });
    let expected = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    assert_eq!(read(&stream(&events)), Ok(expected));
}

#[test]
fn an_error_in_the_middle_takes_the_place_of_the_answer() {
    let error = json!({"error": {"message": "out of memory", "code": 500}});
    let half = delta(json!({"content": "half"}));
    let anthropic = json!({"type": "overloaded_error"});
    let vllm = json!({"object": "error", "message": "no", "code": 400});
    let choice = json!({"choices": [{"delta": {"content": "x"}, "error": {"code": 502}}]});
    let cases = [
        (stream(&[half.clone(), error.clone()]), error.clone()),
        (stream(&[half.clone(), error.clone(), half.clone(), end("stop")]), error.clone()),
        (format!("data: {half}\n\ndata: {error}"), error.clone()),
        (format!("data: {half}\n\nerror: {}\n\n", error["error"]), error),
        (format!("data: {half}\n\nevent: error\ndata: {anthropic}\n\n"), json!({"error": anthropic})),
        (stream(std::slice::from_ref(&vllm)), vllm),
        (stream(&[half, choice.clone()]), choice),
    ];
    for (body, expected) in cases {
        assert_eq!(read(&body), Ok(expected), "{body}");
    }
}

#[test]
fn a_stream_without_an_end_is_no_answer() {
    let half = delta(json!({"content": "half"}));
    let cut = r#"data: {"choices":[{"delta":{"content":"ha"#;
    let cases = [
        (format!("data: {half}\n\n"), ModelFailure::Interrupted),
        (format!("data: {half}\n\n{cut}"), ModelFailure::Interrupted),
        (cut.to_owned(), ModelFailure::Interrupted),
        (": ping\n\n".to_owned(), ModelFailure::Interrupted),
        ("data:".to_owned(), ModelFailure::Interrupted),
        ("data: hello\n\n".to_owned(), ModelFailure::NotJson),
        (stream(&[half]).replace("half", "ha\\qlf"), ModelFailure::NotJson),
    ];
    for (body, expected) in cases {
        assert_eq!(read(&body), Err(expected), "{body}");
    }
    assert_eq!(whole(b"data: \"\xc3"), Err(ModelFailure::Interrupted));
    assert_eq!(whole(b"data: \"\xff\"\n\n"), Err(ModelFailure::NotJson));
    assert_eq!(read(&stream(&[])), Ok(json!({"choices": []})), "nothing was said");
}

#[test]
fn a_flood_of_calls_is_none() {
    let flood =
        |n: u64| stream(&(0..n).map(|n| calls(vec![piece(n, Value::Null, "status", "{}")])).collect::<Vec<_>>());
    assert!(read(&flood(64)).is_ok());
    assert_eq!(read(&flood(65)), Err(ModelFailure::TooManyCalls));
}

#[test]
fn json_and_html_are_no_stream_and_too_little_may_become_one() {
    for body in ["{\"data\":1}", "[1]", "<html>data:", "\"data:\"", "hello: you", "\u{feff}{"] {
        assert_eq!(is_stream(body.as_bytes()), Some(false), "{body}");
    }
    for body in [b"".as_slice(), b" \r\n", b"d", b"data", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbf eve"] {
        assert_eq!(is_stream(body), None, "{body:?}");
    }
}

proptest! {
    #[test]
    fn a_stream_that_is_cut_anywhere_is_told_as_cut_or_is_whole(at in 0_usize..1_000) {
        let events = [delta(json!({"content": "hé"})), calls(vec![piece(0, "1", "status", "{\"a\":\"é\"}")]), end("stop")];
        let body = stream(&events);
        let bytes = body.as_bytes();
        let at = at % bytes.len();
        let expected = whole(bytes).unwrap();
        match whole(bytes.split_at(at).0) {
            Ok(answer) => prop_assert_eq!(answer, expected),
            Err(failure) => prop_assert_eq!(failure, ModelFailure::Interrupted),
        }
    }

    #[test]
    fn a_stream_is_the_same_answer_wherever_the_network_cuts_it(
        cuts in prop::collection::vec(0_usize..1_000, 0..12),
        ends in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let events = [
            delta(json!({"content": "hé\n"})),
            calls(vec![piece(0, "1", "status", "{\"a\":\"é")]),
            calls(vec![piece(0, NONE, NONE, "\"}")]),
            end("stop"),
        ];
        let body = format!("\u{feff}: ping\n\n{}", stream(&events)).replace('\n', ends);
        let bytes = body.as_bytes();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut % bytes.len()).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let mut stream = Stream::of(ModelApi::Chat);
        for pair in cuts.windows(2) {
            stream.push(&bytes[pair[0]..pair[1]]).unwrap();
        }
        prop_assert_eq!(stream.finish(), whole(bytes));
        prop_assert_eq!((stream.text(), stream.n_pieces()), ("hé\n", 3));
    }

    #[test]
    fn no_body_is_too_strange_to_be_read(body in "(data|event|:|\\{|\\}|\"choices\"|\\[|\\]|\"delta\"|[\\r\\n ]|1|,){0,60}") {
        // Any outcome is fine; to return is the point.
        drop(whole(body.as_bytes()));
    }
}
