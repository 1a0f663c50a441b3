//! Floods of one kind of event, to the running bot: they take little memory and few connections, and others are answered.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Message, Options, Twin, USER_ID};
use serde_json::json;

use crate::discord::chat::talking::connect_to_model;
use crate::discord::connected::{Connected, RequestLog, connect, connect_to};
use crate::discord::connection::{admin_address, answers_so};
use crate::support::bot::{Bot, Folder, PATIENCE};

/// How many messages are deleted: `CANDOR_FLOOD_EVENTS`, or so many.
const DELETED: u64 = 20_000;
/// What they may take in memory, in KiB. Without the queue, each took 600 bytes and more until the store had looked it up.
const DELETED_KIB: u64 = 8 * 1_024;

/// A figure of the process's status, in KiB.
fn kib(pid: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let rest = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

/// How long the flood lasts in which others are answered, in parts of 20 ms.
const PARTS: u64 = 100;
const PART: Duration = Duration::from_millis(20);
/// How much longer an answer may take meanwhile. Only the optimized program is measured, with a flood of 100,000 and
/// without other tests beside it: 5 to 11 ms were seen on two cores.
const DELAY_MAX: Duration = Duration::from_millis(50);

fn n_events() -> u64 {
    std::env::var("CANDOR_FLOOD_EVENTS").map_or(DELETED, |n| n.parse().unwrap())
}

/// Has Discord tell of `n` deleted messages.
fn flood(twin: &Twin, from: u64, n: u64) {
    for id in from..from + n {
        let (id, channel, guild) = (id.to_string(), CHANNEL_ID.to_string(), GUILD_ID.to_string());
        twin.dispatch_raw("MESSAGE_DELETE", &json!({ "id": id, "channel_id": channel, "guild_id": guild }));
    }
}

/// The median of how long commands take that are picked one after the other, until this ends.
async fn answer_times(connected: &Connected, until: impl Future<Output = ()>) -> Duration {
    let (mut took, mut until) = (Vec::new(), std::pin::pin!(until));
    for person in USER_ID.. {
        let began = Instant::now();
        let answered = async {
            connected.answer(Interaction::slash("help").by(person)).await;
            began.elapsed()
        };
        tokio::select! {
            () = &mut until => break,
            once = answered => took.push(once),
        }
    }
    took.sort();
    took[took.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_deleted_messages_delays_nobody() {
    let (connected, _model) = connect_to_model(Vec::new(), "[chat]\nsummaries = true\n").await;
    let usual = answer_times(&connected, tokio::time::sleep(PART * 50)).await;
    let flooding = async {
        let mut parts = tokio::time::interval(PART);
        for n in 0..PARTS {
            parts.tick().await;
            flood(&connected.twin, 2_000_000 + n * n_events() / PARTS, n_events() / PARTS);
        }
    };
    let meanwhile = answer_times(&connected, flooding).await;
    println!("{} deleted messages: answers after {meanwhile:?}, and before them after {usual:?}", n_events());
    assert!(n_events() <= DELETED || meanwhile <= usual + DELAY_MAX, "from {usual:?} to {meanwhile:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_deleted_messages_takes_little_memory() {
    let n_events = n_events();
    let (connected, _model) = connect_to_model(Vec::new(), "[chat]\nsummaries = true\n").await;
    let pid = connected.bot.pid();
    let flood = |from, n| flood(&connected.twin, from, n);
    // What is filled once is filled.
    flood(1_000_000, 1_000);
    connected.answer(Interaction::slash("help")).await;
    fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    let before = kib(pid, "VmHWM:");
    flood(2_000_000, n_events);
    // Answered behind all of them. A command of the picker would be too old by then on a busy machine.
    connected.reply(Message::to_bot("/help")).await;
    let peak = kib(pid, "VmHWM:");
    println!("{n_events} deleted messages: {before} KiB, at most {peak} KiB");
    assert!(peak <= before + DELETED_KIB, "from {before} to {peak} KiB");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_commands_stays_within_few_file_descriptors() {
    const COMMANDS: u64 = 400;
    let (folder, twin) = (Folder::with(""), Twin::start().await.unwrap());
    let candor = folder.candor(&["run"]);
    let mut limited = Command::new("sh");
    limited.arg("-c").arg("ulimit -n 64; exec \"$0\" run").arg(candor.get_program()).current_dir(folder.path());
    let bot = Bot::start_with(limited.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token"));
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
    let _log = RequestLog::of(&twin);
    let commands = (0..COMMANDS).map(|n| twin.interact(Interaction::slash("status").by(USER_ID + n)));
    for sent in commands.collect::<Vec<_>>() {
        assert!(twin.answer_to(&sent, PATIENCE).await.is_some(), "{}", bot.log());
    }
    let log = bot.log();
    assert!(!log.contains("Too many open files") && !log.contains("os error 24"), "{log}");
    // Connections that are open still are those that were open at once.
    let n_open = fs::read_dir(format!("/proc/{}/fd", bot.pid())).unwrap().count();
    assert!(n_open < 60, "{n_open} files and connections:\n{log}");
}

/// More than the gateway has in progress at once: 1,536 interactions, 1,024 other events.
const MORE_THAN_ROOM: u64 = 1_700;

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_without_room_waits_and_keeps_its_session() {
    let heartbeat = Duration::from_secs(1);
    let twin = Twin::start_with(Options { heartbeat, ..Options::default() }).await.unwrap();
    let Connected { bot, twin, folder: _folder, _log, .. } = connect_to(twin, "").await;
    // Longer than a heartbeat may stay unacknowledged.
    twin.delay("POST", "/interactions", 2 * heartbeat);
    for n in 0..MORE_THAN_ROOM {
        twin.interact(Interaction::slash("help").by(USER_ID + n));
    }
    let until = Instant::now() + PATIENCE;
    while twin.answer_to(&twin.interact(Interaction::slash("help").by(USER_ID)), 3 * heartbeat).await.is_none() {
        assert!(Instant::now() < until, "{}", bot.log());
    }
    assert_eq!((twin.identifies().len(), twin.n_resumes()), (1, 0), "{}", bot.log());
    // Many answers came too late for Discord.
    _log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn events_beyond_the_room_are_dropped_and_counted_and_interactions_are_answered() {
    let connected = connect("").await;
    // Whether the role is the bot's own is asked of Discord.
    connected.twin.delay("GET", "/guilds", Duration::from_secs(5));
    for n in 0..MORE_THAN_ROOM {
        connected.twin.say(Message::text("<@&5> hello").mentioning_role(5).by(USER_ID + n));
    }
    connected.answer(Interaction::slash("help")).await;
    let none = "candor_events_dropped_total{what=\"event\"} 0\n";
    let is_counted = |body: &str| body.contains("candor_events_dropped_total{what=\"event\"}") && !body.contains(none);
    answers_so(admin_address(&connected.bot), "/metrics", true, "dropped events", is_counted).await;
}
