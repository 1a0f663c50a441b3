//! Chat turns end to end: what the channel shows of what a model called, said, and only wrote.

use discord_twin::{Interaction, Message, Recorded, Twin, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::{buttons, connect_to_model, messages, press, shown, shown_since, standing, taken};
use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::{
    ANY, ENGLISH, assert_says, footer, label, label_of, label_ran, mark, receipt_in, said, says,
};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::language::Language;

/// A call of `/status`, in the API's own form.
fn status() -> Script {
    Script::calls(&[("status", json!({}))])
}

/// The command that a receipt in the ledger is for.
async fn recorded(connected: &Connected, id: &str) -> String {
    let answer = connected.answer(Interaction::slash("receipt").option("id", id)).await;
    assert_says(answer.text(), said!("receipt-title", id = id));
    answer.message()["embeds"][0]["fields"][0]["value"].as_str().unwrap().to_owned()
}

/// What is remembered of the person.
async fn memories(connected: &Connected) -> String {
    connected.answer(Interaction::slash("memory").subcommand("list")).await.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_model_calls_is_shown_as_itself_above_the_words() {
    let (connected, model) = connect_to_model(vec![status(), Script::says("All is well.")], "").await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let ran = shown(&connected, &footer("/status")).await;
    let words = shown(&connected, "All is well.").await;
    assert_eq!(words.message()["content"], format!("All is well.\n{}", label_ran("/status")));
    assert_ne!(ran.message_id(), words.message_id());

    let standing = standing(&connected);
    assert_eq!(standing.len(), 2, "{standing:#?}");
    assert_says(&standing[0], footer("/status"));
    assert_eq!(standing[1], words.text());
    // As the command itself shows it: an embed, here with this machine's figures, and nothing pings.
    assert_eq!(ran.body["embeds"].as_array().map(Vec::len), Some(1));
    assert!(standing[0].contains("GiB"), "{}", standing[0]);
    assert_eq!(ran.body["allowed_mentions"]["parse"], json!([]));
    assert_eq!(recorded(&connected, &receipt_in(&standing[0], ENGLISH)).await, "`/status`");

    let result = messages(&model.asked()[1].body).pop().unwrap();
    assert_eq!(result["role"], "tool");
    assert!(result["content"].as_str().unwrap().contains("GiB"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_beyond_the_longest_is_shown_up_to_there_and_can_be_gone_on_with() {
    let (connected, _model) = connect_to_model(vec![Script::says(&"word ".repeat(25_000))], "").await;
    connected.twin.say(Message::to_bot("write without end"));
    let last = shown(&connected, &said!("note-cut-longest")).await;
    assert_says(last.text(), format!("[{}]", said!("button-go-on")));
    let file = connected.twin.file(last.message_id().unwrap(), "reply.md").unwrap();
    assert_eq!(String::from_utf8_lossy(&file).matches("word").count(), 20_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ran_stays_when_the_words_fail() {
    let failures = [
        (Script::says(""), said!("model-empty")),
        (Script::finish("length", ""), said!("model-cut-off")),
        (Script::says("All is well.").broken_off(), said!("model-interrupted")),
        (Script::status(401), said!("model-unauthorized")),
    ];
    for (failure, told) in failures {
        let (connected, _model) = connect_to_model(vec![status(), failure], "").await;
        connected.twin.say(Message::to_bot("what's our status?"));
        let words = shown(&connected, &told).await;
        assert!(!says(words.text(), label()), "the host's own words bear no label: {}", words.text());
        let standing = standing(&connected);
        assert_eq!(standing.len(), 2, "{told}: {standing:#?}");
        assert_says(&standing[0], footer("/status"));
        assert!(standing[0].contains("GiB"), "{}", standing[0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_is_cut_off_is_shown_with_a_line_that_says_so() {
    let scripts = vec![status(), Script::finish("length", "All is well, and the disk")];
    let (connected, _model) = connect_to_model(scripts, "").await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let words = shown(&connected, "All is well, and the disk").await;
    let line = said!("note-cut-off");
    assert_eq!(words.message()["content"], format!("All is well, and the disk\n-# {line}\n{}", label_ran("/status")));
    assert_says(&standing(&connected)[0], footer("/status"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_several_commands_has_a_message_of_its_own() {
    let both = Script::calls(&[("status", json!({})), ("tasks_list", json!({}))]);
    let (connected, _model) = connect_to_model(vec![both, Script::says("That is all.")], "").await;
    connected.twin.say(Message::to_bot("status and tasks, please"));
    shown(&connected, "That is all.").await;
    let standing = standing(&connected);
    assert_eq!(standing.len(), 3, "{standing:#?}");
    for (message, command) in standing.iter().zip(["/status", "/tasks list"]) {
        assert_says(message, footer(command));
    }
    assert_eq!(standing[2], format!("That is all.\n{}", label_ran("/status, /tasks list")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_refuses_is_shown_with_its_reason_to_all_who_read_the_words() {
    let read = Script::calls(&[("files_read", json!({"path": "nosuch.txt"}))]);
    let (connected, model) = connect_to_model(vec![read, Script::says("It is empty.")], "").await;
    connected.twin.say(Message::to_bot("read me nosuch.txt"));
    shown(&connected, "It is empty.").await;
    let standing = standing(&connected);
    assert_eq!(standing.len(), 2, "{standing:#?}");
    assert_says(&standing[0], footer("/files read").replace('✓', "–"));
    assert!(standing[0].contains("nosuch.txt") && !standing[0].contains('['), "{}", standing[0]);
    assert!(standing[1].ends_with(&said!("label-refused", n = 1, commands = "/files read")), "{}", standing[1]);
    let result = messages(&model.asked()[1].body).pop().unwrap();
    assert!(result["content"].as_str().unwrap().contains("\"outcome\":\"refused\""), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_for_one_person_is_shown_in_public_only_as_a_line_with_a_button() {
    let save = || Script::calls(&[("save_memory", json!({"content": "likes green tea"}))]);
    let settings = "[chat]\nwrite_tools = [\"/memory save\"]\n";
    let scripts = vec![save(), Script::says("Done, see above."), save(), Script::says("Once more.")];
    let (connected, _model) = connect_to_model(scripts, settings).await;
    connected.twin.say(Message::to_bot("do you know what I drink?"));
    let question = shown(&connected, &said!("question-asked")).await;
    connected.twin.interact(press(&question));
    shown(&connected, "Done, see above.").await;

    let line = said!("note-private", person = format!("<@{USER_ID}>"), command = "/memory save");
    let public = shown(&connected, &line).await;
    assert_says(public.text(), footer("/memory save"));
    assert_says(public.text(), format!("[{}]", said!("button-show")));
    let answers: Vec<_> =
        standing(&connected).into_iter().filter(|text| !says(text, said!("question-asked"))).collect();
    assert_eq!(answers.len(), 2, "{answers:#?}");
    assert!(!answers.concat().contains("green tea"), "{answers:#?}");

    let stranger = connected.answer(press(&public).by(USER_ID + 1)).await;
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("control-foreign", command = "/receipt"), true));
    let theirs = connected.answer(press(&public)).await;
    assert!(theirs.is_ephemeral() && theirs.text().contains("green tea"), "{}", theirs.text());

    // In a direct message nobody else reads along.
    let seen = connected.twin.n_requests();
    connected.twin.say(Message::text("do you know what I drink?").in_dm());
    let question = shown_since(&connected, seen, &said!("question-asked")).await;
    connected.twin.interact(press(&question).in_dm());
    let whole = shown_since(&connected, seen, "✓ /memory save").await;
    assert!(whole.text().contains("green tea") && buttons(&whole).is_empty(), "{}", whole.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_private_answer_came_from_is_not_named_in_public() {
    let server = ScriptedModel::start(vec![status(), Script::says("See above.")]).await;
    let model = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", server.base_url());
    let folder = Folder::with(&format!("{model}[chat]\nwrite_tools = [\"/status\"]\n"));
    // As if it changed something: what only reads for one person is not offered where others read along.
    let manifest = include_str!("../../../../modules/status/module.toml");
    let private = "handler = \"status\"\nephemeral = true\nwrites = true\n";
    let manifest = manifest.replace("handler = \"status\"\n", private);
    std::fs::create_dir_all(folder.path().join("modules/status")).unwrap();
    std::fs::write(folder.path().join("modules/status/module.toml"), manifest).unwrap();
    let twin = Twin::start().await.unwrap();
    let connected = connect_in(folder, twin).await;
    connected.twin.say(Message::to_bot("what's our status?"));
    let question = shown(&connected, &said!("question-asked")).await;
    connected.twin.interact(press(&question));
    let line = said!("note-private", person = format!("<@{USER_ID}>"), command = "/status");
    let public = shown(&connected, &line).await;
    assert_says(public.text(), footer("/status"));
    assert!(!public.text().contains("metrics.json"), "{}", public.text());
    let theirs = connected.answer(press(&public)).await;
    assert!(theirs.is_ephemeral() && theirs.text().contains("GiB"), "{}", theirs.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_folded_and_a_button_shows_all_of_it() {
    let read = Script::calls(&[("files_read", json!({"path": "steps.txt"}))]);
    let (connected, model) = connect_to_model(vec![read, Script::says("There it is.")], "").await;
    let lines: Vec<_> = (1..=60).map(|n| format!("step {n}.")).collect();
    let write = Interaction::slash("files").subcommand("write").option("path", "steps.txt");
    connected.answer(write.option("content", lines.join("\n"))).await;

    connected.twin.say(Message::to_bot("read me the steps"));
    let words = shown(&connected, "There it is.").await;
    assert_says(words.text(), format!("{} · {}", label_ran("/files read"), said!("label-folded")));
    let folded = shown(&connected, "✓ /files read").await;
    assert_says(folded.text(), said!("answer-folded", n = ANY));
    assert_says(folded.text(), format!("[{}]", said!("button-show-all")));
    assert!(folded.text().contains("step 30.") && !folded.text().contains("step 60."), "{}", folded.text());
    let all = connected.answer(press(&folded)).await;
    assert!(all.is_ephemeral(), "{all:?}");
    assert!(lines.iter().all(|line| all.text().contains(line.as_str())), "{}", all.text());
    // The model got all of it.
    let result = messages(&model.asked()[1].body).pop().unwrap();
    assert!(result["content"].as_str().unwrap().contains("step 60."), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_that_cannot_be_kept_is_shown_whole() {
    let read = Script::calls(&[("files_read", json!({"path": "steps.txt"}))]);
    let (connected, _model) = connect_to_model(vec![read, Script::says("There it is.")], "").await;
    let lines: Vec<_> = (1..=30).map(|n| format!("step {n}.")).collect();
    let write = Interaction::slash("files").subcommand("write").option("path", "steps.txt");
    connected.answer(write.option("content", lines.join("\n"))).await;
    let store = rusqlite::Connection::open(connected.folder.path().join("data/candor.db")).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON kept_answers BEGIN SELECT RAISE(ABORT, 'full'); END";
    store.execute_batch(full).unwrap();

    connected.twin.say(Message::to_bot("read me the steps"));
    shown(&connected, "There it is.").await;
    let whole = shown(&connected, "✓ /files read").await;
    assert!(lines.iter().all(|line| whole.text().contains(line.as_str())), "{}", whole.text());
    assert!(!says(whole.text(), said!("button-show-all")), "{}", whole.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn h1_every_message_of_a_long_reply_is_marked() {
    let words = "word ".repeat(1_000);
    let (connected, _model) = connect_to_model(vec![Script::says(&words)], "").await;
    connected.twin.say(Message::to_bot("tell me a story"));
    shown(&connected, &label_of(3, 3)).await;
    let standing = standing(&connected);
    assert_eq!(standing.len(), 3, "{standing:#?}");
    for (n, message) in (1..).zip(&standing) {
        assert!(message.ends_with(&format!("\n{}", label_of(n, 3))), "{n}: {message}");
    }
    assert_eq!(standing.concat().matches("word").count(), 1_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_four_messages_do_not_hold_comes_as_a_file_too() {
    let words: Vec<_> = (1..=3_000).map(|n| format!("word{n}")).collect();
    let words = words.join(" ");
    let (connected, _model) = connect_to_model(vec![Script::says(&words)], "").await;
    connected.twin.say(Message::to_bot("tell me a long story"));
    let end = format!("{} · {}", label_of(4, 4), said!("label-rest-in-file"));
    let last = shown(&connected, &end).await;
    let standing = standing(&connected);
    assert_eq!(standing.len(), 4, "{standing:#?}");
    for (n, message) in (1..).zip(&standing) {
        assert_says(message, label_of(n, 4));
    }
    assert!(!standing.concat().contains("word3000"));
    let file = connected.twin.file(last.message_id().unwrap(), "reply.md").unwrap();
    assert_eq!(String::from_utf8(file).unwrap(), format!("{}\n\n{words}", mark()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pretended_deed_keeps_its_words_and_the_mark_says_that_no_command_ran() {
    let cases = [
        ("en", "remember that I like tea", "Noted!"),
        ("de", "merk dir, dass ich Tee mag", "Ist notiert!"),
        ("en", "how is the system doing?", "CPU: 23 %, memory 4.2 GB of 8 GB. All is fine."),
        ("en", "ブログを公開して", "公開しました！"),
        ("en", "please save this file as notes.txt", "I've saved the file `notes.txt` for you."),
    ];
    for (language, request, words) in cases {
        let settings = format!("[language]\ndefault = \"{language}\"\n");
        let (connected, model) = connect_to_model(vec![Script::says(words)], &settings).await;
        connected.twin.say(Message::to_bot(request));
        let reply = shown(&connected, words).await;
        let language = Language::of_locale(language).unwrap();
        let (generated, none) = (said!(in language, "label-generated"), said!(in language, "label-none"));
        assert_eq!(reply.message()["content"], format!("{words}\n-# {generated} · {none}"));
        assert_eq!((buttons(&reply).len(), model.asked().len()), (0, 1));
        assert_eq!(files_below(&connected.folder.path().join("data/workspace")), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_amid_words_is_reminded_of_once_then_taken_out_and_offered_filled_in() {
    let call = "<tool_call>{\"name\": \"save_memory\", \"arguments\": {\"content\": \"likes tea\"}}</tool_call>";
    let words = Script::says(&format!("I will keep that.\n{call}"));
    let (connected, model) = connect_to_model(vec![words.clone(), words], "").await;
    connected.twin.say(Message::to_bot("I like tea"));
    let reply = shown(&connected, "I will keep that.").await;
    let line = said!("note-only-written", commands = "/memory save");
    assert_eq!(reply.message()["content"], format!("I will keep that.\n-# {line}\n{}", label()));
    let asked = model.asked();
    assert_eq!(asked.len(), 2, "one reminder");
    let reminder = messages(&asked[1].body).pop().unwrap();
    assert!(reminder["content"].as_str().unwrap().starts_with("[host]"), "{reminder}");

    let stranger = connected.answer(press(&reply).by(USER_ID + 1)).await;
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (said!("control-not-yours"), true));
    assert!(!memories(&connected).await.contains("likes tea"));
    let shown_first = connected.answer(press(&reply)).await;
    assert_eq!(shown_first.body["data"]["components"][0]["components"][0]["value"], "likes tea");
    assert!(!memories(&connected).await.contains("likes tea"));
    let saved = taken(&connected, &reply, 0).await;
    assert!(saved.is_ephemeral() && saved.text().contains("✓ /memory save"), "{}", saved.text());
    assert!(memories(&connected).await.contains("likes tea"));
    // The button is taken away; on a client that did not see it, it does nothing more.
    let id = reply.message_id().unwrap();
    let is_change = |request: &Recorded| request.method == "PATCH" && request.message_id() == Some(id);
    assert!(connected.twin.wait_for(PATIENCE, is_change).await.is_some());
    assert_eq!(connected.twin.message(id).unwrap()["components"], json!([]));
    let again = taken(&connected, &reply, 0).await;
    assert_eq!(again.text(), said!("control-used", command = "/memory save"));
    assert_eq!(memories(&connected).await.matches("likes tea").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_two_changes_under_a_reply_can_be_taken_and_the_other_button_stays() {
    let call = |what: &str| {
        format!("<tool_call>{{\"name\": \"save_memory\", \"arguments\": {{\"content\": \"{what}\"}}}}</tool_call>")
    };
    let words = Script::says(&format!("I keep that.\n{}\nand also\n{}", call("likes tea"), call("likes milk")));
    let (connected, _model) = connect_to_model(vec![words.clone(), words], "").await;
    connected.twin.say(Message::to_bot("I like tea and milk"));
    let reply = shown(&connected, "I keep that.").await;
    let (id, offered) = (reply.message_id().unwrap(), buttons(&reply));
    assert_eq!(offered.len(), 2, "{reply:#?}");
    for (n, what) in [(0, "likes tea"), (1, "likes milk")] {
        let saved = taken(&connected, &reply, n).await;
        assert_says(saved.text(), footer("/memory save"));
        assert!(memories(&connected).await.contains(what));
        let is_change = |request: &Recorded| {
            request.method == "PATCH" && request.message_id() == Some(id) && buttons(request) == offered[n + 1..]
        };
        assert!(connected.twin.wait_for(PATIENCE, is_change).await.is_some(), "the other buttons stay");
        let again = taken(&connected, &reply, n).await;
        assert_eq!(again.text(), said!("control-used", command = "/memory save"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_the_whole_message_runs_whatever_form_it_has() {
    for written in [
        "<tool_call>{\"name\": \"status\", \"arguments\": {}}</tool_call>",
        "{\"name\": \"status\", \"parameters\": {}}",
        "```json\n{\"reasoning\": \"look\", \"tool_calls\": [{\"tool\": \"status\", \"parameters\": {}}]}\n```",
    ] {
        for mode in ["native", "text"] {
            let scripts = vec![Script::says(written), Script::says("All is well.")];
            let (connected, model) = connect_to_model(scripts, &format!("tools = \"{mode}\"\n")).await;
            connected.twin.say(Message::to_bot("what's our status?"));
            shown(&connected, "All is well.").await;
            let standing = standing(&connected);
            assert_eq!(standing.len(), 2, "{mode}, {written}: {standing:#?}");
            assert_says(&standing[0], footer("/status"));
            let offered = model.asked()[0].body.get("tools").is_some();
            assert_eq!(offered, mode == "native", "only the native mode uses the API's tools");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_no_tool_gave_is_taken_out() {
    let lie = "{\"success\": true, \"content\": \"likes tea\", \"kind\": \"preference\"}\nI'll keep that in mind!";
    let (connected, _model) = connect_to_model(vec![Script::says(lie)], "").await;
    connected.twin.say(Message::to_bot("remember that I like tea"));
    let reply = shown(&connected, "I'll keep that in mind!").await;
    assert!(!reply.text().contains("success"), "{}", reply.text());
    assert_says(reply.text(), said!("note-only-written", commands = "/memory save"));
    let saved = taken(&connected, &reply, 0).await;
    assert!(saved.text().contains("✓ /memory save"), "{}", saved.text());
    assert!(memories(&connected).await.contains("likes tea"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_exist_is_corrected_and_then_ends_the_turn() {
    let scripts = (0..10).map(|_| Script::calls(&[("drop_table", json!({"name": "users"}))])).collect();
    let (connected, model) = connect_to_model(scripts, "").await;
    connected.twin.say(Message::to_bot("use drop_table"));
    let reply = shown(&connected, &said!("turn-no-such-tool", name = "drop_table")).await;
    assert!(!says(reply.text(), label()), "{}", reply.text());
    let asked = model.asked();
    let results: Vec<_> = messages(&asked.last().unwrap().body)
        .into_iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(results.len(), asked.len() - 1, "one correction to each call but the last");
    assert!((1..=4).contains(&results.len()), "{results:?}");
    assert!(results.iter().all(|text| text.starts_with("[host]") && text.contains("drop_table")), "{results:?}");
}

/// How many files there are in a folder, at any depth. One that is not there has none.
fn files_below(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_talk_has_the_mark_and_nothing_else() {
    let said = "A receipt proves that you paid. Done is better than perfect, as they say.";
    let (connected, _model) = connect_to_model(vec![Script::says(said)], "").await;
    let reply = connected.reply(Message::to_bot("what is a receipt good for?")).await;
    assert_eq!(reply.message()["content"], format!("{said}\n{}", label()));
    assert_eq!(buttons(&reply), Vec::<String>::new());
}
