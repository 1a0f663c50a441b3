//! Hostile events to the running bot, through gateway, gate, dispatcher, store and REST, while the connection is lost now
//! and then and requests fail: whatever comes, the next command is answered, and memory, threads and descriptors stay
//! flat.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use discord_twin::{BOT_ID, CHANNEL_ID, DISCORD_EPOCH_MS, Fault, GUILD_ID, Interaction, Message, Twin, USER_ID};
use serde_json::{Value, json};

use crate::discord::connected::connect;
use crate::fuzz::hostile::Changes;

/// How many events: `CANDOR_SOAK_EVENTS`, or so many.
const EVENTS: usize = 4_000;
/// After one in so many of them, what is filled once is filled.
const WARM_UP: usize = 4;
/// A person's command follows after so many, and has to be answered before the next ones come.
const COMMAND_EVERY: usize = 20;
/// Somebody talks to the model, which there is none of, after so many, and edits what they said.
const CHAT_EVERY: usize = 50;
/// A request in a channel fails after so many, and the answer to an interaction after ten times as many.
const FAULT_EVERY: usize = 500;
/// The connection ends after so many, each way of it in turn, and in the middle of it all a session is lost for good. But
/// it lives for a moment: a session whose connections end at once again and again is given up.
const LOST_EVERY: usize = 1_250;
const LIVES_AT_LEAST: Duration = Duration::from_millis(750);

/// What resident memory may grow by: a fixed part, for the allocator's, and a KiB for so many events.
const GROWTH_KIB: usize = 8_192;
const EVENTS_PER_KIB: usize = 16;
/// Threads for blocking work come and go with it, and so do connections to Discord.
const THREADS_MORE: usize = 8;
const DESCRIPTORS_MORE: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn a_soak_of_hostile_events_leaves_memory_threads_and_descriptors_flat() {
    let n_events = std::env::var("CANDOR_SOAK_EVENTS").map_or(EVENTS, |n| n.parse().unwrap());
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut events = [
        ("INTERACTION_CREATE", "interaction"),
        ("MESSAGE_CREATE", "message"),
        ("INTERACTION_CREATE", "interaction"),
        ("MESSAGE_UPDATE", "message"),
        ("INTERACTION_CREATE", "interaction"),
        ("MESSAGE_CREATE", "message"),
        ("INTERACTION_CREATE", "interaction"),
        ("MESSAGE_DELETE", "message"),
    ]
    .map(|(event, corpus)| (event, Changes::of(repository, corpus).unwrap()));
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord"]);
    let (mut before, began) = (None, Instant::now());
    let mut n_lost = 0;
    let mut lost = Instant::now();
    for n in 0..n_events {
        let (event, changes) = &mut events[n % 8];
        send(&connected.twin, event, changes, n);
        if n % CHAT_EVERY == 0 {
            let said = connected.twin.say(Message::to_bot(&format!("hello {n}")).by(USER_ID + 600 + n as u64 % 50));
            connected.twin.edit_message(said, &format!("<@{BOT_ID}> good evening {n}"));
        }
        if n % FAULT_EVERY == FAULT_EVERY / 2 {
            fail(&connected.twin, n / FAULT_EVERY);
        }
        if n % LOST_EVERY == LOST_EVERY / 2 && LIVES_AT_LEAST < lost.elapsed() {
            lose(&connected.twin, n_lost);
            n_lost += 1;
            lost = Instant::now();
        }
        if n == n_events / 2 {
            connected.twin.invalid_session(false);
            // What Discord sends until the next one begins is lost.
            connected.bot.hears_nth(1, &["INFO ready"]);
        }
        if n % COMMAND_EVERY == 0 {
            let add = Interaction::slash("tasks").subcommand("add").option("title", format!("milk {n}"));
            let person = USER_ID + (n / COMMAND_EVERY % 500) as u64;
            connected.answer(add.by(person)).await;
        }
        if before.is_none() && n_events / WARM_UP <= n {
            before = Some(Standing::of(connected.bot.pid()));
        }
    }
    connected.answer(Interaction::slash("help")).await;
    let (before, after) = (before.unwrap(), Standing::of(connected.bot.pid()));
    let (took_s, n_resumes) = (began.elapsed().as_secs(), connected.twin.n_resumes());
    println!("{n_events} hostile events in {took_s} s, {n_resumes} resumes: {before:?}, then {after:?}");
    assert_eq!(
        connected.twin.identifies().len(),
        2,
        "a session that is lost for good costs one login, the others none"
    );
    let growth_max = GROWTH_KIB + n_events / EVENTS_PER_KIB;
    assert!(after.resident_kib <= before.resident_kib + growth_max, "memory grows");
    assert!(after.threads <= before.threads + THREADS_MORE, "threads are left");
    assert!(after.descriptors <= before.descriptors + DESCRIPTORS_MORE, "files or connections are left");
    // The twin does not know the interactions that it did not make.
    connected._log.may_hold_refused();
}

/// Has one of the next requests fail: in a channel, or each tenth time an answer to an interaction.
fn fail(twin: &Twin, n: usize) {
    let (method, path) = if n % 10 == 9 { ("POST", "/interactions") } else { ("POST", "/channels") };
    twin.fail_next(match n % 4 {
        0 => Fault::rate_limited(method, path, 0.05),
        1 => Fault::new(method, path).status(500),
        2 => Fault::shared_limit(method, path, 0.05),
        _ => Fault::new(method, path).status(502),
    });
}

/// Ends the connection, so that the session is resumed.
fn lose(twin: &Twin, n: usize) {
    match n % 4 {
        0 => twin.reconnect(),
        1 => twin.close(4000),
        2 => twin.invalid_session(true),
        _ => twin.drop_connection(),
    }
}

/// Sends a change of the corpus that is JSON, as each frame of Discord is. Most have an id of now, because older ones are
/// dropped before anything is done, and come from where the bot is.
fn send(twin: &Twin, event: &str, changes: &mut Changes, n: usize) {
    let mut data: Value = changes.find_map(|bytes| serde_json::from_slice(&bytes).ok()).unwrap();
    if !n.is_multiple_of(8) && data.is_object() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let id = (u64::try_from(now).unwrap() - DISCORD_EPOCH_MS) << 22 | n as u64 & 0x3f_ffff;
        data["id"] = json!(id.to_string());
        data["channel_id"] = json!(CHANNEL_ID.to_string());
        data["guild_id"] = json!(GUILD_ID.to_string());
        data["mentions"] = json!([{ "id": BOT_ID.to_string(), "username": "bot", "discriminator": "0", "bot": true }]);
    }
    twin.dispatch_raw(event, &data);
}

/// What a process holds.
#[derive(Debug)]
struct Standing {
    resident_kib: usize,
    threads: usize,
    descriptors: usize,
}

impl Standing {
    fn of(pid: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let field = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            rest.split_whitespace().next().unwrap().parse().unwrap()
        };
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        Self { resident_kib: field("VmRSS:"), threads: field("Threads:"), descriptors }
    }
}
