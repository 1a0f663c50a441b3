//! Who may set something, what the operator lets them set, and that the operator's own settings win.

use std::fs;

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Message};
use serde_json::json;

use super::administrators::{ALL, ask, connect, field, press, set, sets, settings, standing};
use crate::discord::connected::{Connected, connect_in};
use crate::support::said::{ANY, assert_says, footer, said, says};

#[tokio::test(flavor = "multi_thread")]
async fn only_who_manages_the_server_sets_anything_there() {
    let (connected, _model) = connect(0, ALL).await;
    let (command, missing) = ("/settings set", "Manage Server");
    let members = said!("denied-discord", command = command, missing = missing);
    let denied = [
        (set("chat", "off").permissions(0), members.clone()),
        // Neither other rights nor a modal help.
        (set("chat", "off").permissions(1 << 4 | 1 << 13), members),
        (
            settings("set").option("name", "persona").permissions(0),
            said!("denied-discord", command = command, missing = missing),
        ),
        (set("chat", "off").in_dm(), said!("denied-servers-only", command = command)),
    ];
    for (interaction, wanted) in denied {
        let answer = connected.answer(interaction).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (wanted, true));
    }
    let typed = connected.reply(Message::to_bot("/settings set name: chat value: off")).await;
    assert_says(typed.text(), said!("answer-for-one-alone", command = command));
    assert_says(connected.answer(set("chat", "off").permissions(8)).await.text(), footer(command));

    // Rights that were taken away since count for buttons, too.
    let (page, controls, _) = standing(&connected, settings("show")).await;
    let answer = connected.answer(press(page, controls.last().unwrap()).permissions(0)).await;
    assert_says(answer.text(), said!("denied-picker", command = "/settings undo", wanted = missing));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_operator_does_not_allow_is_refused() {
    let (connected, model) = connect(1, "server_settings = [\"language\"]\n").await;
    for (name, value) in [("chat", "off"), ("persona", "A pirate."), ("commands", "/tasks")] {
        let answer = connected.answer(set(name, value)).await;
        assert_says(answer.text(), said!("settings-not-allowed", setting = name));
    }
    sets(&connected, "language", "de").await;
    ask(&connected, &model, Message::to_bot("hi")).await;
    let page = connected.answer(settings("show")).await;
    assert_says(page.text(), said!("settings-source-closed"));
    assert_says(page.text(), said!("settings-source-server"));
    // Names that may be set, and no others, are suggested.
    let names = connected.answer(settings_completed("set", "name", "")).await;
    assert_eq!(names.body["data"]["choices"], json!([{"name": "language", "value": "language"}]));
    let values = connected.answer(settings_completed("set", "value", "")).await;
    assert_eq!(values.body["data"]["choices"][0], json!({"name": "language: en", "value": "en"}));
}

fn settings_completed(subcommand: &str, option: &str, typed: &str) -> Interaction {
    Interaction::autocomplete("settings").subcommand(subcommand).focused(option, typed).permissions(1 << 5)
}

