//! A server in trouble: asked again where that helps, told at once where it does not, and left alone if it goes on.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::a_model::wire::{IMPATIENT, PATIENT, ask, client, hello, settings};
use crate::support::log::Log;
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::agent::tools::OfferedSet;
use candor_core::agent::{ConversationKey, Model as _, ModelFailure, Request, Unwatched};
use candor_core::inbound::{Place, UserId};
use candor_core::settings::ModelSettings;
use candor_providers::{OpenAiCompatible, RetryPolicy};

/// Asks three times, quickly.
const QUICK: RetryPolicy =
    RetryPolicy { n_retries: 2, first_wait: Duration::from_millis(1), n_failures: u32::MAX, rest: PATIENT };

fn patient(base_url: &str, patience: RetryPolicy) -> OpenAiCompatible {
    client(base_url, PATIENT).with_patience(patience)
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    for status in [429, 500, 502, 503, 504, 529] {
        let failing = Script::status(status).header("retry-after", "0");
        let server = ScriptedModel::start(vec![failing.clone(), failing, Script::says("hello")]).await;
        assert_eq!(ask(&patient(server.base_url(), QUICK)).await, Ok("hello".to_owned()), "{status}");
        let asked = server.asked();
        assert_eq!(asked.len(), 3, "{status}");
        assert!(asked.iter().all(|one| *one == asked[0]), "{status}: the same question");
    }
}

