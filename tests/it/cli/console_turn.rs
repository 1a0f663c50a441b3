//! Chat turns in the console: what a person reads, and what only their `y` lets happen.

use serde_json::json;

use crate::support::bot::Folder;
use crate::support::scripted_model::{Script, ScriptedModel};

/// What the console prints for these lines, with a model that gives these answers.
async fn console(scripts: Vec<Script>, further: &str, lines: &'static str) -> String {
    let model = ScriptedModel::start(scripts).await;
    let folder =
        Folder::with(&format!("[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\n{further}", model.base_url()));
    let output = tokio::task::spawn_blocking(move || folder.console(lines)).await.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_runs_only_after_a_y() {
    let chat = "[chat]\nwrite_tools = [\"/tasks add\"]\n";
    for (answer, ran, listed) in
        [("y", "generated · ran /tasks add ✓ ", true), ("n", "generated · no command ran", false)]
    {
        let scripts = vec![Script::calls(&[("tasks_add", json!({"title": "buy milk"}))]), Script::says("Well.")];
        let lines: &'static str = Box::leak(format!("note milk\n{answer}\n/tasks list\n").into_boxed_str());
        let shown = console(scripts, chat, lines).await;
        assert!(shown.contains("/tasks add title: \"buy milk\""), "{shown}");
        assert!(shown.contains(ran), "{answer}: {shown}");
        let list = shown.rsplit("Tasks").next().unwrap();
        assert_eq!(list.contains("buy milk"), listed, "{answer}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_that_was_only_pretended_is_shown_and_saved_only_after_a_y() {
    let lie = || vec![Script::says("{\"success\": true, \"content\": \"likes tea\"}\nI'll keep that in mind!")];
    let shown = console(lie(), "", "remember tea\ny\n/memory list\n").await;
    assert!(shown.contains("not saved: /memory save content: \"likes tea\""), "{shown}");
    assert!(shown.contains("recovered") && shown.rsplit("recovered").next().unwrap().contains("likes tea"), "{shown}");
    // Any other line is a message of its own, and nothing is saved.
    let shown = console(lie(), "", "remember tea\n/memory list\n").await;
    assert!(!shown.contains("recovered"), "{shown}");
    assert_eq!(shown.matches("likes tea").count(), 1, "only the note: {shown}");
}
