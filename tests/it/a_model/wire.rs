//! The chat model's client against a real server on this machine: each way a model can fail is told as what it is.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up should stop there")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use tokio::net::TcpListener;

use crate::support::log::Log;
use crate::support::scripted_model::{Authorization, KEY, Script, ScriptedModel};
use candor_core::agent::prompt::Transcript;
use candor_core::agent::tools::{Completion, OfferedSet};
use candor_core::agent::{Exchange, Model as _, ModelFailure, Request, Unwatched};
use candor_core::contract::{Call, CommandError, NativeModule, NoArguments, check};
use candor_core::inbound::{ChannelId, Place};
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::Reply;
use candor_core::settings::ModelSettings;
use candor_core::testing::chat;
use candor_engine::read_key;
use candor_providers::{OpenAiCompatible, RetryPolicy};

/// Long enough for a busy machine; no test waits for it to pass.
pub(super) const PATIENT: Duration = Duration::from_secs(30);
/// Short enough to wait for.
pub(super) const IMPATIENT: Duration = Duration::from_millis(200);
/// Asks once, however the server fails.
const ONCE: RetryPolicy = RetryPolicy { n_retries: 0, first_wait: Duration::ZERO, n_failures: u32::MAX, rest: PATIENT };

/// A server that has so long until its first token.
pub(super) fn settings(base_url: &str, first_token: Duration) -> ModelSettings {
    let server = ModelSettings::at(base_url.parse().unwrap(), vec!["llama".to_owned()]);
    ModelSettings { first_token, stall: PATIENT, ..server }
}

/// A client that asks each question once.
pub(super) fn client(base_url: &str, first_token: Duration) -> OpenAiCompatible {
    OpenAiCompatible::new(&settings(base_url, first_token), None).unwrap().with_patience(ONCE)
}

const MANIFEST: &str = r#"
[module]
name = "trial"
summary = "One tool"
[commands."/status"]
description = "Show the live metrics"
handler = "status"
tool = true
"#;

async fn status(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("fine"))
}

