//! Answers of the APIs besides chat completions, in their documented shapes: whole, and as streams cut at every byte.

use serde_json::json;

use super::*;
use crate::wire::apis;
use crate::wire::content::{THOUGHTS_LENGTH_MAX, thoughts_of};
use crate::wire::stream::Stream;
use candor_core::agent::tools::RawArguments;
use candor_core::settings::ModelApi;

/// One answer in both forms, and the expected reading.
struct Case {
    name: &'static str,
    whole: Value,
    events: Vec<Value>,
    expected: Result<Completion, ModelFailure>,
    tokens: Option<u64>,
}

fn words(text: &str, cut: Option<Cut>) -> Result<Completion, ModelFailure> {
    Ok(Completion { text: text.to_owned(), calls: Vec::new(), cut })
}

fn called(text: &str, calls: &[(&str, Value)]) -> Result<Completion, ModelFailure> {
    let call = |(id, arguments): &(&str, Value)| RawCall {
        id: Some((*id).to_owned()),
        name: "status".to_owned(),
        arguments: RawArguments::Object(arguments.as_object().cloned().unwrap()),
    };
    Ok(Completion { text: text.to_owned(), calls: calls.iter().map(call).collect(), cut: None })
}

/// Encodes the events as both APIs send them, each with its name.
fn stream(events: &[Value]) -> Vec<u8> {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("message"));
    events.iter().map(event).collect::<String>().into_bytes()
}

fn read_pieces<'a>(api: ModelApi, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Value, ModelFailure> {
    let mut stream = Stream::of(api);
    pieces.into_iter().try_for_each(|piece| stream.push(piece))?;
    stream.finish()
}

fn read(api: ModelApi, events: &[Value]) -> Result<Completion, ModelFailure> {
    let body = stream(events);
    completion(&read_pieces(api, [body.as_slice()])?, None, Offer::Tools)
}

fn hold(api: ModelApi, cases: Vec<Case>) {
    for Case { name, whole, events, expected, tokens } in cases {
        let answer = apis::whole(api, parse(whole.to_string().as_bytes()).unwrap());
        assert_eq!(completion(&answer, None, Offer::Tools), expected, "{name}, whole");
        assert_eq!(tokens_used(&answer), tokens, "{name}, whole");
        let body = stream(&events);
        let at_once = read_pieces(api, [body.as_slice()]).unwrap();
        assert_eq!(completion(&at_once, None, Offer::Tools), expected, "{name}, as a stream");
        assert_eq!(tokens_used(&at_once), tokens, "{name}, as a stream");
        for length in [1, 2, 7] {
            let pieces = body.chunks(length);
            assert_eq!(read_pieces(api, pieces).as_ref(), Ok(&at_once), "{name}, in pieces of {length} bytes");
        }
        for at in 0..body.len() {
            let (before, _) = body.split_at(at);
            match read_pieces(api, [before]) {
                // Only data behind the end of the answer may be missing.
                Ok(cut) => assert_eq!(completion(&cut, None, Offer::Tools), expected, "{name}, ended at {at}"),
                Err(failure) => assert_eq!(failure, ModelFailure::Interrupted, "{name}, ended at {at}"),
            }
        }
    }
}

/// A whole answer of Anthropic's.
fn message(content: Value, stop_reason: &str) -> Value {
    let mut answer = begun();
    (answer["content"], answer["stop_reason"]) = (content, json!(stop_reason));
    answer["usage"]["output_tokens"] = json!(4);
    answer
}

/// The same before its first word.
fn begun() -> Value {
    let cached = json!({"cache_creation_input_tokens": 0, "cache_read_input_tokens": 2});
    let mut usage = json!({"input_tokens": 5, "output_tokens": 1});
    usage.as_object_mut().unwrap().extend(cached.as_object().cloned().unwrap());
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    })
}

/// The events of a block: its beginning and its deltas.
fn block(index: u64, begin: Value, deltas: &[Value]) -> Vec<Value> {
    let begin = json!({"type": "content_block_start", "index": index, "content_block": begin});
    let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let end = json!({"type": "content_block_stop", "index": index});
    std::iter::once(begin).chain(deltas.iter().map(delta)).chain([end]).collect()
}

fn text_block(index: u64, pieces: &[&str]) -> Vec<Value> {
    let deltas: Vec<_> = pieces.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
    block(index, json!({"type": "text", "text": ""}), &deltas)
}

