//! How much of the model's context the prompt takes, in the model's own tokens, with every shipped tool.

use serde_json::{Value, json};

use super::say;
use super::server::Server;
use crate::support::bot::Folder;
use crate::support::scripted_model::{Script, ScriptedModel};

/// The most tokens of the system text and the tools. Each module has its name in it, some four tokens, also without a
/// tool.
const NATIVE_MAX: usize = 600;
const TEXT_MAX: usize = 800;

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_with_every_shipped_tool_is_short() {
    let Some(server) = Server::start() else { return };
    for (mode, max) in [("native", NATIVE_MAX), ("text", TEXT_MAX)] {
        let request = first_request(mode).await;
        let system = n_tokens(&server, request["messages"][0]["content"].as_str().unwrap()).await;
        let tools = match request["tools"].as_array() {
            Some(tools) => n_tokens(&server, &tools.iter().map(Value::to_string).collect::<String>()).await,
            None => 0,
        };
        say(&format!("real_model: {mode}: the prompt has {system} + {tools} tokens"));
        assert!(system + tools < max, "{mode}: {system} + {tools} tokens");
    }
}

/// The request for an answer to "hello", in a mode, with all tools that change something allowed.
async fn first_request(mode: &str) -> Value {
    let model = ScriptedModel::start(vec![Script::says("Hello.")]).await;
    let folder = Folder::with(&format!(
        "[model]\nbase_url = \"{}\"\nmodels = [\"llama\"]\ntools = \"{mode}\"\n[chat]\nwrite_tools = [\"/files write\", \
         \"/memory save\", \"/tasks add\", \"/tasks done\", \"/tasks remove\"]\n",
        model.base_url()
    ));
    tokio::task::spawn_blocking(move || folder.console("hello\n")).await.unwrap();
    model.asked().remove(0).body
}

async fn n_tokens(server: &Server, text: &str) -> usize {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer =
        client.post(format!("{}/tokenize", server.url())).json(&json!({"content": text})).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer["tokens"].as_array().map(Vec::len).unwrap()
}
