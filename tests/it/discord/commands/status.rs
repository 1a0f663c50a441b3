//! `/status` as a picture and as a live message, by the real binary against the twin.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Recorded, Sent, Twin, USER_ID};
use resvg::tiny_skia::Pixmap;
use serde_json::json;

use crate::discord::connected::{Connected, RequestLog};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{ANY, ENGLISH, assert_says, footer, receipt_in, said, says};
use crate::support::scripted_model::{Script, ScriptedModel};
use candor_core::reply::chart::{LINE, PLOT, STALE, WIDTH};
use candor_engine::sampler::{Sample, Samples as _};
use candor_store::Database;

const OPERATOR: u64 = USER_ID + 5;

/// A metrics file of the operator's own, which nobody else writes.
const FILE: &str = "[status]\nfile = \"metrics.json\"\nstale_after_s = 3600\n";

fn write_metrics(folder: &Path, usage: f64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let content = json!({ "generated_at": now, "cpu": { "usage_percent": usage } });
    // A new file takes the old one's name, so that no half of it is ever read.
    std::fs::write(folder.join("metrics.new"), content.to_string()).unwrap();
    std::fs::rename(folder.join("metrics.new"), folder.join("metrics.json")).unwrap();
}

async fn start(folder: Folder, twin: Twin) -> Connected {
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "not ready:\n{}", bot.log());
    bot.hears(&["INFO", "ready"]);
    let log = RequestLog::of(&twin);
    Connected { bot, twin, folder, _log: log }
}

/// A bot with these settings and a metrics file.
async fn connect(config: &str) -> Connected {
    let folder = Folder::with(config);
    write_metrics(folder.path(), 12.5);
    start(folder, Twin::start().await.unwrap()).await
}

/// The last hour: figures for twenty minutes, nobody there for twenty, then a producer that was silent.
async fn lived_through(folder: &Folder) {
    let store = Database::open_file(&folder.path().join("data/candor.db")).await.unwrap();
    let now = SystemTime::now();
    let ago = |seconds: u64| now - Duration::from_secs(seconds);
    for seconds in (2_400..3_600_u32).rev().step_by(30) {
        let figures = vec![("cpu.usage_percent".to_owned(), f64::from(seconds % 97))];
        store.keep(ago(seconds.into()), &Sample::Figures(figures)).await.unwrap();
    }
    for seconds in (30..1_200).rev().step_by(30) {
        store.keep(ago(seconds), &Sample::Stale).await.unwrap();
    }
    store.close().await;
}