fn call_block(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let begin = json!({"type": "tool_use", "id": id, "name": "status", "input": {}});
    let deltas: Vec<_> = pieces.iter().map(|json| json!({"type": "input_json_delta", "partial_json": json})).collect();
    block(index, begin, &deltas)
}

/// A stream of Anthropic's with these blocks, ended for this reason.
fn messages_stream(blocks: &[Vec<Value>], stop_reason: &str) -> Vec<Value> {
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    let end = json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 4}});
    let begin = [json!({"type": "message_start", "message": begun()}), json!({"type": "ping"})];
    begin.into_iter().chain(blocks.concat()).chain([end, json!({"type": "message_stop"})]).collect()
}

#[test]
fn answers_of_messages_are_read_whole_and_in_pieces() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let used = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "status", "input": input});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let thinking_block = block(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[json!({"type": "thinking_delta", "thinking": "hm"}), json!({"type": "signature_delta", "signature": "c2ln"})],
    );
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let of_server = json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}});
    let of_server_block = block(
        1,
        json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}),
        &[json!({"type": "input_json_delta", "partial_json": "{\"query\":\"x\"}"})],
    );
    let case = |name, content: Value, blocks: &[Vec<Value>], end: &str, expected| Case {
        name,
        whole: message(content, end),
        events: messages_stream(blocks, end),
        expected,
        tokens: Some(11),
    };
    let half = [text_block(0, &["ha", "lf"])];
    let half_whole = || json!([text("half")]);
    let cpu = json!({"metric": "cpu"});
    hold(
        ModelApi::Messages,
        vec![
            case("words", json!([text("hellö")]), &[text_block(0, &["hel", "lö"])], "end_turn", words("hellö", None)),
            case("a stop sequence", half_whole(), &half, "stop_sequence", words("half", None)),
            case("the limit", half_whole(), &half, "max_tokens", words("half", Some(Cut::Length))),
            case("full", half_whole(), &half, "model_context_window_exceeded", words("half", Some(Cut::Length))),
            case("a pause", half_whole(), &half, "pause_turn", words("half", Some(Cut::Lost))),
            case("a reason to come", half_whole(), &half, "tired", words("half", Some(Cut::Lost))),
            case("a refusal", half_whole(), &half, "refusal", Err(ModelFailure::Filtered)),
            case("nothing", json!([]), &[], "end_turn", Err(ModelFailure::Empty)),
            case("a call that is lost", json!([]), &[], "tool_use", Err(ModelFailure::LostCall)),
            case(
                "thinking and words",
                json!([thinking, redacted, text("hello")]),
                &[thinking_block.clone(), block(1, redacted, &[]), text_block(2, &["hello"])],
                "end_turn",
                words("hello", None),
            ),
            case(
                "words and calls",
                json!([text("I look"), used("toolu_1", cpu.clone()), used("toolu_2", json!({}))]),
                &[
                    text_block(0, &["I look"]),
                    call_block(1, "toolu_1", &["", "{\"metric\"", ": \"cpu\"}"]),
                    call_block(2, "toolu_2", &[""]),
                ],
                "tool_use",
                called("I look", &[("toolu_1", cpu), ("toolu_2", json!({}))]),
            ),
            case(
                "a call that the limit cut",
                json!([text("I look"), used("toolu_1", json!({}))]),
                &[text_block(0, &["I look"]), call_block(1, "toolu_1", &["{\"met"])],
                "max_tokens",
                words("I look", Some(Cut::Length)),
            ),
            case(
                "a tool of the server's own",
                json!([thinking, of_server, text("hello")]),
                &[thinking_block, of_server_block, text_block(2, &["hello"])],
                "end_turn",
                words("hello", None),
            ),
        ],
    );
}

