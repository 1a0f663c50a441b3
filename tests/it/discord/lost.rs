//! What a lost connection and a bad start cost, and what the log and the metrics say of them.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use discord_twin::{Fault, Interaction, Message, Options, Twin};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::discord::connected::{Connected, RequestLog, connect, connect_to};
use crate::discord::connection::{admin_address, answers};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::registered::writes;

/// Held 10: serenity waited 5 s more, in which interactions were lost.
#[tokio::test(flavor = "multi_thread")]
async fn held_10_a_new_session_begins_after_discords_own_pause_and_no_other() {
    /// Discord's pause between two logins is 5 s.
    const LESS_THAN_TWO_PAUSES: Duration = Duration::from_secs(9);
    let begins_anew = async |end: &dyn Fn(&Twin)| {
        let connected = connect("").await;
        let begun = Instant::now();
        end(&connected.twin);
        let again = connected.twin.wait_until(PATIENCE, || (connected.twin.identifies().len() == 2).then_some(()));
        assert!(again.await.is_some(), "{}", connected.bot.log());
        assert!(begun.elapsed() < LESS_THAN_TWO_PAUSES, "{:?}:\n{}", begun.elapsed(), connected.bot.log());
        assert!(connected.twin.wait_ready(PATIENCE).await);
        connected.answer(Interaction::slash("help")).await;
    };
    // At once, because each waits for the pause.
    tokio::join!(
        begins_anew(&|twin| twin.close(4006)),
        begins_anew(&|twin| twin.close(4007)),
        begins_anew(&|twin| twin.close(4009)),
        begins_anew(&|twin| twin.invalid_session(false)),
    );
}

/// Held 12: serenity's own lines reached the log as they are.
#[tokio::test(flavor = "multi_thread")]
async fn held_12_a_lost_connection_is_told_in_the_bots_own_words() {
    let connected = connect("").await;
    connected.twin.close(4000);
    connected.answer(Interaction::slash("help")).await;
    connected.twin.drop_connection();
    connected.answer(Interaction::slash("help")).await;
    connected.bot.hears(&["the connection to Discord ended; resuming", "close code 4000"]);
    let log = connected.bot.log();
    let foreign = log
        .lines()
        .find(|line| ["ShardInfo", "ShardId", "Unknown unclean", "serenity"].iter().any(|it| line.contains(it)));
    assert_eq!(foreign, None);
}

/// Held 11: a proxy that failed once ended the bot.
#[tokio::test(flavor = "multi_thread")]
async fn held_11_each_request_of_the_start_is_made_again() {
    for fault in [
        Fault::new("GET", "/gateway").times(2),
        Fault::rate_limited("GET", "/gateway", 0.1),
        Fault::broken_off("GET", "/gateway"),
    ] {
        let twin = Twin::start().await.unwrap();
        twin.fail_next(fault.clone());
        let folder = Folder::with("");
        let bot = Bot::start(&folder, &twin.url());
        assert!(twin.wait_ready(PATIENCE).await, "{fault:?}:\n{}", bot.log());
    }
}

/// H4: without a login left, Discord resets the token of whoever logs in.
#[tokio::test(flavor = "multi_thread")]
async fn h4_nobody_logs_in_when_no_login_is_left() {
    let twin = Twin::start().await.unwrap();
    twin.set_session_starts_left(0);
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["WARN", "hardly any logins at Discord are left today", "left=0"]);
    assert_eq!(twin.identifies().len(), 0);
    assert!(bot.stop().success());
}

