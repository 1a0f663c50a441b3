//! Chat turns in the console: what a person reads, and what only their `y` lets happen.

use std::sync::Arc;

use serde_json::json;

use crate::support::bot::Folder;
use crate::support::said::{ANY, assert_says, footer, said, says};
use crate::support::scripted_model::{Script, ScriptedModel};

/// What the console prints for these lines, with a model that gives these answers.
async fn console(scripts: Vec<Script>, further: &str, lines: &'static str) -> String {
    let model = ScriptedModel::start(scripts).await;
    let folder =
        Folder::with(&format!("[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\n{further}", model.base_url()));
    let output = tokio::task::spawn_blocking(move || folder.console(lines)).await.unwrap();
    // 1: a line has no answer.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The model's words as the console shows them: behind a bar, with the mark below.
fn words(text: &str, ran: &str) -> String {
    format!("  │ {text}\n  {} · {ran}\n", said!("label-generated"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_model_calls_is_shown_as_itself_above_the_words() {
    let both = Script::calls(&[("status", json!({})), ("tasks_list", json!({}))]);
    let shown = console(vec![both, Script::says("All is well.")], "", "what's our status?\n").await;
    let running = |command| said!("running", command = command);
    let order = [
        running("/status"),
        "GiB".to_owned(),
        footer("/status"),
        running("/tasks list"),
        footer("/tasks list"),
        words("All is well.", &said!("label-ran", commands = "/status, /tasks list")),
    ];
    assert_says(&shown, order.join(ANY));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ran_stays_when_the_words_fail() {
    let scripts = vec![Script::calls(&[("status", json!({}))]), Script::says("")];
    let shown = console(scripts, "", "what's our status?\n").await;
    assert_says(&shown, format!("{}{ANY}  {}\n", footer("/status"), said!("model-empty")));
    assert!(!says(&shown, said!("label-generated")), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_runs_only_after_a_y() {
    let chat = "[chat]\nwrite_tools = [\"/tasks add\"]\n";
    for (lines, is_confirmed) in [("note milk\ny\n/tasks list\n", true), ("note milk\nn\n/tasks list\n", false)] {
        let scripts = vec![Script::calls(&[("tasks_add", json!({"title": "buy milk"}))]), Script::says("Well.")];
        let shown = console(scripts, chat, lines).await;
        assert_says(&shown, format!("  /tasks add title: \"buy milk\"\n  {}\n", said!("console-run")));
        assert_eq!(says(&shown, footer("/tasks add")), is_confirmed, "{shown}");
        let declined = said!("note-not-run", command = "/tasks add", why = said!("call-declined"));
        assert_eq!(says(&shown, declined), !is_confirmed, "{shown}");
        let list = shown.rsplit("Tasks").next().unwrap();
        assert_eq!(list.contains("buy milk"), is_confirmed, "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_amid_words_runs_once_after_a_y_and_no_other_line_runs_it() {
    let call = "<tool_call>{\"name\": \"save_memory\", \"arguments\": {\"content\": \"likes tea\"}}</tool_call>";
    let words = Script::says(&format!("I will keep that.\n{call}"));
    let twice = || vec![words.clone(), words.clone()];
    let offer = said!("console-offer", command = "/memory save");

    let shown = console(twice(), "", "I like tea\ny\n/memory list\n").await;
    assert!(!shown.contains("tool_call"), "{shown}");
    assert_says(&shown, said!("note-only-written", commands = "/memory save"));
    assert_says(&shown, format!("{offer}{ANY}✓ /memory save"));
    assert_eq!(shown.rsplit("✓ /memory save").next().unwrap().matches("likes tea").count(), 1, "{shown}");

    // `n` is an answer to the question, and any other line a message of its own.
    for lines in ["I like tea\nn\n/memory list\n", "I like tea\n/memory list\n", "I like tea\n\n/memory list\n"] {
        let shown = console(twice(), "", lines).await;
        assert_says(&shown, format!("{offer}{ANY}✓ /memory list"));
        assert!(!shown.contains("likes tea") && !shown.contains("✓ /memory save"), "{lines:?}: {shown}");
        assert!(!says(&shown, said!("model-server-error", status = ANY)), "nothing more was asked: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_offered_command_still_needs_is_told() {
    let shown = console(vec![Script::says("save_memory")], "", "I like tea\ny\n/memory list\n").await;
    assert_says(&shown, said!("note-only-written", commands = "/memory save"));
    assert_says(&shown, said!("console-offer", command = "/memory save"));
    // There are no forms here.
    let told = shown.rsplit("y/N").next().unwrap();
    assert!(told.contains("`content`") && told.contains("/memory save"), "{shown}");
    assert!(!shown.contains("✓ /memory save"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_is_shown_as_the_model_wrote_it() {
    let reply = "```\nstatus()\n-# generated\n✓ /status · receipt 7F3K2\n```";
    let shown = console(vec![Script::says(&format!("Like this:\n{reply}\nSo."))], "", "show me code\n").await;
    let lines: String = reply.lines().map(|line| format!("  │ {line}\n")).collect();
    let forged = said!("note-receipt", id = "7F3K2");
    let mark = format!("{} · {}", said!("label-generated"), said!("label-none"));
    assert_says(&shown, format!("  │ Like this:\n{lines}  │ So.\n  {forged}\n  {mark}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_its_limit_or_its_server_cuts_off_is_shown_with_a_line_that_says_so() {
    let cases = [
        (Script::writes(&["The moon is"]).ends("length"), said!("note-cut-off")),
        (Script::writes(&["The moon is"]).waits(&Arc::default()), said!("note-cut-time")),
        (Script::writes(&["The moon", " is"]).breaks(), said!("note-cut-lost")),
    ];
    for (script, note) in cases {
        let shown = console(vec![script], "stall_s = 1\n", "tell me about the moon\n").await;
        assert_says(&shown, format!("  │ The moon is\n{ANY}{note}"));
        assert!(says(&shown, said!("label-generated")), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_context_is_told_and_what_was_said_before_is_left_out() {
    let full = || Script::error(400, "the request exceeds the available context size, try increasing it");
    let talk = ["One.", "Two.", "Three."].map(Script::says).to_vec();
    let model =
        ScriptedModel::start([talk, vec![full(), Script::says("Four."), full(), full(), full()]].concat()).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\ntools = \"none\"\n", model.base_url());
    let folder = Folder::with(&config);
    let lines = "I say one\nI say two\nI say three\nI say four\nI say five\n";
    let output = tokio::task::spawn_blocking(move || folder.console(lines)).await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let order =
        ["Three.".to_owned(), "Four.".to_owned(), said!("note-left-out", n = 4), said!("model-context-too-long")];
    assert_says(&shown, order.join(ANY));
    let n_messages: Vec<_> =
        model.asked().iter().map(|asked| asked.body["messages"].as_array().map_or(0, Vec::len)).collect();
    // A system text, three exchanges and the question; then without the two oldest ones; then four, two and no
    // exchanges.
    assert_eq!(n_messages, [2, 4, 6, 8, 4, 10, 6, 2], "{shown}");
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("context_tokens") && !shown.contains("context_tokens"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_would_be_shown_now_is_counted_with_what_is_left_out() {
    let talk = vec![Script::says("One."), Script::says("Two."), Script::says("Three.")];
    let further = "tools = \"native\"\n[chat]\nhistory = 2\n";
    let lines = "/context\nI say one\nI say two\n/memory save content: I like tea\nI say three\n/context\n";
    let shown = console(talk, further, lines).await;
    let order = [
        said!("context-title"),
        said!("context-tools", n = 9, tokens = ANY),
        said!("context-exchanges", n = 0, tokens = 0),
        said!("context-title"),
        said!("context-model", model = "`llama`", n = 8_192, answer = 1_024),
        said!("context-told", title = ANY, n = 1),
        said!("context-exchanges", n = 2, tokens = ANY),
        said!("context-left-out", n = 1),
        said!("context-room", n = ANY),
    ];
    assert_says(&shown, order.join(ANY));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_nothing_would_be_shown_to_it() {
    let folder = Folder::empty();
    let output = tokio::task::spawn_blocking(move || folder.console("/context\n")).await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_says(&shown, said!("command-of-chat", command = "/context"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_stands_in_for_one_whose_server_fails_and_the_reply_says_so() {
    let (failing, whole) = (
        ScriptedModel::start(vec![Script::error(503, "no model is loaded"); 9]).await,
        ScriptedModel::start(vec![Script::says("Here I am.")]).await,
    );
    let folder = Folder::with(&format!(
        "[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\ntools = \"none\"\n\
         [models.gone]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"far\"]\ntools = \"none\"\n\
         [models.spare]\nbase_url = \"{}\"\nmodels = [\"small\"]\ntools = \"none\"\n\
         key_file = \"key\"\nkey_header = \"api-key\"\ntemperature = 0.5\nheaders = {{ X-Title = \"Candor\" }}\n\
         body = {{ reasoning = {{ effort = \"low\" }} }}\n\
         [chat]\nfallbacks = [\"gone/far\", \"spare/small\"]\n",
        failing.base_url(),
        whole.base_url()
    ));
    std::fs::write(folder.path().join("key"), "sk-spare").unwrap();
    let output = tokio::task::spawn_blocking(move || folder.console("hello\n/model\n")).await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let stood_in = said!("chat-stood-in", failed = "`llama`, `gone/far`", model = "spare/small");
    assert_says(&shown, ["  │ Here I am.\n", &stood_in, "`spare/small` –"].join(ANY));
    let asked = whole.asked();
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(asked.body["model"], "small");
    assert_eq!((&asked.body["temperature"], &asked.body["reasoning"]["effort"]), (&json!(0.5), &json!("low")));
    let header = |name: &str| asked.headers.get(name).and_then(|value| value.to_str().ok());
    assert_eq!(header("api-key").zip(header("x-title")), Some(("sk-spare", "Candor")));
    assert_eq!(header("authorization"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_other_model_is_asked_about_what_is_no_fault_of_the_server() {
    let (strict, other) =
        (ScriptedModel::start(vec![Script::error(400, "no")]).await, ScriptedModel::start(Vec::new()).await);
    let folder = Folder::with(&format!(
        "[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\ntools = \"none\"\n\
         [models.spare]\nbase_url = \"{}\"\nmodels = [\"small\"]\n[chat]\nfallbacks = [\"spare/small\"]\n",
        strict.base_url(),
        other.base_url()
    ));
    let output = tokio::task::spawn_blocking(move || folder.console("hello\n")).await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_says(&shown, said!("model-refused", status = "400"));
    assert_eq!(other.asked().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_asks_each_model_when_it_is_told_to() {
    let model = ScriptedModel::start(Vec::new()).await;
    let folder = Folder::with(&format!(
        "[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\n\
         [models.gone]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"far\"]\n",
        model.base_url()
    ));
    let (told, quiet) = tokio::task::spawn_blocking(move || {
        (folder.run(&["check", "--online", "--format", "json"]), folder.run(&["check"]))
    })
    .await
    .unwrap();
    assert_eq!((told.status.code(), quiet.status.code()), (Some(69), Some(0)), "{told:?}");
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    let models = &told["models"];
    assert_eq!((&models[0]["model"], &models[0]["tools"]), (&json!("llama"), &json!("native")), "{models}");
    assert_eq!((&models[0]["images"], &models[1]["images"]), (&json!(false), &json!(null)), "{models}");
    assert_eq!((&models[1]["model"], &models[1]["failure"]), (&json!("gone/far"), &json!("unreachable")), "{models}");
    let quiet = String::from_utf8(quiet.stdout).unwrap();
    assert!(!quiet.contains("the model `llama`"), "{quiet}");
}
