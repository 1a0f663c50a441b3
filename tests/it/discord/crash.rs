//! The bot is killed again and again in the middle of commands, its disk is full, or its database server goes away.
//! What a person saw, what is stored and what is in the ledger agree afterwards. It is killed at random moments, and at
//! each of the points that [`CrashPoint`] names.
//!
//! `CANDOR_CRASH_RUNS` sets how many commands each series of failures has (see docs/store.md), and `CANDOR_CRASH_SEED`
//! repeats them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Recorded, Sent, Twin, USER_ID};
use rusqlite::Connection;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection, query_as, query_scalar};

use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::postgres::Server;
use crate::support::said::{ANY, assert_says, said, says};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::text::shortened;
use candor_engine::CrashPoint;
use candor_store::Database;

/// Commands that are under way when a process is killed.
const AT_ONCE: u64 = 8;

/// The longest life of a process after its last answer that counts, in ms.
const LIFE_MAX_MS: u64 = 20;

/// How often a process is looked at that may end by itself.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How long after its last answer a process has to reach a point behind it.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// Old enough that the answer is deferred at once.
const DEFERRED_MS: u64 = 1_500;

/// How long after it was sent a deferred command can no longer be answered.
const TOO_LATE: Duration = Duration::from_millis(3_000 - DEFERRED_MS + 100);

/// The commands that are sent in one server, before others are sent in the next. Three of eight are tasks, and a
/// list holds 500.
const IN_ONE_SERVER: usize = 1_000;

/// The commands that one person sends, before others do. Two of eight are reminders, of which a person may have 50.
const OF_ONE_PERSON: usize = 160;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The rounds of a series in which this many commands are sent a round.
fn rounds(a_round: u64) -> u64 {
    number("CANDOR_CRASH_RUNS").unwrap_or(500).div_ceil(a_round)
}

fn seed() -> u64 {
    number("CANDOR_CRASH_SEED").unwrap_or(7)
}

/// How the processes of a series ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Killed,
    InOrder,
}

#[tokio::test(flavor = "multi_thread")]
async fn h3_whenever_the_bot_is_killed_effects_receipts_and_answers_agree() {
    let mut random = seed();
    let (folder, twin) = (Folder::with(""), Twin::start().await.unwrap());
    let mut sent = Vec::new();
    for round in 0..rounds(AT_ONCE) {
        let bot = connected(&folder, &twin).await;
        send(&twin, round, &mut sent);
        until_some_moment(&twin, &sent[sent.len() - usize::try_from(AT_ONCE).unwrap()..], &mut random).await;
        drop(bot);
    }
    // The last process tells the people of the one before it.
    let bot = connected(&folder, &twin).await;
    none_waits(&twin, &sent, |sent| !is_waiting(&twin, sent), &bot).await;
    none_open(async || Stored::in_file(&folder).await.n_intents).await;
    assert!(bot.stop().success());
    agree(&Stored::in_file(&folder).await, &twin, &sent, Ended::Killed);
}

