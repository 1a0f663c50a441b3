//! What is kept of people on Discord: shown and erased by themselves, and told to a model only where they allow it.

use discord_twin::{CHANNEL_ID, Interaction, Message, Twin, USER_ID};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::discord::chat::talking::{connect_to_model, messages, press, shown, shown_since};
use crate::discord::connected::{Connected, connect, connect_in};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::inside::Inside;
use crate::support::said::{assert_says, footer, said, says};
use crate::support::scripted_model::Script;
use candor_core::record::{Proof, PublicKey, SignedHead};

fn privacy(subcommand: &str) -> Interaction {
    Interaction::slash("privacy").subcommand(subcommand)
}

fn memory(subcommand: &str) -> Interaction {
    Interaction::slash("memory").subcommand(subcommand)
}

/// What is kept of the person, as the operator exports it.
fn exported(connected: &Connected) -> Value {
    let output = block_in_place(|| connected.folder.run(&["privacy", "export", &USER_ID.to_string()]));
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_shown_to_its_person_with_a_file_and_erased_by_a_button() {
    let connected = connect("").await;
    connected.answer(memory("save").option("content", "likes tea")).await;
    connected.answer(memory("save").option("content", "another's secret").by(USER_ID + 1)).await;

    let answer = connected.answer(privacy("show")).await;
    assert!(answer.is_ephemeral());
    assert_says(answer.text(), said!("privacy-shown"));
    assert_says(answer.text(), format!("{}: 1", said!("kept-records")));
    let [file] = &answer.files[..] else { panic!("{} files: {}", answer.files.len(), answer.body) };
    let kept: Value = serde_json::from_slice(&file.bytes).unwrap();
    assert_eq!((file.filename.as_str(), &kept["user"]), ("candor-privacy.json", &json!(USER_ID.to_string())));
    assert_eq!(kept["records"][0]["record"]["content"], json!("likes tea"));
    assert!(!kept.to_string().contains("another's secret"));

    // Written to the bot alone, it is answered there.
    let reply = connected.reply(Message::text("/privacy show").in_dm()).await;
    assert_eq!(reply.files[0].filename, "candor-privacy.json");

    let question = connected.answer(privacy("erase")).await;
    assert!(question.is_ephemeral());
    assert_says(question.text(), said!("privacy-erase-question"));
    let stranger = connected.answer(press(&question).by(USER_ID + 1)).await;
    assert_says(stranger.text(), said!("control-foreign", command = "/privacy erase"));
    assert_eq!(exported(&connected)["records"].as_array().map(Vec::len), Some(1));

    let erased = connected.answer(press(&question)).await;
    assert_eq!(erased.body["type"], json!(7), "the question is gone");
    assert_says(erased.text(), said!("privacy-erased"));
    // L1: what cannot be undone works once, also for a client that still shows its button.
    let again = connected.answer(press(&question)).await;
    assert_eq!(again.text(), said!("control-used", command = "/privacy erase"));
    let left = exported(&connected);
    assert_eq!(left["records"], json!([]));
    let list = connected.answer(memory("list").by(USER_ID + 1)).await;
    assert!(list.text().contains("another's secret"), "{}", list.text());
    // The receipt of the command that erased says no more than that.
    let last = left["receipts"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["command"], &last["arguments"]), (&json!("/privacy erase"), &json!({ "confirm": true })));
}

