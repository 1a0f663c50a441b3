//! Changes of settings: undone, made by two at once, told to the operator, and printed by `candor settings`.

use discord_twin::{GUILD_ID, Interaction, USER_ID};
use serde_json::{Value, json};

use super::administrators::{ALL, connect, press, set, sets, settings, standing};
use crate::support::bot::PATIENCE;
use crate::support::said::{ANY, ENGLISH, assert_says, footer, receipt_in, said, says};

fn changed(setting: &str, now: &str, before: &str) -> String {
    said!("settings-changed", setting = setting, now = now, before = before)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_has_a_receipt_a_line_in_the_log_and_an_undo() {
    let (connected, _model) = connect(0, ALL).await;
    let none = said!("settings-none");
    let first = sets(&connected, "persona", "A pirate.").await;
    assert_says(first.text(), changed("persona", "`A pirate.`", &none));
    let receipt = receipt_in(first.text(), ENGLISH);
    let user = format!("user.id={USER_ID}");
    connected.bot.hears(&[
        "a server's setting was changed",
        &user,
        &receipt,
        "setting=\"persona\"",
        "now=\"9 characters\"",
    ]);
    let shown = connected.answer(Interaction::slash("receipt").option("id", receipt)).await;
    assert_says(shown.text(), "/settings set");

    sets(&connected, "persona", "A monk.").await;
    let cleared = connected.answer(settings("clear").option("name", "persona")).await;
    assert_says(cleared.text(), changed("persona", &none, "`A monk.`"));
    let (undone, controls, answer) = standing(&connected, settings("undo")).await;
    assert_says(answer.text(), changed("persona", "`A monk.`", &none));
    connected.bot.hears(&["a server's setting was changed", "now=\"7 characters\"", "undoes=3"]);
    // The button under an answer undoes the change before it, and works once.
    let pressed = connected.answer(press(undone, &controls[0])).await;
    assert_says(pressed.text(), changed("persona", "`A pirate.`", "`A monk.`"));
    let again = connected.answer(press(undone, &controls[0])).await;
    assert!(!again.text().contains(&footer("/settings undo")), "{}", again.text());
    connected.answer(settings("undo")).await;
    let nothing = connected.answer(settings("undo")).await;
    assert_says(nothing.text(), said!("settings-undo-nothing"));
    let same = connected.answer(settings("clear").option("name", "persona")).await;
    assert_says(same.text(), said!("settings-same", setting = "persona", now = none));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_administrators_at_once_the_second_is_told_what_changed_meanwhile() {
    let (connected, _model) = connect(0, ALL).await;
    let other = |interaction: Interaction| interaction.by(USER_ID + 1);
    let first = sets(&connected, "persona", "A pirate.").await;
    let receipt = receipt_in(first.text(), ENGLISH);
    let meanwhile = |at: u64, now: &str| {
        said!("settings-meanwhile", setting = "persona", age = ANY, receipt = ANY, now = now, at = at)
    };
    let second = connected.answer(other(set("persona", "A monk."))).await;
    assert_says(second.text(), meanwhile(1, "`A pirate.`"));
    assert!(second.text().contains(&receipt), "{}", second.text());
    // Other settings are not concerned, and whoever knows of the change goes on.
    assert_says(connected.answer(other(set("language", "de"))).await.text(), footer("/settings set"));
    assert_says(
        connected.answer(other(set("persona", "A monk.").option("at", 1))).await.text(),
        footer("/settings set"),
    );
    // The first one looked before that.
    let late = connected.answer(set("persona", "A king.").option("at", 1)).await;
    assert_says(late.text(), meanwhile(3, "`A monk.`"));

    // The same for undoing: the last change is not the one that its caller means.
    let undo = connected.answer(settings("undo")).await;
    let told = |last: &str, at: u64| {
        said!("settings-undo-meanwhile", setting = last, age = ANY, receipt = ANY, now = ANY, last = last, at = at)
    };
    assert_says(undo.text(), told("persona", 3));
    let undo = connected.answer(settings("undo").option("at", 1)).await;
    assert_says(undo.text(), told("persona", 3));
    let undone = connected.answer(settings("undo").option("at", 3)).await;
    assert_says(undone.text(), changed("persona", "`A pirate.`", "`A monk.`"));
}

/// Both read the settings before either has changed them: one change is stored, and the other begins anew and finds it.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_changes_at_the_same_moment_none_is_lost_unsaid() {
    let (connected, _model) = connect(0, ALL).await;
    let answers = (0..8_u64).map(|n| connected.answer(set("persona", &format!("Number {n}.")).by(USER_ID + n)));
    let answers = futures_util::future::join_all(answers).await;
    let done: Vec<_> = answers.iter().filter(|answer| answer.text().contains("✓ /settings set")).collect();
    assert_eq!(done.len(), 1, "{answers:#?}");
    for answer in answers.iter().filter(|answer| !answer.text().contains("✓ /settings set")) {
        let told = [
            said!("settings-meanwhile", setting = "persona", age = ANY, receipt = ANY, now = ANY, at = 1),
            said!("settings-at-once"),
            said!("failed-conflict", command = "/settings set"),
        ];
        assert!(told.iter().any(|told| says(answer.text(), told)), "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_values_are_refused_in_a_line_and_change_nothing() {
    let (connected, _model) = connect(0, ALL).await;
    let page = "x".repeat(2_001);
    let cases = [
        ("chat", "perhaps", said!("unfit-switch")),
        ("chat_channels", "#general", said!("unfit-channels")),
        ("chat_roles", "@everyone", said!("unfit-roles")),
        ("persona", &page, said!("unfit-too-long", max = 2_000, length = 2_001)),
        ("model", "huge", said!("unfit-model", known = "`scripted`, `second`")),
        ("language", "tlh", said!("unfit-language", known = "`en`, `de`")),
        ("commands", "/taks", said!("unfit-command-near", name = "/taks", near = "/tasks")),
        ("cooldowns", "/tasks", said!("unfit-cooldowns")),
        ("cooldowns", "/taks 30s", said!("unfit-cooldown-of-near", name = "/taks", near = "/tasks")),
        ("cooldowns", "/zzzzzzzzzz 30s", said!("unfit-cooldown-of", name = "/zzzzzzzzzz")),
    ];
    for (name, value, what) in cases {
        let answer = connected.answer(set(name, value)).await;
        assert_says(answer.text(), said!("settings-unfit", setting = name, what = what));
    }
    let huge = connected.answer(set("persona", &"x".repeat(100 * 1_024))).await;
    let what = said!("unfit-too-long", max = 2_000, length = 100 * 1_024);
    assert_says(huge.text(), said!("settings-unfit", setting = "persona", what = what));
    assert_says(connected.answer(settings("undo")).await.text(), said!("settings-undo-nothing"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_pickers_menus_buttons_and_forms() {
    let (connected, _model) = connect(0, ALL).await;
    let (page, controls, answer) = standing(&connected, settings("show")).await;
    let [channels, roles, _model, language, chat, persona, cooldowns] = controls.as_slice() else {
        panic!("channels, roles, model, language, chat, and two forms: {answer:#?}");
    };
    let none = said!("settings-none");
    let chosen = |control: &str, values: &[&str]| Interaction::choose(page, control, values).permissions(1 << 5);
    let set = async |interaction: Interaction, setting: &str, now: &str| {
        assert_says(connected.answer(interaction).await.text(), changed(setting, now, &none));
    };
    set(chosen(channels, &["30", "20"]), "chat_channels", "<#20> <#30>").await;
    set(chosen(roles, &["40"]), "chat_roles", "<@&40>").await;
    set(chosen(language, &["de"]), "language", "`de`").await;
    set(press(page, chat), "chat", "`off`").await;
    let (_, after, _) = standing(&connected, settings("show")).await;
    assert_eq!(after.len(), controls.len() + 1, "and an undo");
    let on = connected.answer(press(page, chat)).await;
    assert_says(on.text(), said!("settings-same", setting = "chat", now = "`off`"));

    let form = connected.twin.interact(press(page, cooldowns));
    let form = connected.twin.callback_to(&form, PATIENCE).await.unwrap();
    assert_eq!(form.body["type"], json!(9), "{}", form.text());
    let form = connected.twin.interact(press(page, persona));
    let form = connected.twin.callback_to(&form, PATIENCE).await.unwrap();
    assert_eq!(form.body["type"], json!(9), "{}", form.text());
    let filled =
        Interaction::modal(form.body["data"]["custom_id"].as_str().unwrap(), &[("value", "A pirate.\nSays arr.")]);
    let answer = connected.answer(filled.permissions(1 << 5)).await;
    assert_says(answer.text(), footer("/settings set"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_sees_and_exports_what_servers_set() {
    let (connected, _model) = connect(0, ALL).await;
    let run = |arguments: &[&str]| {
        let output = connected.folder.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(&["settings", "show"]), "nothing is set\n");
    assert_eq!(run(&["settings", "export"]), "");
    let set_here = sets(&connected, "persona", "A pirate.\nSays arr.").await;
    let there = set("chat", "off").in_guild(GUILD_ID + 1, 77);
    assert_says(connected.answer(there).await.text(), footer("/settings set"));

    let shown = run(&["settings", "show"]);
    assert!(shown.contains(&format!("server {GUILD_ID}\n  persona         A pirate.")), "{shown}");
    assert!(shown.contains(&format!("server {}\n  chat            off\n", GUILD_ID + 1)), "{shown}");
    let one = run(&["settings", "show", &(GUILD_ID + 1).to_string()]);
    assert!(one.contains("chat") && !one.contains("persona"), "{one}");

    let exported = run(&["settings", "export", &GUILD_ID.to_string()]);
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["values"], json!({"persona": "A pirate.\nSays arr."}));
    assert_eq!((&exported["in_force"], &exported["guild"]), (&json!(["persona"]), &json!(GUILD_ID.to_string())));
    let receipt = receipt_in(set_here.text(), ENGLISH);
    let change = &exported["changes"][0];
    assert_eq!(
        (&change["setting"], &change["receipt"], &change["before"]),
        (&json!("persona"), &json!(receipt), &json!(null))
    );
    assert_eq!(run(&["settings", "export"]).lines().count(), 2);

    // Erased is what one server set, and only by whoever says so.
    let unsure = connected.folder.run(&["settings", "erase", &GUILD_ID.to_string()]);
    assert_eq!(unsure.status.code(), Some(78), "{unsure:?}");
    assert_eq!(run(&["settings", "erase", &GUILD_ID.to_string(), "--yes"]), "erased\n");
    assert_eq!(run(&["settings", "erase", &GUILD_ID.to_string(), "--yes"]), "nothing was set\n");
    assert_eq!(run(&["settings", "show", &GUILD_ID.to_string()]), "nothing is set\n");
    assert_eq!(run(&["settings", "export"]).lines().count(), 1);
}