/// Waits until some of the last commands are answered, or none, and a moment more. However slow the machine is, a
/// process ends at every state of its work.
async fn until_some_moment(twin: &Twin, last: &[Called], random: &mut u64) {
    let wanted = usize::try_from(next(random)).unwrap() % (last.len() + 1);
    let end = Instant::now() + PATIENCE;
    while last.iter().filter(|sent| shown(twin, sent).is_some()).count() < wanted {
        assert!(Instant::now() < end, "{wanted} of {} are not answered", last.len());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(next(random) % LIFE_MAX_MS)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_whatever_point_the_bot_ends_effects_receipts_and_answers_agree() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED: a release build has no points to end at");
        return;
    }
    let (folder, twin, mut sent) = (Folder::with(""), Twin::start().await.unwrap(), Vec::new());
    let mut missed: BTreeSet<_> = CrashPoint::ALL.into();
    for time in 1..=3 {
        for (round, point) in (0..).zip(CrashPoint::ALL) {
            let mut candor = folder.candor(&["run"]);
            candor.env("CANDOR_CRASH_AT", format!("{point:?}:{time}"));
            let mut bot = start(&mut candor, &twin);
            // A start may resume the session of the process before it.
            let is_ready = |log: &str| log.contains(" ready bot.id") || log.contains("resumed and ready");
            let is_connected = |bot: &mut Bot| is_ready(&bot.log()) || bot.has_ended();
            let end = Instant::now() + PATIENCE;
            while !is_connected(&mut bot) {
                assert!(Instant::now() < end, "{point:?}: {}", bot.log());
                tokio::time::sleep(LOOK_EVERY).await;
            }
            if !bot.has_ended() {
                send(&twin, 100 * time + round, &mut sent);
            }
            // What is under way ends, or the process does.
            let end = Instant::now() + PATIENCE;
            let rest = sent.len().saturating_sub(usize::try_from(AT_ONCE).unwrap());
            while !bot.has_ended() && !sent[rest..].iter().all(|sent| shown(&twin, sent).is_some()) {
                assert!(Instant::now() < end, "{point:?}: {}", bot.log());
                tokio::time::sleep(LOOK_EVERY).await;
            }
            if is_over_within(&mut bot, AFTERWARDS).await {
                missed.remove(&point);
            }
        }
    }
    assert_eq!(missed, BTreeSet::new(), "points at which no process ended");
    let bot = connected(&folder, &twin).await;
    none_waits(&twin, &sent, |sent| !is_waiting(&twin, sent), &bot).await;
    none_open(async || Stored::in_file(&folder).await.n_intents).await;
    assert!(bot.stop().success());
    agree(&Stored::in_file(&folder).await, &twin, &sent, Ended::Killed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_deferred_without_a_record_is_told_by_the_next_process() {
    if !cfg!(debug_assertions) {
        println!("SKIPPED: a release build has no points to end at");
        return;
    }
    let (folder, twin) = (Folder::with(""), Twin::start().await.unwrap());
    let file = folder.path().join("data/candor.db");
    let mut candor = folder.candor(&["run"]);
    let mut bot = connected_with(candor.env("CANDOR_CRASH_AT", "Deferred:2"), &twin).await;
    let open = || Connection::open(&file).unwrap();
    let count =
        |table: &str| open().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0));
    none_open(async || i64::from(count("sessions").unwrap() == 0)).await;
    // While the store is locked, the deferrals go out without their records.
    let store = open();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let add = Interaction::slash("tasks").subcommand("add").option("title", "milk").aged_ms(DEFERRED_MS);
    let sent = [twin.interact(add.clone()), twin.interact(add.locale("de"))];
    let sent_at = Instant::now();
    let end = Instant::now() + PATIENCE;
    while !bot.has_ended() {
        assert!(Instant::now() < end, "{}", bot.log());
        tokio::time::sleep(LOOK_EVERY).await;
    }
    store.execute_batch("ROLLBACK").unwrap();
    drop(store);
    // As if it had run to its end.
    open().execute("INSERT INTO claims (event, claimed_ms) VALUES (?1, 0)", [sent[0].id.cast_signed()]).unwrap();
    // They are replayed too late to be answered.
    tokio::time::sleep(TOO_LATE.saturating_sub(sent_at.elapsed())).await;

    let bot = connected(&folder, &twin).await;
    let german = Language::of_locale("de").unwrap();
    for (sent, expected) in
        [(&sent[0], said!("interrupted-late-unknown")), (&sent[1], said!(in german, "interrupted-late"))]
    {
        let told = twin.answer_to(sent, PATIENCE).await;
        assert_says(told.unwrap_or_else(|| panic!("no answer:\n{}", bot.log())).text(), expected);
    }
    assert_eq!((count("claims").unwrap(), count("receipts").unwrap()), (2, 0));
    let list = twin.interact(Interaction::slash("tasks").subcommand("list"));
    assert!(!twin.answer_to(&list, PATIENCE).await.unwrap().text().contains("milk"));
    assert!(bot.stop().success());
}

