//! Chat turns end to end: the real bot, a stand-in for Discord, and a model that says what it is told to say.

use discord_twin::{Message, Recorded, Twin};
use serde_json::{Value, json};

use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::record::ReceiptId;

/// A bot that talks with a scripted model.
struct Talking {
    twin: Twin,
    bot: Bot,
    model: ScriptedModel,
    folder: Folder,
}

/// Waits until the bot answers on Discord. `chat` and `model` are further lines of these sections.
async fn talking(scripts: Vec<Script>, model_lines: &str, further: &str) -> Talking {
    let twin = Twin::start().await.unwrap();
    let model = ScriptedModel::start(scripts).await;
    let base_url = model.base_url();
    let folder =
        Folder::with(&format!("[model]\nbase_url = \"{base_url}\"\nmodels = [\"llama\"]\n{model_lines}\n{further}\n"));
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/figures.json"), r#"{"cpu": 12.5, "queue_length": 42}"#).unwrap();
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "not connected:\n{}", bot.log());
    bot.hears(&["commands at Discord"]);
    Talking { twin, bot, model, folder }
}

const STATUS_FILE: &str = "[status]\nfile = \"data/figures.json\"\n";

impl Talking {
    /// Says something to the bot and waits for its labelled reply.
    async fn ask(&self, text: &str) -> String {
        let from = self.twin.n_requests();
        self.twin.say(Message::to_bot(text));
        self.labelled(from).await
    }

    /// The first message since then that carries a label or the host's words of failure.
    async fn labelled(&self, from: u64) -> String {
        let is_reply = |request: &Recorded| {
            request.n >= from && request.accepted() && content(request).is_some_and(|text| is_final(&text))
        };
        let found = self.twin.wait_for(PATIENCE, is_reply).await;
        let found = found.unwrap_or_else(|| panic!("no reply; log:\n{}", self.bot.log()));
        content(&found).unwrap()
    }

    /// The receipts named in a label, all of which the ledger must hold.
    async fn receipts(&self, reply: &str) -> Vec<String> {
        let store = candor::edges::store::Sqlite::open(&self.folder.path().join("data/candor.db")).await.unwrap();
        let label = reply.lines().last().unwrap();
        let words: Vec<_> = label.split_whitespace().collect();
        let behind_marks = words.windows(2).filter(|pair| ["✓", "–", "✗"].contains(&pair[0]));
        let ids: Vec<_> = behind_marks.map(|pair| ReceiptId::parse(pair[1].trim_matches(',')).unwrap()).collect();
        let mut commands = Vec::new();
        for id in ids {
            let entry = candor_core::contract::ReceiptBook::find(&store, id).await.unwrap();
            commands.push(entry.unwrap_or_else(|| panic!("{id} is in no ledger")).facts.command);
        }
        store.close().await;
        commands
    }
}