#[test]
fn what_was_thought_before_calls_is_read_with_its_signature_and_its_place() {
    let thinking = json!({"type": "thinking", "thinking": "hm, hm", "signature": "c2ln"});
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "status", "input": {}});
    let text = json!({"type": "text", "text": "I look"});
    let content = json!([thinking, redacted, text, used("toolu_1"), thinking, used("toolu_2")]);
    let thinking_block = |index| {
        let begin = json!({"type": "thinking", "thinking": "hm", "signature": ""});
        let hm = json!({"type": "thinking_delta", "thinking": ", hm"});
        let signature = |part: &str| json!({"type": "signature_delta", "signature": part});
        block(index, begin, &[hm, signature("c2"), signature("ln")])
    };
    let blocks = [
        thinking_block(0),
        block(1, redacted.clone(), &[]),
        text_block(2, &["I look"]),
        call_block(3, "toolu_1", &["{}"]),
        thinking_block(4),
        call_block(5, "toolu_2", &["{}"]),
    ];
    let whole = apis::whole(ModelApi::Messages, message(content, "tool_use"));
    let streamed = read_pieces(ModelApi::Messages, [stream(&messages_stream(&blocks, "tool_use")).as_slice()]).unwrap();
    for (form, answer) in [("whole", whole), ("streamed", streamed)] {
        let read = thoughts_of(&answer["choices"][0]["message"]);
        let read: Vec<_> = read.iter().map(|thought| (thought.before, &thought.block)).collect();
        assert_eq!(read, [(0, &thinking), (0, &redacted), (1, &thinking)], "{form}");
    }

    // Thinking beyond the limit is dropped as a whole, because a part would be refused.
    let long = json!({"type": "thinking_delta", "thinking": "x".repeat(THOUGHTS_LENGTH_MAX)});
    let too_long = block(1, json!({"type": "thinking", "thinking": "", "signature": ""}), &[long]);
    let blocks = [thinking_block(0), too_long, call_block(2, "toolu_1", &["{}"])];
    let streamed = read_pieces(ModelApi::Messages, [stream(&messages_stream(&blocks, "tool_use")).as_slice()]).unwrap();
    assert_eq!(thoughts_of(&streamed["choices"][0]["message"]), []);
    assert_eq!(completion(&streamed, None, Offer::Tools), called("", &[("toolu_1", json!({}))]));
}

/// A whole answer of OpenAI's Responses.
fn response(status: &str, details: Value, output: Value) -> Value {
    let usage = json!({
        "input_tokens": 7, "input_tokens_details": {"cached_tokens": 2},
        "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 11,
    });
    json!({
        "id": "resp_1", "object": "response", "status": status, "error": null, "incomplete_details": details,
        "model": "gpt", "output": output, "store": false, "usage": usage,
    })
}

fn said(index: u64, text: &str) -> Value {
    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
    let id = format!("msg_{index}");
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed", "content": content})
}

fn call_item(index: u64, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": format!("fc_{index}"), "call_id": format!("call_{index}"), "name": "status",
        "arguments": arguments, "status": "completed",
    })
}

/// The events of an item with words in these pieces.
fn said_events(index: u64, pieces: &[&str]) -> Vec<Value> {
    let at = json!({"item_id": format!("msg_{index}"), "output_index": index, "content_index": 0});
    let with = |kind: &str, field: &str, value: Value| {
        let mut event = at.clone();
        (event["type"], event[field]) = (json!(kind), value);
        event
    };
    let item = json!({"type": "message", "content": []});
    let begin = json!({"type": "response.output_item.added", "output_index": index, "item": item});
    let part = with("response.content_part.added", "part", json!({"type": "output_text", "text": ""}));
    let deltas = pieces.iter().map(|piece| with("response.output_text.delta", "delta", json!(piece)));
    let done = with("response.output_text.done", "text", json!(pieces.concat()));
    let item = said(index, &pieces.concat());
    let end = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    [begin, part].into_iter().chain(deltas).chain([done, end]).collect()
}

/// The events of an item with a call whose arguments come in these pieces.
fn call_events(index: u64, pieces: &[&str]) -> Vec<Value> {
    let at = |kind: &str| json!({"type": kind, "item_id": format!("fc_{index}"), "output_index": index});
    let delta = |piece: &&str| {
        let mut event = at("response.function_call_arguments.delta");
        event["delta"] = json!(piece);
        event
    };
    let begin = json!({"type": "response.output_item.added", "output_index": index, "item": call_item(index, "")});
    let mut done = at("response.function_call_arguments.done");
    done["arguments"] = json!(pieces.concat());
    let item = call_item(index, &pieces.concat());
    let end = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    std::iter::once(begin).chain(pieces.iter().map(delta)).chain([done, end]).collect()
}

/// A stream of OpenAI's Responses with these items, ended by this answer.
fn responses_stream(items: &[Vec<Value>], end: &Value) -> Vec<Value> {
    let mut begun = end.clone();
    (begun["status"], begun["output"], begun["usage"]) = (json!("in_progress"), json!([]), Value::Null);
    (begun["incomplete_details"], begun["error"]) = (Value::Null, Value::Null);
    let of = |kind: &str, response: &Value| json!({"type": format!("response.{kind}"), "response": response});
    let begin = [of("created", &begun), of("in_progress", &begun)];
    let last = of(end["status"].as_str().unwrap(), end);
    begin.into_iter().chain(items.concat()).chain([last]).collect()
}

