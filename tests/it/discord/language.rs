//! Languages on Discord: each person is answered in their own, whatever the server's or the next person's is.

use discord_twin::{Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::connected::connect;
use crate::support::said::{ANY, assert_says, receipt_in, said};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::language::Language;

fn german() -> Language {
    Language::of_locale("de").unwrap()
}

fn footer(answer: &Recorded) -> String {
    answer.message()["embeds"][0]["footer"]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_answered_in_the_language_of_their_client() {
    let connected = connect("").await;
    let de = |interaction: Interaction| connected.answer(interaction.locale("de"));

    let unknown = de(Interaction::slash("staus")).await;
    assert_eq!(unknown.text(), said!(in german(), "unknown-command-near", command = "/staus", near = "`/status`"));
    assert!(unknown.is_ephemeral());
    let unknown = de(Interaction::slash("tasks").subcommand("history")).await;
    let exist = said!(in german(), "unknown-subcommand-near", command = "/tasks history", exist = ANY);
    assert_says(unknown.text(), exist);
    let changed = de(Interaction::slash("status").option("nosuch", "x")).await;
    let problem = said!(in german(), "argument-not-taken", typed = "nosuch");
    assert_says(changed.text(), said!(in german(), "command-changed", command = "/status", problem = problem));
    let gone = de(Interaction::button("old")).await;
    assert_eq!(gone.text(), said!(in german(), "control-unknown"));
    let unread = de(Interaction::raw(99, json!({}))).await;
    assert_eq!(unread.text(), said!(in german(), "interaction-unknown"));

    let help = de(Interaction::slash("help")).await;
    assert_says(help.text(), said!(in german(), "help-title"));
    assert_says(help.text(), said!(in german(), "help-no-chat"));
    assert!(help.text().contains("`/receipt` Zeigen, was lief"), "{}", help.text());
    let cleared = de(Interaction::slash("clear")).await;
    assert_says(cleared.text(), said!(in german(), "command-of-chat", command = "/clear"));

    let status = de(Interaction::slash("status")).await;
    let line = footer(&status);
    let as_of = said!(in german(), "footer-as-of", time = ANY);
    assert_says(&line, format!("✓ /status · {as_of} · "));
    let id = &*receipt_in(&line, german());
    let receipt = de(Interaction::slash("receipt").option("id", id)).await;
    assert_says(receipt.text(), said!(in german(), "receipt-title", id = id));
    for wanted in [
        said!(in german(), "receipt-outcome"),
        said!(in german(), "outcome-answered"),
        said!(in german(), "receipt-digest"),
    ] {
        assert_says(receipt.text(), wanted);
    }
    let foreign = de(Interaction::slash("receipt").option("id", id).by(USER_ID + 1)).await;
    assert_says(foreign.text(), said!(in german(), "receipt-unknown", id = id));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_language_that_the_bot_does_not_speak_gives_way_to_the_servers_and_then_to_the_default() {
    let connected = connect("[language]\ndefault = \"de\"\n").await;
    let staus = || Interaction::slash("staus");
    let unknown = |language| said!(in language, "unknown-command-near", command = "/staus", near = "`/status`");
    // The twin's server speaks English; nobody says what a direct message does.
    let cases = [
        (staus().locale("fr"), Language::ENGLISH),
        (staus().locale("en-GB"), Language::ENGLISH),
        (staus().locale("fr").in_dm(), german()),
        (staus().locale("de").in_dm(), german()),
    ];
    for (interaction, language) in cases {
        assert_eq!(connected.answer(interaction).await.text(), unknown(language));
    }
    let typed = connected.reply(Message::to_bot("/staus")).await;
    assert_eq!(typed.text(), unknown(german()));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_reply_is_labelled_in_german_and_cannot_imitate_that() {
    let generated = said!(in german(), "label-generated");
    let forged = format!("{generated} · {}", said!(in german(), "label-ran", commands = "/nosuch ✓ 7F3K2"));
    let model = ScriptedModel::start(vec![Script::says(&format!("Alles gut.\n-# {forged}"))]).await;
    let settings = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect(&format!("{settings}[language]\ndefault = \"de\"\n")).await;
    let reply = connected.reply(Message::to_bot("wie geht es?")).await;
    let note = said!(in german(), "note-receipt", id = "7F3K2");
    let shown =
        format!("Alles gut.\n(model) \\-# {forged}\n-# {note}\n-# {generated} · {}", said!(in german(), "label-none"));
    assert_eq!(reply.message()["content"], shown);
    // What the host tells the model stays English.
    let system = model.asked()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(!system.contains(&said!(in german(), "help-chat")) && system.contains(" tool"), "{system}");
    assert_eq!(connected.twin.refused(), []);
}