/// Whether the process ends by itself within this time: what follows an answer takes a moment.
async fn is_over_within(bot: &mut Bot, time: Duration) -> bool {
    let end = Instant::now() + time;
    while !bot.has_ended() && Instant::now() < end {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    bot.has_ended()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_full_disk_people_are_told_and_commands_run_again_once_there_is_room() {
    let (folder, twin, mut sent) = (Folder::with(""), Twin::start().await.unwrap(), Vec::new());
    let is_answered = |sent: &Called| shown(&twin, sent).is_some();
    let bot = connected_with(&mut without_file_size_signal(&folder), &twin).await;
    let mut random = seed();
    for round in 0..rounds(5 * AT_ONCE) {
        send(&twin, 2 * round, &mut sent);
        none_waits(&twin, &sent, is_answered, &bot).await;
        // No file may grow further than this: as good as a full disk. A few commits still fit, or a part of one.
        let log = std::fs::metadata(folder.path().join("data/candor.db-wal")).unwrap().len();
        limit_files(&bot, &format!("{}", log + next(&mut random) % 200_000));
        for _ in 0..4 {
            send(&twin, 2 * round + 1, &mut sent);
        }
        none_waits(&twin, &sent, is_answered, &bot).await;
        limit_files(&bot, "unlimited");
    }
    let before = sent.len();
    send(&twin, 99, &mut sent);
    none_waits(&twin, &sent, is_answered, &bot).await;
    for sent in &sent[before..] {
        assert!(shown(&twin, sent).unwrap().contains('✓'), "{:#?}", twin.replies_to(&sent.event));
    }
    bot.hears(&["the disk failed, or is full"]);
    assert!(bot.stop().success());
    // What could not be stored at its end is closed by the next process.
    let bot = connected(&folder, &twin).await;
    none_open(async || Stored::in_file(&folder).await.n_intents).await;
    assert!(bot.stop().success());
    agree(&Stored::in_file(&folder).await, &twin, &sent, Ended::InOrder);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_server_that_goes_away_and_comes_back_is_used_again_without_a_restart() {
    let Some(mut server) = Server::of_its_own() else { return };
    let (folder, twin, mut sent) = (on_server(&server), Twin::start().await.unwrap(), Vec::new());
    let is_answered = |sent: &Called| shown(&twin, sent).is_some();
    let bot = connected(&folder, &twin).await;
    let mut random = seed();
    for round in 0..rounds(3 * AT_ONCE) {
        send(&twin, 2 * round, &mut sent);
        none_waits(&twin, &sent, is_answered, &bot).await;
        send(&twin, 2 * round + 1, &mut sent);
        // The moment is the point: nothing is waited for.
        tokio::time::sleep(Duration::from_millis(next(&mut random) % 40)).await;
        server.stop();
        send(&twin, 2 * round + 1, &mut sent);
        none_waits(&twin, &sent, is_answered, &bot).await;
        server.start_again();
    }
    let before = sent.len();
    send(&twin, 99, &mut sent);
    none_waits(&twin, &sent, is_answered, &bot).await;
    for sent in &sent[before..] {
        assert!(shown(&twin, sent).unwrap().contains('✓'), "{:#?}\n{}", twin.replies_to(&sent.event), bot.log());
    }
    assert!(bot.stop().success());
    // It has ended, so what it left is told at once.
    close_what_is_open(&server, &folder, &twin).await;
    agree(&Stored::on_server(&server, std::slice::from_ref(&folder)).await, &twin, &sent, Ended::InOrder);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_server_that_ends_between_its_commit_and_its_answer_leaves_a_task_that_was_told_as_possible() {
    let Some(mut server) = Server::of_its_own() else { return };
    // With `synchronous_commit`, a commit waits for a second server, which does not exist, once it is on the disk.
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    for statement in [
        "ALTER DATABASE postgres SET synchronous_commit = 'local'",
        "ALTER SYSTEM SET synchronous_standby_names = 'nobody'",
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
    }
    server.stop();
    server.start_again();

    let (folder, twin) = (on_server(&server), Twin::start().await.unwrap());
    let bot = connected(&folder, &twin).await;
    let add = |title: &str| {
        let add = Interaction::slash("tasks").subcommand("add").option("title", title);
        Called { event: twin.interact(add.in_guild(GUILD_ID, CHANNEL_ID)), what: What::Task(title.to_owned()) }
    };
    let is_answered = |sent: &Called| shown(&twin, sent).is_some();
    let mut sent = vec![add("bread")];
    none_waits(&twin, &sent, is_answered, &bot).await;
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    for statement in [
        "CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM set_config('synchronous_commit', 'on', true); RETURN NEW; END $$",
        "CREATE TRIGGER waits BEFORE INSERT ON receipts FOR EACH ROW EXECUTE FUNCTION waits()",
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
    }
    sent.push(add("milk"));
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let end = Instant::now() + PATIENCE;
    while query_scalar::<_, i64>(waiting).fetch_one(&mut connection).await.unwrap() == 0 {
        assert!(Instant::now() < end, "no commit waits: {}", bot.log());
    }
    server.stop();
    none_waits(&twin, &sent, is_answered, &bot).await;
    assert_says(shown(&twin, &sent[1]).unwrap(), said!("failed-not-stored", command = ANY));
    assert!(bot.stop().success());
    server.start_again();
    let stored = Stored::on_server(&server, std::slice::from_ref(&folder)).await;
    assert_eq!(stored.tasks, ["bread", "milk"]);
    agree(&stored, &twin, &sent, Ended::InOrder);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_processes_on_one_server_one_is_killed_and_each_command_has_one_outcome() {
    let Some(server) = Server::of_its_own() else { return };
    let (twin, mut sent) = (Twin::start().await.unwrap(), Vec::new());
    let (folders, mut bots) = three_on(&server, &twin).await;
    let mut random = seed();
    for round in 0..rounds(4 * AT_ONCE) {
        for _ in 0..4 {
            send(&twin, round, &mut sent);
        }
        until_some_moment(&twin, &sent[sent.len() - usize::try_from(4 * AT_ONCE).unwrap()..], &mut random).await;
        let killed = usize::try_from(round).unwrap() % bots.len();
        drop(bots.remove(killed));
        bots.insert(killed, connected(&folders[killed], &twin).await);
    }
    for bot in bots {
        assert!(bot.stop().success());
    }
    // As if it were a minute later: those that were killed gave no sign of life.
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    let over = "UPDATE leases SET until_ms = 0 WHERE name LIKE 'process %'";
    sqlx::raw_sql(over).execute(&mut connection).await.unwrap();
    close_what_is_open(&server, &folders[0], &twin).await;
    agree(&Stored::on_server(&server, &folders).await, &twin, &sent, Ended::Killed);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_processes_on_one_server_one_answers_each_of_300_commands() {
    let Some(server) = Server::of_its_own() else { return };
    let (twin, mut sent) = (Twin::start().await.unwrap(), Vec::new());
    let (folders, bots) = three_on(&server, &twin).await;
    while sent.len() < 300 {
        send(&twin, 0, &mut sent);
        // As many at once as people send: nobody is put off because too many wait.
        let recent = &sent[sent.len().saturating_sub(40)..];
        none_waits(&twin, recent, |sent| shown(&twin, sent).is_some(), &bots[0]).await;
    }
    for bot in bots {
        assert!(bot.stop().success());
    }
    let stored = Stored::on_server(&server, &folders).await;
    assert_eq!((stored.claims.len(), stored.receipts.len()), (sent.len(), sent.len()));
    assert_eq!(stored.receipts.values().filter(|(_, outcome)| !is_reply(outcome)).count(), 0, "{:?}", stored.receipts);
    for sent in &sent {
        let replies = twin.replies_to(&sent.event);
        let n_answers = replies.iter().filter(|reply| reply.accepted() && reply.text().contains('✓')).count();
        assert_eq!(n_answers, 1, "{replies:#?}");
    }
    agree(&stored, &twin, &sent, Ended::InOrder);
}

/// A command that was sent.
struct Called {
    event: Sent,
    what: What,
}

/// What it changes once it has run.
#[derive(Debug)]
enum What {
    /// `/status`: nothing.
    Nothing,
    /// `/files write`: a file and its text. It lies outside of the store.
    File(String, String),
    /// `/tasks add` and `/remind add`: a task by its title, or a reminder by its words.
    Task(String),
}

/// Sends commands of every kind, all at once.
fn send(twin: &Twin, round: u64, sent: &mut Vec<Called>) {
    for n in 0..AT_ONCE {
        let number = sent.len();
        let server = GUILD_ID + u64::try_from(number / IN_ONE_SERVER).unwrap();
        let person = USER_ID + u64::try_from(number / OF_ONE_PERSON).unwrap();
        // A server has room for 200 files.
        let file = format!("{server}-{}.txt", number % 150);
        let (text, title) = (format!("{number}."), format!("{round}.{number}"));
        let add = Interaction::slash("tasks").subcommand("add").option("title", title.clone());
        let remind = Interaction::slash("remind").subcommand("add").option("text", title.clone()).option("in", "300d");
        let write = Interaction::slash("files").subcommand("write").option("path", file.clone());
        let (interaction, what) = match n {
            0 => (Interaction::slash("status"), What::Nothing),
            2 => (Interaction::slash("status").aged_ms(DEFERRED_MS), What::Nothing),
            1 => (write.option("content", text.clone()).aged_ms(DEFERRED_MS), What::File(file, text)),
            3 => (add.aged_ms(DEFERRED_MS), What::Task(title)),
            4 => (remind.aged_ms(DEFERRED_MS), What::Task(title)),
            5 => (remind, What::Task(title)),
            _ => (add, What::Task(title)),
        };
        let interaction = interaction.in_guild(server, CHANNEL_ID).by(person);
        sent.push(Called { event: twin.interact(interaction), what });
    }
}

/// Waits until this holds for each.
async fn none_waits(twin: &Twin, sent: &[Called], is_over: impl Fn(&Called) -> bool, bot: &Bot) {
    if twin.wait_until(PATIENCE, || sent.iter().all(&is_over).then_some(())).await.is_none() {
        let waiting: Vec<_> =
            sent.iter().filter(|sent| !is_over(sent)).map(|sent| twin.replies_to(&sent.event)).collect();
        panic!("{} of {} still wait: {:#?}\n{}", waiting.len(), sent.len(), waiting.first(), bot.log());
    }
}

/// Waits until no run is open.
async fn none_open(n_open: impl AsyncFn() -> i64) {
    let end = Instant::now() + PATIENCE;
    while n_open().await != 0 {
        assert!(Instant::now() < end, "{} runs are still open", n_open().await);
    }
}

/// A folder whose bot uses this server.
fn on_server(server: &Server) -> Folder {
    let folder = Folder::with("[store]\nurl_file = \"store.url\"\n");
    std::fs::write(folder.path().join("store.url"), server.address()).unwrap();
    folder
}

/// Three processes that use this server.
async fn three_on(server: &Server, twin: &Twin) -> ([Folder; 3], Vec<Bot>) {
    let folders = [on_server(server), on_server(server), on_server(server)];
    let mut bots = Vec::new();
    for folder in &folders {
        bots.push(connected(folder, twin).await);
    }
    (folders, bots)
}

/// Has a process close the runs that others left open.
async fn close_what_is_open(server: &Server, folder: &Folder, twin: &Twin) {
    let bot = connected(folder, twin).await;
    none_open(async || Stored::on_server(server, &[]).await.n_intents).await;
    assert!(bot.stop().success());
}

/// `candor run` for which a write past the limit of a file's size fails, like one on a full disk, and does not kill it.
fn without_file_size_signal(folder: &Folder) -> Command {
    let candor = folder.candor(&["run"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(candor.get_program()).args(candor.get_args());
    for (name, value) in candor.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(folder.path());
    shell
}

fn limit_files(bot: &Bot, bytes: &str) {
    let arguments = [format!("--pid={}", bot.pid()), format!("--fsize={bytes}:")];
    assert!(Command::new("prlimit").args(arguments).status().unwrap().success());
}

/// The next number of a seeded series: Steele, Lea and Flood's SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

async fn connected(folder: &Folder, twin: &Twin) -> Bot {
    connected_with(&mut folder.candor(&["run"]), twin).await
}

fn start(command: &mut Command, twin: &Twin) -> Bot {
    // A long series has more starts than Discord allows in a day.
    twin.set_session_starts_left(1_000);
    Bot::start_with(command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token"))
}

async fn connected_with(command: &mut Command, twin: &Twin) -> Bot {
    let sessions = || (twin.identifies().len(), twin.n_resumes());
    let before = sessions();
    let bot = start(command, twin);
    let is_new = || (before != sessions()).then_some(());
    assert!(twin.wait_until(PATIENCE, is_new).await.is_some() && twin.wait_ready(PATIENCE).await, "{}", bot.log());
    bot.hears(&["INFO", "ready"]);
    bot
}

/// Whether a person sees the note that their command runs.
fn is_waiting(twin: &Twin, sent: &Called) -> bool {
    let replies = twin.replies_to(&sent.event);
    replies.iter().any(|reply| reply.accepted() && reply.is_deferral()) && !replies.iter().any(is_shown)
}

/// Whether a person was shown this. A deferral shows no text, and a look at a response shows nothing.
fn is_shown(reply: &Recorded) -> bool {
    reply.accepted() && !reply.is_deferral() && reply.method != "GET"
}

/// What a person was shown last, if anything.
fn shown(twin: &Twin, sent: &Called) -> Option<String> {
    twin.replies_to(&sent.event).iter().rfind(|reply| is_shown(reply)).map(Recorded::text)
}

/// What is in a store after all is over.
struct Stored {
    n_intents: i64,
    /// The titles of all tasks and the words of all reminders, in order.
    tasks: Vec<String>,
    /// Each file that was written, and what it holds.
    files: BTreeSet<(String, String)>,
    claims: BTreeSet<i64>,
    /// Command and outcome, by number.
    receipts: BTreeMap<i64, (String, String)>,
}

/// The queries behind it.
const N_INTENTS: &str = "SELECT count(*) FROM intents";
const TASKS: &str = "SELECT body FROM records WHERE module = 'tasks' UNION ALL SELECT asked FROM due_calls";
const CLAIMS: &str = "SELECT event FROM claims";
const RECEIPTS: &str = "SELECT number, command, outcome FROM receipts";

impl Stored {
    async fn in_file(folder: &Folder) -> Self {
        let file = folder.path().join("data/candor.db");
        let store = Database::open_existing_file(&file, false).await.unwrap();
        assert_eq!(store.verify_chain().await.unwrap(), None, "the chain breaks");
        store.close().await;
        let database = Connection::open(&file).unwrap();
        let count = |query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
        let mut tasks = database.prepare(TASKS).unwrap();
        let mut claims = database.prepare(CLAIMS).unwrap();
        let mut receipts = database.prepare(RECEIPTS).unwrap();
        let receipt = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
        Self {
            n_intents: count(N_INTENTS),
            tasks: titles(tasks.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap)),
            files: files(&folder.path().join("data")),
            claims: claims.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect(),
            receipts: receipts.query_map([], receipt).unwrap().map(Result::unwrap).collect(),
        }
    }

    async fn on_server(server: &Server, folders: &[Folder]) -> Self {
        let mut connection = PgConnection::connect(&server.address()).await.unwrap();
        let n_intents = query_scalar(N_INTENTS).fetch_one(&mut connection).await.unwrap();
        let tasks: Vec<String> = query_scalar(TASKS).fetch_all(&mut connection).await.unwrap();
        let claims: Vec<i64> = query_scalar(CLAIMS).fetch_all(&mut connection).await.unwrap();
        let receipts: Vec<(i64, String, String)> = query_as(RECEIPTS).fetch_all(&mut connection).await.unwrap();
        let receipts = receipts.into_iter().map(|(number, command, outcome)| (number, (command, outcome))).collect();
        let files = folders.iter().flat_map(|folder| files(&folder.path().join("data"))).collect();
        Self { n_intents, tasks: titles(tasks.into_iter()), files, claims: claims.into_iter().collect(), receipts }
    }
}

/// The titles in the bodies of tasks and the words in those of reminders, in order.
fn titles(bodies: impl Iterator<Item = String>) -> Vec<String> {
    let title =
        |body: Value| body.pointer("/title").or(body.pointer("/arguments/text")).unwrap().as_str().unwrap().to_owned();
    let mut titles: Vec<_> = bodies.map(|body| title(serde_json::from_str(&body).unwrap())).collect();
    titles.sort();
    titles
}

/// The name and the text of every `.txt` under a folder.
fn files(folder: &Path) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else if name.ends_with(".txt") {
            found.insert((name, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found
}

/// Whether a run ended with a reply.
fn is_reply(outcome: &str) -> bool {
    matches!(outcome, "done" | "answered")
}

/// Compares what people saw with what is stored.
#[expect(clippy::print_stdout, reason = "how the runs ended is what a longer series is run for")]
fn agree(stored: &Stored, twin: &Twin, sent: &[Called], ended: Ended) {
    let seed = seed();
    // Effects and receipts.
    assert_eq!(stored.n_intents, 0, "seed {seed}: a run was left open");
    let adds = ["/tasks add", "/remind add"];
    let added = stored.receipts.values().filter(|(command, outcome)| adds.contains(&&**command) && outcome == "done");
    assert_eq!(stored.tasks.len(), added.count(), "seed {seed}");
    // Tasks that must be there, and those that may be.
    let (mut expected_tasks, mut possible_tasks) = (BTreeSet::new(), BTreeSet::new());
    let mut written = BTreeSet::new();
    // Of each file the last text of which it is certain that it was there, and those that may have replaced it.
    let mut newest = BTreeMap::<String, BTreeSet<String>>::new();
    // Claims of the next process, so that nothing runs after its person was told so.
    let mut claimed_late = 0;

    // Receipts and answers.
    let mut ends = BTreeMap::<String, usize>::new();
    let (nothing, unknown) = (said!("interrupted-nothing", command = ANY), said!("interrupted-unknown", command = ANY));
    let unsure = [said!("failed-not-stored", command = ANY), said!("interrupted-late-unknown")];
    for sent in sent {
        let replies = twin.replies_to(&sent.event);
        let named: BTreeSet<_> =
            replies.iter().filter(|reply| is_shown(reply)).filter_map(|reply| receipt_id(&reply.text())).collect();
        assert!(named.len() <= 1, "seed {seed}: two outcomes: {replies:#?}");
        let is_read = matches!(sent.what, What::Nothing);
        let is_claimed = stored.claims.contains(&sent.event.id.cast_signed());
        let Some(text) = shown(twin, sent) else {
            // Killed before its first response: only Discord can say so. It may have been stored.
            match &sent.what {
                What::Task(title) if is_claimed => {
                    possible_tasks.insert(title.clone());
                }
                What::File(name, text) => {
                    written.insert((name.clone(), text.clone()));
                    may_follow(&mut newest, name, text);
                }
                What::Task(_) | What::Nothing => {}
            }
            *ends.entry("not answered: Discord says so".to_owned()).or_default() += 1;
            continue;
        };
        let Some(id) = receipt_id(&text) else {
            // The store failed, and says so.
            assert!(is_read || !text.contains('✓'), "seed {seed}: done without a receipt: {text:?}");
            match &sent.what {
                _ if says(&text, said!("interrupted-late")) => {
                    assert!(is_claimed, "seed {seed}: it may still run: {text:?}");
                    claimed_late += 1;
                }
                What::File(name, text) => {
                    written.insert((name.clone(), text.clone()));
                    may_follow(&mut newest, name, text);
                }
                // A server that ended between its commit and its answer: the person was told to look.
                What::Task(title) if is_claimed && unsure.iter().any(|unsure| says(&text, unsure)) => {
                    possible_tasks.insert(title.clone());
                }
                What::Task(_) | What::Nothing => {}
            }
            *ends.entry("told that nothing was stored".to_owned()).or_default() += 1;
            continue;
        };
        let kept = stored.receipts.get(&id).filter(|_| is_claimed);
        let kept = match kept {
            Some((_, outcome)) => outcome.clone(),
            // It changed nothing, so its answer does not wait for its receipt.
            None if ended == Ended::Killed && is_read => {
                *ends.entry("done, its receipt lost".to_owned()).or_default() += 1;
                continue;
            }
            None => panic!("seed {seed}: there is no receipt for {text:?}"),
        };
        let expected = match () {
            () if says(&text, &nothing) => "interrupted",
            () if says(&text, &unknown) => "unknown",
            () if !text.contains('✓') && kept == "failed" => "failed",
            () if is_read => "answered",
            () => "done",
        };
        assert_eq!(kept, expected, "seed {seed}: {}", shortened(&text, 200));
        match &sent.what {
            What::Task(title) if kept == "done" => {
                expected_tasks.insert(title.clone());
            }
            // A file is written before its receipt is kept, so it may be there although nobody knows.
            What::File(name, text) if kept == "done" || kept == "unknown" => {
                written.insert((name.clone(), text.clone()));
                match kept == "done" {
                    true => drop(newest.insert(name.clone(), [text.clone()].into())),
                    false => may_follow(&mut newest, name, text),
                }
            }
            _ => {}
        }
        *ends.entry(kept).or_default() += 1;
    }
    println!("seed {seed}: {ends:?}");
    assert_eq!(stored.claims.len(), stored.receipts.len() + claimed_late, "seed {seed}");
    assert!(ends.contains_key("done"), "seed {seed}: nothing was ever answered: {ends:?}");

    // Answers and effects.
    let tasks: BTreeSet<_> = stored.tasks.iter().cloned().collect();
    assert_eq!(tasks.len(), stored.tasks.len(), "seed {seed}: one was added twice");
    assert_eq!(&expected_tasks - &tasks, BTreeSet::new(), "seed {seed}: told, and not there");
    let denied = &tasks - &(&expected_tasks | &possible_tasks);
    let is_denied = |sent: &&Called| matches!(&sent.what, What::Task(title) if denied.contains(title));
    let told: Vec<_> = sent.iter().filter(is_denied).map(|sent| twin.replies_to(&sent.event)).collect();
    assert!(denied.is_empty(), "seed {seed}: there, and told otherwise: {denied:?}: {told:#?}");
    let untold: Vec<_> = stored.files.difference(&written).collect();
    assert!(untold.is_empty(), "seed {seed}: of no run that was told: {untold:?}");
    for (name, texts) in newest {
        let is_there = texts.iter().any(|text| stored.files.contains(&(name.clone(), text.clone())));
        assert!(is_there, "seed {seed}: told, and not there: {name} with one of {texts:?}");
    }
}

/// A text that may have replaced the one of which it is certain that it was in the file.
fn may_follow(newest: &mut BTreeMap<String, BTreeSet<String>>, name: &str, text: &str) {
    if let Some(texts) = newest.get_mut(name) {
        texts.insert(text.to_owned());
    }
}

/// The number of the receipt that a text names at its end.
fn receipt_id(text: &str) -> Option<i64> {
    let word = text.split_whitespace().next_back()?;
    // Words are ids too, but ids are written in capitals.
    let id = ReceiptId::parse(word).filter(|id| id.to_string() == word)?;
    Some(id.number().cast_signed())
}
