//! The whole command model on Discord: options of every type, groups, menus, and what a client may send by mistake.

use discord_twin::{CHANNEL_ID, Interaction, Message, Recorded, USER_ID};
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect};
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, receipt, said, says};

/// The example of Discord's documentation: made on 30 April 2016.
const ID: u64 = 175_928_847_299_117_063;

/// A voice channel's number. See Discord's documentation, channel types.
const VOICE: u64 = 2;

fn inspect(names: &[&str]) -> Interaction {
    names.iter().fold(Interaction::slash("inspect"), |interaction, name| interaction.subcommand(name))
}

/// The data of `/inspect` with exactly these options.
fn inspect_with(options: Value) -> Interaction {
    Interaction::raw(2, json!({ "id": "9", "name": "inspect", "type": 1, "options": options }))
}

fn named<'a>(answer: &'a Recorded, name: &str) -> &'a str {
    let fields = answer.message()["embeds"][0]["fields"].as_array();
    let field = fields.into_iter().flatten().find(|field| field["name"] == name);
    field.and_then(|field| field["value"].as_str()).unwrap_or_default()
}

/// Answers each, for the asker alone, with nothing run.
async fn nothing_runs(connected: &Connected, cases: Vec<(Interaction, String)>) {
    for (interaction, wanted) in cases {
        let answer = connected.answer(interaction.clone()).await;
        assert_says(answer.text(), wanted);
        assert!(answer.is_ephemeral(), "{interaction:?}");
        assert!(!says(answer.text(), receipt()), "nothing ran: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_every_type_reaches_its_command() {
    let connected = connect("").await;
    let server = |name: &'static str| inspect(&["server", name]);
    let (id, channel) = (format!("`{ID}`"), format!("`{CHANNEL_ID}`"));
    let cases = [
        (
            inspect(&["person"]).user_option("user", USER_ID),
            "/inspect person",
            vec![("Name", "alice"), ("Is", "a person")],
        ),
        (inspect(&["id"]).option("id", ID.to_string()), "/inspect id", vec![("Created", "2016-04-30 11:18:25 UTC")]),
        (
            inspect(&["file"]).attachment_option("file", "cat.png", 70),
            "/inspect file",
            vec![("Name", "cat.png"), ("Size", "70 bytes"), ("Type", "image/png")],
        ),
        (
            server("channel").channel_option("channel", CHANNEL_ID, 0),
            "/inspect server channel",
            vec![("Name", "general"), ("Type", "text"), ("Id", &channel)],
        ),
        (server("role").role_option("role", ID), "/inspect server role", vec![("Id", &id)]),
        (
            server("mention").mentionable_user_option("who", USER_ID),
            "/inspect server mention",
            vec![("Name", "alice"), ("Is", "a person")],
        ),
        (server("mention").mentionable_role_option("who", ID), "/inspect server mention", vec![("Id", &id)]),
        (server("permission").option("bit", 13), "/inspect server permission", vec![("Name", "`manage_messages`")]),
    ];
    for (interaction, command, wanted) in cases {
        let answer = connected.answer(interaction).await;
        for (name, value) in wanted {
            assert_eq!(named(&answer, name), value, "{command}: {}", answer.text());
        }
        assert!(answer.is_ephemeral() && answer.text().contains(&format!("✓ {command} · ")), "{}", answer.text());
    }
    // What stands behind an id may be missing; the id is enough.
    let answer = connected.answer(inspect(&["person"]).option_as(6, "user", ID.to_string())).await;
    assert_eq!(named(&answer, "Id"), id, "{}", answer.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_menus_are_commands() {
    let connected = connect("").await;
    let of_user = connected.answer(Interaction::user_menu("Show ids").on_user(USER_ID + 1)).await;
    assert_eq!(named(&of_user, "Id"), format!("`{}`", USER_ID + 1), "{}", of_user.text());
    assert!(of_user.is_ephemeral() && of_user.text().contains("✓ Show ids · "), "{}", of_user.text());

    let status = connected.answer(Interaction::slash("status")).await;
    assert_says(status.text(), receipt());
    let of_message = connected.answer(Interaction::message_menu("Show ids of message")).await;
    assert_eq!(named(&of_message, "Channel"), format!("`{CHANNEL_ID}`"), "{}", of_message.text());
    assert_eq!(named(&of_message, "Author"), format!("`{USER_ID}`"));
    assert_eq!(named(&of_message, "Length"), format!("{} characters", "the target message".len()));
    assert!(of_message.is_ephemeral() && of_message.text().contains("✓ Show ids of message · "));

    // Late, it is put off like any other.
    let sent = connected.twin.interact(Interaction::user_menu("Show ids").aged_ms(2_000));
    let first = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
    assert!(first.is_deferral() && first.is_ephemeral(), "{first:?}");
    let answer = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    assert!(answer.method == "PATCH" && answer.text().contains("✓ Show ids"), "{answer:?}");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_person_gets_nothing_from_a_menu() {
    let blocked = USER_ID + 1;
    let connected = connect(&format!("[access]\nblocked = [{blocked}]\n")).await;
    let cases = vec![
        (Interaction::user_menu("Show ids").by(blocked), said!("denied-blocked", command = "Show ids")),
        (
            Interaction::message_menu("Show ids of message").by(blocked),
            said!("denied-blocked", command = "Show ids of message"),
        ),
    ];
    nothing_runs(&connected, cases).await;
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_stale_client_sends_is_answered_and_runs_nothing() {
    let connected = connect("").await;
    let leaf = |name: &str| json!({ "name": name, "type": 1, "options": [] });
    let group = |options: Value| json!({ "name": "server", "type": 2, "options": options });
    let misfit = |option: &str, problem: String| format!("`{option}` {problem}");
    let not_a_user = || misfit("user", said!("misfit-user"));
    let cases = vec![
        // Of another type than it is.
        (inspect(&["person"]).option("user", "alice"), not_a_user()),
        (inspect(&["person"]).role_option("user", ID), not_a_user()),
        (inspect(&["server", "permission"]).option("bit", "13"), misfit("bit", said!("misfit-integer"))),
        (inspect(&["server", "permission"]).option("bit", 64), misfit("bit", said!("misfit-too-large", max = 63))),
        (
            inspect(&["server", "channel"]).channel_option("channel", ID, VOICE),
            misfit("channel", said!("misfit-channel-kind")),
        ),
        (inspect(&["file"]).option_as(11, "file", "77"), misfit("file", said!("misfit-file"))),
        (inspect(&["person"]).option_as(99, "user", ID.to_string()), not_a_user()),
        // So wrong that it cannot be decoded.
        (
            inspect(&["server", "permission"]).option_as(4, "bit", "many"),
            said!("interaction-unreadable", command = "/inspect"),
        ),
        // Unknown, or missing.
        (inspect(&["person"]).user_option("user", ID).option("unit", "x"), said!("argument-not-taken", typed = "unit")),
        (inspect(&["person"]), said!("argument-missing", option = "user")),
        (inspect(&["nosuch"]), "/inspect person".to_owned()),
        (inspect(&["server", "nosuch"]), "/inspect server role".to_owned()),
        (inspect(&["nosuch", "role"]), "`/inspect nosuch role`".to_owned()),
        // Of another shape.
        (inspect_with(json!([])), said!("argument-subcommand")),
        (inspect_with(json!([leaf("server")])), said!("argument-subcommand")),
        (inspect_with(json!([group(json!([]))])), said!("argument-subcommand")),
        (
            inspect_with(json!([group(json!([group(json!([leaf("role")]))]))])),
            "`/inspect server server role`".to_owned(),
        ),
        (Interaction::slash("status").subcommand("server").subcommand("role"), said!("argument-no-subcommands")),
    ];
    nothing_runs(&connected, cases).await;
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_nobody_owns_is_answered_as_one() {
    let connected = connect("").await;
    let gone = |name: &str| said!("menu-command-unknown", name = name);
    let cases = vec![
        (Interaction::user_menu("Report"), gone("Report")),
        (Interaction::message_menu("Report"), gone("Report")),
        // Each menu has its own.
        (Interaction::message_menu("Show ids"), gone("Show ids")),
        (Interaction::user_menu("Show ids of message"), gone("Show ids of message")),
        (Interaction::user_menu("inspect"), gone("inspect")),
        (Interaction::slash("Show ids"), said!("unknown-command", command = "/Show ids")),
        (Interaction::entry_point("inspect"), said!("interaction-entry-point")),
        (Interaction::raw(2, json!({ "id": "9", "name": "inspect", "type": 9 })), said!("interaction-unknown-kind")),
        // It was chosen on something that is not told.
        (
            Interaction::raw(2, json!({ "id": "9", "name": "Show ids of message", "type": 3, "target_id": "77" })),
            said!("argument-missing", option = "message"),
        ),
    ];
    nothing_runs(&connected, cases).await;
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_reach_into_groups_and_are_of_the_options_type() {
    let connected = connect("").await;
    let typing = |names: &[&str], option: &str, kind: u8, text: &str| {
        let focused = json!([{ "name": option, "type": kind, "value": text, "focused": true }]);
        let nest = |(below, height): (Value, u8), name: &&str| {
            (json!([{ "name": name, "type": height, "options": below }]), height + 1)
        };
        let (options, _) = names.iter().rev().fold((focused, 1), nest);
        Interaction::raw(4, json!({ "id": "9", "name": "inspect", "type": 1, "options": options }))
    };
    let found = json!([{ "name": "manage_messages · bit 13", "value": 13 }]);
    let cases = [
        (typing(&["server", "permission"], "bit", 4, "manage mess"), found),
        (typing(&["server", "permission"], "bit", 4, "nosuch"), json!([])),
        (typing(&["server", "permission"], "nosuch", 4, ""), json!([])),
        (typing(&["server", "nosuch"], "bit", 4, ""), json!([])),
        (typing(&["nosuch", "permission"], "bit", 4, ""), json!([])),
        (typing(&["permission"], "bit", 4, ""), json!([])),
        (typing(&["server"], "bit", 4, ""), json!([])),
        (typing(&[], "bit", 4, ""), json!([])),
        // Known, and without suggestions.
        (typing(&["id"], "id", 3, "1"), json!([])),
    ];
    for (interaction, expected) in cases {
        let sent = connected.twin.interact(interaction.clone());
        let answer = connected.twin.callback_to(&sent, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("no answer to {interaction:?}; log:\n{}", connected.bot.log()));
        let mut choices = answer.body["data"]["choices"].clone();
        for choice in choices.as_array_mut().unwrap() {
            choice.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        }
        assert_eq!((&answer.body["type"], choices), (&json!(8), expected), "{interaction:?}");
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_text_with_mentions_reaches_the_same_commands() {
    let connected = connect("").await;
    let cases = [
        (format!("/inspect person user: <@{ID}>"), "✓ /inspect person · ", format!("`{ID}`")),
        (format!("/inspect person <@!{ID}>"), "✓ /inspect person · ", format!("`{ID}`")),
        (format!("/inspect server role role: <@&{ID}>"), "✓ /inspect server role · ", format!("`{ID}`")),
        (format!("/inspect server mention who: <@&{ID}>"), "✓ /inspect server mention · ", "Role".to_owned()),
        (format!("/inspect server mention who: <@{ID}>"), "✓ /inspect server mention · ", "User".to_owned()),
        (
            "/inspect server permission bit: 13".to_owned(),
            "✓ /inspect server permission · ",
            "manage_messages".to_owned(),
        ),
        // What a text cannot say is left to the picker.
        (format!("/inspect server channel channel: <#{ID}>"), "/inspect server channel", said!("misfit-channel-typed")),
        ("/inspect file file: cat.png".to_owned(), "/inspect file", said!("argument-file", option = "file")),
        ("/inspect person user: alice".to_owned(), "/inspect person", said!("misfit-user")),
    ];
    for ((text, first, second), person) in cases.into_iter().zip(ID..) {
        // The answers are for the asker alone, so they are asked for where nobody else reads; and each by somebody else,
        // for nobody is told twice at once why nothing ran.
        let reply = connected.reply(Message::text(&text).in_dm().by(person)).await;
        assert!(reply.text().contains(first) && reply.text().contains(&second), "{text}: {}", reply.text());
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_registered_in_german_as_well() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord"]);
    let commands = connected.twin.commands();
    let registered = |name: &str| commands.iter().find(|command| command["name"] == name).unwrap();
    let command = registered("inspect");
    assert_eq!(command["name_localizations"], json!({ "de": "nachsehen" }));
    assert_eq!((&command["contexts"], &command["type"]), (&json!([0, 1]), &json!(1)));

    let below = |entry: &Value, name: &str| -> Value {
        entry["options"].as_array().unwrap().iter().find(|below| below["name"] == name).unwrap().clone()
    };
    let group = below(command, "server");
    assert_eq!(
        (&group["type"], &group["description_localizations"]["de"]),
        (&json!(2), &json!("IDs und Nummern dieses Servers"))
    );
    let channel = below(&below(&group, "channel"), "channel");
    assert_eq!(channel["name_localizations"], json!({ "de": "kanal" }));
    assert_eq!((&channel["type"], &channel["channel_types"]), (&json!(7), &json!([0, 5, 10, 11, 12])));
    let bit = below(&below(&group, "permission"), "bit");
    assert_eq!((&bit["type"], &bit["autocomplete"], &bit["max_value"]), (&json!(4), &json!(true), &json!(63)));

    for (name, number, german) in
        [("Show ids", 2, "IDs zeigen"), ("Show ids of message", 3, "IDs der Nachricht zeigen")]
    {
        let entry = registered(name);
        assert_eq!((&entry["type"], &entry["name_localizations"]), (&json!(number), &json!({ "de": german })));
        assert_eq!(entry["description"].as_str().unwrap_or_default(), "", "a menu has no room for one");
    }
    assert_eq!(connected.twin.refused(), []);
}
