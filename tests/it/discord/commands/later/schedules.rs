//! What modules have run at times, by the real binary against the twin.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use discord_twin::{CHANNEL_ID, Interaction, Recorded, Twin, USER_ID};
use sqlx::{Connection as _, PgConnection};

use crate::discord::connected::{Connected, connect_in};
use crate::programs::for_this_kernel;
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::postgres;
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

/// The command takes a second, so that both processes have begun before either of them is done.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_come_to_a_time_together_one_runs_it() {
    let Some(address) = postgres::database().await else { return };
    let twin = Twin::start().await.unwrap();
    let at = SystemTime::now() - Duration::from_mins(5);
    let config = format!("[modules.send_to]\nrounds = [\"{CHANNEL_ID}\"]\n[store]\nurl_file = \"url\"\n");
    let folders = [(); 2].map(|()| {
        let folder = folder_with(at, &config);
        fs::write(folder.path().join("url"), &address).unwrap();
        fs::set_permissions(folder.path().join("url"), fs::Permissions::from_mode(0o600)).unwrap();
        let rounds = folder.path().join("modules/rounds");
        let manifest = fs::read_to_string(rounds.join("module.toml")).unwrap();
        let (before, _) = manifest.split_once("reply = ").unwrap();
        let manifest = before.replace("\"text\"", "\"exec\"\n[run]\nprogram = \"round.sh\"") + "probe = {}\n";
        fs::write(rounds.join("module.toml"), for_this_kernel(&manifest)).unwrap();
        fs::write(rounds.join("round.sh"), "#!/bin/sh\nsleep 1\necho A round\n").unwrap();
        fs::set_permissions(rounds.join("round.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    });
    let bots = folders.each_ref().map(|folder| Bot::start(folder, &twin.url()));
    for bot in &bots {
        bot.hears(&["INFO", "ready"]);
    }
    // Each asks where the channel is before it runs anything there.
    let asked = |twin: &Twin| {
        let path = format!("/channels/{CHANNEL_ID}");
        twin.requests().iter().filter(|request| request.method == "GET" && request.path == path).count()
    };
    let both = twin.wait_until(PATIENCE, || (2 <= asked(&twin) && !told(&twin).is_empty()).then_some(())).await;
    assert!(both.is_some(), "{}\n{}", bots[0].log(), bots[1].log());
    for bot in bots {
        assert!(bot.stop().success());
    }
    assert_eq!(told(&twin).len(), 1, "{:#?}", told(&twin));
    let mut store = PgConnection::connect(&address).await.unwrap();
    let receipts = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM receipts WHERE origin = 'schedule'");
    assert_eq!(receipts.fetch_one(&mut store).await.unwrap(), 1);
}
