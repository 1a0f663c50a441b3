//! A reply whose process is killed while it is written: what stands there after the next start.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use discord_twin::{CHANNEL_ID, Message, Recorded, Twin};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::{label, label_ran, said, says, unfinished_of};
use crate::support::scripted_model::{Script, ScriptedModel};

/// The contents of the channel's messages, oldest first, once they are as they should be.
async fn standing(twin: &Twin, is_it: impl Fn(&[String]) -> bool) -> Vec<String> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let contents = || {
        let requests = twin.requests();
        let sent = requests.iter().filter(|request| request.method == "POST" && request.path == path);
        let content = |id| Some(twin.message(id)?["content"].as_str()?.to_owned());
        let ids: BTreeSet<_> = sent.filter_map(Recorded::message_id).collect();
        ids.into_iter().filter_map(content).collect::<Vec<_>>()
    };
    let found = twin.wait_until(PATIENCE, || Some(contents()).filter(|contents| is_it(contents))).await;
    found.unwrap_or_else(|| panic!("what stands there: {:#?}", contents()))
}

/// A bot is asked for a story, is killed when its channel shows this, and is started again. What stands there then.
async fn killed(script: Script, shows: &str) -> (Twin, Vec<String>) {
    let model = ScriptedModel::start(vec![script]).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let Connected { bot, twin, folder, _log } = connect_in(Folder::with(&config), Twin::start().await.unwrap()).await;
    twin.say(Message::to_bot("tell me a story"));
    standing(&twin, |messages| messages.iter().any(|message| says(message, shows))).await;
    drop(bot);
    let again = connect_in(folder, twin.clone()).await;
    let line = said!("interrupted-turn");
    let short = format!(" · {}", said!("outcome-interrupted"));
    let says_so = |message: &String| says(message, &line) || message.ends_with(&short);
    let standing = standing(&twin, |messages| !messages.is_empty() && messages.iter().all(says_so)).await;
    // It is told once: at the start after that nothing is sent or changed.
    assert!(again.bot.stop().success());
    let n = twin.n_requests();
    let third = connect_in(again.folder, twin.clone()).await;
    assert!(third.bot.stop().success());
    let sent = twin.requests().into_iter().filter(|request| n <= request.n && request.path.contains("/messages"));
    let sent = sent.filter(|request| request.method != "GET");
    assert_eq!(sent.count(), 0);
    (twin, standing)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_whose_process_was_killed_says_so_after_the_restart_and_stays_marked() {
    let line = format!("-# {}", said!("interrupted-turn"));
    let never = Arc::new(Notify::new());
    let (twin, standing) = killed(Script::writes(&["Once upon a time"]).waits(&never), "Once upon a time").await;
    assert_eq!(standing, [format!("Once upon a time\n{line}\n{}", label())]);
    let edit = twin.requests().into_iter().find(|request| request.method == "PATCH").unwrap();
    assert_eq!(edit.body["components"], json!([]), "nothing is left to stop");
    assert_eq!(edit.body["allowed_mentions"]["parse"], Value::from(Vec::<Value>::new()));

    // Each message of a long one.
    let long = Script::writes(&["word ".repeat(500).as_str()]).waits(&never);
    let unfinished = unfinished_of(2, 2);
    let (_, standing) = killed(long, &unfinished).await;
    assert_eq!(standing.len(), 2, "{standing:#?}");
    let none = said!("label-none");
    let part = |n: usize| format!("-# {} · {} · {none}", said!("label-generated"), said!("label-part", n = n, of = 2));
    let ends = [1, 2].map(|n| format!("\n{line}\n{}", part(n)));
    for (message, end) in standing.iter().zip(ends) {
        // Without room for the line, the mark says it.
        let short = format!("{end} · {}", said!("outcome-interrupted")).replace(&format!("{line}\n"), "");
        assert!(message.ends_with(&end) || message.ends_with(&short), "{message}");
    }

    // Before the first word there is nothing to mark as generated.
    let (_, standing) = killed(Script::never(), &said!("thinking")).await;
    assert_eq!(standing, [line]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_whose_process_was_killed_says_what_ran_in_its_turn() {
    let never = Arc::new(Notify::new());
    let scripts = vec![Script::calls(&[("status", json!({}))]), Script::writes(&["All is well"]).waits(&never)];
    let model = ScriptedModel::start(scripts).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let Connected { bot, twin, folder, _log } = connect_in(Folder::with(&config), Twin::start().await.unwrap()).await;
    twin.say(Message::to_bot("how is the server?"));
    standing(&twin, |messages| messages.iter().any(|message| says(message, "All is well"))).await;
    drop(bot);
    let _again = connect_in(folder, twin.clone()).await;
    let expected = format!("All is well\n-# {}\n{}", said!("interrupted-turn"), label_ran("/status"));
    standing(&twin, |messages| messages.contains(&expected)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h3_behind_whichever_request_of_a_turn_the_bot_is_killed_each_message_is_whole_or_says_that_it_was_interrupted()
{
    const ROUNDS: u64 = 9;
    let events: Vec<_> =
        (0..12).map(|n| json!({"choices": [{"delta": {"content": format!("piece {n} of a story\n")}}]})).collect();
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    // A byte in two milliseconds: more than two seconds.
    let script = Script::stream(&[events, vec![end]].concat()).dripped(Duration::from_millis(2));
    let model = ScriptedModel::start(vec![script; usize::try_from(ROUNDS).unwrap()]).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n", model.base_url());
    let (mut folder, twin) = (Folder::with(&config), Twin::start().await.unwrap());
    for round in 0..ROUNDS {
        let connected = connect_in(folder, twin.clone()).await;
        let before = twin.n_requests();
        twin.say(Message::to_bot("tell me a story").by(100 + round));
        // Killed behind the next request of the turn each time, then while its reply is written, then when it is whole.
        let shows = |words: &str, end: &str| {
            let requests = twin.requests();
            let mut contents = requests.iter().filter(|request| before <= request.n && request.accepted());
            contents.any(|request| {
                // The end of an earlier round's reply may still be among these requests.
                let content = request.body["content"].as_str().unwrap_or_default();
                says(content, words) && content.ends_with(end)
            })
        };
        let is_there = || {
            let is_there = match ROUNDS - round {
                1 => shows("piece 11", &label()),
                2 => shows("piece 0", &said!("label-still-writing")),
                _ => before + round <= twin.n_requests(),
            };
            is_there.then_some(())
        };
        twin.wait_until(PATIENCE, is_there).await.unwrap();
        drop(connected.bot);
        folder = connected.folder;
    }
    let last = connect_in(folder, twin.clone()).await;
    let is_over = |message: &String| {
        let is_whole = !message.contains(&said!("label-still-writing")) && message.contains(&label());
        let interrupted = [said!("interrupted-turn"), said!("outcome-interrupted")];
        is_whole || interrupted.iter().any(|line| message.contains(line))
    };
    let standing = standing(&twin, |messages| !messages.is_empty() && messages.iter().all(is_over)).await;
    assert!(last.bot.stop().success());
    let n_interrupted = standing.iter().filter(|message| says(message, said!("interrupted-turn"))).count();
    assert!(0 < n_interrupted && n_interrupted < standing.len(), "{n_interrupted} of {standing:#?}");
}