/// `status`, as a tool.
pub(super) fn offered() -> OfferedSet {
    let module = NativeModule::new("trial", MANIFEST).handler("status", status);
    let checked = check(candor_engine::builtin::module(), vec![module], Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let catalog = Catalog::new(Arc::new(Registry::build(checked)), false);
    OfferedSet::of(&catalog, Place::Direct { channel: ChannelId(1) }, Some(&BTreeSet::new()))
}

pub(super) async fn complete(model: &OpenAiCompatible, transcript: &Transcript, tools: &OfferedSet) -> Asking {
    model.complete(Request { conversation: None, model: "llama", transcript, tools, within: PATIENT }, &Unwatched).await
}

pub(super) type Asking = Result<Completion, ModelFailure>;

pub(super) fn hello() -> Transcript {
    Transcript::new("be brief".to_owned(), &[], &chat("hello"))
}

/// Asks without tools.
pub(super) async fn ask(model: &OpenAiCompatible) -> Result<String, ModelFailure> {
    let completion = complete(model, &hello(), &OfferedSet::none()).await?;
    assert_eq!(completion.calls, [], "nothing was offered");
    Ok(completion.text)
}

#[tokio::test]
async fn the_conversation_arrives_in_order_and_the_words_come_back() {
    let server = ScriptedModel::start(vec![Script::says("I am well.")]).await;
    let settings = ModelSettings { max_tokens: Some(512), ..settings(server.base_url(), PATIENT) };
    let model = OpenAiCompatible::new(&settings, None).unwrap();
    let history = [Exchange::new(&chat("good morning"), "and to you")];

    let transcript = Transcript::new("be brief".to_owned(), &history, &chat("how are you?"));
    let answer = complete(&model, &transcript, &OfferedSet::none()).await;

    assert_eq!(answer, Ok(Completion { text: "I am well.".to_owned(), calls: Vec::new(), cut: None }));
    let body = json!({
        "model": "llama",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "good morning"},
            {"role": "assistant", "content": "and to you"},
            {"role": "user", "content": "how are you?"},
        ],
        "max_tokens": 512,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let path = "/v1/chat/completions".to_owned();
    let asked = server.asked().into_iter().map(|asked| (asked.path, asked.body, asked.authorization));
    assert_eq!(asked.collect::<Vec<_>>(), [(path, body, Authorization::Absent)]);
}

#[tokio::test]
async fn the_address_is_used_as_it_is_written() {
    let server = ScriptedModel::start(vec![Script::says("yes"); 3]).await;
    let root = server.base_url().trim_end_matches("/v1");
    for base_url in [format!("{root}/v1"), format!("{root}/v1/"), root.to_owned()] {
        assert_eq!(ask(&client(&base_url, PATIENT)).await, Ok("yes".to_owned()), "{base_url}");
    }
    let paths: Vec<_> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/chat/completions", "/chat/completions"]);
}

#[tokio::test]
async fn what_servers_add_or_leave_out_does_not_touch_the_words() {
    let plain = json!({"choices": [{"message": {"content": "hello"}}]});
    let parts = json!([{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]);
    let scripts = vec![
        Script::json(plain.clone()),
        Script::raw(format!("\u{feff}\r\n{plain}")),
        Script::json(plain).header("content-type", "text/plain"),
        Script::finish("eos", "<think>what is polite?</think>hello"),
        Script::message("stop", json!({"role": null, "content": parts, "reasoning_content": "what is polite?"})),
        Script::says("hello").dripped(Duration::ZERO),
    ];
    let n_scripts = scripts.len();
    let server = ScriptedModel::start(scripts).await;
    let model = client(server.base_url(), PATIENT);
    for n in 0..n_scripts {
        assert_eq!(ask(&model).await, Ok("hello".to_owned()), "script {n}");
    }
}

#[tokio::test]
async fn every_failure_that_a_server_can_send_is_told_as_what_it_is() {
    let call = json!([{"id": "1", "type": "function", "function": {"name": "status", "arguments": "{}"}}]);
    let elsewhere = "http://127.0.0.1:1/v1/chat/completions";
    let big = Script::raw(vec![b' '; 5 * 1024 * 1024]);
    let cases = vec![
        (Script::status(307).header("location", elsewhere), ModelFailure::Redirected(307)),
        (Script::status(400), ModelFailure::Refused(400)),
        (Script::status(401), ModelFailure::Unauthorized),
        (Script::status(403), ModelFailure::Forbidden),
        (Script::status(404), ModelFailure::UnknownModel),
        (Script::status(413), ModelFailure::Refused(413)),
        (Script::status(429), ModelFailure::RateLimited(None)),
        (Script::status(500), ModelFailure::ServerError(500)),
        (Script::status(502).broken_off(), ModelFailure::ServerError(502)),
        (Script::status(503), ModelFailure::Overloaded(None)),
        (Script::status(529), ModelFailure::Overloaded(None)),
        (Script::json(json!({"error": {"message": "out of memory"}})), ModelFailure::Reported),
        (Script::json(json!({"choices": []})), ModelFailure::Empty),
        (Script::message("stop", json!({"role": "assistant", "content": null})), ModelFailure::Empty),
        (Script::says(" \n "), ModelFailure::Empty),
        (Script::says("<think>hm"), ModelFailure::Empty),
        (Script::finish("length", "<think>half a thou"), ModelFailure::CutOff),
        (Script::finish("abort", "<think>half"), ModelFailure::UnknownEnd),
        (Script::finish("content_filter", "half"), ModelFailure::Filtered),
        (Script::message("tool_calls", json!({"content": null, "tool_calls": call})), ModelFailure::ToolCall),
        (Script::message("stop", json!({"content": " ", "tool_calls": call})), ModelFailure::ToolCall),
        (Script::raw(""), ModelFailure::NotJson),
        (Script::raw("<html><title>Welcome</title>"), ModelFailure::NotJson),
        (Script::json(json!({"response": "hello"})), ModelFailure::NotJson),
        (big, ModelFailure::TooLarge),
        (Script::says("hello").broken_off(), ModelFailure::Interrupted),
    ];
    let server = ScriptedModel::start(cases.iter().map(|(script, _)| script.clone()).collect()).await;
    let model = client(server.base_url(), PATIENT);
    for (script, failure) in &cases {
        let script = format!("{script:?}").chars().take(200).collect::<String>();
        assert_eq!(ask(&model).await.as_ref(), Err(failure), "{script}");
    }
    assert_eq!(server.asked().len(), cases.len(), "nothing is asked twice");
    assert_eq!(ask(&model).await, Err(ModelFailure::ServerError(500)), "the script is over");
}

#[tokio::test]
async fn a_wait_is_read_in_seconds_and_as_a_date() {
    // RFC 9110 gives dates whole seconds and one form.
    let format = time::macros::format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let in_an_hour = time::OffsetDateTime::from(SystemTime::now() + Duration::from_secs(3_600));
    let server = ScriptedModel::start(vec![
        Script::status(429).header("retry-after", "20"),
        Script::status(429).header("retry-after", in_an_hour.format(format).unwrap()),
        Script::status(429).header("retry-after", "soon"),
    ])
    .await;
    let model = client(server.base_url(), PATIENT);

    assert_eq!(ask(&model).await, Err(ModelFailure::RateLimited(Some(Duration::from_secs(20)))));
    match ask(&model).await {
        Err(ModelFailure::RateLimited(Some(wait))) => assert!((3_000..=3_600).contains(&wait.as_secs()), "{wait:?}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&model).await, Err(ModelFailure::RateLimited(None)));
}

#[tokio::test]
async fn a_server_that_is_not_there_or_hangs_up_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    assert_eq!(ask(&client(&format!("http://{address}/v1"), PATIENT)).await, Err(ModelFailure::Unreachable));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hangs_up = tokio::spawn(async move {
        loop {
            drop(listener.accept().await.unwrap());
        }
    });
    assert_eq!(ask(&client(&format!("http://{address}/v1"), PATIENT)).await, Err(ModelFailure::Unreachable));
    hangs_up.abort();
}

#[tokio::test]
async fn a_server_that_is_silent_is_timed_out() {
    let ping = Script::events(": ping\n\n".repeat(1_000)).dripped(Duration::from_millis(10));
    let server = ScriptedModel::start(vec![Script::never(), ping]).await;
    let model = client(server.base_url(), IMPATIENT);
    for case in ["nothing at all", "signs of life, but no token"] {
        assert_eq!(ask(&model).await, Err(ModelFailure::TimedOut(IMPATIENT)), "{case}");
    }
}

#[tokio::test]
async fn the_key_is_sent_and_appears_nowhere_else() {
    let echo = json!({"error": {"message": format!("the key {KEY} has no quota, Bearer {KEY}")}});
    let server = ScriptedModel::start(vec![
        Script::says("private answer"),
        Script::json(echo),
        Script::status(401),
        Script::raw(format!("<html>{KEY}")),
        Script::says("private answer").broken_off(),
        Script::error(500, &format!("out of memory, private words, {KEY}")),
        Script::calls(&[("status", json!({"words": "private words"}))]),
    ])
    .await;
    let key = SecretString::from(KEY);
    let model = OpenAiCompatible::new(&settings(server.base_url(), PATIENT), Some(key)).unwrap();
    let model = model.with_patience(RetryPolicy { n_retries: 1, first_wait: Duration::from_millis(1), ..ONCE });
    let transcript = Transcript::new("private system".to_owned(), &[], &chat("private words"));
    let log = Log::default();
    let offered = offered();
    let recording = log.record();

    let mut outcomes = Vec::new();
    for _ in 0..6 {
        outcomes.push(complete(&model, &transcript, &offered).await);
    }
    drop(recording);

    assert!(server.asked().iter().all(|asked| asked.authorization == Authorization::Expected));
    let log = log.text();
    for line in [
        "model asked model.name=\"llama\" outcome=\"answered\" duration_ms=",
        "outcome=\"reported\"",
        "the key [key] has no quota, Bearer [key]",
        "outcome=\"unauthorized\"",
        "outcome=\"not-json\"",
        "outcome=\"interrupted\"",
        "asking again model.name=\"llama\" reason=\"server-error\" status=500 wait_ms=",
        "n_tries=2",
        "status=200",
        "status=401",
    ] {
        assert!(log.contains(line), "no {line} in\n{log}");
    }
    assert_eq!(log.matches("model asked").count(), 6, "{log}");
    assert_eq!(log.matches("asking again").count(), 1, "{log}");
    let failures: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(failures.len(), 4);
    for told in [log, format!("{model:?} {failures:?}")] {
        assert!(!told.contains(KEY), "{told}");
        assert!(!told.contains("private"), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_may_read_is_taken_with_a_warning() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.key");
    fs::write(&path, format!("{KEY}\n")).unwrap();
    for (mode, warned) in [(0o600, false), (0o400, false), (0o640, true), (0o644, true)] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let log = Log::default();
        let recording = log.record();
        assert_eq!(read_key(&path).unwrap().expose_secret(), KEY);
        drop(recording);
        assert_eq!(log.text().contains("chmod 600"), warned, "{mode:o}: {}", log.text());
        assert!(!log.text().contains(KEY), "{mode:o}");
    }
}