/// How many files there are in a folder, at any depth. One that is not there has none.
fn files_below(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

fn content(request: &Recorded) -> Option<String> {
    request.body.get("content").and_then(Value::as_str).map(str::to_owned)
}

fn is_final(text: &str) -> bool {
    text.lines().last().is_some_and(|line| line.starts_with("-# generated")) || text.starts_with("The chat model")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_the_status_runs_status_as_a_tool_and_the_reply_carries_its_receipt() {
    let scripts =
        vec![Script::calls(&[("status", json!({}))]), Script::says("CPU is at 12.5 and 42 wait in the queue.")];
    let talking = talking(scripts, "", STATUS_FILE).await;
    let reply = talking.ask("what's our status?").await;
    assert!(reply.starts_with("CPU is at 12.5 and 42 wait in the queue.\n-# generated · ran /status ✓ "), "{reply}");
    assert_eq!(talking.receipts(&reply).await, ["/status"]);
    let asked = talking.model.asked();
    let last = asked.last().unwrap().body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["role"], "tool");
    assert!(last["content"].as_str().unwrap().contains("12.5"), "{last}");
    assert_eq!(talking.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fabricated_result_is_taken_out_and_nothing_is_said_to_have_run() {
    let lie = "{\"cpu\": 3, \"users\": 1200}\nThe server is idle.";
    let talking = talking(vec![Script::says(lie)], "", STATUS_FILE).await;
    let reply = talking.ask("what's our status?").await;
    assert!(!reply.contains("1200"), "{reply}");
    assert!(reply.starts_with("The server is idle.\n"), "{reply}");
    assert!(reply.contains("-# the model made up a result; it was taken out"), "{reply}");
    assert!(reply.ends_with("-# generated · no command ran"), "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_does_not_exist_is_pointed_out() {
    let says = "Type `/status history` for the last week.";
    let talking = talking(vec![Script::says(says), Script::says(says)], "", STATUS_FILE).await;
    let reply = talking.ask("how was last week?").await;
    assert!(reply.contains("-# /status history does not exist"), "{reply}");
    assert_eq!(talking.model.asked().len(), 2, "one bounded retry");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_written_as_text_does_not_run_and_is_not_shown() {
    let says = "On it.\n<tool_call>{\"name\": \"status\", \"arguments\": {}}</tool_call>";
    let talking = talking(vec![Script::says(says), Script::says(says)], "", STATUS_FILE).await;
    let reply = talking.ask("what's our status?").await;
    assert!(!reply.contains("tool_call>"), "{reply}");
    assert!(reply.contains("-# the model wrote a tool call as text; it was not run"), "{reply}");
    assert!(reply.ends_with("-# generated · no command ran"), "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_exist_is_corrected_three_times_and_never_runs() {
    let scripts = (0..10).map(|_| Script::calls(&[("drop_table", json!({"name": "users"}))])).collect();
    let talking = talking(scripts, "", STATUS_FILE).await;
    let reply = talking.ask("use drop_table").await;
    assert_eq!(reply, "The chat model did not come to an answer within 8 steps, so it was stopped.");
    let asked = talking.model.asked();
    assert_eq!(asked.len(), 8);
    let messages = asked.last().unwrap().body["messages"].as_array().unwrap().clone();
    let results: Vec<_> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert_eq!(results.len(), 7, "one answer to each call that was asked about");
    assert!(results.iter().all(|text| text.starts_with("[host]") && text.contains("drop_table")), "{results:?}");
    let skipped = results.iter().filter(|text| text.contains("skipped")).count();
    assert_eq!(skipped, 4, "three corrections, and no more: {results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_to_have_written_a_file_is_noted_and_no_file_is_there() {
    let says = "I've saved the file `notes.txt` for you.";
    let chat = "[chat]\nwrite_tools = [\"/files write\"]\n";
    let talking = talking(vec![Script::says(says), Script::says(says)], "", &format!("{chat}{STATUS_FILE}")).await;
    let reply = talking.ask("please save this file as notes.txt").await;
    assert!(reply.contains("-# no command backs"), "{reply}");
    assert!(reply.ends_with("-# generated · no command ran"), "{reply}");
    assert_eq!(files_below(&talking.folder.path().join("data/workspace")), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_protocol_runs_calls_too() {
    let block = "```json\n{\"reasoning\": \"look\", \"tool_calls\": [{\"tool\": \"status\", \"parameters\": {}}]}\n```";
    let scripts = vec![Script::says(block), Script::says("CPU is at 12.5.")];
    let talking = talking(scripts, "tools = \"text\"", STATUS_FILE).await;
    let reply = talking.ask("what's our status?").await;
    assert!(reply.starts_with("CPU is at 12.5.\n-# generated · ran /status ✓ "), "{reply}");
    let asked = talking.model.asked();
    assert!(asked.iter().all(|asked| asked.body.get("tools").is_none()), "text mode offers no native tools");
    let system = asked[0].body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("tool_calls"), "{system}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_runs_only_after_its_caller_pressed_confirm() {
    let write = || Script::calls(&[("tasks_add", json!({"title": "buy milk"}))]);
    let scripts = vec![write(), Script::says("I added it."), write(), Script::says("Then not.")];
    let chat = "[chat]\nwrite_tools = [\"/tasks add\"]\n";
    let talking = talking(scripts, "", &format!("{chat}{STATUS_FILE}")).await;
    for (verdict, label) in [("Confirm", "generated · ran /tasks add ✓ "), ("Cancel", "generated · no command ran")]
    {
        let from = talking.twin.n_requests();
        talking.twin.say(Message::to_bot("note that we need milk"));
        let question = talking
            .twin
            .wait_for(PATIENCE, |request| {
                request.n >= from && request.accepted() && request.body["components"].is_array()
            })
            .await
            .unwrap_or_else(|| panic!("no question; log:\n{}", talking.bot.log()));
        assert!(content(&question).unwrap().contains("buy milk"), "{question:?}");
        let id = question.message_id().unwrap();
        let buttons = question.body["components"][0]["components"].as_array().unwrap().clone();
        let wanted = buttons.iter().find(|button| button["label"] == verdict).unwrap()["custom_id"].as_str();
        // A stranger's press changes nothing.
        let press = discord_twin::Interaction::press(id, wanted.unwrap());
        let stranger = talking.twin.interact(press.clone().by(4242));
        let refused = talking.twin.answer_to(&stranger, PATIENCE).await.unwrap();
        assert!(refused.text().contains("Only the person who asked"), "{}", refused.text());
        talking.twin.interact(press);
        let reply = talking.labelled(from).await;
        assert!(reply.contains(label), "{reply}");
    }
    assert_eq!(talking.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_that_was_only_pretended_is_saved_by_the_fix_button_once() {
    let lie = "{\"success\": true, \"content\": \"likes tea\", \"kind\": \"preference\"}\nI'll keep that in mind!";
    let talking = talking(vec![Script::says(lie)], "", STATUS_FILE).await;
    let from = talking.twin.n_requests();
    talking.twin.say(Message::to_bot("remember that I like tea"));
    let offered = talking
        .twin
        .wait_for(PATIENCE, |request| request.n >= from && request.accepted() && request.body["components"].is_array())
        .await
        .unwrap_or_else(|| panic!("no button; log:\n{}", talking.bot.log()));
    let fix = offered.body["components"][0]["components"][0]["custom_id"].as_str().unwrap().to_owned();
    let press = discord_twin::Interaction::press(offered.message_id().unwrap(), &fix);
    let saved = talking.twin.answer_to(&talking.twin.interact(press.clone()), PATIENCE).await.unwrap();
    assert!(saved.text().contains("likes tea") && saved.text().contains("recovered"), "{}", saved.text());
    let again = talking.twin.answer_to(&talking.twin.interact(press), PATIENCE).await.unwrap();
    assert!(again.text().contains("saved before"), "{}", again.text());
    assert_eq!(talking.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_that_was_only_pretended_is_saved_at_once_where_the_operator_says_so() {
    let lie = "{\"success\": true, \"content\": \"likes tea\", \"kind\": \"preference\"}\nI'll keep that in mind!";
    let guard = "[guard]\nrecover_memory = \"auto\"\n";
    let talking = talking(vec![Script::says(lie)], "", &format!("{guard}{STATUS_FILE}")).await;
    let reply = talking.ask("remember that I like tea").await;
    assert!(reply.contains("-# the model only pretended to save this; saved for real: "), "{reply}");
    assert!(reply.contains("-# generated · ran /memory save ✓ "), "{reply}");
    assert_eq!(talking.receipts(&reply).await, ["/memory save"]);
}
