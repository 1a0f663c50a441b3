//! `/metrics` of a running bot.

use discord_twin::Message;

use crate::discord::connected::connect;
use crate::discord::connection::{admin_address, answers};
use crate::support::scripted_model::{Script, ScriptedModel};

/// So many failed questions in a row open the breaker.
const N_FAILURES: usize = 5;
/// A request is repeated after a status that may pass.
const N_TRIES: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn a_connected_bot_tells_what_it_counts() {
    let scripts = vec![Script::says("Hello from the model."), Script::status(401)];
    let model = ScriptedModel::start(scripts).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&config).await;
    let address = admin_address(&connected.bot);
    let shows = async |line: &str| answers(address, "/metrics", true, &format!("\n{line}\n")).await;
    shows("candor_ready 1").await;
    shows("candor_commands_registered{state=\"in-place\"} 1").await;
    shows("candor_commands_registered{state=\"failed\"} 0").await;
    shows(&format!("candor_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"))).await;
    shows("candor_chat_turns_total{ending=\"prose\"} 0").await;

    connected.reply(Message::to_bot("hello")).await;
    shows("candor_chat_turns_total{ending=\"prose\"} 1").await;
    shows("candor_chat_turns_total{ending=\"failed\"} 0").await;
    connected.reply(Message::to_bot("and on?")).await;
    shows("candor_chat_turns_total{ending=\"failed\"} 1").await;
    shows("candor_guard_findings_total{check=\"tool-text\"} 0").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_goes_on_failing_is_told_to_the_operator() {
    let model = ScriptedModel::start(vec![Script::status(502); N_FAILURES * N_TRIES]).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&config).await;
    let address = admin_address(&connected.bot);
    let shows = async |line: &str| answers(address, "/metrics", true, &format!("\n{line}\n")).await;
    // The server fails in words of its own, which may be about one person's conversation.
    for person in 1..=N_FAILURES {
        shows("candor_model_breaker_open 0").await;
        connected.reply(Message::to_bot("hello").by(700 + person as u64)).await;
    }
    shows("candor_model_breaker_open 1").await;
}
