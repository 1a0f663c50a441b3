//! Chat is different where `[chat.places]` says so, and threads are as their channel.

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Message, Recorded};
use serde_json::Value;
use time::OffsetDateTime;

use crate::discord::chat::talking::{connect_to_model, shown_since};
use crate::discord::connected::{self, Connected};
use crate::support::said::said;
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::language::Language;

const THREAD: u64 = CHANNEL_ID + 7;
const CATEGORY: u64 = CHANNEL_ID + 8;

async fn connect(n_answers: usize, places: &str) -> (Connected, ScriptedModel) {
    let scripts = (1..=n_answers).map(|n| Script::says(&format!("Answer {n}."))).collect();
    connect_to_model(scripts, places).await
}

/// Says something in a channel, and returns what the model was asked, and the reply.
async fn ask(connected: &Connected, model: &ScriptedModel, message: Message) -> (Value, Recorded) {
    let (n, n_asked) = (connected.twin.n_requests(), model.asked().len());
    connected.twin.say(message);
    let reply = shown_since(connected, n, &format!("Answer {}.", n_asked + 1)).await;
    (model.asked()[n_asked].body.clone(), reply)
}

fn persona(asked: &Value) -> String {
    asked["messages"][0]["content"].as_str().unwrap().lines().next().unwrap().to_owned()
}

fn tools(asked: &Value) -> Vec<&str> {
    let tools = asked["tools"].as_array().into_iter().flatten();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_nearest_place_says_who_the_model_is_and_what_it_may_call() {
    let places = format!(
        "[chat]\nsystem = \"Of the bot.\"\n\
         [chat.places.{GUILD_ID}]\nsystem = \"Of {{server}}.\"\n\
         [chat.places.\"{CATEGORY}\"]\ntools = [\"/tasks list\"]\n\
         [chat.places.\"{CHANNEL_ID}\"]\nsystem = \"In {{channel}}, for {{user}}.\"\n"
    );
    let (connected, model) = connect(4, &places).await;
    connected.twin.put_into_category(CHANNEL_ID, CATEGORY);
    connected.twin.open_thread(THREAD, CHANNEL_ID, "Plans");
    let (channel, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!((persona(&channel).as_str(), tools(&channel)), ("In \"general\", for \"alice\".", vec!["tasks_list"]));
    // A thread is as its channel, and has the category of that.
    let (thread, _) = ask(&connected, &model, Message::to_bot("hi").in_channel(THREAD)).await;
    assert_eq!((persona(&thread).as_str(), tools(&thread)), ("In \"Plans\", for \"alice\".", vec!["tasks_list"]));
    let (elsewhere, _) = ask(&connected, &model, Message::to_bot("hi").in_channel(CHANNEL_ID + 20)).await;
    assert_eq!(persona(&elsewhere), "Of \"Twin\".");
    assert!(tools(&elsewhere).contains(&"status"), "{elsewhere}");
    assert_eq!(connected.twin.refused(), []);
}

/// Nepal is 5:45 ahead of UTC all the year.
#[tokio::test(flavor = "multi_thread")]
async fn a_place_has_its_own_clock_for_the_model_and_for_reminders() {
    let zones =
        format!("[chat]\ntime_zone = \"Asia/Tokyo\"\n[chat.places.{CHANNEL_ID}]\ntime_zone = \"Asia/Kathmandu\"\n");
    let (connected, model) = connect(2, &zones).await;
    let (here, _) = ask(&connected, &model, Message::to_bot("how late is it?")).await;
    let told = here["messages"][0].to_string();
    assert!(told.contains(" in Asia/Kathmandu (UTC+05:45)."), "{told}");
    let (alone, _) = ask(&connected, &model, Message::text("and here?").in_dm()).await;
    assert!(alone["messages"][0].to_string().contains(" in Asia/Tokyo (UTC+09:00)."), "{alone}");

    let tomorrow = OffsetDateTime::now_utc().date().next_day().unwrap();
    let asked = || {
        let add = Interaction::slash("remind").subcommand("add");
        add.option("text", "tea").option("at", format!("{tomorrow} 12:00"))
    };
    let added = connected.answer(asked()).await.text();
    let due = tomorrow.with_hms(6, 15, 0).unwrap().assume_utc().unix_timestamp();
    assert!(added.contains(&format!("<t:{due}:f>")), "{added}");

    // Also where nobody wrote before.
    connected.twin.open_thread(THREAD, CHANNEL_ID, "Plans");
    let added = connected.answer(asked().in_guild(GUILD_ID, THREAD)).await.text();
    assert!(added.contains(&format!("<t:{due}:f>")), "{added}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_has_a_model_and_a_language_of_its_own() {
    let model = ScriptedModel::start(vec![Script::says("Answer 1."), Script::says("Answer 2.")]).await;
    let address = model.base_url();
    let connected = connected::connect(&format!(
        "[model]\nbase_url = \"{address}\"\nmodels = [\"scripted\", \"second\"]\ntools = \"native\"\n\
         [chat.places.\"{CHANNEL_ID}\"]\nmodel = \"second\"\nlanguage = \"de\"\n"
    ))
    .await;
    let (asked, reply) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!(asked["model"], "second");
    let german = Language::all().find(|language| language.tag() == "de").unwrap();
    assert!(reply.text().contains(&candor_core::language::say!(german, "label-generated")), "{}", reply.text());
    let models = connected.answer(Interaction::slash("model")).await.text();
    assert!(models.contains(&format!("`second` ({})", said!("model-in-use"))), "{models}");
    // What a person chose counts.
    connected.answer(Interaction::slash("model").option("name", "scripted")).await;
    let (asked, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!(asked["model"], "scripted");
}