#[test]
fn answers_of_responses_are_read_whole_and_in_pieces() {
    let case = |name, end: Value, items: &[Vec<Value>], expected| {
        let events = responses_stream(items, &end);
        Case { name, whole: end, events, expected, tokens: Some(11) }
    };
    let done = |output| response("completed", Value::Null, output);
    let incomplete = |reason: &str, output| response("incomplete", json!({"reason": reason}), output);
    let half = [said_events(0, &["ha", "lf"])];
    let half_whole = || json!([said(0, "half")]);
    let reasoning = json!({"type": "reasoning", "id": "rs_0", "summary": [{"type": "summary_text", "text": "hm"}]});
    let reasoning_events = vec![
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "hm"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
    ];
    let refused = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "I will not"}]}]);
    let refusal = json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I will not"});
    let said_at_once = json!({"type": "response.output_text.done", "output_index": 0, "text": "I look"});
    let failed = |code: &str| {
        let mut answer = response("failed", Value::Null, json!([]));
        (answer["error"], answer["usage"]) = (json!({"code": code, "message": "sorry"}), Value::Null);
        answer
    };
    let failure = |name, code, expected| Case { tokens: None, ..case(name, failed(code), &[], Err(expected)) };
    let cpu = "{\"metric\": \"cpu\"}";
    let both = called("I look", &[("call_1", json!({"metric": "cpu"})), ("call_2", json!({}))]);
    hold(
        ModelApi::Responses,
        vec![
            case("words", done(json!([said(0, "hellö")])), &[said_events(0, &["hel", "lö"])], words("hellö", None)),
            case("the limit", incomplete("max_output_tokens", half_whole()), &half, words("half", Some(Cut::Length))),
            case("a filter", incomplete("content_filter", half_whole()), &half, Err(ModelFailure::Filtered)),
            case("a reason to come", incomplete("tired", half_whole()), &half, words("half", Some(Cut::Lost))),
            case("nothing", done(json!([])), &[], Err(ModelFailure::Empty)),
            case("a refusal", done(refused), &[vec![refusal]], words("I will not", None)),
            failure("too many requests", "rate_limit_exceeded", ModelFailure::RateLimited(None)),
            failure("a fault of the server", "server_error", ModelFailure::ServerError(500)),
            failure("a code to come", "tired", ModelFailure::Reported),
            case(
                "reasoning and words",
                done(json!([reasoning, said(1, "hello")])),
                &[reasoning_events.clone(), said_events(1, &["hello"])],
                words("hello", None),
            ),
            case(
                "two messages",
                done(json!([said(0, "I look."), said(1, "Here.")])),
                &[said_events(0, &["I ", "look."]), said_events(1, &["He", "re."])],
                words("I look.\n\nHere.", None),
            ),
            case(
                "words and calls",
                done(json!([said(0, "I look"), call_item(1, cpu), call_item(2, "{}")])),
                &[said_events(0, &["I look"]), call_events(1, &["{\"metric\"", ": \"cpu\"}"]), call_events(2, &["{}"])],
                both.clone(),
            ),
            case(
                "calls without pieces",
                done(json!([said(0, "I look"), call_item(1, cpu), call_item(2, "{}")])),
                &[vec![said_at_once], call_events(1, &[cpu])[2..].to_vec(), call_events(2, &["{}"])[3..].to_vec()],
                both.clone(),
            ),
            case(
                "nothing but the end",
                done(json!([said(0, "I look"), call_item(1, cpu), call_item(2, "{}")])),
                &[reasoning_events],
                both,
            ),
            case(
                "a call that the limit cut",
                incomplete("max_output_tokens", json!([said(0, "I look"), call_item(1, "{\"met")])),
                &[said_events(0, &["I look"]), call_events(1, &["{\"met"])],
                words("I look", Some(Cut::Length)),
            ),
        ],
    );
}