#[tokio::test(flavor = "multi_thread")]
async fn by_default_nothing_may_be_set() {
    let (connected, _model) = connect(0, "").await;
    let (_, controls, page) = standing(&connected, settings("show")).await;
    assert_says(page.text(), said!("settings-nothing-allowed"));
    assert_eq!(controls, Vec::<String>::new());
    let answer = connected.answer(set("chat", "off")).await;
    assert_says(answer.text(), said!("settings-not-allowed", setting = "chat"));
    let answer = connected.answer(set("chta", "off")).await;
    assert_says(answer.text(), said!("settings-unknown", name = "chta", known = "`chat`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn in_place_of_a_model_that_is_not_offered_any_more_the_default_is_used() {
    let (connected, model) = connect(1, ALL).await;
    sets(&connected, "model", "second").await;
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let file = folder.path().join("config.toml");
    let config = fs::read_to_string(&file).unwrap();
    assert!(config.contains(", \"second\""), "{config}");
    fs::write(file, config.replace(", \"second\"", "")).unwrap();
    let connected = connect_in(folder, twin).await;
    connected.bot.hears(&["WARN", "n_servers=1", "models=\"second\"", "no longer offered"]);

    let page = connected.answer(settings("show")).await;
    let source = said!("settings-source-vanished", used = "`scripted`");
    assert_eq!(field(&page, "model"), format!("`second`\n{source}"));
    let (asked, _) = ask(&connected, &model, Message::to_bot("hi")).await;
    assert_eq!(asked["model"], "scripted");
    let shown = connected.folder.run(&["settings", "show"]);
    let shown = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.contains("(does not count: config.toml offers it no longer"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_own_settings_win_and_the_page_says_so() {
    let places = format!(
        "{ALL}system = \"Of the operator.\"\n[chat.places.{GUILD_ID}]\nlanguage = \"en\"\n\
         [chat.places.\"{CHANNEL_ID}\"]\nmodel = \"second\"\n\
         [chat.access]\nper_minute = 600\ndirect = \"everybody\"\nroles = [\"40\"]\n\
         [permissions.\"/status\"]\ncooldown_s = {{ user = 3600 }}\n"
    );
    let (connected, model) = connect(1, &places).await;
    for (name, value) in [("persona", "A pirate."), ("language", "de"), ("chat_roles", "<@&41>")] {
        let answer = connected.answer(set(name, value)).await;
        assert_says(answer.text(), said!("settings-by-operator", setting = name));
        let answer = connected.answer(settings("clear").option("name", name)).await;
        assert_says(answer.text(), said!("settings-by-operator", setting = name));
    }
    sets(&connected, "model", "scripted").await;
    let page = connected.answer(settings("show")).await;
    let expected = [
        ("chat", "`on`".to_owned(), said!("settings-source-default")),
        ("chat_channels", said!("settings-none"), said!("settings-source-default")),
        ("chat_roles", "<@&40>".to_owned(), said!("settings-source-operator")),
        ("persona", said!("settings-not-shown"), said!("settings-source-operator")),
        ("model", "`scripted`".to_owned(), said!("settings-source-server")),
        ("language", "`en`".to_owned(), said!("settings-source-operator")),
        ("commands", said!("settings-none"), said!("settings-source-default")),
        ("cooldowns", "`/status 3600s`".to_owned(), said!("settings-source-operator")),
    ];
    for (name, value, source) in expected {
        assert_eq!(field(&page, name), format!("{value}\n{source}"), "{name}");
    }
    assert_says(page.text(), said!("settings-in-channel", settings = "`model`"));
    assert_says(page.text(), said!("settings-last-change", setting = "model", age = ANY, number = 1, receipt = ANY));
    // Of cooldowns, the operator sets single ones.
    let answer = connected.answer(set("cooldowns", "/status 1s, /tasks 1s")).await;
    assert_says(answer.text(), said!("settings-by-operator-in-part", setting = "cooldowns", what = "`/status 1s`"));
    sets(&connected, "cooldowns", "/status 1s channel").await;
    let page = connected.answer(settings("show")).await;
    let operators = said!("settings-cooldowns-operators", cooldowns = "`/status 3600s`");
    let source = said!("settings-source-server");
    assert_eq!(field(&page, "cooldowns"), format!("`/status 1s channel`\n{source}\n{operators}"));
    let (asked, _) = ask(&connected, &model, Message::to_bot("hi").roles(&[40])).await;
    assert!(asked["messages"][0]["content"].as_str().unwrap().starts_with("Of the operator."), "{asked}");
    assert_eq!(asked["model"], "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_what_the_operator_set_for_a_channel_its_category_or_the_channel_of_a_thread() {
    const CATEGORY: u64 = CHANNEL_ID + 30;
    const THREAD: u64 = CHANNEL_ID + 7;
    const ELSEWHERE: u64 = CHANNEL_ID + 20;
    let places = format!(
        "{ALL}[chat.places.\"{CATEGORY}\"]\nlanguage = \"en\"\n[chat.places.\"{CHANNEL_ID}\"]\nmodel = \"second\"\n"
    );
    let (connected, _model) = connect(0, &places).await;
    connected.twin.put_into_category(CHANNEL_ID, CATEGORY);
    connected.twin.open_thread(THREAD, CHANNEL_ID, "Plans");
    for channel in [CHANNEL_ID, THREAD] {
        let page = connected.answer(settings("show").in_guild(GUILD_ID, channel)).await;
        assert_says(page.text(), said!("settings-in-channel", settings = "`model`, `language`"));
    }
    let page = connected.answer(settings("show").in_guild(GUILD_ID, ELSEWHERE)).await;
    let told = said!("settings-in-channel", settings = ANY);
    assert!(!says(page.text(), told), "{}", page.text());
}
