//! Who may use a command, and how often, from Discord's picker, from typed text and by a model: the same rules for all.

use discord_twin::{Interaction, Message, Options, Twin, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::shown;
use crate::discord::connected::{Connected, RequestLog, connect, connect_in, connect_to};
use crate::discord::connection::{admin_address, answers};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{ANY, assert_says, footer, receipt, said, says};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::language::Language;

const MANAGE_MESSAGES: u64 = 1 << 13;
const MODERATOR: u64 = 40;

fn remove() -> Interaction {
    Interaction::slash("tasks").subcommand("remove").option("id", 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_rule_is_asked_on_every_way_and_a_refusal_says_why_to_the_asker_alone() {
    let connected = connect(
        "[permissions.\"/tasks remove\"]\nroles = [\"40\"]\n[permissions.\"/status\"]\ndiscord = [\"manage_messages\"]\n\
         [permissions.\"/memory\"]\nchannels = []\n[permissions.\"/receipt\"]\nowners = true\n",
    )
    .await;
    let roles = said!("denied-roles", command = "/tasks remove");
    let missing = "Manage Messages";
    let denied = [
        (remove(), roles.clone()),
        (remove().roles(&[MODERATOR + 1]).permissions(u64::from(u32::MAX)), roles.clone()),
        (remove().in_dm(), said!("denied-roles-outside", command = "/tasks remove")),
        (Interaction::slash("status").permissions(0), said!("denied-discord", command = "/status", missing = missing)),
        (Interaction::slash("status").in_dm(), said!("denied-discord-outside", command = "/status", missing = missing)),
        (Interaction::slash("memory").subcommand("list"), said!("denied-channels", command = "/memory list")),
        (Interaction::slash("receipt").permissions(8), said!("denied-operators-only", command = "/receipt")),
    ];
    for (interaction, wanted) in denied {
        let answer = connected.answer(interaction).await;
        assert_eq!((answer.text(), answer.is_ephemeral()), (wanted, true));
    }
    for (text, wanted) in [
        ("/status", said!("denied-discord-not-said", command = "/status", missing = missing)),
        ("/tasks remove id: 1", roles.clone()),
        // How a command is written is for those who may run it.
        ("/tasks remove", roles),
    ] {
        assert_eq!(connected.reply(Message::to_bot(text)).await.text(), wanted, "{text}");
    }

    for allowed in [
        Interaction::slash("status").permissions(MANAGE_MESSAGES),
        Interaction::slash("status").permissions(8),
        Interaction::slash("tasks").subcommand("list"),
        remove().roles(&[1, MODERATOR]),
    ] {
        let answer = connected.answer(allowed).await;
        assert_says(answer.text(), receipt());
    }
    let address = admin_address(&connected.bot);
    for (rule, count) in [("roles", 5), ("discord", 3), ("channels", 1), ("owners", 1), ("users", 0), ("cooldown", 0)] {
        answers(address, "/metrics", true, &format!("\ncandor_denials_total{{rule=\"{rule}\"}} {count}\n")).await;
    }
    connected.bot.hears(&["  /status ", " manage_messages; range: cooldown 3 s a person"]);
    connected.bot.hears(&["  /tasks ", " everyone; remove: roles 1"]);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_shown_what_they_may_not_use() {
    let connected = connect(
        "[permissions.\"/tasks remove\"]\nroles = [\"40\"]\n[permissions.\"/status\"]\ndiscord = [\"manage_messages\"]\n",
    )
    .await;
    let help = |interaction: Interaction| connected.answer(interaction);
    let all = help(Interaction::slash("help").permissions(0)).await;
    assert!(all.text().contains("/tasks") && !all.text().contains("/status"), "{}", all.text());
    let all = help(Interaction::slash("help").permissions(MANAGE_MESSAGES)).await;
    assert!(all.text().contains("/status"), "{}", all.text());
    let tasks = help(Interaction::slash("help").option("command", "tasks")).await;
    assert!(tasks.text().contains("/tasks add") && !tasks.text().contains("remove"), "{}", tasks.text());
    let tasks = help(Interaction::slash("help").option("command", "tasks").roles(&[MODERATOR])).await;
    assert!(tasks.text().contains("/tasks remove"), "{}", tasks.text());

    let unknown = connected.answer(Interaction::slash("tasks").subcommand("history")).await;
    assert!(unknown.text().contains("/tasks done") && !unknown.text().contains("remove"), "{}", unknown.text());
    let near = connected.answer(Interaction::slash("staus").permissions(0)).await;
    assert!(!near.text().contains("/status"), "{}", near.text());
    let usage = connected.reply(Message::to_bot("/tasks")).await;
    assert!(usage.text().contains("/tasks add") && !usage.text().contains("remove"), "{}", usage.text());

    // Neither the names of commands nor the values of their options are completed.
    let completed = connected.answer(Interaction::autocomplete("help").focused("command", "s").permissions(0)).await;
    assert!(
        completed.body["data"]["choices"].as_array().is_some_and(|choices| {
            !choices.is_empty() && choices.iter().all(|choice| choice["value"] != "/status")
        })
    );
    let completed = connected.answer(Interaction::autocomplete("status").focused("metric", "").permissions(0)).await;
    assert_eq!(completed.body["data"]["choices"], json!([]));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn h2_where_discord_does_not_ask_for_a_members_permissions_the_bot_does() {
    let folder = Folder::with("[modules]\npath = \"modules\"\n");
    let tasks = folder.path().join("modules/tasks");
    std::fs::create_dir_all(&tasks).unwrap();
    let manifest = include_str!("../../../../modules/tasks/module.toml");
    let command = "[commands.\"/tasks\"]\n";
    let restricted = format!("{command}default_member_permissions = [\"manage_messages\"]\ncontexts = [\"guild\"]\n");
    std::fs::write(tasks.join("module.toml"), manifest.replacen(command, &restricted, 1)).unwrap();
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let add = || Interaction::slash("tasks").subcommand("add");

    // Chosen in the picker, Discord has asked, and a server's administrators may have decided otherwise.
    for number in 1..=9 {
        let picked = connected.answer(add().option("title", format!("number {number}")).permissions(0)).await;
        assert_says(picked.text(), receipt());
    }
    let list = connected.twin.interact(Interaction::slash("tasks").subcommand("list").permissions(0));
    connected.twin.answer_to(&list, PATIENCE).await.unwrap();
    let list = connected.twin.original_of(&list).unwrap();
    let next = list["components"][0]["components"][1]["custom_id"].as_str().unwrap().to_owned();
    let press = || Interaction::press(list["id"].as_str().unwrap().parse().unwrap(), &next);
    let opened = connected.twin.interact(add().permissions(0));
    let opened = connected.twin.callback_to(&opened, PATIENCE).await.unwrap();
    let modal = || Interaction::modal(opened.body["data"]["custom_id"].as_str().unwrap(), &[("title", "late")]);

    let picker = said!("denied-picker", command = "/tasks add", wanted = "Manage Messages");
    let picker_list = said!("denied-picker", command = "/tasks list", wanted = "Manage Messages");
    let members = said!("denied-members", command = "/tasks add", wanted = "Manage Messages");
    let servers = said!("denied-servers-only", command = "/tasks add");
    let titled = || add().option("title", "late");
    let denied = [
        ("installed by the person, in a server", titled().user_installed().permissions(0), &members),
        ("in a server without the bot", titled().user_installed().in_guild(77, 78).permissions(0), &members),
        ("without a form's text either", add().user_installed().permissions(0), &members),
        ("in a direct message", titled().in_dm(), &servers),
        ("installed by the person, in a direct message", titled().in_dm().user_installed(), &servers),
        ("pressed after the right was taken away", press().permissions(0), &picker_list),
        ("a modal sent in after the right was taken away", modal().permissions(0), &picker),
    ];
    for (case, interaction, wanted) in denied {
        let answer = connected.answer(interaction).await;
        assert_eq!((&answer.text(), answer.is_ephemeral()), (wanted, true), "{case}");
    }
    let typed = connected.reply(Message::to_bot("/tasks add title: late")).await;
    assert_eq!(typed.text(), picker);
    let typed = connected.reply(Message::text("/tasks add title: late").in_dm()).await;
    assert_eq!(typed.text(), servers);

    for (case, interaction) in [
        ("installed by the person, who may", titled().user_installed().permissions(MANAGE_MESSAGES)),
        ("pressed with the right", press().permissions(MANAGE_MESSAGES)),
        ("a modal sent in with the right", modal().permissions(MANAGE_MESSAGES)),
    ] {
        let answer = connected.answer(interaction).await;
        assert!(says(answer.text(), receipt()), "{case}: {}", answer.text());
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_that_people_may_install_for_themselves_is_warned_of() {
    let options = Options { user_install: true, ..Options::default() };
    let connected = connect_to(Twin::start_with(options).await.unwrap(), "").await;
    connected.bot.hears(&["WARN", "may install this application for themselves", "User Install"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cooldown_counts_however_it_is_asked_for_and_over_a_restart() {
    let connected = connect("[permissions.\"/status\"]\ncooldown_s = { user = 3600 }\n").await;
    let first = connected.answer(Interaction::slash("status")).await;
    assert_says(first.text(), receipt());
    let wait = |wait| said!("cooldown-user", command = "/status", wait = wait, at = ANY);
    let second = connected.answer(Interaction::slash("status")).await;
    assert_says(second.text(), wait("60 min"));
    assert!(second.is_ephemeral());
    let typed = connected.reply(Message::to_bot("/status")).await;
    assert_says(typed.text(), wait("60 min"));
    let german = connected.answer(Interaction::slash("status").locale("de")).await;
    let in_german = Language::of_locale("de").unwrap();
    assert_says(german.text(), said!(in in_german, "cooldown-user", command = "/status", wait = ANY, at = ANY));
    let other = connected.answer(Interaction::slash("status").by(USER_ID + 1)).await;
    assert_says(other.text(), receipt());
    let metrics = "\ncandor_denials_total{rule=\"cooldown\"} 3\n";
    answers(admin_address(&connected.bot), "/metrics", true, metrics).await;

    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let ready = twin.n_requests();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["INFO", "ready"]);
    assert!(ready < twin.n_requests());
    let log = RequestLog::of(&twin);
    let connected = Connected { bot, twin, folder, _log: log };
    let third = connected.answer(Interaction::slash("status")).await;
    assert_says(third.text(), wait(ANY));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_may_do_no_more_than_the_person_it_talks_with() {
    let model = ScriptedModel::start(vec![
        Script::calls(&[("status", json!({}))]),
        Script::says("There it is."),
        Script::calls(&[("status", json!({}))]),
        Script::says("Not yet."),
    ])
    .await;
    let config = format!(
        "[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n[permissions.\"/tasks list\"]\nroles = []\n\
         [permissions.\"/status\"]\ncooldown_s = {{ user = 3600 }}\n",
        model.base_url()
    );
    let connected = connect_to(Twin::start().await.unwrap(), &config).await;
    connected.twin.say(Message::to_bot("how are you?"));
    connected.bot.hears(&["command ran", "/status"]);
    shown(&connected, "There it is.").await;
    shown(&connected, &footer("/status")).await;
    let tools = model.asked()[0].body["tools"].to_string();
    assert!(tools.contains("\"status\"") && !tools.contains("tasks_list"), "{tools}");

    connected.twin.say(Message::to_bot("and now?"));
    let reply = shown(&connected, "Not yet.").await;
    assert_says(reply.text(), said!("note-not-run", command = "/status", why = ANY));
    let asked = model.asked().last().unwrap().body["messages"].to_string();
    assert_says(asked, said!("cooldown-user", command = "/status", wait = ANY, at = ANY));
    assert_eq!(connected.twin.refused(), []);
}
