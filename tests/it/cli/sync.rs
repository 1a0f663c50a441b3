//! `candor sync` from the outside: the plan, what it changes, and its exit codes.

use std::process::Output;

use discord_twin::{APPLICATION_ID, Fault, GUILD_ID, Options, Twin};
use serde_json::{Value, json};

use crate::support::bot::Folder;
use crate::support::registered::{asked, in_place, standing, sync, twin_with, writes};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{output:?}"))
}

/// What differs: `/calculate` says something else, `/help` is missing, `/gone` is too much, and there is an Entry Point.
async fn drifted() -> (Twin, Vec<Value>) {
    let all = in_place().await;
    let mut commands = all.clone();
    commands.retain(|command| command["name"] != "help");
    commands.iter_mut().filter(|it| it["name"] == "calculate").for_each(|it| it["description"] = json!("old"));
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    commands.push(json!({"id": "88", "type": 4, "name": "launch", "handler": 2}));
    (twin_with(commands).await, all)
}

/// The lines of what needs no change, in their order.
fn unchanged(all: &[Value]) -> Vec<String> {
    let others = all.iter().filter(|command| command["name"] != "help" && command["name"] != "calculate");
    others
        .map(|command| {
            let name = command["name"].as_str().unwrap();
            match command["type"].as_u64() {
                Some(2) => format!("  unchanged  {name} (user context-menu command)"),
                Some(3) => format!("  unchanged  {name} (message context-menu command)"),
                _ => format!("  unchanged  /{name}"),
            }
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_is_printed_field_by_field_and_changes_nothing() {
    let (twin, all) = drifted().await;
    let before = twin.commands();
    let folder = Folder::with("");
    let output = sync(&folder, &twin, &["--plan"]);
    let calculate = all.iter().find(|command| command["name"] == "calculate").unwrap();
    let wanted = format!(
        "application {APPLICATION_ID} · global\n  create     /help\n  update     /calculate\n             \
         description: \"old\" -> {}\n  remove     /gone\n{}\n  kept       launch (Entry Point): Discord's own\n\
         costs 1 of 200 creates today, 0 used\n",
        calculate["description"],
        unchanged(&all).join("\n"),
    );
    assert_eq!(text(&output.stdout), wanted);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (2, ""));
    assert_eq!(writes(&twin), [""; 0]);
    assert_eq!(twin.commands(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_carries_the_plan_out_and_the_next_has_nothing_to_do() {
    let (twin, all) = drifted().await;
    let launch = standing(&twin, "launch");
    let folder = Folder::with("");
    let output = sync(&folder, &twin, &[]);
    let said = text(&output.stdout);
    assert!(said.ends_with("0 used\n  created    /help\n  updated    /calculate\n  removed    /gone\n"), "{said}");
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    assert_eq!(writes(&twin), ["POST", "PATCH", "DELETE"]);
    assert_eq!(standing(&twin, "launch"), launch);

    for arguments in [&["--plan"][..], &[]] {
        let output = sync(&folder, &twin, arguments);
        let said = text(&output.stdout);
        assert!(said.ends_with("nothing to do; costs 0 of 200 creates today, 1 used\n"), "{said}");
        assert_eq!(code(&output), 0, "{arguments:?}");
    }
    assert_eq!(writes(&twin).len(), 3);
    assert_eq!(twin.commands().len(), all.len() + 1);
    assert_eq!(twin.identifies().len(), 0, "no gateway");
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_read_the_same_as_one_object() {
    let (twin, all) = drifted().await;
    let folder = Folder::with("");
    let output = sync(&folder, &twin, &["--plan", "--format", "json"]);
    assert_eq!(code(&output), 2);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let command = |report: &Value, name: &str| {
        let commands = report["scopes"][0]["commands"].as_array().unwrap();
        commands.iter().find(|command| command["name"] == name).unwrap().clone()
    };
    assert_eq!(command(&report, "help"), json!({"name": "help", "type": 1, "action": "create", "id": null}));
    let calculate = all.iter().find(|command| command["name"] == "calculate").unwrap();
    let differences = json!([{"path": "description", "from": "old", "to": calculate["description"]}]);
    let wanted =
        json!({"name": "calculate", "type": 1, "action": "update", "id": calculate["id"], "differences": differences});
    assert_eq!(command(&report, "calculate"), wanted);
    assert_eq!(command(&report, "gone"), json!({"name": "gone", "type": 1, "action": "remove", "id": "77"}));
    let totals = ["create", "update", "remove", "unchanged", "kept"].map(|word| report[word].as_u64().unwrap());
    assert_eq!(totals, [1, 1, 1, all.len() as u64 - 2, 1]);
    assert_eq!(report["creates"], json!({"cost": 1, "used_today": 0, "limit": 200}));
    assert_eq!((&report["drift"], &report["applied"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&report["scopes"][0]["scope"], &report["application"]),
        (&json!("global"), &json!(APPLICATION_ID.to_string()))
    );

    let refusal = json!({"code": 50035, "message": "Invalid Form Body", "errors": {
        "description": {"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be shorter."}]}}});
    twin.fail_next(Fault::new("PATCH", "/applications").status(400).body(refusal));
    let output = sync(&folder, &twin, &["--format", "json"]);
    assert_eq!(code(&output), 1, "one was refused");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(command(&report, "help")["result"], "created");
    assert_eq!(command(&report, "gone")["result"], "removed");
    let calculate = command(&report, "calculate");
    assert_eq!(calculate["result"], "rejected");
    assert!(calculate["reason"].as_str().unwrap().ends_with("description: Must be shorter."), "{calculate}");
    assert_eq!(report["applied"], json!(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_server_the_others_are_cleaned_and_nothing_shows_twice() {
    let twin = twin_with(in_place().await).await;
    let folder = Folder::with("");
    let guild = GUILD_ID.to_string();
    let output = sync(&folder, &twin, &["--guild", &guild, "--plan"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 2, "{said}");
    assert!(said.contains(&format!("· guild {guild}\n  create     /")), "{said}");
    assert!(said.contains("\nglobal, where nothing of this bot belongs\n  remove     /"), "{said}");
    let output = sync(&folder, &twin, &["--guild", &guild]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(!twin.commands().is_empty());
    assert!(twin.commands().iter().all(|command| command["guild_id"] == json!(guild)));

    // Back: the store knows the server.
    let output = sync(&folder, &twin, &[]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(twin.commands().iter().all(|command| command["guild_id"].is_null()));
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_compared_says_why_by_its_exit_code() {
    let twin =
        Twin::start_with(Options { token: Some("another.token".to_owned()), ..Options::default() }).await.unwrap();
    let folder = Folder::with("");
    let output = sync(&folder, &twin, &[]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("Discord refuses the token"), "{output:?}");

    let twin = Twin::start().await.unwrap();
    // A server that the bot is not in.
    let output = sync(&folder, &twin, &["--guild", "5"]);
    assert_eq!(code(&output), 78);
    let said = text(&output.stderr);
    assert!(said.contains(&format!("client_id={APPLICATION_ID}&scope=bot+applications.commands")), "{said}");

    twin.fail_next(Fault::rate_limited("GET", &format!("/applications/{APPLICATION_ID}/commands"), 600.0));
    let output = sync(&folder, &twin, &[]);
    assert_eq!((code(&output), text(&output.stdout).as_str()), (69, ""));
    assert!(
        text(&output.stderr).contains("Discord limits the rate and wants to be left alone for 600 s"),
        "{output:?}"
    );
    let before = asked(&twin).len();
    let output = sync(&folder, &twin, &[]);
    assert_eq!(code(&output), 69);
    assert_eq!(asked(&twin).len(), before, "the wait is remembered");

    let output = sync(&Folder::with("[store]\npath = 5\n"), &twin, &["--plan"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("error[config-wrong-type]"), "{output:?}");
    for arguments in [&["--guild", "0"][..], &["--guild", "x"]] {
        assert_eq!(code(&sync(&folder, &twin, arguments)), 78, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_command_stays_in_the_other_scope_and_the_others_are_removed_there() {
    let twin = twin_with(in_place().await).await;
    for method in ["PUT", "POST"] {
        twin.fail_next(Fault::new(method, "/applications").status(400).code(50_035, "Invalid Form Body"));
    }
    let guild = GUILD_ID.to_string();
    let output = sync(&Folder::with(""), &twin, &["--guild", &guild]);
    assert_eq!(code(&output), 1, "{output:?}");
    let said = text(&output.stdout);
    assert!(said.contains("\n  rejected   /alerts: status 400, code 50035"), "{said}");
    assert!(
        said.contains(&format!("\n  put off    /alerts: it is not in place where it belongs, guild {guild}")),
        "{said}"
    );
    let commands = twin.commands();
    let elsewhere = commands.iter().filter(|command| command["guild_id"].is_null()).map(|command| &command["name"]);
    assert_eq!(elsewhere.collect::<Vec<_>>(), ["alerts"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_scope_that_cannot_be_read_is_69_unless_the_bot_left_the_server() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("[discord]\nguild = \"5\"\n");
    let guild = GUILD_ID.to_string();
    let path = format!("/applications/{APPLICATION_ID}/guilds/5/");
    for arguments in [&["--guild", &guild, "--plan"][..], &["--guild", &guild]] {
        twin.fail_next(Fault::new("GET", &path).status(500));
        let output = sync(&folder, &twin, arguments);
        assert_eq!(code(&output), 69, "{output:?}");
        assert!(text(&output.stderr).contains("this scope cannot be read"), "{output:?}");
    }
    let output = sync(&folder, &twin, &["--guild", &guild]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_without_an_answer_counts_as_used() {
    let (twin, _) = drifted().await;
    twin.fail_next(Fault::new("POST", "/applications").status(502));
    let folder = Folder::with("");
    assert_eq!(code(&sync(&folder, &twin, &[])), 69);
    let output = sync(&folder, &twin, &["--plan"]);
    assert!(text(&output.stdout).ends_with("costs 1 of 200 creates today, 1 used\n"), "{output:?}");
}
