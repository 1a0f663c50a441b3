//! Answers that come in pieces: how they grow, by which clock they end, and what is left of them when they break.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use crate::a_model::wire::{Asking, IMPATIENT, PATIENT, ask, client, hello, offered, settings};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::agent::tools::{Completion, Cut};
use candor_core::agent::{Growth, Model as _, ModelFailure, Request};
use candor_core::settings::ModelSettings;
use candor_providers::OpenAiCompatible;

/// Keeps how an answer grew, and says so to whoever waits.
#[derive(Default)]
struct Watched {
    grown: Mutex<Vec<String>>,
    changed: Notify,
}

/// How the growth says that an answer began.
const BEGAN: &str = "(began)";

impl Watched {
    fn add(&self, what: &str) {
        self.grown.lock().unwrap().push(what.to_owned());
        self.changed.notify_one();
    }

    /// Waits until the last that was reported is this.
    async fn until(&self, expected: &str) {
        while self.grown().last().map(String::as_str) != Some(expected) {
            let more = tokio::time::timeout(PATIENT, self.changed.notified()).await;
            assert!(more.is_ok(), "no {expected:?} in {:?}", self.grown());
        }
    }

    fn grown(&self) -> Vec<String> {
        self.grown.lock().unwrap().clone()
    }
}

impl Growth for Watched {
    fn began(&self) {
        self.add(BEGAN);
    }

    fn grew(&self, text: &str) {
        self.add(text);
    }
}

/// Asks with a tool. The answer has so long from its first token on.
async fn asked(model: &OpenAiCompatible, growth: &Watched, within: Duration) -> Asking {
    let (transcript, tools) = (hello(), offered());
    model
        .complete(
            Request { conversation: None, model: "llama", transcript: &transcript, tools: &tools, within },
            growth,
        )
        .await
}

fn says(text: &str, cut: Option<Cut>) -> Asking {
    Ok(Completion { text: text.to_owned(), calls: Vec::new(), cut })
}

/// A client that waits only so long between two tokens.
fn stalling(base_url: &str, stall: Duration) -> OpenAiCompatible {
    OpenAiCompatible::new(&ModelSettings { stall, ..settings(base_url, PATIENT) }, None).unwrap()
}

fn delta(delta: serde_json::Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
}

/// A reason to end.
fn end() -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
}

fn call(arguments: &str) -> String {
    delta(json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "status", "arguments": arguments}}]}))
}

#[tokio::test]
async fn an_answer_is_followed_from_its_first_word_to_its_last() {
    let go_on = Arc::new(Notify::new());
    let script =
        Script::writes(&["Hel", "lo"]).waits(&go_on).and(&[" to", " you"]).waits(&go_on).and(&["."]).ends("stop");
    let server = ScriptedModel::start(vec![script]).await;
    let (model, growth) = (client(server.base_url(), PATIENT), Watched::default());
    let follow = async {
        growth.until("Hello").await;
        go_on.notify_one();
        growth.until("Hello to you").await;
        go_on.notify_one();
    };
    let (answer, ()) = tokio::join!(asked(&model, &growth, PATIENT), follow);
    assert_eq!(answer, says("Hello to you.", None));
    let grown = growth.grown();
    assert_eq!(grown.first().map(String::as_str), Some(BEGAN));
    assert_eq!(grown.iter().filter(|what| *what == BEGAN).count(), 1);
    assert!(grown.windows(2).all(|pair| pair[0] == BEGAN || pair[1].starts_with(&pair[0])), "{grown:?}");
    assert_eq!(grown.last().map(String::as_str), Some("Hello to you."));
}

#[tokio::test]
async fn a_thought_begins_an_answer_and_is_not_shown() {
    let go_on = Arc::new(Notify::new());
    let thoughts = [
        Script::events("").piece(delta(json!({"reasoning_content": "hm", "content": null}))),
        Script::writes(&["<th", "ink>", "hm"]),
        Script::writes(&["<think>hm</think>", "<think>"]),
        Script::writes(&["[THINK]hm[/THINK]", "<thinking>hm"]),
        Script::events("").piece(call("{}")),
    ];
    for thought in thoughts {
        let case = format!("{thought:?}");
        let script = thought.waits(&go_on).ends("stop");
        let server = ScriptedModel::start(vec![script]).await;
        let (model, growth) = (client(server.base_url(), PATIENT), Watched::default());
        let follow = async {
            growth.until(BEGAN).await;
            go_on.notify_one();
        };
        drop(tokio::join!(asked(&model, &growth, PATIENT), follow));
        let grown = growth.grown();
        assert_eq!(grown.first().map(String::as_str), Some(BEGAN), "{case}");
        assert!(grown.iter().skip(1).all(String::is_empty), "{case}: {grown:?}");
    }
}

