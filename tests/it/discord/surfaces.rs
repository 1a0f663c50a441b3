//! Every surface of Discord against everything that can be wrong with what arrives on it.

use discord_twin::{CHANNEL_ID, Interaction, Message, Recorded, USER_ID};
use serde_json::json;

use crate::discord::connected::{Connected, connect};
use crate::discord::connection::{admin_address, answers};
use crate::support::bot::PATIENCE;
use crate::support::said::{ANY, receipt, said, says};

/// Somebody who may use no command of the settings below.
const STRANGER: u64 = USER_ID + 1;
/// Somebody who may use nothing at all.
const BLOCKED: u64 = USER_ID + 2;
/// Long after Discord stopped waiting for an answer.
const LATE_MS: u64 = 60_000;

/// What is seen of it.
enum Seen {
    /// An answer to everybody or to the asker that contains this. Of a command that ran it is the receipt.
    Ran(&'static str),
    /// An answer to the asker alone that says this, and no receipt.
    Refused(String),
    /// So many suggestions at least; none means exactly none.
    Suggestions(usize),
    /// No answer at all.
    Nothing,
}
use Seen::{Nothing, Ran, Refused, Suggestions};

/// What a person would use: a button that leads on, a list of kinds, and a form for a title.
struct Controls {
    list: u64,
    button: String,
    memories: u64,
    select: String,
    form: String,
}

async fn original(connected: &Connected, interaction: Interaction) -> serde_json::Value {
    let sent = connected.twin.interact(interaction);
    connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    connected.twin.original_of(&sent).unwrap()
}

fn id(message: &serde_json::Value) -> u64 {
    message["id"].as_str().unwrap().parse().unwrap()
}

fn custom_id(message: &serde_json::Value, kind: u64) -> String {
    let rows = message["components"].as_array().unwrap();
    let mut parts = rows.iter().flat_map(|row| row["components"].as_array().unwrap());
    let part = parts.rfind(|part| part["type"] == kind && part["disabled"] != json!(true)).unwrap();
    part["custom_id"].as_str().unwrap().to_owned()
}

async fn controls(connected: &Connected) -> Controls {
    let tasks = |name: &str| Interaction::slash("tasks").subcommand(name);
    for number in 1..=9 {
        connected.answer(tasks("add").option("title", format!("number {number}"))).await;
    }
    for kind in ["fact", "preference"] {
        let save = Interaction::slash("memory").subcommand("save").option("content", "a bicycle");
        connected.answer(save.option("kind", kind)).await;
    }
    let list = original(connected, tasks("list")).await;
    let memories = original(connected, Interaction::slash("memory").subcommand("list")).await;
    let opened = connected.twin.interact(tasks("add"));
    let form = connected.twin.callback_to(&opened, PATIENCE).await.unwrap();
    Controls {
        list: id(&list),
        button: custom_id(&list, 2),
        memories: id(&memories),
        select: custom_id(&memories, 3),
        form: form.body["data"]["custom_id"].as_str().unwrap().to_owned(),
    }
}

async fn check(connected: &Connected, what: &str, interaction: Interaction, seen: &Seen) {
    let sent = connected.twin.interact(interaction);
    if let Nothing = seen {
        connected.bot.hears(&["came too late; dropped"]);
        // Whatever comes next is answered after it, so an answer to it would be there by then.
        connected.answer(Interaction::slash("help")).await;
        assert_eq!(connected.twin.replies_to(&sent), [], "{what}");
        return;
    }
    let answer = connected.twin.answer_to(&sent, PATIENCE).await;
    let answer: Recorded = answer.unwrap_or_else(|| panic!("{what}: no answer; log:\n{}", connected.bot.log()));
    let text = answer.text();
    match seen {
        Ran(wanted) => assert!(text.contains(wanted) && says(&text, receipt()), "{what}: {text}"),
        Refused(wanted) => {
            assert!(says(&text, wanted), "{what}: `{wanted}` is not in {text}");
            assert!(answer.is_ephemeral() && !says(&text, format!("· {}", receipt())), "{what}: {answer:?}");
        }
        Suggestions(least) => {
            let n = answer.body["data"]["choices"].as_array().unwrap().len();
            assert!(if *least == 0 { n == 0 } else { *least <= n }, "{what}: {n}");
        }
        Nothing => unreachable!("returned above"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_arrives_on_any_surface_is_answered_as_what_it_is() {
    let only = |command: &str| format!("[permissions.\"{command}\"]\nusers = [\"{USER_ID}\"]\n");
    let commands = ["/tasks", "/memory", "Show ids", "Show ids of message"].map(only).concat();
    let connected = connect(&format!("[access]\nblocked = [\"{BLOCKED}\"]\n{commands}")).await;
    let Controls { list, button, memories, select, form } = controls(&connected).await;

    let slash = || Interaction::slash("tasks").subcommand("list");
    let complete = || Interaction::autocomplete("status").focused("metric", "");
    let (of_user, of_message) =
        (|| Interaction::user_menu("Show ids"), || Interaction::message_menu("Show ids of message"));
    let press = || Interaction::press(list, &button);
    let choose = |value: &str| Interaction::choose(memories, &select, &[value]);
    let send_in = |title: &str| Interaction::modal(&form, &[("title", title)]);
    // As an earlier version of this bot wrote them: over, by any measure.
    let old = "confirm:1-1:yes";
    let mut forged = button.clone();
    forged.replace_range(20..21, if forged.get(20..21) == Some("A") { "B" } else { "A" });

    let unknown = said!("unknown-command-near", command = "/staus", near = "`/status`");
    let not_taken = said!("argument-not-taken", typed = "nosuch");
    let stale = |command| said!("control-stale", command = command, problem = ANY);
    let misfit = said!("modal-misfit", command = "/tasks add", problem = ANY);
    let menu = |name| said!("menu-command-unknown", name = name);
    let cases = [
        ("slash, known", slash(), Ran("✓ /tasks list")),
        ("slash, unknown", Interaction::slash("staus"), Refused(unknown.clone())),
        (
            "slash, unknown subcommand",
            Interaction::slash("tasks").subcommand("x"),
            Refused(said!("unknown-subcommand-near", command = "/tasks x", exist = ANY)),
        ),
        (
            "slash, stale",
            Interaction::slash("status").option("nosuch", "x"),
            Refused(said!("command-changed", command = "/status", problem = &not_taken)),
        ),
        ("slash, forbidden", slash().by(STRANGER), Refused(said!("denied-users", command = "/tasks list"))),
        ("slash, expired", slash().aged_ms(LATE_MS), Nothing),
        ("completion, known", complete(), Suggestions(1)),
        ("completion, unknown", Interaction::autocomplete("staus").focused("metric", ""), Suggestions(0)),
        ("completion, stale", Interaction::autocomplete("status").focused("nosuch", ""), Suggestions(0)),
        ("completion, forbidden", complete().by(BLOCKED), Suggestions(0)),
        ("completion, expired", complete().aged_ms(LATE_MS), Nothing),
        ("user menu, known", of_user(), Ran("✓ Show ids")),
        ("user menu, unknown", Interaction::user_menu("Old entry"), Refused(menu("Old entry"))),
        ("user menu, stale", Interaction::user_menu("Show ids of message"), Refused(menu("Show ids of message"))),
        ("user menu, forbidden", of_user().by(STRANGER), Refused(said!("denied-users", command = "Show ids"))),
        ("user menu, expired", of_user().aged_ms(LATE_MS), Nothing),
        ("message menu, known", of_message(), Ran("✓ Show ids of message")),
        ("message menu, unknown", Interaction::message_menu("Old entry"), Refused(menu("Old entry"))),
        ("message menu, stale", Interaction::message_menu("Show ids"), Refused(menu("Show ids"))),
        (
            "message menu, forbidden",
            of_message().by(STRANGER),
            Refused(said!("denied-users", command = "Show ids of message")),
        ),
        ("message menu, expired", of_message().aged_ms(LATE_MS), Nothing),
        ("entry point", Interaction::entry_point("status"), Refused(said!("interaction-entry-point"))),
        ("button, known", press(), Ran("✓ /tasks list")),
        ("button, unknown", Interaction::button("old"), Refused(said!("control-unknown"))),
        ("button, stale", Interaction::button(&forged), Refused(said!("control-forged"))),
        ("button, forbidden", press().by(STRANGER), Refused(said!("control-foreign", command = "/tasks list"))),
        ("button, blocked", press().by(BLOCKED), Refused(said!("press-blocked"))),
        ("button, over", Interaction::button(old), Refused(said!("control-outdated"))),
        ("button, expired", press().aged_ms(LATE_MS), Nothing),
        ("list, known", choose("preference"), Ran("✓ /memory list")),
        ("list, unknown", Interaction::select("old", &["x"]), Refused(said!("control-unknown"))),
        ("list, stale", Interaction::select(&select, &["made up"]), Refused(stale("/memory list"))),
        (
            "list, forbidden",
            choose("preference").by(STRANGER),
            Refused(said!("control-foreign", command = "/memory list")),
        ),
        ("list, over", Interaction::select(old, &["x"]), Refused(said!("control-outdated"))),
        ("list, expired", choose("preference").aged_ms(LATE_MS), Nothing),
        ("form, known", send_in("milk"), Ran("✓ /tasks add")),
        ("form, unknown", Interaction::modal("old", &[("title", "x")]), Refused(said!("control-unknown"))),
        ("form, stale", Interaction::modal(&form, &[("label", "x")]), Refused(misfit)),
        ("form, forbidden", send_in("x").by(STRANGER), Refused(said!("control-foreign", command = "/tasks add"))),
        ("form, over", Interaction::modal(old, &[("title", "x")]), Refused(said!("control-outdated"))),
        ("form, expired", send_in("x").aged_ms(LATE_MS), Nothing),
        ("what cannot be decoded", Interaction::raw(99, json!({})), Refused(said!("interaction-unknown"))),
    ];
    for (what, interaction, seen) in cases {
        check(&connected, what, interaction, &seen).await;
    }
    // Typed text never expires: it is answered where it stands. Each stands in a channel of its own, for nobody is told
    // twice at once in one that nothing ran.
    for ((text, by, wanted), channel) in [
        ("/tasks list", USER_ID, "✓ /tasks list".to_owned()),
        ("/staus", USER_ID, unknown),
        ("/status nosuch: x", USER_ID, said!("command-malformed", command = "/status", problem = ANY)),
        ("`/tasks list`", USER_ID, said!("not-plain", command = "/tasks list", why = "code")),
        ("/tasks list", STRANGER, said!("denied-users", command = "/tasks list")),
    ]
    .into_iter()
    .zip(CHANNEL_ID + 20..)
    {
        let reply = connected.reply(Message::to_bot(text).by(by).in_channel(channel)).await;
        assert!(says(reply.text(), &wanted), "{text}: `{wanted}` is not in {}", reply.text());
    }

    let address = admin_address(&connected.bot);
    for (what, times) in [
        ("command", 1),
        ("subcommand", 1),
        ("stale", 1),
        ("component", 6),
        ("modal", 3),
        ("menu", 4),
        ("entry-point", 1),
        ("completion", 2),
        ("undecodable", 1),
    ] {
        let line = format!("candor_unknown_interactions_total{{what=\"{what}\"}} {times}");
        answers(address, "/metrics", true, &format!("\n{line}\n")).await;
    }
    answers(address, "/metrics", true, "\ncandor_interaction_timing_total{what=\"dropped-late\"} 7\n").await;
    // The first asks for a comparison with Discord. All the others together have to wait for the next.
    let log = connected.bot.log();
    let asked: Vec<_> = log.lines().filter(|line| line.contains("compared with Discord once more")).collect();
    assert_eq!(asked.iter().filter(|line| line.ends_with("wait_s=0")).count(), 1, "{asked:?}");
    assert!(asked.len() <= 2, "{asked:?}");
    assert_eq!(connected.twin.refused(), []);
}
