//! A bot that talks with a scripted model, and what its channel shows of that.

use std::time::Instant;

use discord_twin::{CHANNEL_ID, Interaction, Recorded};
use serde_json::Value;

use crate::discord::connected::{Connected, connect};
use crate::support::bot::PATIENCE;
use crate::support::said::{said, says};
use crate::support::scripted_model::{Script, ScriptedModel};

/// A connected bot whose model gives these answers, and whose commands are registered. `more` are further settings;
/// its first lines may still belong to `[model]`.
pub(crate) async fn connect_to_model(scripts: Vec<Script>, more: &str) -> (Connected, ScriptedModel) {
    connect_to_this_model(ScriptedModel::start(scripts).await, more).await
}

/// The same with this model.
pub(crate) async fn connect_to_this_model(model: ScriptedModel, more: &str) -> (Connected, ScriptedModel) {
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n{more}", model.base_url());
    let connected = connect(&config).await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, model)
}

/// The first request that shows this text.
pub(crate) async fn shown(connected: &Connected, text: &str) -> Recorded {
    shown_since(connected, 0, text).await
}

/// The first request with this number or a later one that shows this text.
pub(crate) async fn shown_since(connected: &Connected, n: u64, text: &str) -> Recorded {
    let is_it = |request: &Recorded| n <= request.n && request.accepted() && says(request.text(), text);
    let found = connected.twin.wait_for(PATIENCE, is_it).await;
    found.unwrap_or_else(|| panic!("nothing says {text}; {:#?}\n{}", connected.twin.requests(), connected.bot.log()))
}

/// The messages of the channel that the bot sent and did not take away, oldest first, each as a person reads it now.
pub(crate) fn standing(connected: &Connected) -> Vec<String> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let requests = connected.twin.requests();
    let sent = requests.iter().filter(|request| request.method == "POST" && request.path == path);
    let ids = sent.filter_map(Recorded::message_id).filter(|id| connected.twin.message(*id).is_some());
    let last_text = |id| {
        let changes = requests.iter().rev().filter(|request| request.accepted() && request.message_id() == Some(id));
        // An edit that only takes the buttons away has no text.
        changes.map(Recorded::text).find(|text| !text.is_empty())
    };
    ids.filter_map(last_text).collect()
}

/// What a menu command on a reply answers. A message is there a moment before it is known whose it is.
pub(crate) async fn on_reply(connected: &Connected, chosen: impl Fn() -> Interaction) -> Recorded {
    let end = Instant::now() + PATIENCE;
    loop {
        let answer = connected.answer(chosen()).await;
        if answer.text() != said!("said-none") {
            return answer;
        }
        assert!(Instant::now() < end, "it is never known as a reply");
    }
}

/// The custom ids of a message's buttons, in order.
pub(crate) fn buttons(message: &Recorded) -> Vec<String> {
    let rows = message.message()["components"].as_array().into_iter().flatten();
    let parts = rows.flat_map(|row| row["components"].as_array().into_iter().flatten());
    parts.filter_map(|part| part["custom_id"].as_str().map(str::to_owned)).collect()
}

/// A press of a message's first button.
pub(crate) fn press(message: &Recorded) -> Interaction {
    let custom_id = buttons(message).into_iter().next().unwrap_or_else(|| panic!("no button: {message:#?}"));
    Interaction::press(message.message_id().unwrap(), &custom_id)
}

/// What a press of the n-th button of a message leads to. A modal is submitted as it is filled in.
pub(crate) async fn taken(connected: &Connected, message: &Recorded, n: usize) -> Recorded {
    let (id, buttons) = (message.message_id().unwrap(), buttons(message));
    let answer = connected.answer(Interaction::press(id, &buttons[n])).await;
    if answer.body["type"] != 9 {
        return answer;
    }
    let form = &answer.body["data"];
    let inputs = form["components"].as_array().unwrap().iter().map(|row| &row["components"][0]);
    let filled_in = inputs.filter_map(|input| Some((input["custom_id"].as_str()?, input["value"].as_str()?)));
    let filled_in: Vec<_> = filled_in.collect();
    connected.answer(Interaction::modal(form["custom_id"].as_str().unwrap(), &filled_in).from_message(id)).await
}

/// The messages of a request to the model.
pub(crate) fn messages(asked: &Value) -> Vec<Value> {
    asked["messages"].as_array().unwrap().clone()
}

/// Waits until the model was asked so often.
pub(crate) async fn is_asked(model: &ScriptedModel, n: usize) {
    let end = std::time::Instant::now() + PATIENCE;
    while model.asked().len() < n {
        assert!(std::time::Instant::now() < end, "the model is not asked");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
