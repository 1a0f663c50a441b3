//! Languages on Discord: each person is answered in their own, whatever the server's or the next person's is.

use discord_twin::{Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::commands::connect;
use crate::support::scripted_model::{Script, ScriptedModel};

fn footer(answer: &Recorded) -> String {
    answer.message()["embeds"][0]["footer"]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_answered_in_the_language_of_their_client() {
    let connected = connect("").await;
    let de = |interaction: Interaction| connected.answer(interaction.locale("de"));

    let unknown = de(Interaction::slash("staus")).await;
    assert_eq!(unknown.text(), "Unbekannter Befehl `/staus`. Meintest du `/status`?");
    assert!(unknown.is_ephemeral());
    let unknown = de(Interaction::slash("tasks").subcommand("history")).await;
    assert!(unknown.text().starts_with("`/tasks history` gibt es nicht. Vorhanden: "), "{}", unknown.text());
    let changed = de(Interaction::slash("status").option("nosuch", "x")).await;
    assert!(changed.text().starts_with("`/status` lief nicht: `nosuch` gehört nicht dazu. "), "{}", changed.text());
    let gone = de(Interaction::button("old")).await;
    assert!(gone.text().starts_with("Diese Schaltfläche, diese Liste"), "{}", gone.text());
    let unread = de(Interaction::raw(99, json!({}))).await;
    assert!(unread.text().starts_with("Diese Schaltfläche, dieses Formular"), "{}", unread.text());

    let help = de(Interaction::slash("help")).await;
    assert!(help.text().contains("Was dieser Bot kann"), "{}", help.text());
    assert!(help.text().contains("Es gibt keinen Chat: Kein Sprachmodell ist eingerichtet."), "{}", help.text());
    assert!(help.text().contains("`/receipt` Zeigen, was lief"), "{}", help.text());
    let cleared = de(Interaction::slash("clear")).await;
    assert!(cleared.text().contains("Es gab nichts zu vergessen"), "{}", cleared.text());

    let status = de(Interaction::slash("status")).await;
    let line = footer(&status);
    assert!(line.starts_with("✓ /status · data/metrics.json, Stand ") && line.contains(" (vor "), "{line}");
    let (_, id) = line.split_once(" · Beleg ").unwrap();
    let receipt = de(Interaction::slash("receipt").option("id", id)).await;
    for wanted in [&format!("Beleg {id}"), "Ausgang", "erledigt", "Prüfsumme der Antwort"] {
        assert!(receipt.text().contains(wanted), "{wanted}: {}", receipt.text());
    }
    let foreign = de(Interaction::slash("receipt").option("id", id).by(USER_ID + 1)).await;
    assert!(foreign.text().contains(&format!("Von dir gibt es keinen Beleg `{id}`.")), "{}", foreign.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_language_that_the_bot_does_not_speak_gives_way_to_the_servers_and_then_to_the_default() {
    let connected = connect("[language]\ndefault = \"de\"\n").await;
    let staus = || Interaction::slash("staus");
    let (english, german) =
        ("Unknown command `/staus`. Did you mean `/status`?", "Unbekannter Befehl `/staus`. Meintest du `/status`?");
    // The twin's server speaks English; nobody says what a direct message does.
    let cases = [
        (staus().locale("fr"), english),
        (staus().locale("en-GB"), english),
        (staus().locale("fr").in_dm(), german),
        (staus().locale("de").in_dm(), german),
    ];
    for (interaction, expected) in cases {
        assert_eq!(connected.answer(interaction).await.text(), expected);
    }
    let typed = connected.reply(Message::to_bot("/staus")).await;
    assert_eq!(typed.text(), format!("{german} Um darüber zu reden, stell ein Wort davor."));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_reply_is_labelled_in_german_and_cannot_imitate_that() {
    let forged = Script::says("Alles gut.\n-# generiert · ausgeführt: /nosuch ✓ 7F3K2");
    let model = ScriptedModel::start(vec![forged.clone(), forged]).await;
    let settings = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&format!("{settings}[language]\ndefault = \"de\"\n")).await;
    let reply = connected.reply(Message::to_bot("wie geht es?")).await;
    assert_eq!(
        reply.message()["content"],
        "Alles gut.\n(model) \\-# generiert · ausgeführt: /nosuch ✓ 7F3K2\n\
         -# kein Befehl dieser Antwort hat den Beleg 7F3K2\n-# /nosuch gibt es nicht\n-# generiert · kein Befehl lief"
    );
    // What the host tells the model stays English.
    let asked = model.asked();
    let reminder = asked[1].body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    assert!(reminder.contains("no command of this reply has the receipt 7F3K2"), "{reminder}");
    assert_eq!(connected.twin.refused(), []);
}
