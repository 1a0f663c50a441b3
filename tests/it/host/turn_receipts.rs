//! `/receipt` of chat turns, on Discord and in the console: what is shown, and to whom.

use std::time::{Duration, SystemTime};

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, USER_ID};

use crate::discord::commands::{Connected, connect};
use crate::support::bot::Folder;
use candor::edges::store::Sqlite;
use candor_core::agent::Turns as _;
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::record::{CallRecord, StrippedText, TurnId, TurnRecord};

const HERE: Place = Place::Guild { guild: GuildId(GUILD_ID), channel: ChannelId(CHANNEL_ID) };

/// The message that shows a kept turn's reply.
const MESSAGE: u64 = 1_234_567;

/// Keeps a turn as the bot would: its model is `small`, and it ran the command of this receipt.
async fn keep(folder: &Folder, user: u64, place: Place, at: SystemTime, receipt: &str) -> TurnId {
    let store = Sqlite::open(&folder.path().join("data/candor.db")).await.unwrap();
    let call = CallRecord {
        tool: "status".to_owned(),
        command: Some("/status".to_owned()),
        arguments: "{\"metric\":\"`@everyone\"}".to_owned(),
        outcome: "done".to_owned(),
        receipt: Some(receipt.to_owned()),
        took_ms: Some(3),
    };
    let record = TurnRecord {
        model: "small".to_owned(),
        tools: "text".to_owned(),
        offered: vec!["status".to_owned()],
        calls: vec![call],
        stripped: vec![StrippedText { kind: "made-up-result".to_owned(), text: "{\"cpu\": 1}".to_owned() }],
        steps: 2,
        ..TurnRecord::default()
    };
    let turn = store.keep(UserId(user), place, at, &record).await.unwrap();
    store.shown(turn, &[MESSAGE]).await.unwrap();
    store.close().await;
    turn
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_leads_to_its_turn_for_its_person_and_nobody_else() {
    let connected = connect(&format!("[access]\noperators = [{}]\n", USER_ID + 2)).await;
    keep(&connected.folder, USER_ID, HERE, SystemTime::now(), "3EYDH").await;
    let ask = |reply: &str, user| Interaction::slash("receipt").option("reply", reply).by(user);
    let link = format!("https://discord.com/channels/{GUILD_ID}/{CHANNEL_ID}/{MESSAGE}");

    for (reply, user) in [(link.as_str(), USER_ID), ("1234567", USER_ID), (&link, USER_ID + 2)] {
        let answer = connected.answer(ask(reply, user)).await;
        let text = answer.text();
        for wanted in [
            "Chat turn 1",
            "`small`",
            "`/status` `{\"metric\":\"'＠everyone\"}` · `done`",
            "`3EYDH`",
            "a made-up result",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(answer.is_ephemeral(), "{text}");
        assert_eq!(text.contains("Person"), user != USER_ID, "{text}");
    }
    let refused = [
        (link.as_str(), USER_ID + 1, "no chat reply to you that this bot remembers"),
        ("7654321", USER_ID, "no chat reply to you that this bot remembers"),
        ("the last one", USER_ID, "`the last one` is no message."),
    ];
    for (reply, user, wanted) in refused {
        let answer = connected.answer(ask(reply, user)).await;
        assert!(answer.text().contains(wanted) && !answer.text().contains("small"), "{reply}: {}", answer.text());
    }
    let both = connected.answer(ask(&link, USER_ID).option("id", "3EYDH")).await;
    assert!(both.text().contains("Give only one of `id`, `reply` and `page`."), "{}", both.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_argument_it_is_the_later_of_the_last_command_and_the_last_turn() {
    let connected = connect("").await;
    let nothing = shown(&connected).await;
    assert!(nothing.contains("and no chat model has answered you here"), "{nothing}");

    let answer = connected.answer(Interaction::slash("status")).await;
    let id = answer.text().rsplit("receipt ").next().unwrap().trim().chars().take(5).collect::<String>();
    let hour = Duration::from_secs(3_600);
    // A turn from before the command, one that ran the command, one from after it.
    let cases = [
        (SystemTime::now() - hour, "ZZZZZ", None),
        (SystemTime::now() - hour, id.as_str(), Some("Chat turn 2")),
        (SystemTime::now() + hour, "ZZZZZ", Some("Chat turn 3")),
    ];
    for (at, receipt, expected) in cases {
        keep(&connected.folder, USER_ID, HERE, at, receipt).await;
        let text = shown(&connected).await;
        let expected = expected.map_or_else(|| format!("Receipt {id}"), str::to_owned);
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    // Others, and other places, have their own.
    let answer = connected.answer(Interaction::slash("receipt").by(USER_ID + 1)).await;
    assert!(answer.text().contains("No command of yours has run here yet"), "{}", answer.text());
    let answer = connected.answer(Interaction::slash("receipt").in_dm()).await;
    assert!(answer.text().contains("No command of yours has run here yet"), "{}", answer.text());
}

async fn shown(connected: &Connected) -> String {
    connected.answer(Interaction::slash("receipt")).await.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_shows_the_last_turn_and_any_other() {
    let folder = Folder::with("");
    std::fs::create_dir(folder.path().join("data")).unwrap();
    keep(&folder, 9, HERE, SystemTime::now(), "3EYDH").await;
    keep(&folder, 0, Place::Console, SystemTime::now(), "3EYDH").await;
    let output = folder.console(&format!("/receipt\n/receipt reply: {MESSAGE}\n"));
    let said = String::from_utf8(output.stdout).unwrap();
    let (last, other) = said.split_once("Chat turn 2").unwrap_or_else(|| panic!("{said}"));
    assert!(!last.contains("Chat turn 1") && other.contains("Chat turn 1"), "{said}");
    assert!(other.contains("• `status` → `/status`"), "{said}");
}