#[tokio::test]
async fn a_thought_without_a_mark_is_taken_back_and_the_next_one_is_not_shown() {
    let go_on = Arc::new(Notify::new());
    let thinks = || Script::writes(&["hm, hm"]).waits(&go_on).and(&["\n</think>\n"]);
    let server = ScriptedModel::start(vec![
        thinks().waits(&go_on).and(&["Hello."]).ends("stop"),
        thinks().and(&["Hello."]).ends("stop"),
        Script::writes(&["hm, and on and on"]).ends("length"),
        Script::writes(&["Hello."]).ends("stop"),
        Script::writes(&["Hello"]).waits(&go_on).and(&["."]).ends("stop"),
    ])
    .await;
    let model = client(server.base_url(), PATIENT);

    let growth = Watched::default();
    let follow = async {
        growth.until("hm, hm").await;
        go_on.notify_one();
        growth.until("").await;
        go_on.notify_one();
    };
    let (answer, ()) = tokio::join!(asked(&model, &growth, PATIENT), follow);
    assert_eq!((answer, growth.grown().last().map(String::as_str)), (says("Hello.", None), Some("Hello.")));

    let growth = Watched::default();
    let follow = async {
        growth.until(BEGAN).await;
        go_on.notify_one();
    };
    let (answer, ()) = tokio::join!(asked(&model, &growth, PATIENT), follow);
    assert_eq!(answer, says("Hello.", None));
    assert!(!growth.grown().contains(&"hm, hm".to_owned()), "{:?}", growth.grown());

    // What it writes up to the limit may be nothing but a thought.
    let growth = Watched::default();
    assert_eq!(asked(&model, &growth, PATIENT).await, Err(ModelFailure::CutOff));
    assert!(growth.grown().iter().all(|grown| *grown == BEGAN), "{:?}", growth.grown());

    // After a whole answer without a thought, words are shown as they grow again.
    assert_eq!(asked(&model, &Watched::default(), PATIENT).await, says("Hello.", None));
    let growth = Watched::default();
    let follow = async {
        growth.until("Hello").await;
        go_on.notify_one();
    };
    let (answer, ()) = tokio::join!(asked(&model, &growth, PATIENT), follow);
    assert_eq!(answer, says("Hello.", None));
}

#[tokio::test]
async fn the_time_of_an_answer_begins_with_its_first_token() {
    let never = Arc::new(Notify::new());
    let scripts = vec![
        // However late it comes: it is there at once.
        Script::events(format!("{}data: [DONE]\n\n", delta(json!({"content": "Hello to you."})))),
        Script::writes(&["Hello"]).waits(&never),
    ];
    let server = ScriptedModel::start(scripts).await;
    let model = client(server.base_url(), PATIENT);
    assert_eq!(asked(&model, &Watched::default(), Duration::ZERO).await, says("Hello to you.", None));
    assert_eq!(asked(&model, &Watched::default(), IMPATIENT).await, says("Hello", Some(Cut::Time)));
}

