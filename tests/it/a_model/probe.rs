//! How a model calls tools is found out by asking it, and read anew for each reply.

use serde_json::json;

use crate::support::bot::Folder;
use crate::support::scripted_model::{Script, ScriptedModel};

/// Says hello in the console, and again, to a model that answers the probe so. What it was asked, and the log.
async fn probed(probe: Script, further: &str) -> (ScriptedModel, String) {
    talked(vec![Script::says("Hello."); 2], probe, further).await
}

/// The same with a model that gives these answers.
async fn talked(answers: Vec<Script>, probe: Script, further: &str) -> (ScriptedModel, String) {
    let server = ScriptedModel::start_probed(answers, probe).await;
    let folder =
        Folder::with(&format!("[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\n{further}", server.base_url()));
    std::fs::write(folder.path().join("talk"), "hello\nhello again\n").unwrap();
    let talk = std::fs::File::open(folder.path().join("talk")).unwrap();
    let console = move || folder.candor(&["console"]).env("RUST_LOG", "info").stdin(talk).output();
    let output = tokio::task::spawn_blocking(console).await.unwrap().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(server.n_left(), 0, "{log}");
    (server, log)
}

#[tokio::test]
async fn a_probe_finds_the_way_to_call_tools_and_says_so_once() {
    let words = Script::says("I have no tools, but I can help.");
    let text = Script::says("<tool_call>{\"name\": \"ready\", \"arguments\": {}}</tool_call>");
    let cases = [
        (Script::calls(&[("ready", json!({}))]), "native"),
        (text, "text"),
        (words, "text"),
        (Script::error(400, "llama does not support tools"), "text"),
        (Script::error(500, "tools param requires --jinja flag"), "text"),
    ];
    for (probe, mode) in cases {
        let (server, log) = probed(probe, "").await;
        for asked in server.asked() {
            assert_eq!(asked.body["tools"].is_array(), mode == "native", "{mode}: {}", asked.body);
            let system = asked.body["messages"][0]["content"].as_str().unwrap();
            assert_eq!(system.contains("\"tool_calls\""), mode == "text", "{mode}: {system}");
        }
        assert_eq!(log.matches(&format!("tools: {mode} (found by a probe)")).count(), 1, "{log}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_of_tools_is_asked_twice_and_taken_for_native() {
    let (server, log) = probed(Script::error(403, "not now"), "").await;
    assert!(server.asked().iter().all(|asked| asked.body["tools"].is_array()));
    for (warning, n) in [("the probe failed, and is repeated later", 1), ("no probe shows it", 1)] {
        assert_eq!(log.matches(&format!("tools: native (assumed: {warning})")).count(), n, "{log}");
    }
}

#[tokio::test]
async fn what_is_set_is_not_probed() {
    for mode in ["native", "text", "none"] {
        let (server, log) = probed(Script::status(500), &format!("tools = \"{mode}\"\n")).await;
        assert!(server.asked().iter().all(|asked| asked.body["tools"].is_array() == (mode == "native")));
        assert!(!log.contains("tools:"), "{log}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_tools_after_all_is_asked_again_in_text_and_from_then_on() {
    let refusals = [
        Script::error(400, "Unrecognized request argument supplied: tools"),
        Script::error(422, "tools: extra fields not permitted"),
        Script::error(501, "tools are not implemented"),
    ];
    for refusal in refusals {
        let answers = vec![refusal, Script::says("Hello."), Script::says("Hello again.")];
        let (server, log) = talked(answers, Script::calls(&[("ready", json!({}))]), "").await;
        let offered: Vec<_> = server.asked().iter().map(|asked| asked.body["tools"].is_array()).collect();
        assert_eq!(offered, [true, false, false]);
        let system = server.asked()[1].body["messages"][0]["content"].to_string();
        assert!(system.contains("tool_calls"), "{system}");
        assert_eq!(log.matches("tools: text (its server refuses requests with tools)").count(), 1, "{log}");
    }
}

#[tokio::test]
async fn a_mode_that_is_set_stays_also_where_the_server_refuses_it() {
    let refused = Script::error(400, "llama does not support tools");
    let (server, _) = talked(vec![refused.clone(), refused], Script::status(500), "tools = \"native\"\n").await;
    assert!(server.asked().iter().all(|asked| asked.body["tools"].is_array()));
}
