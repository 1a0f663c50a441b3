//! Known deviations of real servers from the API, sent to the real client by a scripted server.

use std::slice;
use std::time::Duration;

use serde_json::{Value, json};

use crate::a_model::wire::{PATIENT, client, complete, hello, offered};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::agent::ModelFailure;
use candor_core::agent::tools::{Completion, Cut, RawArguments, RawCall};

const NONE: Value = Value::Null;

type Case = (&'static str, Script, Result<Completion, ModelFailure>);

fn says(text: &str) -> Result<Completion, ModelFailure> {
    Ok(Completion { text: text.to_owned(), calls: Vec::new(), cut: None })
}

/// Words that do not come to their end.
fn cut(text: &str, cut: Cut) -> Result<Completion, ModelFailure> {
    says(text).map(|said| Completion { cut: Some(cut), ..said })
}

/// `status`, called with these ids and without arguments.
fn calls(ids: &[Option<&str>]) -> Result<Completion, ModelFailure> {
    let calls = ids.iter().map(|id| call(*id, "status", &json!({}))).collect();
    Ok(Completion { text: String::new(), calls, cut: None })
}

fn call(id: Option<&str>, name: &str, arguments: &Value) -> RawCall {
    let arguments = RawArguments::Object(arguments.as_object().unwrap().clone());
    RawCall { id: id.map(str::to_owned), name: name.to_owned(), arguments }
}

/// A call of `status` as a server writes it.
fn written(id: impl Into<Value>, arguments: impl Into<Value>) -> Value {
    json!({"id": id.into(), "type": "function", "function": {"name": "status", "arguments": arguments.into()}})
}

/// A message with these calls and no words.
fn calling(written: &[Value]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": written})
}

/// A chunk of a stream.
fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn end(reason: impl Into<Value>) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason.into()}]})
}

/// A piece of a streamed call, as a chunk.
fn piece(fields: Value, name: impl Into<Value>, arguments: &str) -> Value {
    let mut piece = fields;
    piece["function"] = json!({"name": name.into(), "arguments": arguments});
    delta(json!({"tool_calls": [piece]}))
}

/// Sends each script once and compares the whole outcome.
async fn all_told(cases: Vec<Case>) {
    let server = ScriptedModel::start(cases.iter().map(|(_, script, _)| script.clone()).collect()).await;
    let model = client(server.base_url(), PATIENT);
    let (transcript, offered) = (hello(), offered());
    for (case, _, expected) in &cases {
        assert_eq!(&complete(&model, &transcript, &offered).await, expected, "{case}");
    }
    assert_eq!(server.asked().len(), cases.len(), "each is asked once");
}

#[tokio::test]
async fn reasons_to_end() {
    let one = [written("1", "{}")];
    let called = || calls(&[Some("1")]);
    all_told(vec![
        ("empty", Script::finish("", "hello"), says("hello")),
        ("eos", Script::finish("eos", "hello"), says("hello")),
        ("end", Script::finish("end", "hello"), says("hello")),
        ("endturn", Script::finish("endturn", "hello"), says("hello")),
        ("null", Script::finish(Value::Null, "hello"), says("hello")),
        ("content_filter", Script::finish("content_filter", "hel"), Err(ModelFailure::Filtered)),
        ("length", Script::finish("length", "hel"), cut("hel", Cut::Length)),
        ("length without words", Script::finish("length", "<think>hm"), Err(ModelFailure::CutOff)),
        ("tool_calls with a call", Script::message("tool_calls", calling(&one)), called()),
        ("tool_call with a call", Script::message("tool_call", calling(&one)), called()),
        ("stop with a call", Script::message("stop", calling(&one)), called()),
        ("null with a call", Script::message(Value::Null, calling(&one)), called()),
        ("length with a call", Script::message("length", calling(&one)), Err(ModelFailure::CutOff)),
        ("an unknown reason", Script::finish("abort", "hel"), cut("hel", Cut::Lost)),
        ("tool_calls without a call or words", Script::finish("tool_calls", ""), Err(ModelFailure::LostCall)),
        ("tool_calls without a call", Script::finish("tool_calls", "I look"), cut("I look", Cut::Call)),
    ])
    .await;
}

#[tokio::test]
async fn envelopes() {
    let choice = json!({"message": {"role": null, "content": "hello"}, "finish_reason": "stop"});
    all_told(vec![
        (
            "a tier of service, and empty usage",
            Script::json(json!({"choices": [choice], "service_tier": "on_demand", "usage": {}})),
            says("hello"),
        ),
        ("no usage and no role", Script::json(json!({"choices": [choice]})), says("hello")),
        ("an error with status 200", Script::json(json!({"error": {"message": "no"}})), Err(ModelFailure::Reported)),
        (
            "an error that names its status",
            Script::json(json!({"error": {"message": "later", "code": 529}})),
            Err(ModelFailure::Overloaded(None)),
        ),
        ("no choice", Script::json(json!({"choices": []})), Err(ModelFailure::Empty)),
        ("HTML", Script::raw("<html><title>Welcome</title>"), Err(ModelFailure::NotJson)),
    ])
    .await;
}