#[tokio::test]
async fn what_was_written_before_a_pause_or_a_break_is_kept_and_nothing_is_asked_twice() {
    let never = Arc::new(Notify::new());
    let words = || Script::writes(&["Hello", " to"]);
    let cases = vec![
        ("a stall", words().waits(&never), says("Hello to", Some(Cut::Time))),
        ("a stall behind the end", words().piece(end()).waits(&never), says("Hello to", None)),
        ("a break behind the end", words().piece(end()).breaks(), says("Hello to", None)),
        ("a break", words().breaks(), says("Hello to", Some(Cut::Lost))),
        ("an end that is none", words(), says("Hello to", Some(Cut::Lost))),
        ("a break in an event", words().piece("data: {\"choi").breaks(), says("Hello to", Some(Cut::Lost))),
        ("half a call", words().piece(call("{\"a")).breaks(), says("Hello to", Some(Cut::Lost))),
        ("half a call, and a stall", words().piece(call("{\"a")).waits(&never), says("Hello to", Some(Cut::Time))),
        ("half a call and its limit", words().piece(call("{\"a")).ends("length"), says("Hello to", Some(Cut::Length))),
        ("a call that is not there", words().ends("tool_calls"), says("Hello to", Some(Cut::Call))),
        ("an end for an unknown reason", words().ends("abort"), says("Hello to", Some(Cut::Lost))),
        ("half a call alone", Script::events("").piece(call("{\"a")).breaks(), Err(ModelFailure::Interrupted)),
        ("a thought", Script::writes(&["<think>hm"]).breaks(), Err(ModelFailure::Interrupted)),
        ("nothing", Script::events("").piece(": ping\n\n").breaks(), Err(ModelFailure::Interrupted)),
    ];
    for (case, script, expected) in cases {
        let server = ScriptedModel::start(vec![script]).await;
        let growth = Watched::default();
        let answer = asked(&stalling(server.base_url(), IMPATIENT), &growth, PATIENT).await;
        assert_eq!(answer, expected, "{case}");
        if let Ok(Completion { text, .. }) = answer {
            assert_eq!(growth.grown().last(), Some(&text), "{case}");
        }
        assert_eq!(server.asked().len(), 1, "{case}");
    }
    let server = ScriptedModel::start(vec![Script::writes(&["<think>hm"]).waits(&never)]).await;
    let answer = asked(&stalling(server.base_url(), IMPATIENT), &Watched::default(), PATIENT).await;
    assert!(matches!(answer, Err(ModelFailure::TimedOut(_))), "{answer:?}");
}

#[tokio::test]
async fn a_model_that_does_not_end_is_cut_at_the_longest_answer() {
    const LONGEST: usize = 100_000;
    let never = Arc::new(Notify::new());
    let endless = || Script::writes(&vec!["word "; LONGEST / 4]);
    let cases = [
        ("more is to come", endless().waits(&never)),
        ("it ended", endless().ends("stop")),
        ("it broke", endless().breaks()),
        ("more than is held", Script::writes(&["y".repeat(3_000_000).as_str(), "y".repeat(3_000_000).as_str()])),
    ];
    for (case, script) in cases {
        let server = ScriptedModel::start(vec![script]).await;
        let growth = Watched::default();
        let answer = asked(&client(server.base_url(), PATIENT), &growth, PATIENT).await.unwrap();
        assert_eq!((answer.text.chars().count(), answer.cut), (LONGEST, Some(Cut::Longest)), "{case}");
        let longest = growth.grown().iter().map(|text| text.chars().count()).max();
        assert_eq!(longest, Some(LONGEST), "{case}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_asked_for_whole_answers_from_then_on() {
    let refused = Script::error(400, "`stream` is not supported by this model");
    let server = ScriptedModel::start(vec![refused, Script::says("one"), Script::says("two")]).await;
    let model = client(server.base_url(), PATIENT);
    for expected in ["one", "two"] {
        assert_eq!(ask(&model).await, Ok(expected.to_owned()));
    }
    let streamed: Vec<_> = server.asked().iter().map(|asked| asked.body["stream"].clone()).collect();
    assert_eq!(streamed, [json!(true), json!(false), json!(false)]);
}

#[tokio::test]
async fn a_refusal_that_has_another_reason_changes_nothing() {
    let refused = || Script::error(400, "the stream of messages is malformed");
    let server = ScriptedModel::start(vec![refused(), refused(), Script::says("hello")]).await;
    let model = client(server.base_url(), PATIENT);
    assert_eq!(ask(&model).await, Err(ModelFailure::Refused(400)));
    assert_eq!(ask(&model).await, Ok("hello".to_owned()));
    let streamed: Vec<_> = server.asked().iter().map(|asked| asked.body["stream"].clone()).collect();
    assert_eq!(streamed, [json!(true), json!(false), json!(true)]);
}

#[tokio::test]
async fn a_whole_answer_has_the_time_of_the_first_token_and_of_the_words() {
    let refused = Script::error(400, "streaming is off");
    let server = ScriptedModel::start(vec![refused, Script::never()]).await;
    let model = client(server.base_url(), IMPATIENT);
    let answer = asked(&model, &Watched::default(), IMPATIENT).await;
    assert_eq!(answer, Err(ModelFailure::TimedOut(2 * IMPATIENT)));
}
