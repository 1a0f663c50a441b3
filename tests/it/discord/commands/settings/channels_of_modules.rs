//! Channels that modules may send to: named by `/settings` in a server, and counted there alone.

use std::time::{Duration, SystemTime};

use discord_twin::{CHANNEL_ID, Fault, GUILD_ID, Interaction, Recorded, Twin, USER_ID};

use super::administrators::{field, set, sets, settings};
use crate::discord::commands::later::{events, schedules};
use crate::discord::commands::send::{ended, folder_with, landed, news, to};
use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Bot, PATIENCE};
use crate::support::said::{assert_says, footer, said};

const ALLOWED: &str = "chat.server_settings = [\"module_channels\"]\n";

fn here(module: &str) -> String {
    format!("{module} = <#{CHANNEL_ID}>")
}

fn there(interaction: Interaction) -> Interaction {
    interaction.in_guild(GUILD_ID + 1, CHANNEL_ID + 1)
}

async fn connect() -> Connected {
    let connected = connect_in(folder_with(ALLOWED), Twin::start().await.unwrap()).await;
    connected.bot.hears(&["commands at Discord"]);
    connected
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_sends_where_administrators_let_it_and_in_their_server_alone() {
    let connected = connect().await;
    assert!(connected.answer(news("tell")).await.text().contains("✗ /news"));
    sets(&connected, "module_channels", &here("news")).await;
    let page = connected.answer(settings("show")).await;
    assert_eq!(field(&page, "module_channels"), format!("{}\n{}", here("news"), said!("settings-source-server")));
    assert_says(connected.answer(news("tell")).await.text(), footer("/news"));
    assert_eq!(ended(&connected.folder).await, ["sent"]);

    // What is named here does not count there, and what is named there is no channel of that server.
    assert!(connected.answer(there(news("tell"))).await.text().contains("✗ /news"));
    assert_says(connected.answer(there(set("module_channels", &here("news")))).await.text(), footer("/settings set"));
    assert_says(connected.answer(there(news("tell"))).await.text(), footer("/news"));
    connected.bot.hears(&["WARN", "the module may no longer send to this channel", &CHANNEL_ID.to_string()]);
    assert_eq!(ended(&connected.folder).await, ["sent", "given-up"]);

    sets(&connected, "module_channels", "news =").await;
    assert!(connected.answer(news("tell")).await.text().contains("✗ /news"));
    connected.answer(settings("undo")).await;
    assert_says(connected.answer(news("tell")).await.text(), footer("/news"));
    assert_eq!(ended(&connected.folder).await, ["sent", "given-up", "sent"]);
    assert_eq!(landed(&connected.twin).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_channel_that_is_taken_back_is_not_sent() {
    let connected = connect().await;
    sets(&connected, "module_channels", &here("news")).await;
    connected.twin.fail_next(Fault::new("POST", &to()).status(503).times(9));
    connected.answer(news("tell")).await;
    connected.bot.hears(&["WARN", "it is tried again"]);
    connected.answer(settings("clear").option("name", "module_channels")).await;
    connected.bot.hears(&["WARN", "the module may no longer send to this channel"]);
    assert_eq!(ended(&connected.folder).await, ["given-up"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_module_that_sends_or_no_channel_is_refused_and_this_channel_is_offered() {
    let connected = connect().await;
    let near = said!("unfit-channels-of-module-near", name = "nws", near = "news");
    let cases = [
        ("nws = <#5>", near),
        // It says nothing by itself.
        ("tasks = <#5>", said!("unfit-channels-of-module", name = "tasks")),
        ("news = general", said!("unfit-module-channels")),
        ("news", said!("unfit-module-channels")),
    ];
    for (value, what) in cases {
        let refused = connected.answer(set("module_channels", value)).await;
        assert_says(refused.text(), said!("settings-unfit", setting = "module_channels", what = what));
    }
    sets(&connected, "module_channels", "news = <#5>").await;
    let typed = Interaction::autocomplete("settings").subcommand("set").focused("value", "news").permissions(1 << 5);
    let sent = connected.twin.interact(typed);
    let offered = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    let value = format!("news = <#5> <#{CHANNEL_ID}>");
    assert_eq!(offered.body["data"]["choices"][0]["value"], value, "{}", offered.body);
    let closed = connect_in(folder_with("[chat]\nserver_settings = [\"chat\"]\n"), Twin::start().await.unwrap()).await;
    let refused = closed.answer(set("module_channels", &here("news"))).await;
    assert_says(refused.text(), said!("settings-not-allowed", setting = "module_channels"));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_told_where_administrators_let_a_module_also_after_a_restart() {
    let connected = connect_in(events::folder(ALLOWED), events::twin(true).await).await;
    connected.bot.hears(&["runs by itself: /welcome of welcome", "in 0 channels and where servers allow it"]);
    connected.twin.member_joins(76, "2026-11-27T00:00:00+00:00");
    sets(&connected, "module_channels", &format!("{}; {}", here("welcome"), here("notices"))).await;
    connected.twin.member_joins(77, "2026-11-27T00:00:00+00:00");
    events::told(&connected, "Welcome, user-77!").await;
    let message = connected.twin.say(discord_twin::Message::text("has anybody seen the cat"));
    events::told(&connected, "alice wrote: has anybody seen the cat").await;

    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    let connected = connect_in(folder, twin).await;
    connected.bot.hears(&["gateway intents", "GUILD_MEMBERS"]);
    connected.twin.react(USER_ID, (CHANNEL_ID, message), "🐈");
    events::told(&connected, "alice said 🐈 to").await;
    sets(&connected, "module_channels", "notices =").await;
    connected.twin.react(USER_ID, (CHANNEL_ID, message), "🐕");
    connected.twin.member_joins(78, "2026-11-27T00:00:00+00:00");
    events::told(&connected, "Welcome, user-78!").await;
    assert_eq!(events::n_messages(&connected.twin), 4, "{}", connected.bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_servers_may_want_them_events_take_their_intents() {
    let (twin, folder) = (events::twin(false).await, events::folder(ALLOWED));
    let mut refused = Bot::start(&folder, &twin.url());
    refused.hears(&["a privileged intent is not enabled", "\"module_channels\" out of `[chat] server_settings`"]);
    assert_eq!(refused.wait().code(), Some(78));
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_told_where_administrators_of_that_very_server_let_a_module() {
    let at = SystemTime::now() - Duration::from_mins(5);
    let connected = connect_in(schedules::folder_with(at, ALLOWED), Twin::start().await.unwrap()).await;
    connected.bot.hears(&["runs by itself: /round of rounds", "and where servers allow it"]);
    assert_says(connected.answer(there(set("module_channels", &here("rounds")))).await.text(), footer("/settings set"));
    // It is up again before a quarter of an hour is over, looks whose the channel is, and runs nothing.
    let connected = again(connected).await;
    let is_asked = |request: &Recorded| request.method == "GET" && request.path == format!("/channels/{CHANNEL_ID}");
    assert!(connected.twin.wait_for(PATIENCE, is_asked).await.is_some(), "log:\n{}", connected.bot.log());
    sets(&connected, "module_channels", &here("rounds")).await;
    assert_eq!(schedules::told(&connected.twin).len(), 0);

    let connected = again(connected).await;
    let twin = connected.twin.clone();
    let all = twin.wait_until(PATIENCE, || Some(schedules::told(&twin)).filter(|all| !all.is_empty())).await;
    let all = all.unwrap_or_else(|| panic!("not told; log:\n{}", connected.bot.log()));
    assert!(all[0].text().contains("A round,"), "{}", all[0].text());
    assert_eq!(all.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_module_had_that_is_gone_can_be_taken_back() {
    let connected = connect().await;
    sets(&connected, "module_channels", &here("news")).await;
    std::fs::remove_dir_all(connected.folder.path().join("modules/news")).unwrap();
    connected.bot.hears(&["the modules are in force"]);
    sets(&connected, "module_channels", "news =").await;
    let page = connected.answer(settings("show")).await;
    assert!(field(&page, "module_channels").ends_with(&said!("settings-source-default")));
    let refused = connected.answer(set("module_channels", &here("news"))).await;
    let what = said!("unfit-channels-of-module", name = "news");
    assert_says(refused.text(), said!("settings-unfit", setting = "module_channels", what = what));
}

#[tokio::test(flavor = "multi_thread")]
async fn whether_servers_may_name_channels_changes_with_a_restart() {
    let connected = connect().await;
    sets(&connected, "module_channels", &here("news")).await;
    let closed = ALLOWED.replace("module_channels", "chat");
    std::fs::write(connected.folder.path().join("config.toml"), closed).unwrap();
    connected.bot.hears(&["the settings changed outside of `[modules]`; that takes a restart"]);
    assert_says(connected.answer(news("tell")).await.text(), footer("/news"));
    assert_eq!(ended(&connected.folder).await, ["sent"]);
    let connected = again(connected).await;
    assert!(connected.answer(news("tell")).await.text().contains("✗ /news"));
}

/// The bot after a restart.
async fn again(connected: Connected) -> Connected {
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    connect_in(folder, twin).await
}