/// L4: a token file that others can read was taken without a word.
#[tokio::test(flavor = "multi_thread")]
async fn l4_a_token_file_that_others_can_read_is_warned_of() {
    for (mode, is_warned) in [(0o644, true), (0o640, true), (0o600, false), (0o400, false)] {
        let twin = Twin::start().await.unwrap();
        let folder = Folder::with("");
        let token = folder.path().join("token");
        std::fs::write(&token, "test.token\n").unwrap();
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = folder.candor(&["run"]);
        let bot = Bot::start_with(command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN_FILE", &token));
        assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
        let is_told = bot.log().contains("is readable by other users of this machine");
        assert_eq!(is_told, is_warned, "{mode:o}:\n{}", bot.log());
        assert!(!bot.log().contains("test.token"), "{}", bot.log());
    }
}

/// Held 8: a message that could not be decoded was dropped without a line or a count.
#[tokio::test(flavor = "multi_thread")]
async fn held_08_a_message_an_edit_or_a_deletion_that_cannot_be_decoded_is_told_and_counted() {
    let connected = connect("").await;
    let cases = [
        ("MESSAGE_CREATE", json!({ "content": 1 }), "a message that cannot be decoded"),
        ("MESSAGE_UPDATE", json!({ "id": "7", "content": "x" }), "an edit that cannot be decoded"),
        ("MESSAGE_DELETE", json!({ "id": [] }), "a deletion that cannot be decoded"),
        ("MESSAGE_DELETE_BULK", json!({ "ids": "7" }), "a deletion that cannot be decoded"),
    ];
    for ((event, data, told), n) in cases.into_iter().zip(1..) {
        connected.twin.dispatch_raw(event, &data);
        connected.bot.hears(&["WARN", told]);
        let counted = format!("candor_unknown_interactions_total{{what=\"message\"}} {n}\n");
        answers(admin_address(&connected.bot), "/metrics", true, &counted).await;
    }
}

/// Held 8: a PUT that a proxy answered with a page counted as in place until the next start.
#[tokio::test(flavor = "multi_thread")]
async fn held_08_a_page_in_answer_to_the_commands_is_no_answer() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::page("PUT", "/applications"));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date"]);
    let in_place = connected.twin.wait_until(PATIENCE, || (!connected.twin.commands().is_empty()).then_some(()));
    assert!(in_place.await.is_some(), "{}", connected.bot.log());
    assert_eq!(writes(&connected.twin), ["PUT", "PUT"]);
}

/// Held 8: a reply in direct messages named a server that is none.
#[tokio::test(flavor = "multi_thread")]
async fn held_08_a_reply_in_direct_messages_names_no_server() {
    let connected = connect("").await;
    let reply = connected.reply(Message::text("/help").in_dm()).await;
    let reference = reply.body["message_reference"].as_object().unwrap();
    assert!(
        !reference.contains_key("guild_id") && reference.values().all(|field| *field != Value::Null),
        "{reference:?}"
    );
}

/// A restart took a login of the day, and an interaction that came meanwhile was lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_bot_resumes_its_session_and_answers_an_interaction_that_came_meanwhile() {
    let Connected { bot, twin, folder, _log, .. } = connect("").await;
    assert!(bot.stop().success());
    let missed = twin.interact(Interaction::slash("help"));
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.callback_to(&missed, PATIENCE).await.is_some(), "{}", bot.log());
    bot.hears(&["INFO", "resumed"]);
    assert_eq!((twin.identifies().len(), twin.n_resumes()), (1, 1));
}

/// A start that can resume its session needs no login.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_resumed_although_no_login_is_left() {
    let Connected { bot, twin, folder, _log, .. } = connect("").await;
    assert!(bot.stop().success());
    twin.set_session_starts_left(0);
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["INFO", "resumed"]);
}

/// Nothing may run whose answer nobody sees: Discord takes the first answer within 3 s.
#[tokio::test(flavor = "multi_thread")]
async fn an_interaction_that_waited_too_long_for_a_restart_does_not_run() {
    let Connected { bot, twin, folder, _log, .. } = connect("").await;
    assert!(bot.stop().success());
    let add = |title: &str| Interaction::slash("tasks").subcommand("add").option("title", title);
    twin.interact(add("too late").aged_ms(4_000));
    let connected = connect_again(folder, twin).await;
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(!list.text().contains("too late"), "{}", list.text());
}

async fn connect_again(folder: Folder, twin: Twin) -> Connected {
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["INFO", "resumed"]);
    let _log = RequestLog::of(&twin);
    Connected { bot, twin, folder, _log }
}

/// A session brings the events that its login asked for, and Discord may have forgotten it.
#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_bot_logs_in_where_its_session_cannot_be_resumed() {
    let other_events: fn(&Twin, Folder) -> Folder = |_, folder| folder.set_to("[chat]\nchannels = [\"5\"]\n");
    let forgotten: fn(&Twin, Folder) -> Folder = |twin, folder| {
        twin.refuse_resume(true);
        folder
    };
    for (change, is_forgotten) in [(other_events, false), (forgotten, true)] {
        let allowed = Options { message_content_allowed: true, application_flags: 1 << 18, ..Options::default() };
        let twin = Twin::start_with(allowed).await.unwrap();
        let mention_only = "[chat]\nown_threads = \"mention\"\n";
        let Connected { bot, twin, folder, _log, .. } = connect_to(twin, mention_only).await;
        assert!(bot.stop().success());
        let folder = change(&twin, folder);
        let bot = Bot::start(&folder, &twin.url());
        let again = twin.wait_until(PATIENCE, || (twin.identifies().len() == 2).then_some(())).await;
        assert!(again.is_some() && twin.wait_ready(PATIENCE).await, "{}", bot.log());
        assert_eq!(twin.n_resumes(), 0);
        assert_eq!(bot.log().contains("the session is no longer valid"), is_forgotten, "{}", bot.log());
    }
}
