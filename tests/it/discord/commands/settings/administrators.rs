//! Administrators of a server, their calls, and a bot whose operator lets them set something.

use discord_twin::{Interaction, Message, Recorded};
use serde_json::Value;

use crate::discord::chat::talking::shown_since;
use crate::discord::connected::{self, Connected};
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, footer};
use crate::support::scripted_model::{Script, ScriptedModel};

const MANAGE_GUILD: u64 = 1 << 5;

/// Every setting, as `[chat] server_settings` lists them.
pub(super) const ALL: &str = "server_settings = [\"chat\", \"chat_channels\", \"chat_roles\", \"write_tools\", \"persona\", \"model\", \
                              \"language\", \"commands\", \"cooldowns\", \"module_settings\", \"module_channels\"]\n";

/// A bot with two models, which answer `Answer 1.`, `Answer 2.` and so on. The first lines of `chat` belong to `[chat]`.
pub(super) async fn connect(n_answers: usize, chat: &str) -> (Connected, ScriptedModel) {
    connect_to((1..=n_answers).map(|n| Script::says(&format!("Answer {n}."))).collect(), chat).await
}

/// The same with a model that answers these.
pub(super) async fn connect_to(scripts: Vec<Script>, chat: &str) -> (Connected, ScriptedModel) {
    let model = ScriptedModel::start(scripts).await;
    let address = model.base_url();
    let connected = connected::connect(&format!(
        "[model]\nbase_url = \"{address}\"\nmodels = [\"scripted\", \"second\"]\ntools = \"native\"\n[chat]\n{chat}"
    ))
    .await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, model)
}

/// A call by somebody who manages the server.
pub(super) fn settings(subcommand: &str) -> Interaction {
    Interaction::slash("settings").subcommand(subcommand).permissions(MANAGE_GUILD)
}

/// What the page says of a setting: its value, and where that comes from.
pub(super) fn field(page: &Recorded, name: &str) -> String {
    let fields = page.message()["embeds"][0]["fields"].clone();
    let is_named = |field: &&Value| field["name"].as_str().unwrap().ends_with(&format!("({name})"));
    match fields.as_array().unwrap().iter().find(is_named) {
        Some(field) => field["value"].as_str().unwrap().to_owned(),
        None => panic!("no {name} in {fields}"),
    }
}

pub(super) fn set(name: &str, value: &str) -> Interaction {
    settings("set").option("name", name).option("value", value)
}

/// Sets something, and fails if that is refused.
pub(super) async fn sets(connected: &Connected, name: &str, value: &str) -> Recorded {
    let answer = connected.answer(set(name, value)).await;
    assert_says(answer.text(), footer("/settings set"));
    assert!(answer.is_ephemeral());
    answer
}

/// An answer as it stands: its message, and its buttons and menus in order.
pub(super) async fn standing(connected: &Connected, interaction: Interaction) -> (u64, Vec<String>, Recorded) {
    let sent = connected.twin.interact(interaction);
    let answer = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    let message = connected.twin.original_of(&sent).unwrap();
    let parts = message["components"].as_array().into_iter().flatten();
    let parts = parts.flat_map(|row| row["components"].as_array().into_iter().flatten());
    let custom_ids = parts.map(|part| part["custom_id"].as_str().unwrap().to_owned()).collect();
    (message["id"].as_str().unwrap().parse().unwrap(), custom_ids, answer)
}

/// A press by somebody who manages the server.
pub(super) fn press(message: u64, custom_id: &str) -> Interaction {
    Interaction::press(message, custom_id).permissions(MANAGE_GUILD)
}

/// Says something, and returns what the model was asked, and the reply.
pub(super) async fn ask(connected: &Connected, model: &ScriptedModel, message: Message) -> (Value, Recorded) {
    let (n, n_asked) = (connected.twin.n_requests(), model.asked().len());
    connected.twin.say(message);
    let reply = shown_since(connected, n, &format!("Answer {}.", n_asked + 1)).await;
    (model.asked()[n_asked].body.clone(), reply)
}