/// The picture that came with an answer.
fn picture(answer: &Recorded) -> Pixmap {
    let [file] = &answer.files[..] else { panic!("{} files: {}", answer.files.len(), answer.body) };
    assert_eq!(file.filename, "status.png");
    assert!(file.bytes.len() < 1024 * 1024);
    Pixmap::decode_png(&file.bytes).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_is_answered_with_a_picture_whose_gap_is_empty_and_whose_stale_stretch_is_shaded() {
    let folder =
        Folder::with(&format!("{FILE}[status.metrics.cpu.usage_percent]\nlabel = \"CPU\"\nthresholds = [80]\n"));
    write_metrics(folder.path(), 12.5);
    lived_through(&folder).await;
    let connected = start(folder, Twin::start().await.unwrap()).await;

    let ask = || Interaction::slash("status").option("range", "1h");
    // Each by another person: one's own next one has to wait.
    let at_once = connected.answer(ask()).await;
    // Deferred, because two of its three seconds are over when it arrives.
    let deferred = connected.answer(ask().by(USER_ID + 1).aged_ms(2_000)).await;
    let typed = connected.reply(Message::to_bot("/status range: 1h").by(USER_ID + 2)).await;
    assert_eq!((at_once.is_callback(), deferred.method.as_str(), typed.method.as_str()), (true, "PATCH", "POST"));
    for answer in [&at_once, &deferred, &typed] {
        let message = answer.message();
        assert_eq!(message["embeds"][0]["image"]["url"], "attachment://status.png", "{message:#}");
        let alt_text = message["attachments"][0]["description"].as_str().unwrap();
        assert!(alt_text.starts_with("Status, last hour: ") && alt_text.contains("CPU: "), "{alt_text}");
        assert!(alt_text.contains("Stale: ") && alt_text.chars().count() <= 1_024, "{alt_text}");
        // The text says the same, and the fields are there as ever.
        let text = answer.text();
        assert!(text.contains("**CPU** min ") && text.contains("Stale: ") && text.contains("12.5 %"), "{text}");

        let pixels = picture(answer);
        assert_eq!(pixels.width(), WIDTH);
        let column = |x: u32| -> Vec<[u8; 3]> {
            let colour = |y| pixels.pixel(x, y).map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
            (100..590).filter_map(colour).collect()
        };
        let line = |x| column(x).iter().any(|[_, green, blue]| 0xA0 < *green && 0xC0 < *blue);
        assert!(line(300) && !column(300).contains(&STALE), "figures");
        assert!(!line(617) && column(617).contains(&PLOT) && !column(617).contains(&STALE), "a gap is a gap");
        assert!(!line(920) && column(920).contains(&STALE), "the stale stretch is shaded");
        assert!((158..1_076).any(|x| column(x).contains(&LINE)));
    }
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_nothing_has_or_had_draws_nothing_and_without_a_range_there_is_no_picture() {
    let folder = Folder::with(FILE);
    write_metrics(folder.path(), 12.5);
    let connected = start(folder, Twin::start().await.unwrap()).await;
    let answer = connected.answer(Interaction::slash("status").option("range", "7d").option("metric", "nosuch")).await;
    assert!(answer.text().contains("has no metric `nosuch`") && answer.files.is_empty(), "{}", answer.text());
    let plain = connected.answer(Interaction::slash("status")).await;
    assert!(plain.text().contains("12.5 %") && plain.files.is_empty(), "{}", plain.text());
    assert_eq!(connected.twin.refused(), []);
}

/// Nothing about an age stands in a message for ever, and the button shows the figures anew, in place.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_shows_the_figures_anew_and_the_title_says_no_age() {
    let connected = connect(FILE).await;
    let ask = || Interaction::slash("status").option("metric", "cpu.usage_percent");
    let first = connected.answer(ask()).await;
    let first = first.message();
    assert_eq!(first["embeds"][0]["title"], "Status");
    assert!(first["embeds"][0]["description"].as_str().unwrap().starts_with("As of <t:"), "{first:#}");
    let button = &first["components"][0]["components"][0];
    assert_eq!((&button["label"], &first["components"][0]["components"][1]), (&json!("Refresh"), &json!(null)));

    write_metrics(connected.folder.path(), 77.7);
    let press = || Interaction::button(button["custom_id"].as_str().unwrap());
    // The watcher needs a moment to see the file.
    let until = Instant::now() + PATIENCE;
    let again = loop {
        let again = connected.answer(press()).await;
        if again.text().contains("77.7 %") || until < Instant::now() {
            break again;
        }
    };
    assert_eq!(again.body["type"], 7, "it replaces the message: {}", again.body);
    let message = again.message();
    assert!(again.text().contains("77.7 %") && message["components"][0]["components"][0]["label"] == "Refresh");
    let stranger = connected.answer(press().by(USER_ID + 1)).await;
    assert!(stranger.is_ephemeral() && !stranger.text().contains("77.7 %"), "{}", stranger.text());

    // What is kept up to date, and a picture, have none.
    for other in
        [Interaction::slash("status").option("live", false), Interaction::slash("status").option("range", "1h")]
    {
        let answer = connected.answer(other).await;
        assert_eq!(answer.message()["components"].as_array().map_or(0, Vec::len), 0, "{}", answer.body);
    }
    assert_eq!(connected.twin.refused(), []);
}

/// M7: forty charts at once took ten seconds, and other commands were put off or failed meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn m7_forty_charts_at_once_keep_nobody_else_waiting_and_ones_own_next_one_rests() {
    const REST: Duration = Duration::from_secs(3);
    // How fast a picture is drawn is the machine's affair here.
    let folder = Folder::with(&format!("[commands]\ndeadline_s = 300\n{FILE}"));
    write_metrics(folder.path(), 12.5);
    lived_through(&folder).await;
    let connected = start(folder, Twin::start().await.unwrap()).await;
    let ask = |person: u64| Interaction::slash("status").option("range", "7d").by(USER_ID + person);
    let charts: Vec<_> = (1..=40).map(|person| connected.twin.interact(ask(person))).collect();
    for other in ["receipt", "help", "status"] {
        let answer = connected.answer(Interaction::slash(other)).await;
        assert!(answer.is_callback(), "{other} was put off: {}", answer.body);
    }
    for chart in charts {
        let answer = connected.twin.answer_to(&chart, PATIENCE).await;
        let answer = answer.unwrap_or_else(|| panic!("no answer; log:\n{}", connected.bot.log()));
        assert_eq!(picture(&answer).width(), WIDTH, "{}", answer.text());
    }
    let begun = Instant::now();
    assert_eq!(picture(&connected.answer(ask(41)).await).width(), WIDTH);
    let again = connected.answer(ask(41)).await;
    if begun.elapsed() < REST {
        assert_says(again.text(), said!("cooldown-user", command = "/status range", wait = ANY, at = ANY));
    }
    // The figures of now have no cooldown.
    let plain = connected.answer(Interaction::slash("status").by(USER_ID + 41)).await;
    assert!(plain.text().contains("12.5 %"), "{}", plain.text());
}

