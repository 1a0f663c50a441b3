//! What modules have run at times, by the real binary against the twin.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use discord_twin::{CHANNEL_ID, Interaction, Recorded, Twin, USER_ID};

use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::{ENGLISH, assert_says, receipt_in, said};

const OPERATOR: u64 = USER_ID + 1;

/// Tokyo has no summer time.
const TOKYO: Duration = Duration::from_hours(9);

/// A module whose command runs once a day, at this time by the clocks of Tokyo, and is told in the twin's channel.
fn folder(at: SystemTime) -> Folder {
    folder_with(at, &format!("[modules.send_to]\nrounds = [\"{CHANNEL_ID}\"]\n"))
}

/// The same with these settings.
pub(in crate::discord::commands) fn folder_with(at: SystemTime, config: &str) -> Folder {
    let minutes = (at.duration_since(UNIX_EPOCH).unwrap() + TOKYO).as_secs() / 60;
    let (minute, hour) = (minutes % 60, minutes / 60 % 24);
    let folder =
        Folder::with(&format!("access.operators = [\"{OPERATOR}\"]\nchat.time_zone = \"Asia/Tokyo\"\n{config}"));
    let manifest = format!(
        r#"
[module]
name = "rounds"
summary = "Goes its rounds"
kind = "text"

[schedules.daily]
cron = "{minute} {hour} * * *"
run = "/round"

[commands."/round"]
description = "Go a round"
reply = "A round, {{user}}{{user.mention}} and back."
"#
    );
    fs::create_dir_all(folder.path().join("modules/rounds")).unwrap();
    fs::write(folder.path().join("modules/rounds/module.toml"), manifest).unwrap();
    folder
}

pub(in crate::discord::commands) fn told(twin: &Twin) -> Vec<Recorded> {
    let path = format!("/channels/{CHANNEL_ID}/messages");
    twin.requests().into_iter().filter(|request| request.method == "POST" && request.path == path).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_of_a_schedule_has_one_run_also_if_the_bot_was_down_when_it_came() {
    // Some minutes ago, when there was no bot yet: so that the test need not wait for a minute to begin.
    let connected = connect_in(folder(SystemTime::now() - Duration::from_mins(5)), Twin::start().await.unwrap()).await;
    connected.bot.hears(&["runs by itself: /round of rounds, at `", "in 1 channel"]);
    let twin = connected.twin.clone();
    let all = twin.wait_until(PATIENCE, || Some(told(&twin)).filter(|all| !all.is_empty())).await;
    let all = all.unwrap_or_else(|| panic!("not told; log:\n{}", connected.bot.log()));
    assert!(all[0].text().contains("A round,  and back."), "{}", all[0].text());
    let receipt = Interaction::slash("receipt").option("id", receipt_in(all[0].text(), ENGLISH)).by(OPERATOR);
    assert_says(connected.answer(receipt).await.text(), said!("receipt-by-schedule"));

    // No other process runs it again.
    let Connected { bot, twin, folder, _log } = connected;
    assert!(bot.stop().success());
    let again = connect_in(folder, twin).await;
    again.bot.hears(&["runs by itself: /round of rounds"]);
    let answer = again.answer(Interaction::slash("round")).await.text();
    assert!(answer.contains("A round, alice<@"), "{answer}");
    let told = told(&again.twin);
    assert_eq!(told.len(), 1, "{told:#?}; log:\n{}", again.bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_later_or_came_too_long_ago_is_not_run() {
    for at in [SystemTime::now() + Duration::from_mins(30), SystemTime::now() - Duration::from_mins(30)] {
        let connected = connect_in(folder(at), Twin::start().await.unwrap()).await;
        connected.bot.hears(&["runs by itself: /round of rounds"]);
        connected.answer(Interaction::slash("round")).await;
        assert!(connected.bot.stop().success());
        assert_eq!(told(&connected.twin).len(), 0);
    }
}