#[test]
fn an_error_in_the_middle_is_told_by_its_name_and_words_before_it_are_no_answer() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let too_long = json!({"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"});
    let too_long_too = json!({"type": "invalid_request_error", "code": "context_length_exceeded", "message": "no"});
    let cases = [
        (ModelApi::Messages, overloaded, ModelFailure::Overloaded(None)),
        (ModelApi::Messages, json!({"type": "error", "error": too_long}), ModelFailure::ContextTooLong),
        (ModelApi::Messages, json!({"type": "error", "message": "later"}), ModelFailure::Reported),
        (ModelApi::Messages, json!({"error": "out of memory"}), ModelFailure::Reported),
        (
            ModelApi::Responses,
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "later", "sequence_number": 3}),
            ModelFailure::RateLimited(None),
        ),
        (ModelApi::Responses, json!({"type": "error", "error": too_long_too}), ModelFailure::ContextTooLong),
        (ModelApi::Responses, json!({"type": "error", "code": null, "message": "later"}), ModelFailure::Reported),
        (ModelApi::Responses, json!({"error": {"message": "bad gateway"}}), ModelFailure::Reported),
    ];
    for (api, error, expected) in cases {
        let words = match api {
            ModelApi::Messages => text_block(0, &["half"]),
            ModelApi::Chat | ModelApi::Responses => said_events(0, &["half"]),
        };
        assert_eq!(read(api, &[words.clone(), vec![error.clone()]].concat()), Err(expected), "{error}");
        assert_eq!(read(api, &words), Err(ModelFailure::Interrupted), "without an end");
    }
}

#[test]
fn what_is_no_answer_of_the_api_is_read_as_none() {
    let chat = json!({"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]});
    let others =
        [chat, json!({"content": "hello"}), json!({"output": "hello"}), json!({}), json!(null), json!("hello")];
    for api in [ModelApi::Messages, ModelApi::Responses] {
        for other in &others {
            let answer = apis::whole(api, other.clone());
            assert_eq!(completion(&answer, None, Offer::Tools), Err(ModelFailure::NotJson), "{api:?} {other}");
        }
        // Unknown events have no effect, and a stream without an end is not an answer.
        assert_eq!(read(api, &others), Err(ModelFailure::Interrupted), "{api:?}");
    }
    let whole = message(json!([{"type": "text", "text": "hello"}]), "end_turn");
    assert_eq!(read(ModelApi::Messages, &[whole]), words("hello", None), "one event with the whole answer");
    let whole = response("completed", Value::Null, json!([said(0, "hello")]));
    assert_eq!(read(ModelApi::Responses, &[whole]), words("hello", None), "one event with the whole answer");
}

#[test]
fn arguments_that_nothing_tells_apart_are_unreadable_and_never_lost() {
    let unreadable = |answer: Result<Completion, ModelFailure>| {
        let calls = answer.unwrap().calls;
        let [call] = calls.as_slice() else { panic!("{calls:?}") };
        assert!(matches!(call.arguments, RawArguments::Unreadable { .. }), "{call:?}");
    };
    let delta = json!({"type": "input_json_delta", "partial_json": "{\"a\":1}"});
    let twice = json!({"type": "tool_use", "id": "1", "name": "status", "input": {"a": 1}});
    unreadable(read(
        ModelApi::Messages,
        &messages_stream(&[block(0, twice, std::slice::from_ref(&delta))], "tool_use"),
    ));
    // Without an index the pieces belong to the call that began last.
    let without = |event: &Value| {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove("index");
        event
    };
    let indexed = messages_stream(&[call_block(0, "1", &["{\"a\"", ":1}"])], "tool_use");
    let events: Vec<_> = indexed.iter().map(without).collect();
    assert_eq!(read(ModelApi::Messages, &events), called("", &[("1", json!({"a": 1}))]));
    let flood = |n: u64| {
        let blocks: Vec<_> = (0..n).map(|n| call_block(n, &n.to_string(), &["{}"])).collect();
        messages_stream(&blocks, "tool_use")
    };
    assert_eq!(read(ModelApi::Messages, &flood(64)).map(|answer| answer.calls.len()), Ok(64));
    assert_eq!(read(ModelApi::Messages, &flood(65)), Err(ModelFailure::TooManyCalls));
    let end = response("completed", Value::Null, json!([]));
    let flood = |n: u64| responses_stream(&(0..n).map(|n| call_events(n, &["{}"])).collect::<Vec<_>>(), &end);
    assert_eq!(read(ModelApi::Responses, &flood(64)).map(|answer| answer.calls.len()), Ok(64));
    assert_eq!(read(ModelApi::Responses, &flood(65)), Err(ModelFailure::TooManyCalls));
}