#[tokio::test(flavor = "multi_thread")]
async fn m3_a_model_is_told_memories_in_a_server_only_where_their_person_allowed_it() {
    let scripts = ["one", "two", "three"].map(Script::says).to_vec();
    let (connected, model) = connect_to_model(scripts, "").await;
    connected.answer(memory("save").option("content", "likes green tea")).await;
    for (words, answer, on) in
        [("hi", "one", Some(true)), ("hi again", "two", Some(false)), ("and again", "three", None)]
    {
        connected.twin.say(Message::to_bot(words));
        shown(&connected, answer).await;
        if let Some(on) = on {
            connected.answer(memory("share").option("on", on)).await;
        }
    }
    let told: Vec<_> = model.asked().iter().map(|asked| asked.body.to_string().contains("likes green tea")).collect();
    assert_eq!(told, [false, true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn m2_a_cleared_conversation_leaves_no_words_behind() {
    let scripts = vec![
        Script::calls(&[("save_memory", json!({ "content": "the secret word" }))]),
        Script::says("I keep the secret word."),
    ];
    let settings = "[chat]\nwrite_tools = [\"/memory save\"]\n";
    let (connected, model) = connect_to_model(scripts, settings).await;
    connected.twin.say(Message::to_bot("remember the secret word"));
    let question = shown(&connected, "/memory save").await;
    let seen = connected.twin.n_requests();
    connected.answer(press(&question)).await;
    shown_since(&connected, seen, &footer("/memory save")).await;
    shown(&connected, "I keep the secret word.").await;
    assert!(messages(&model.asked()[1].body).len() > 2);

    let words = |kept: &Value, kind: &str| kept[kind].to_string().contains("the secret word");
    let kept = exported(&connected);
    for kind in ["receipts", "turns", "conversations"] {
        assert!(words(&kept, kind), "{kind}: {kept:#}");
    }
    connected.answer(Interaction::slash("clear")).await;
    let kept = exported(&connected);
    for kind in ["receipts", "turns", "conversations", "answers"] {
        assert!(!words(&kept, kind), "{kind}: {kept:#}");
    }
    assert!(words(&kept, "records"), "the memory itself stays");
    let verified = block_in_place(|| connected.folder.run(&["receipts", "verify"]));
    assert!(verified.status.success(), "{verified:?}");
}

/// What is left of some words in the files of the store while the bot runs: in which file, and how often.
fn left_in_files(connected: &Connected, words: &str) -> Vec<(String, usize)> {
    let found = std::fs::read_dir(connected.folder.path().join("data")).unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        let bytes =
            if entry.file_type().unwrap().is_file() { std::fs::read(entry.path()).unwrap() } else { Vec::new() };
        let n = bytes.windows(words.len()).filter(|part| *part == words.as_bytes()).count();
        (0 < n).then(|| (entry.file_name().into_string().unwrap(), n))
    });
    found.collect()
}

/// The words were overwritten in the file and stood in its log, for weeks on a quiet bot.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_erased_forgotten_cleared_or_pruned_stands_in_no_file_of_a_running_bot() {
    let scripts: Vec<_> = ["clear", "erase"].iter().map(|way| Script::says(&format!("A numbat of {way}."))).collect();
    let (connected, _model) = connect_to_model(scripts, "").await;
    let chat = async |way: &str| {
        connected.twin.say(Message::to_bot(&format!("the quokka of {way}")));
        let reply = shown(&connected, &format!("A numbat of {way}.")).await.message_id().unwrap().to_string();
        // Once it is known as a reply, all of the turn is stored.
        let receipt = || Interaction::slash("receipt").option("reply", reply.as_str());
        while connected.answer(receipt()).await.text().contains(&said!("receipt-no-turn")) {}
    };
    let gone = |words: &[&str]| words.iter().flat_map(|words| left_in_files(&connected, words)).collect::<Vec<_>>();

    for n in 0..40 {
        connected.answer(memory("save").option("content", format!("a wombat number {n}"))).await;
    }
    assert!(!gone(&["a wombat number 7"]).is_empty());
    connected.answer(memory("forget").option("id", 8)).await;
    assert_eq!(gone(&["a wombat number 7"]), []);

    chat("clear").await;
    assert!(!gone(&["quokka of clear"]).is_empty() && !gone(&["numbat of clear"]).is_empty());
    connected.answer(Interaction::slash("clear")).await;
    assert_eq!(gone(&["quokka of clear", "numbat of clear"]), []);

    connected.answer(Interaction::slash("calculate").option("expression", "48151623 + 4")).await;
    // Its receipt may be stored after the answer, and is there with the next one that changes something.
    connected.answer(memory("save").option("content", "a bilby")).await;
    assert!(!gone(&["48151623 + 4"]).is_empty());
    let prune = ["receipts", "prune", "--arguments-only", "--older-than", "0d", "--yes"];
    let pruned = block_in_place(|| connected.folder.run(&prune));
    assert!(pruned.status.success(), "{pruned:?}");
    assert_eq!(gone(&["48151623 + 4"]), []);

    chat("erase").await;
    let question = connected.answer(privacy("erase")).await;
    let erased = connected.answer(press(&question)).await;
    assert_says(erased.text(), said!("privacy-erased"));
    assert_eq!(gone(&["wombat", "bilby", "quokka", "numbat"]), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_runs_while_everything_is_erased_is_ended_and_leaves_nothing() {
    let mut bot = Inside::start("").await;
    let n = bot.say(Message::to_bot("the word is swordfish"));
    let page = bot.pages.next().await;
    page.writes("Swordfish it is.");
    page.calls(&["slow"]);
    bot.shows(n, "/slow").await;
    let erased = bot.answer(privacy("erase").option("confirm", true)).await;
    assert!(says(erased.text(), said!("privacy-erased")) || says(erased.text(), said!("privacy-erase-nothing")));
    bot.slow.add_permits(1);
    bot.shows(n, &said!("note-cleared")).await;

    let answer = bot.answer(privacy("show")).await;
    let kept: Value = serde_json::from_slice(&answer.files[0].bytes).unwrap();
    assert_eq!((&kept["turns"], &kept["conversations"]), (&json!([]), &json!([])), "{kept:#}");
    let slow = kept["receipts"].as_array().unwrap().iter().find(|receipt| receipt["command"] == "/slow");
    assert!(slow.unwrap()["arguments"].is_null(), "what it called is a receipt without words: {kept:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_writes_into_a_file_is_kept_as_a_digest_beside_the_file() {
    let arguments = json!({ "path": "a.txt", "content": "the secret words" });
    let scripts = vec![Script::calls(&[("files_write", arguments)]), Script::says("Written: the secret words.")];
    let (connected, _model) = connect_to_model(scripts, "[chat]\nwrite_tools = [\"/files write\"]\n").await;
    connected.twin.say(Message::to_bot("put it into a file"));
    let question = shown(&connected, "/files write").await;
    let seen = connected.twin.n_requests();
    connected.answer(press(&question)).await;
    shown_since(&connected, seen, "Written: the secret words.").await;

    let kept = exported(&connected);
    for kind in ["receipts", "turns", "answers", "runs"] {
        assert!(!kept[kind].to_string().contains("the secret words"), "{kind}: {kept:#}");
    }
    let receipt = kept["receipts"].as_array().unwrap().iter().find(|receipt| receipt["command"] == "/files write");
    let digest = &receipt.unwrap()["arguments"]["content"]["sha256"];
    assert_eq!(digest.as_str().map(str::len), Some(64));
    let called: Value =
        serde_json::from_str(kept["turns"][0]["record"]["calls"][0]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(called["content"], "(private)", "the receipt alone has a digest");
}

/// L1: whoever fears that the key of the controls is known makes a new one, and all that was signed with it is refused.
#[tokio::test(flavor = "multi_thread")]
async fn l1_with_a_new_key_earlier_buttons_are_refused_in_words() {
    let connected = connect("").await;
    let question = connected.answer(privacy("erase")).await;
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let rotated = folder.run(&["controls", "rotate"]);
    assert!(rotated.status.success(), "{rotated:?}");
    assert!(String::from_utf8_lossy(&rotated.stdout).starts_with("made a new key for controls"), "{rotated:?}");

    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["connected to Discord"]);
    let sent = twin.interact(press(&question));
    let answer = twin.answer_to(&sent, PATIENCE).await.unwrap_or_else(|| panic!("{}", bot.log()));
    assert_eq!(answer.text(), said!("control-forged"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_gets_the_proof_of_their_own_receipt_by_a_button_and_the_key_to_verify_it() {
    let connected = connect("").await;
    connected.answer(memory("save").option("content", "likes tea")).await;
    let keys = block_in_place(|| connected.folder.run(&["receipts", "key", "--json"]));
    let keys: Value = serde_json::from_slice(&keys.stdout).unwrap();
    let key = PublicKey::parse(keys[0]["key"].as_str().unwrap()).unwrap();
    let told = connected.answer(Interaction::slash("receipt").option("key", true)).await;
    assert!(told.is_ephemeral() && told.text().contains(&key.fingerprint()), "{}", told.text());

    let receipt = connected.answer(Interaction::slash("receipt")).await;
    let answer = connected.answer(press(&receipt)).await;
    assert!(answer.is_ephemeral());
    let [file] = &answer.files[..] else { panic!("{} files: {}", answer.files.len(), answer.body) };
    let proof = Proof::verify(str::from_utf8(&file.bytes).unwrap(), key).unwrap();
    let entry = proof.receipts[0].entry("receipts[0]").unwrap();
    assert_eq!((proof.receipts.len(), entry.facts.command.as_str()), (1, "/memory save"));
    assert_eq!(file.filename, format!("receipt-{}.json", entry.id));

    // Another person gets no proof of it.
    let id = entry.id.to_string();
    let others = Interaction::slash("receipt").option("id", id.as_str()).option("proof", true).by(USER_ID + 1);
    let refused = connected.answer(others).await;
    assert!(refused.files.is_empty());
    assert_says(refused.text(), said!("receipt-unknown", id = id.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_signed_head_is_published_once_a_day_in_a_channel_and_a_file() {
    let config = format!("[receipts]\npublish = [\"channel:{CHANNEL_ID}\", \"file:published\"]\n");
    let folder = Folder::with(&config);
    block_in_place(|| assert!(folder.console("/status\n").status.success()));
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let line = |text: &str| text.lines().find_map(|line| SignedHead::from_line(line).ok());
    let posted = || {
        let requests = connected.twin.requests();
        requests.iter().filter(|sent| sent.method == "POST" && sent.accepted()).find_map(|sent| line(&sent.text()))
    };
    let head = connected.twin.wait_until(PATIENCE, posted).await.unwrap();
    let file = connected.folder.path().join("published");
    let written = connected.twin.wait_until(PATIENCE, || line(&std::fs::read_to_string(&file).ok()?)).await.unwrap();
    assert_eq!((head.head.position, head.is_signed(), written), (1, true, head));

    // A start within the day publishes nothing.
    let Connected { bot, twin, folder, _log } = connected;
    assert!(block_in_place(|| bot.stop()).success());
    let seen = twin.requests().len();
    let again = connect_in(folder, twin).await;
    again.answer(Interaction::slash("status")).await;
    let requests = again.twin.requests();
    assert!(!requests[seen..].iter().any(|sent| line(&sent.text()).is_some()));
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1);
    let verified = block_in_place(|| again.folder.run(&["receipts", "verify"]));
    assert!(String::from_utf8_lossy(&verified.stdout).contains("published: the head of position 1"), "{verified:?}");
}
