//! MCP servers behind modules, in the folder of a real bot: checked against what they list, called, started again.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::time::Instant;

use discord_twin::{Interaction, Message, Recorded, Twin, USER_ID};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::discord::chat::talking::{is_asked, shown};
use crate::discord::connected::connect_in;
use crate::programs::{for_this_kernel, has};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::{assert_says, footer, said};
use crate::support::scripted_model::{Script, ScriptedModel};

/// A bot with a module of this manifest, and beside it the server that can be told to misbehave.
fn folder(manifest: &str) -> Folder {
    let folder = Folder::empty();
    let module = folder.path().join("modules/tools");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("module.toml"), for_this_kernel(manifest)).unwrap();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/outside/tests/server.py");
    fs::copy(server, module.join("server.py")).unwrap();
    folder
}

fn manifest(fault: &str, commands: &str) -> String {
    format!(
        "[module]\nname = \"tools\"\nsummary = \"Tools\"\nkind = \"mcp\"\n\n\
         [run]\nprogram = \"python3\"\narguments = [\"server.py\"{fault}]\nstart_s = 10\ntime_s = 2\n\n{commands}"
    )
}

const ECHO: &str = "[commands.\"/echo\"]\ndescription = \"Say it again\"\nhandler = \"echo\"\n\n\
                    [commands.\"/echo\".options.text]\ndescription = \"What to say\"\n";

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_tool_is_a_command_like_any_other() {
    if !has("python3", "a tool is a command like any other") {
        return;
    }
    let folder = folder(&manifest("", ECHO));
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    let said = stdout(&folder.console("/echo text: good day\n/echo\n/receipt\n"));
    assert!(said.contains("good day") && said.contains("✓ /echo"), "{said}");
    // The schema is the signature.
    assert!(said.contains("`text`"), "{said}");
}

#[test]
fn what_is_wrong_with_a_server_is_found_at_start_with_its_place_and_the_fix() {
    if !has("python3", "what is wrong with a server is found at start with its place and the fix") {
        return;
    }
    let other = ECHO.replace("handler = \"echo\"", "handler = \"ecko\"");
    let more = format!("{ECHO}\n[commands.\"/echo\".options.volume]\ndescription = \"How loud\"\n");
    let cases = [
        ("exits", manifest(", \"exits\"", ECHO)),
        ("silent", manifest(", \"silent\"", ECHO).replace("start_s = 10", "start_s = 1")),
        ("other-version", manifest(", \"other-version\"", ECHO)),
        ("no-tools", manifest(", \"no-tools\"", ECHO)),
        ("unlisted", manifest("", &other)),
        ("not-taken", manifest("", &more)),
        ("no-program", manifest("", ECHO).replace("python3", "python9")),
    ];
    for (name, manifest) in cases {
        let folder = folder(&manifest);
        let checked = folder.run(&["check"]);
        assert_eq!(checked.status.code(), Some(78), "{name}: {}", stdout(&checked));
        let here = folder.path().canonicalize().unwrap().display().to_string();
        insta::assert_snapshot!(format!("server-{name}"), stdout(&checked).replace(&here, "."));
    }
}