#[tokio::test]
async fn arguments() {
    let with = |arguments: Value| Script::message("tool_calls", calling(&[written("1", arguments)]));
    let cpu = json!({"metric": "cpu"});
    let read = |arguments: &Value| {
        Ok(Completion { text: String::new(), calls: vec![call(Some("1"), "status", arguments)], cut: None })
    };
    let unreadable = |problem: &str| {
        let arguments = RawArguments::Unreadable { problem: problem.to_owned() };
        let call = RawCall { id: Some("1".to_owned()), name: "status".to_owned(), arguments };
        Ok(Completion { text: String::new(), calls: vec![call], cut: None })
    };
    let missing = json!({"id": "1", "type": "function", "function": {"name": "status"}});
    all_told(vec![
        ("text", with(cpu.to_string().into()), read(&cpu)),
        ("object", with(cpu.clone()), read(&cpu)),
        ("double-encoded", with(json!(cpu.to_string()).to_string().into()), read(&cpu)),
        ("empty text", with("".into()), read(&json!({}))),
        ("null", with(Value::Null), read(&json!({}))),
        ("missing", Script::message("tool_calls", calling(&[missing])), read(&json!({}))),
        ("number", with(5.into()), unreadable("the arguments must be one JSON object, not a number")),
        ("array", with(json!(["cpu"])), unreadable("the arguments must be one JSON object, not an array")),
        ("array in text", with("[\"cpu\"]".into()), unreadable("the arguments must be one JSON object, not an array")),
        (
            "cut",
            with("{\"metric\":\"cp".into()),
            unreadable("the arguments are not valid JSON: EOF while parsing a string at line 1 column 13"),
        ),
    ])
    .await;
}

#[tokio::test]
async fn ids_and_names() {
    let message = |calls: &[Value]| Script::message("tool_calls", calling(calls));
    let nameless = json!({"id": "1", "type": "function", "function": {"name": "", "arguments": "{}"}});
    let no_id = json!({"type": "function", "function": {"name": "status", "arguments": "{}"}});
    let legacy = json!({"content": null, "function_call": {"name": "status", "arguments": "{}"}});
    all_told(vec![
        ("id null", message(&[written(Value::Null, "{}")]), calls(&[None])),
        ("id missing", message(&[no_id]), calls(&[None])),
        ("id a number", message(&[written(7, "{}")]), calls(&[Some("7")])),
        ("id twice", message(&[written("1", "{}"), written("1", "{}")]), calls(&[Some("1"), Some("1")])),
        (
            "empty name",
            message(&[nameless]),
            Ok(Completion { text: String::new(), calls: vec![call(Some("1"), "", &json!({}))], cut: None }),
        ),
        ("the older form", Script::message("function_call", legacy), calls(&[None])),
        ("the builder of these tests", Script::calls(&[("status", json!({}))]), calls(&[Some("call_1")])),
        ("too many", message(&vec![written("1", "{}"); 65]), Err(ModelFailure::TooManyCalls)),
    ])
    .await;
}

#[tokio::test]
async fn where_calls_and_thoughts_stand() {
    let one = || vec![written("1", "{}")];
    let text = "{\"name\":\"status\",\"arguments\":{}}";
    all_told(vec![
        (
            "words and calls",
            Script::message("tool_calls", json!({"content": "I look", "tool_calls": one()})),
            calls(&[Some("1")]).map(|called| Completion { text: "I look".to_owned(), ..called }),
        ),
        (
            "a call only in the reasoning is none",
            Script::message("stop", json!({"content": null, "reasoning_content": text})),
            Err(ModelFailure::Empty),
        ),
        (
            "words beside a call in the reasoning",
            Script::message("stop", json!({"content": "hello", "reasoning_content": text})),
            says("hello"),
        ),
        ("a thought", Script::says("<think>hm</think>hello"), says("hello")),
        ("a thought without an end", Script::says("<think>hm"), Err(ModelFailure::Empty)),
    ])
    .await;
}