#[tokio::test]
async fn patience_ends_and_the_last_failure_is_told() {
    let statuses = [429, 500, 502, 200];
    let server = ScriptedModel::start(statuses.map(Script::status).to_vec()).await;
    assert_eq!(ask(&patient(server.base_url(), QUICK)).await, Err(ModelFailure::ServerError(502)));
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn what_would_only_repeat_itself_is_asked_once() {
    let cases = vec![
        (Script::status(400), ModelFailure::Refused(400)),
        (Script::status(401), ModelFailure::Unauthorized),
        (Script::status(408), ModelFailure::Refused(408)),
        (Script::status(501), ModelFailure::ServerError(501)),
        (Script::error(500, "Context size has been exceeded."), ModelFailure::ContextTooLong),
        (Script::raw("<html>"), ModelFailure::NotJson),
        (Script::says(""), ModelFailure::Empty),
        (Script::says("hello").broken_off(), ModelFailure::Interrupted),
        (Script::json(serde_json::json!({"error": {"code": 503}})), ModelFailure::Overloaded(None)),
        (Script::never(), ModelFailure::TimedOut(IMPATIENT)),
    ];
    for (script, expected) in cases {
        let server = ScriptedModel::start(vec![script, Script::says("hello")]).await;
        let timeout = if expected == ModelFailure::TimedOut(IMPATIENT) { IMPATIENT } else { PATIENT };
        let model = OpenAiCompatible::new(&settings(server.base_url(), timeout), None).unwrap().with_patience(QUICK);
        assert_eq!(ask(&model).await, Err(expected.clone()));
        assert_eq!(server.asked().len(), 1, "{expected:?}");
    }
}

#[tokio::test]
async fn a_wait_that_outlasts_the_question_is_told_at_once() {
    let server = ScriptedModel::start(vec![Script::status(429).header("retry-after", "20")]).await;
    let failure = ModelFailure::RateLimited(Some(Duration::from_secs(20)));
    // The first token must be there before that.
    let model = client(server.base_url(), Duration::from_secs(10)).with_patience(QUICK);
    assert_eq!(ask(&model).await, Err(failure));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_server_that_lets_its_time_pass_is_taken_for_down_and_one_that_only_writes_slowly_is_not() {
    let never = Arc::new(Notify::new());
    let cases = [
        (Script::never(), true),
        (Script::writes(&["hel"]).waits(&never), false),
        (Script::writes(&["<think>hm"]).waits(&never), false),
    ];
    for (script, is_open) in cases {
        let case = format!("{script:?}");
        let server = ScriptedModel::start(vec![script]).await;
        let settings = ModelSettings { stall: IMPATIENT, ..settings(server.base_url(), IMPATIENT) };
        let policy = RetryPolicy { n_failures: 1, ..QUICK };
        let model = OpenAiCompatible::new(&settings, None).unwrap().with_patience(policy);
        drop(ask(&model).await);
        assert_eq!((model.is_open(), server.asked().len()), (is_open, 1), "{case}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_is_called_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hangs_up = async {
        for _ in 0..3 {
            drop(listener.accept().await.unwrap());
        }
    };
    let model = patient(&format!("http://{address}/v1"), QUICK);
    let (told, ()) = tokio::join!(ask(&model), hangs_up);
    assert_eq!(told, Err(ModelFailure::Unreachable));
}

#[tokio::test]
async fn a_server_that_goes_on_failing_is_left_alone() {
    let server =
        ScriptedModel::start(vec![Script::status(502), Script::status(400), Script::status(502), Script::status(502)])
            .await;
    let model = patient(server.base_url(), RetryPolicy { n_retries: 0, n_failures: 2, ..QUICK });
    let log = Log::default();
    let recording = log.record();
    for expected in [
        ModelFailure::ServerError(502),
        // It answers, so it is there, and the count begins anew.
        ModelFailure::Refused(400),
        ModelFailure::ServerError(502),
        ModelFailure::ServerError(502),
    ] {
        assert!(!model.is_open());
        assert_eq!(ask(&model).await, Err(expected));
    }
    assert!(model.is_open());
    for _ in 0..3 {
        match ask(&model).await {
            Err(ModelFailure::Unavailable { again_in }) => assert!(again_in <= PATIENT, "{again_in:?}"),
            other => panic!("{other:?}"),
        }
    }
    drop(recording);
    assert_eq!(server.asked().len(), 4, "nothing is sent");
    let log = log.text();
    assert_eq!(log.matches("the model's server is left alone n_failures=2 rest_s=30").count(), 1, "{log}");
    assert_eq!(log.matches("model not asked model.name=\"llama\" outcome=\"unavailable\"").count(), 3, "{log}");
}

#[tokio::test]
async fn one_conversation_that_a_server_refuses_keeps_no_other_from_it() {
    // What may be about the system message is asked once more without one.
    let errors = [
        (500, "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...", 2),
        (500, "While executing CallExpression at line 1, column 148 in source:\n{{ raise_exception('no') }}", 1),
        (500, "Context size has been exceeded.", 1),
        (502, "Only user and assistant roles are supported", 1),
        (503, "System message must be at the beginning.", 1),
        (400, "Error rendering prompt with jinja template", 1),
    ];
    for (status, error, n_each) in errors {
        let refusals = vec![Script::error(status, error); 6 * n_each];
        let server = ScriptedModel::start([refusals, vec![Script::says("hello")]].concat()).await;
        let model = patient(server.base_url(), RetryPolicy { n_failures: 1, ..QUICK });
        for n in 1..=6 {
            assert!(ask(&model).await.is_err(), "{error}");
            assert_eq!((server.asked().len(), model.is_open()), (n * n_each, false), "{error}: and not left alone");
        }
        assert_eq!(ask(&model).await, Ok("hello".to_owned()), "{error}");
    }
}

#[tokio::test]
async fn an_error_in_words_that_no_list_has_is_taken_for_the_server_s_only_once_two_conversations_had_it() {
    let told = |status| Script::error(status, "could not build the prompt from its messages");
    let page = |status| Script::raw("<html>Bad Gateway</html>").with_status(status);
    for status in [429, 502, 503, 504, 529] {
        let policy = RetryPolicy { n_retries: 0, n_failures: 2, ..QUICK };
        let server = ScriptedModel::start(
            [vec![told(status); 6], vec![Script::says("hello"), told(status), told(status)]].concat(),
        )
        .await;
        let model = patient(server.base_url(), policy);
        for n in 1..=6 {
            assert!(ask_in(1, &model).await.is_err());
            assert_eq!((server.asked().len(), model.is_open()), (n, false), "{status}");
        }
        assert_eq!(ask_in(2, &model).await, Ok("hello".to_owned()), "{status}");
        // A server that answers so to everybody is down.
        for (conversation, is_open) in [(1, false), (2, true)] {
            assert!(ask_in(conversation, &model).await.is_err());
            assert_eq!(model.is_open(), is_open, "{status}");
        }
        // So is one that does not say anything itself.
        let server = ScriptedModel::start(vec![page(status), Script::raw("").with_status(status)]).await;
        let model = patient(server.base_url(), policy);
        for is_open in [false, true] {
            assert!(ask_in(1, &model).await.is_err());
            assert_eq!(model.is_open(), is_open, "{status}");
        }
    }
}

/// Asks in the conversation of this person.
async fn ask_in(user: u64, model: &OpenAiCompatible) -> Result<String, ModelFailure> {
    let conversation = ConversationKey::new(Place::Console, UserId(user));
    let (transcript, tools) = (hello(), OfferedSet::none());
    let request = Request {
        conversation: Some(&conversation),
        model: "llama",
        transcript: &transcript,
        tools: &tools,
        within: PATIENT,
    };
    model.complete(request, &Unwatched).await.map(|completion| completion.text)
}

#[tokio::test]
async fn a_status_of_500_says_nothing_of_the_server_whatever_its_words() {
    let failing = vec![Script::error(500, "what no list has"), Script::status(500)];
    let server = ScriptedModel::start([failing.clone(), failing, vec![Script::says("hello")]].concat()).await;
    let model = patient(server.base_url(), RetryPolicy { n_retries: 0, n_failures: 1, ..QUICK });
    for n in 1..=4 {
        assert_eq!(ask(&model).await, Err(ModelFailure::ServerError(500)));
        assert_eq!((server.asked().len(), model.is_open()), (n, false));
    }
    assert_eq!(ask(&model).await, Ok("hello".to_owned()));
}

#[tokio::test]
async fn one_question_finds_out_whether_a_server_is_well_again() {
    let failing = vec![Script::status(503); 4];
    let server = ScriptedModel::start([failing, vec![Script::says("hello"); 2]].concat()).await;
    let model = patient(server.base_url(), RetryPolicy { n_failures: 1, rest: Duration::ZERO, ..QUICK });
    let log = Log::default();
    let recording = log.record();
    let failed = || Err(ModelFailure::Overloaded(None));
    let answered = || Ok("hello".to_owned());
    for (expected, n_asked, is_open) in [
        (failed(), 3, true),
        // The probe is asked once.
        (failed(), 4, true),
        (answered(), 5, false),
        (answered(), 6, false),
    ] {
        assert_eq!(ask(&model).await, expected, "{n_asked}");
        assert_eq!((server.asked().len(), model.is_open()), (n_asked, is_open));
    }
    drop(recording);
    let log = log.text();
    assert_eq!(log.matches("the model's server is left alone").count(), 2, "{log}");
    assert_eq!(log.matches("the model's server is asked again").count(), 1, "{log}");
}