#[test]
fn what_goes_wrong_in_a_call_is_shown_as_what_it_is_and_the_next_call_works() {
    if !has("python3", "what goes wrong in a call is shown as what it is and the next call works") {
        return;
    }
    let mut commands = String::from(ECHO);
    let lost = ["dies", "hangs", "other-id", "long-line"];
    let tools = ["fails", "refuses", "empty", "odd"].into_iter().chain(lost);
    for tool in tools.clone() {
        commands.push_str(&format!("\n[commands.\"/{tool}\"]\ndescription = \"A fault\"\nhandler = \"{tool}\"\n"));
    }
    for tool in tools {
        let folder = folder(&manifest("", &commands));
        // A server that ended rests for a second before it is started again.
        let typed = format!("/{tool}\n/echo text: before\n");
        let said = stdout(&folder.console(&typed));
        // They may change something: where no answer can be read, what they did is not known.
        let mark = match tool {
            "fails" => "–",
            "refuses" => "✗",
            "empty" | "odd" => "✓",
            _ => "?",
        };
        assert!(said.contains(&format!("{mark} /{tool}")), "{tool}: {said}");
        if lost.contains(&tool) {
            assert_says(&said, said!("unsure-outside", command = format!("/{tool}")));
        }
        if !lost.contains(&tool) || tool == "hangs" {
            assert!(said.contains("✓ /echo"), "{tool}: {said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_or_hangs_is_started_again_after_a_rest() {
    if !has("python3", "a server that ends or hangs is started again after a rest") {
        return;
    }
    let mut commands = String::from(ECHO);
    for tool in ["dies", "hangs"] {
        commands.push_str(&format!("\n[commands.\"/{tool}\"]\ndescription = \"A fault\"\nhandler = \"{tool}\"\n"));
    }
    let folder = folder(&manifest("", &commands).replace("time_s = 2", "time_s = 1")).set_to("");
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let echo = || Interaction::slash("echo").option("text", "good day");
    let works = |answer: &Recorded| answer.text().contains("✓ /echo");
    for (tool, n, why) in [("dies", 1, "the server ended"), ("hangs", 3, "left 3 calls in a row unanswered")] {
        assert!(works(&connected.answer(echo()).await));
        for _ in 0..n {
            let answer = connected.answer(Interaction::slash(tool)).await;
            assert!(answer.text().contains(&format!("? /{tool}")), "{}", answer.text());
        }
        connected.bot.hears(&["WARN", why, "the next call starts it again"]);
        let again = Instant::now() + PATIENCE;
        while !works(&connected.answer(echo()).await) {
            assert!(Instant::now() < again, "{}", connected.bot.log());
        }
    }
    // The log may follow the answer by a moment.
    connected.bot.hears_nth(1, &["the server is there again"]);
    assert_eq!(connected.bot.log().matches("the server is there again").count(), 2, "{}", connected.bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_folder_holds_too_much_is_ended_and_not_started_again() {
    if !has("python3", "a server whose folder holds too much is ended and not started again") {
        return;
    }
    let commands = format!("{ECHO}\n[commands.\"/fills\"]\ndescription = \"A fault\"\nhandler = \"fills\"\n");
    let bounded = manifest("", &commands).replace("time_s = 2", "time_s = 2\nfolder_mib = 1");
    let connected = connect_in(folder(&bounded).set_to(""), Twin::start().await.unwrap()).await;
    let answer = connected.answer(Interaction::slash("fills")).await;
    assert!(answer.text().contains("✓ /fills"), "{}", answer.text());
    connected.bot.hears(&["WARN", "its working folder holds more than 1 MiB", "the server ended"]);
    // It rests first; then it is not started, and the log says why the call failed.
    let is_told = |log: &str| {
        log.lines().any(|line| line.contains("/echo") && line.contains("its working folder holds more than 1 MiB"))
    };
    let again = Instant::now() + PATIENCE;
    while !is_told(&connected.bot.log()) {
        assert!(Instant::now() < again, "{}", connected.bot.log());
        let answer = connected.answer(Interaction::slash("echo").option("text", "good day")).await;
        assert!(answer.text().contains("✗ /echo"), "{}", answer.text());
    }
}

#[test]
fn tools_can_be_taken_in_without_a_word_about_each() {
    if !has("python3", "tools can be taken in without a word about each") {
        return;
    }
    let taken =
        manifest("", "").replace("time_s = 2\n", "time_s = 2\ntools = [\"echo\", \"fails\"]\nprefix = \"try\"\n");
    let folder = folder(&taken);
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    let said = stdout(&folder.console("/try echo text: again\n/try fails\n"));
    assert!(said.contains("again") && said.contains("✓ /try echo"), "{said}");
    assert!(said.contains("no such city") && said.contains("– /try fails"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_for_chat_alone_are_called_by_the_model_and_by_nobody_else() {
    if !has("python3", "tools for chat alone are called by the model and by nobody else") {
        return;
    }
    let run = "tools = [\"echo\", \"fails\"]\nprefix = \"try\"\nchat_only = true\nwrites = false\n";
    let folder = folder(&manifest("", "").replace("time_s = 2\n", &format!("time_s = 2\n{run}")));
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    let tried = stdout(&folder.run(&["try", "--as-model", "/try echo text: good day"]));
    assert!(
        tried.contains("✓ /try echo") && tried.contains("\"tool\":\"try_echo\",\"outcome\":\"answered\""),
        "{tried}"
    );
    let typed = stdout(&folder.run(&["try", "/try echo text: good day"]));
    assert_says(&typed, said!("command-chat-only", command = "/try"));

    let scripts = vec![Script::calls(&[("try_echo", json!({"text": "good day"}))]), Script::says("It said so.")];
    let model = ScriptedModel::start(scripts).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let connected = connect_in(folder.set_to(&config), Twin::start().await.unwrap()).await;
    connected.bot.hears(&["/try", "[chat alone] echo | fails"]);
    connected.bot.hears(&["commands at Discord"]);
    let known = connected.twin.commands();
    assert!(!known.is_empty() && known.iter().all(|command| command["name"] != "try"), "{known:?}");
    connected.twin.say(Message::to_bot("say good day"));
    let ran = shown(&connected, &footer("/try echo")).await;
    assert!(ran.text().contains("good day"), "{}", ran.text());
    let words = shown(&connected, "It said so.").await;
    // A person has no button for what only the model may call.
    assert_eq!(words.body["components"], Value::Null, "{:#}", words.body);
    let help = connected.answer(Interaction::slash("help")).await;
    assert!(!help.text().contains("/try"), "{}", help.text());
    let forged = connected.answer(Interaction::slash("try").subcommand("echo").option("text", "good day")).await;
    assert_says(forged.text(), said!("command-chat-only", command = "/try echo"));
    assert_eq!(connected.twin.refused(), []);
}

/// Where several share a conversation, a turn has the tools that all of them may use whose words it answers.
#[tokio::test(flavor = "multi_thread")]
async fn tools_for_chat_alone_are_offered_to_several_who_are_answered_together() {
    if !has("python3", "tools for chat alone are offered to several who are answered together") {
        return;
    }
    let run = "tools = [\"echo\"]\nchat_only = true\nwrites = false\n";
    let folder = folder(&manifest("", "").replace("time_s = 2\n", &format!("time_s = 2\n{run}")));
    let go_on = Arc::new(Notify::new());
    let first = Script::events("").waits(&go_on).ends("stop");
    let model = ScriptedModel::start(vec![first, Script::says("To both.")]).await;
    let config = format!(
        "[chat]\nconversation = \"channel\"\n[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n",
        model.base_url()
    );
    let connected = connect_in(folder.set_to(&config), Twin::start().await.unwrap()).await;
    connected.twin.say(Message::to_bot("one"));
    is_asked(&model, 1).await;
    for (words, by) in [("two", USER_ID), ("three", USER_ID + 1)] {
        let n = connected.twin.n_requests();
        connected.twin.say(Message::to_bot(words).by(by));
        // It has been taken in: the bot types where it will answer, and has answered something that came later.
        let typed = |request: &Recorded| n <= request.n && request.path.ends_with("/typing");
        assert!(connected.twin.wait_for(PATIENCE, typed).await.is_some());
        connected.answer(Interaction::slash("help")).await;
    }
    go_on.notify_one();
    shown(&connected, "To both.").await;
    let asked = model.asked().pop().unwrap().body;
    let words = asked["messages"].to_string();
    assert!(words.contains("two") && words.contains("three"), "{words}");
    let tools: Vec<_> = asked["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert!(tools.contains(&&json!("echo")), "{tools:?}");
}

#[test]
fn a_tool_that_cannot_be_a_command_keeps_the_bot_from_nothing() {
    if !has("python3", "a tool that cannot be a command keeps the bot from nothing") {
        return;
    }
    let taken = manifest(", \"odd\"", "").replace("time_s = 2\n", "time_s = 2\ntools = [\"echo\", \"list\"]\n");
    let folder = folder(&taken);
    let checked = folder.run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("warning[tool-unusable]"), "{}", stdout(&checked));
    let said = stdout(&folder.console("/echo text: good day\n"));
    assert!(said.contains("✓ /echo"), "{said}");
}

#[test]
fn offline_no_server_is_started() {
    let folder = folder(&manifest(", \"exits\"", ECHO));
    let checked = folder.run(&["check", "--offline"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("warning[not-started]"), "{}", stdout(&checked));
}

#[test]
fn a_tool_that_becomes_another_than_was_checked_is_withdrawn_at_once() {
    if !has("python3", "a tool that becomes another than was checked is withdrawn at once") {
        return;
    }
    let changes = format!("{ECHO}\n[commands.\"/changes\"]\ndescription = \"Change\"\nhandler = \"changes\"\n");
    let folder = folder(&manifest(", \"changing\"", &changes));
    // The server tells of the change before it answers, and is asked for its tools while the next calls come.
    let typed = format!("/echo text: before\n/changes\n{}", "/echo text: after\n".repeat(100));
    let output = folder.console(&typed);
    let said = stdout(&output);
    assert!(said.contains("before") && said.contains("✓ /changes"), "{said}");
    let last = said.lines().rev().find(|line| line.contains(" /echo")).unwrap();
    assert!(last.trim().starts_with("✗ /echo"), "{said}");
    let logged = String::from_utf8_lossy(&output.stderr);
    assert!(logged.contains("a tool is no longer the one that was checked"), "{logged}");
}
