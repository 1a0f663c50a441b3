//! `/receipt` of chat turns, on Discord and in the console: what is shown, and to whom.

use std::time::{Duration, SystemTime};

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, USER_ID};

use crate::discord::connected::{Connected, connect};
use crate::support::bot::Folder;
use crate::support::said::{ENGLISH, assert_says, receipt_in, said, says};
use candor_core::agent::{ConversationKey, Conversations as _, Turns as _};
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::record::{CallRecord, StrippedText, TurnId, TurnRecord};
use candor_store::Database;

const HERE: Place = Place::Guild { guild: GuildId(GUILD_ID), channel: ChannelId(CHANNEL_ID) };

/// The message that shows a kept turn's reply.
const MESSAGE: u64 = 1_234_567;

/// Keeps a turn as the bot would: its model is `small`, and it ran the command of this receipt.
async fn keep(folder: &Folder, user: u64, place: Place, at: SystemTime, receipt: &str) -> TurnId {
    let store = Database::open_file(&folder.path().join("data/candor.db")).await.unwrap();
    let call = CallRecord {
        tool: "status".to_owned(),
        command: Some("/status".to_owned()),
        arguments: "{\"metric\":\"`@everyone\"}".to_owned(),
        outcome: "done".to_owned(),
        receipt: Some(receipt.to_owned()),
        took_ms: Some(3),
        result: "{\"cpu\": 12.5}".to_owned(),
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
    let generation = store.generation(&ConversationKey::new(place, UserId(user))).await.unwrap();
    let turn = store.keep(UserId(user), place, generation, at, &record).await.unwrap().unwrap();
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
            said!("turn-title", id = "1"),
            "`small`".to_owned(),
            "`/status` `{\"metric\":\"'＠everyone\"}` · `done`".to_owned(),
            "`3EYDH`".to_owned(),
            said!("stripped-made-up-result"),
        ] {
            assert_says(&text, wanted);
        }
        assert!(answer.is_ephemeral(), "{text}");
        assert_eq!(says(&text, said!("turn-person")), user != USER_ID, "{text}");
    }
    let refused = [
        (link.as_str(), USER_ID + 1, said!("receipt-no-turn")),
        ("7654321", USER_ID, said!("receipt-no-turn")),
        ("the last one", USER_ID, said!("receipt-no-message", typed = "the last one")),
    ];
    for (reply, user, wanted) in refused {
        let answer = connected.answer(ask(reply, user)).await;
        assert!(says(answer.text(), &wanted) && !answer.text().contains("small"), "{reply}: {}", answer.text());
    }
    let both = connected.answer(ask(&link, USER_ID).option("id", "3EYDH")).await;
    assert_says(both.text(), said!("receipts-one-of"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_argument_it_is_the_later_of_the_last_command_and_the_last_turn() {
    let connected = connect("").await;
    let nothing = shown(&connected).await;
    assert_says(nothing, said!("receipt-none"));

    let answer = connected.answer(Interaction::slash("status")).await;
    let id = receipt_in(answer.text(), ENGLISH);
    let hour = Duration::from_secs(3_600);
    // A turn from before the command, one that ran the command, one from after it.
    let cases = [
        (SystemTime::now() - hour, "ZZZZZ", None),
        (SystemTime::now() - hour, id.as_str(), Some("2")),
        (SystemTime::now() + hour, "ZZZZZ", Some("3")),
    ];
    for (at, receipt, expected) in cases {
        keep(&connected.folder, USER_ID, HERE, at, receipt).await;
        let text = shown(&connected).await;
        let receipt = || said!("receipt-title", id = id.as_str());
        assert_says(text, expected.map_or_else(receipt, |turn| said!("turn-title", id = turn)));
    }
    // Others, and other places, have their own.
    let answer = connected.answer(Interaction::slash("receipt").by(USER_ID + 1)).await;
    assert_says(answer.text(), said!("receipt-none"));
    let answer = connected.answer(Interaction::slash("receipt").in_dm()).await;
    assert_says(answer.text(), said!("receipt-none"));
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
    let (first, second) = (said!("turn-title", id = "1"), said!("turn-title", id = "2"));
    let (last, other) = said.split_once(&second).unwrap_or_else(|| panic!("{said}"));
    assert!(!last.contains(&first) && other.contains(&first), "{said}");
    assert!(other.contains("• `status` → `/status`"), "{said}");
}