/// An edit of the answer to this interaction that says all of this, now or soon.
async fn edited(connected: &Connected, sent: &Sent, wanted: &[&str]) -> Recorded {
    let path = format!("/webhooks/{}/{}/messages/@original", discord_twin::APPLICATION_ID, sent.token);
    let says = |request: &Recorded| wanted.iter().all(|part| says(request.text(), part));
    let found = connected.twin.wait_for(PATIENCE, |request| {
        request.method == "PATCH" && request.path == path && request.accepted() && says(request)
    });
    match found.await {
        Some(found) => found,
        None => panic!("no edit says {wanted:?}; log:\n{}", connected.bot.log()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_answer_is_edited_with_receipts_of_its_own_until_it_is_ended() {
    let folder = Folder::with(&format!("{FILE}live_every_s = 1\n"));
    write_metrics(folder.path(), 12.5);
    lived_through(&folder).await;
    let connected = start(folder, Twin::start().await.unwrap()).await;
    let ask = || Interaction::slash("status").option("live", true);
    let sent = connected.twin.interact(ask());
    let first = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    let live = said!("live-on", seconds = 1, until = ANY);
    assert_says(first.text(), format!("-# {live}"));

    write_metrics(connected.folder.path(), 77.7);
    let edit = edited(&connected, &sent, &["77.7 %", &live, &format!("· {} ·", said!("footer-refreshed"))]).await;
    assert_eq!(edit.message()["attachments"], json!([]));
    // The ledger says who called for it, and the person's own last command is another.
    let id = receipt_in(edit.message()["embeds"][0]["footer"]["text"].as_str().unwrap(), ENGLISH);
    let receipt = connected.answer(Interaction::slash("receipt").option("id", id)).await;
    assert_says(receipt.text(), said!("receipt-by-refresh"));
    let last = connected.answer(Interaction::slash("receipt")).await;
    assert!(!says(last.text(), said!("receipt-by-refresh")), "{}", last.text());

    // Another one of the same person ends the first; their word ends that, too.
    let second = connected.twin.interact(ask().option("range", "1h"));
    connected.twin.answer_to(&second, PATIENCE).await.unwrap();
    edited(&connected, &sent, &[&said!("live-ended-replaced", at = ANY), "77.7 %"]).await;
    let edit = edited(&connected, &second, &[&live]).await;
    assert_eq!(picture(&edit).width(), WIDTH);
    let ended = connected.answer(Interaction::slash("status").option("live", false)).await;
    assert_says(ended.text(), said!("live-stopped"));
    edited(&connected, &second, &[&said!("live-ended-asked", at = ANY)]).await;
    let nothing = connected.answer(Interaction::slash("status").option("live", false)).await;
    assert_says(nothing.text(), said!("live-none"));

    let typed = connected.reply(Message::to_bot("/status live: true")).await;
    assert_says(typed.text(), said!("live-picker-only", command = "/status"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_edit_of_a_live_answer_never_overwrites_a_newer_one() {
    const TAKES: Duration = Duration::from_millis(1_500);
    let connected = connect(&format!("{FILE}live_every_s = 1\n")).await;
    let sent = connected.twin.interact(Interaction::slash("status").option("live", true));
    connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    connected.twin.delay("PATCH", "/webhooks/", TAKES);
    for usage in ["20.5 %", "30.5 %", "40.5 %"] {
        write_metrics(connected.folder.path(), usage.trim_end_matches(" %").parse().unwrap());
        edited(&connected, &sent, &[usage]).await;
    }
    let requests = connected.twin.requests();
    let edits: Vec<_> = requests.iter().filter(|request| request.method == "PATCH").collect();
    // No edit begins before the last one is answered.
    let gaps = edits.windows(2).map(|two| Duration::from_millis(two[1].at_ms - two[0].at_ms));
    assert!(gaps.clone().skip(1).all(|gap| TAKES <= gap), "{:?}", gaps.collect::<Vec<_>>());
    let shown = |edit: &Recorded| {
        ["12.5 %", "20.5 %", "30.5 %", "40.5 %"].into_iter().position(|usage| says(edit.text(), usage))
    };
    assert!(edits.is_sorted_by_key(|edit| shown(edit)), "{edits:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_ends_live_answers_with_a_word() {
    let connected = connect(&format!("{FILE}live_every_s = 300\n")).await;
    let sent = connected.twin.interact(Interaction::slash("status").option("live", true));
    connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    connected.bot.hears(&["an answer is kept up to date"]);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let last = twin.original_of(&sent).unwrap();
    assert_says(last.to_string(), said!("live-ended-leaving", at = ANY));
    drop(folder);
}

/// An edit of a message of the channel that says all of this, later than `seen` requests.
async fn edited_in_channel(connected: &Connected, message: u64, seen: u64, wanted: &[&str]) -> Recorded {
    let path = format!("/channels/{CHANNEL_ID}/messages/{message}");
    let found = connected.twin.wait_for(PATIENCE, |request| {
        seen <= request.n
            && request.method == "PATCH"
            && request.path == path
            && wanted.iter().all(|part| says(request.text(), part))
    });
    match found.await {
        Some(found) => found,
        None => panic!("no edit says {wanted:?}; log:\n{}", connected.bot.log()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channels_live_message_goes_on_after_a_restart_until_an_operator_ends_it() {
    let access = format!("[access]\noperators = [{OPERATOR}]\n");
    let listed = format!("{access}{FILE}live_every_s = 1\nlive_channels = [\"{CHANNEL_ID}\"]\n");
    let connected = connect(&listed).await;
    let live = |live: bool| Interaction::slash("status").option("live", live);
    let answer = connected.answer(live(true)).await;
    let posted = format!("/channels/{CHANNEL_ID}/messages");
    let posted = connected.twin.wait_for(PATIENCE, |request| request.path == posted).await.unwrap();
    let id = posted.message_id().unwrap();
    let note = said!("live-channel-note", seconds = 1);
    assert!(posted.text().contains("12.5 %") && says(posted.text(), format!("-# {note}")), "{posted:?}");
    assert!(answer.text().contains(&format!("{CHANNEL_ID}/{id}")) && answer.is_ephemeral(), "{}", answer.text());
    edited_in_channel(&connected, id, 0, &[&format!("· {} ·", said!("footer-refreshed"))]).await;
    let again = connected.answer(live(true)).await;
    assert_says(again.text(), said!("live-channel-has-one", command = "/status"));

    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    write_metrics(folder.path(), 55.5);
    let seen = twin.n_requests();
    let connected = start(folder, twin).await;
    edited_in_channel(&connected, id, seen, &["55.5 %", &note]).await;

    let foreign = connected.answer(live(false)).await;
    assert_says(foreign.text(), said!("live-operators-only"));
    let ended = connected.answer(live(false).by(OPERATOR)).await;
    assert_says(ended.text(), said!("live-stopped"));
    edited_in_channel(&connected, id, seen, &[&said!("live-ended-asked", at = ANY)]).await;

    // What is over is not taken up again, and the channel is free for the next.
    let next = connected.twin.n_requests();
    let answer = connected.answer(live(true)).await;
    assert_says(answer.text(), said!("live-channel-on", link = ANY, command = "/status"));
    let posted = connected.twin.wait_for(PATIENCE, |request| {
        next <= request.n && request.method == "POST" && request.path == format!("/channels/{CHANNEL_ID}/messages")
    });
    let second = posted.await.unwrap().message_id().unwrap();

    // The list no longer names the channel.
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let unlisted = format!("{access}{FILE}live_every_s = 1\n[admin]\nlisten = \"127.0.0.1:0\"\n");
    std::fs::write(folder.path().join("config.toml"), unlisted).unwrap();
    let seen = twin.n_requests();
    let connected = start(folder, twin).await;
    edited_in_channel(&connected, second, seen, &[&said!("live-ended-unlisted", at = ANY)]).await;
    let ended_before = |request: &Recorded| seen <= request.n && request.path.ends_with(&format!("/messages/{id}"));
    assert!(!connected.twin.requests().iter().any(ended_before), "what had ended was taken up again");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_a_channels_live_message_ends_when_its_person_loses_the_right_to_the_command() {
    const ROLE: u64 = 71;
    let role = format!("[permissions.\"/status\"]\nroles = [\"{ROLE}\"]\n");
    let connected = connect(&format!("{role}{FILE}live_every_s = 1\nlive_channels = [\"{CHANNEL_ID}\"]\n")).await;
    connected.answer(Interaction::slash("status").option("live", true).roles(&[ROLE])).await;
    let posted = format!("/channels/{CHANNEL_ID}/messages");
    let posted = connected.twin.wait_for(PATIENCE, |request| request.path == posted).await.unwrap();
    let id = posted.message_id().unwrap();
    edited_in_channel(&connected, id, 0, &[&format!("· {} ·", said!("footer-refreshed"))]).await;

    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    twin.set_member(USER_ID, Some(&[]));
    let seen = twin.n_requests();
    let connected = start(folder, twin).await;
    let why = said!("denied-roles", command = "/status");
    edited_in_channel(&connected, id, seen, &[&said!("live-ended-denied", at = ANY, why = why)]).await;
    connected.bot.hears(&["a live message ended"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_told_that_it_keeps_nothing_up_to_date() {
    let scripts = vec![Script::calls(&[("status", json!({ "live": true }))]), Script::says("Well.")];
    let model = ScriptedModel::start(scripts).await;
    let config = format!("[model]\nbase_url = \"{}\"\nmodels = [\"scripted\"]\n{FILE}", model.base_url());
    let connected = connect(&config).await;
    connected.twin.say(Message::to_bot("keep me posted"));
    let footer = footer("/status");
    let ran = connected.twin.wait_for(PATIENCE, |request| says(request.text(), &footer)).await;
    let ran = ran.unwrap_or_else(|| panic!("{}", connected.bot.log()));
    assert_says(ran.text(), said!("live-picker-only", command = "/status"));
    let words = connected.twin.wait_for(PATIENCE, |request| request.text().contains("Well.")).await;
    assert!(words.is_some(), "{}", connected.bot.log());
    let told = model.asked()[1].body.to_string();
    assert!(told.contains("12.5 %") && says(&told, said!("live-picker-only", command = "/status")), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_waits_is_not_sent_after_another_process_took_the_message_over() {
    let listed = format!("{FILE}live_every_s = 1\nlive_channels = [\"{CHANNEL_ID}\"]\n");
    let connected = connect(&listed).await;
    connected.answer(Interaction::slash("status").option("live", true)).await;
    let posted = format!("/channels/{CHANNEL_ID}/messages");
    let posted = connected.twin.wait_for(PATIENCE, |request| request.path == posted).await.unwrap();
    let id = posted.message_id().unwrap();
    let path = format!("/channels/{CHANNEL_ID}/messages/{id}");

    // Each reads a metrics file of its own, so that an edit tells whose it is.
    let store = connected.folder.path().join("data/candor.db");
    let second = Folder::with(&format!("[store]\npath = {store:?}\n{listed}"));
    write_metrics(second.path(), 55.5);
    let bot = Bot::start(&second, &connected.twin.url());
    bot.hears(&["INFO", "ready"]);
    connected.twin.fail_next(Fault::rate_limited("PATCH", &path, 8.0));
    let is_limited = |request: &Recorded| request.path == path && request.status == 429;
    assert!(connected.twin.wait_for(PATIENCE, is_limited).await.is_some(), "{}", connected.bot.log());
    let expires = "UPDATE leases SET until_ms = 0 WHERE name LIKE 'live:%'";
    assert_eq!(rusqlite::Connection::open(&store).unwrap().execute(expires, ()).unwrap(), 1);
    let taken_over = edited_in_channel(&connected, id, 0, &["55.5 %"]).await;

    connected.bot.hears(&["another process edits a live message"]);
    let is_late =
        |request: &Recorded| taken_over.n < request.n && request.path == path && request.text().contains("12.5 %");
    assert!(!connected.twin.requests().iter().any(is_late), "{:#?}", connected.twin.requests());
    bot.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_on_one_store_one_edits_a_channels_live_message_and_the_other_takes_over() {
    let listed = format!("{FILE}live_every_s = 1\nlive_channels = [\"{CHANNEL_ID}\"]\n");
    let access = format!("[access]\noperators = [{OPERATOR}]\n");
    let connected = connect(&format!("{access}{listed}")).await;
    connected.answer(Interaction::slash("status").option("live", true)).await;
    let posted = format!("/channels/{CHANNEL_ID}/messages");
    let posted = connected.twin.wait_for(PATIENCE, |request| request.path == posted).await.unwrap();
    let id = posted.message_id().unwrap();

    // Each reads a metrics file of its own, so that an edit tells whose it is.
    let store = connected.folder.path().join("data/candor.db");
    let second = Folder::with(&format!("{access}[store]\npath = {store:?}\n{listed}"));
    write_metrics(second.path(), 55.5);
    let bot = Bot::start(&second, &connected.twin.url());
    bot.hears(&["INFO", "ready"]);
    let seen = connected.twin.n_requests();
    let mut last = seen;
    for _ in 0..3 {
        last = edited_in_channel(&connected, id, last, &["12.5 %"]).await.n + 1;
    }
    let edits = |request: &Recorded| seen <= request.n && request.path.ends_with(&format!("/messages/{id}"));
    let edits: Vec<_> = connected.twin.requests().into_iter().filter(edits).collect();
    assert!(edits.iter().all(|edit| edit.text().contains("12.5 %")), "{edits:#?}");

    let Connected { bot: first, twin, folder, _log } = connected;
    assert!(first.stop().success());
    let seen = twin.n_requests();
    let connected = Connected { bot, twin, folder, _log };
    edited_in_channel(&connected, id, seen, &["55.5 %"]).await;
    let ended = connected.answer(Interaction::slash("status").option("live", false).by(OPERATOR)).await;
    assert_says(ended.text(), said!("live-stopped"));
    edited_in_channel(&connected, id, seen, &[&said!("live-ended-asked", at = ANY)]).await;
}