#[tokio::test]
async fn streams() {
    let (he, llo) = (delta(json!({"content": "hé"})), delta(json!({"content": "llo", "tool_calls": null})));
    let plain = format!("data: {he}\n\ndata: {llo}\n\ndata: {}\n\ndata: [DONE]\n\n", end("stop"));
    let multi = plain.replace("{\"choices\":[", "{\"choices\":\ndata: [");
    let error = json!({"error": {"message": "out of memory"}});
    let thought = format!("data: {}\n\n", delta(json!({"content": "<think>hé"})));
    let heard = || says("héllo");
    all_told(vec![
        ("plain", Script::events(plain.clone()), heard()),
        ("under another header", Script::raw(plain.clone()).header("content-type", "application/json"), heard()),
        ("`[DONE]` missing", Script::stream(&[he.clone(), llo.clone(), end("stop")]).cut(14), heard()),
        ("no end at all", Script::stream(slice::from_ref(&he)).cut(14), cut("hé", Cut::Lost)),
        ("cut in an event", Script::stream(&[he.clone(), llo.clone()]).cut(30), cut("hé", Cut::Lost)),
        ("comments", Script::events(format!(": ping\n\n{}", plain.replace("\n\n", "\n: ping\n\n"))), heard()),
        ("CRLF", Script::events(plain.replace('\n', "\r\n")), heard()),
        ("multi-line data", Script::events(multi), heard()),
        ("characters split between two reads", Script::events(plain.clone()).dripped(Duration::ZERO), heard()),
        ("byte order mark", Script::events(format!("\u{feff}{plain}")), heard()),
        ("an error in the middle", Script::stream(&[he.clone(), error.clone(), end("stop")]), cut("hé", Cut::Lost)),
        ("an error and nothing else", Script::stream(&[error]), Err(ModelFailure::Reported)),
        ("no JSON behind words", Script::events(format!("data: {he}\n\ndata: hello\n\n")), cut("hé", Cut::Lost)),
        ("withheld behind words", Script::stream(&[he.clone(), end("content_filter")]), Err(ModelFailure::Filtered)),
        ("only a thought until the end", Script::events(thought), Err(ModelFailure::Interrupted)),
        ("ended for its length", Script::stream(&[he, end("length")]), cut("hé", Cut::Length)),
        ("no JSON", Script::events("data: hello\n\n"), Err(ModelFailure::NotJson)),
    ])
    .await;
}

#[tokio::test]
async fn streamed_calls() {
    let stream = |pieces: Vec<Value>| Script::stream(&[pieces, vec![end("tool_calls")]].concat());
    let cpu = json!({"metric": "cpu"});
    let read =
        |id: Option<&str>| Ok(Completion { text: String::new(), calls: vec![call(id, "status", &cpu)], cut: None });
    let first = || piece(json!({"index": 0, "id": "1"}), "status", "{\"metric\":");
    let two = Ok(Completion {
        text: "I look".to_owned(),
        calls: vec![call(Some("1"), "status", &cpu), call(Some("2"), "tasks_list", &json!({}))],
        cut: None,
    });
    all_told(vec![
        ("in pieces", stream(vec![first(), piece(json!({"index": 0}), NONE, "\"cpu\"}")]), read(Some("1"))),
        ("empty name later", stream(vec![first(), piece(json!({"index": 0}), "", "\"cpu\"}")]), read(Some("1"))),
        ("name repeated", stream(vec![first(), piece(json!({"index": 0}), "status", "\"cpu\"}")]), read(Some("1"))),
        (
            "position missing",
            stream(vec![piece(json!({}), "status", "{\"metric\":"), piece(json!({}), NONE, "\"cpu\"}")]),
            read(None),
        ),
        (
            "out of order, interleaved, beside words",
            stream(vec![
                piece(json!({"index": 1, "id": "2"}), "tasks_list", "{"),
                delta(json!({"content": "I "})),
                first(),
                piece(json!({"index": 1}), NONE, "}"),
                delta(json!({"content": "look"})),
                piece(json!({"index": 0}), NONE, "\"cpu\"}"),
            ]),
            two,
        ),
        ("cut", stream(vec![first()]).cut(60), Err(ModelFailure::Interrupted)),
    ])
    .await;
}

#[tokio::test]
async fn statuses_and_bodies() {
    let page = "<html><title>Bad gateway</title>";
    all_told(vec![
        ("tools unsupported", Script::error(400, "llama2 does not support tools"), Err(ModelFailure::ToolsUnsupported)),
        (
            "context exceeded",
            Script::error(400, "the request exceeds the available context size, try increasing it"),
            Err(ModelFailure::ContextTooLong),
        ),
        ("another 400", Script::error(400, "no"), Err(ModelFailure::Refused(400))),
        ("401", Script::status(401), Err(ModelFailure::Unauthorized)),
        ("429", Script::status(429), Err(ModelFailure::RateLimited(None))),
        ("503", Script::status(503), Err(ModelFailure::Overloaded(None))),
        ("529", Script::status(529), Err(ModelFailure::Overloaded(None))),
        (
            "llama-server does not know an id",
            Script::error(500, "type must be string, but is null: tool_call_id"),
            Err(ModelFailure::ServerError(500)),
        ),
        (
            "llama-server cannot read the model",
            Script::error(500, "The model produced output that does not match the expected peg-native format"),
            Err(ModelFailure::ServerError(500)),
        ),
        ("a page of a proxy", Script::raw(page).with_status(502), Err(ModelFailure::ServerError(502))),
        ("packed", Script::says("hello").packed(), says("hello")),
        ("too large", Script::raw(vec![b' '; 5 * 1024 * 1024]), Err(ModelFailure::TooLarge)),
        (
            "small, but too large unpacked",
            Script::raw(vec![b' '; 5 * 1024 * 1024]).packed(),
            Err(ModelFailure::TooLarge),
        ),
        ("packed and cut", Script::says("hello").packed().cut(12), Err(ModelFailure::Interrupted)),
        (
            "not packed, though it says so",
            Script::says("hello").header("content-encoding", "gzip"),
            Err(ModelFailure::NotJson),
        ),
    ])
    .await;
}
