//! The connection to Discord: how it begins, how it is lost and taken up again, and how it ends.

use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use discord_twin::{Fault, Interaction, Message, Options, Silence, Twin};
use tokio::time::{sleep, timeout};

use crate::discord::connected::{Connected, connect, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{ENGLISH, receipt_in};
use candor_engine::{PendingLogins as _, RefusedRequests as _};

/// Where a bot answers health checks.
pub(crate) fn admin_address(bot: &Bot) -> SocketAddr {
    let line = bot.hears(&["health checks are answered here"]);
    line.rsplit("listen=").next().unwrap().parse().unwrap()
}

/// Asks until the answer has this text in it.
pub(crate) async fn answers(address: SocketAddr, path: &str, ok: bool, wanted: &str) {
    answers_so(address, path, ok, wanted, |body| body.contains(wanted)).await;
}

/// Asks until the answer is as wanted, which `what` says in words.
pub(crate) async fn answers_so(
    address: SocketAddr,
    path: &str,
    ok: bool,
    what: &str,
    is_wanted: impl Fn(&str) -> bool,
) {
    let mut last = String::new();
    let answered = timeout(PATIENCE, async {
        loop {
            match candor_operate::ask(address, path).await {
                Ok(health) if health.ok == ok && is_wanted(&health.body) => return,
                Ok(health) => last = health.body,
                Err(problem) => last = format!("{problem:?}"),
            }
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    assert!(answered.is_ok(), "{path} never answers {what}, but: {last}");
}

fn terminate(bot: &Bot) {
    assert!(Command::new("kill").args(["-TERM", &bot.pid().to_string()]).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connected_bot_is_well_and_ready_until_the_connection_is_lost() {
    let Connected { bot, twin, folder, .. } = connect("").await;
    let address = admin_address(&bot);
    answers(address, "/livez", true, r#""live":true"#).await;
    answers(address, "/readyz", true, r#""missing":[]"#).await;
    // `candor health` asks where the settings say.
    std::fs::write(folder.path().join("health.toml"), format!("admin.listen = \"{address}\"\n")).unwrap();
    let health = folder.run(&["--config", "health.toml", "health"]);
    assert!(health.status.success(), "{health:?}");

    drop(twin);
    answers(address, "/readyz", false, r#""missing":["gateway"]"#).await;
    bot.hears(&["WARN", "the connection to Discord is lost"]);
    // An outage of Discord is no reason to start the process again.
    answers(address, "/livez", true, r#""live":true"#).await;
    assert!(folder.run(&["--config", "health.toml", "health", "--live"]).status.success());
    assert!(!folder.run(&["--config", "health.toml", "health"]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_whose_discord_came_back_is_ready_again() {
    let Connected { bot, twin, folder: _folder, .. } = connect("").await;
    let (ready, discord) = (admin_address(&bot), twin.url().trim_start_matches("http://").parse().unwrap());
    drop(twin);
    answers(ready, "/readyz", false, r#""missing":["gateway"]"#).await;
    let again = timeout(PATIENCE, async {
        loop {
            match Twin::start_at(discord).await {
                Ok(twin) => return twin,
                // The first one has not let go of the port yet.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    });
    let _twin = again.await.unwrap();
    answers(ready, "/readyz", true, r#""missing":[]"#).await;
    bot.hears(&["INFO", "connected to Discord"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_ends_with_its_own_sentence() {
    let cases = [
        ("/gateway/bot", 401, 78, "Discord refuses the token"),
        ("/gateway/bot", 403, 69, "does not let this machine in (status 403)"),
        ("/oauth2/applications/@me", 401, 78, "Discord refuses the token"),
        ("/oauth2/applications/@me", 403, 69, "does not let this machine in (status 403)"),
        ("/oauth2/applications/@me", 404, 78, "what answers is not Discord's API (status 404)"),
    ];
    for (path, status, code, sentence) in cases {
        let twin = Twin::start().await.unwrap();
        twin.fail_next(Fault::new("GET", path).status(status));
        let folder = Folder::with("");
        let mut bot = Bot::start(&folder, &twin.url());
        assert_eq!(bot.wait().code(), Some(code), "{path} {status}:\n{}", bot.log());
        bot.hears(&["candor: ", sentence]);
        assert_eq!(twin.identifies().len(), 0, "{path} {status}");
        // The store was closed although nothing was served.
        assert!(!folder.path().join("data/candor.db-wal").exists(), "{path} {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_at_the_start_is_waited_for() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::new("GET", "/gateway/bot").status(503));
    twin.fail_next(Fault::new("GET", "/oauth2/applications/@me").status(500));
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
    bot.hears(&["Discord does not answer; trying again", "status 503"]);
    bot.hears(&["Discord does not answer; trying again", "status 500"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_start_that_waits_for_discord() {
    for path in ["/gateway", "/oauth2/applications/@me", "/gateway/bot"] {
        let twin = Twin::start().await.unwrap();
        twin.delay("GET", path, PATIENCE * 2);
        let folder = Folder::with("");
        let bot = Bot::start(&folder, &twin.url());
        assert!(twin.wait_for(PATIENCE, |request| request.path.starts_with(path)).await.is_some(), "{path}");
        assert!(bot.stop().success(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_while_hardly_any_logins_are_left_today() {
    let twin = Twin::start().await.unwrap();
    twin.set_session_starts_left(50);
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["WARN", "hardly any logins at Discord are left today", "left=50", "wait_s=86400"]);
    assert_eq!(twin.identifies().len(), 0);
    assert!(bot.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_after_a_refused_session_waits() {
    let Connected { bot, twin, folder: _folder, .. } = connect("").await;
    bot.hears(&["INFO", "logins at Discord left today", "left=1000"]);
    for n_logins in [2, 3] {
        twin.invalid_session(false);
        if n_logins == 3 {
            bot.hears(&["WARN", "Discord refused a session", "wait_s=10"]);
        }
        let again = twin.wait_until(PATIENCE, || (n_logins <= twin.identifies().len()).then_some(()));
        assert!(again.await.is_some(), "{n_logins}:\n{}", bot.log());
        assert!(twin.wait_ready(PATIENCE).await);
    }
    twin.invalid_session(false);
    bot.hears(&["WARN", "Discord refused a session", "wait_s=20"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_the_process_at_once() {
    // A model that never answers keeps the chat under way.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", silent.local_addr().unwrap());
    let Connected { mut bot, twin, folder: _folder, .. } =
        connect(&format!("[model]\nbase_url = \"{base_url}\"\nmodels = [\"silent\"]\n")).await;
    twin.say(Message::to_bot("hello"));
    assert!(twin.wait_for(PATIENCE, |request| request.path.ends_with("/typing")).await.is_some());
    terminate(&bot);
    bot.hears(&["leaving Discord", "running=1"]);
    terminate(&bot);
    assert_eq!(bot.wait().code(), Some(1), "{}", bot.log());
    bot.hears(&["ended by a second signal"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_code_that_is_final_ends_the_process() {
    let cases = [
        (4010, 78, "a shard that cannot be (close code 4010)"),
        (4011, 78, "too many servers for its shards (close code 4011)"),
        (4012, 78, "install a newer version of the bot"),
        (4013, 78, "intents that cannot be (close code 4013)"),
        (4014, 78, "the Message Content intent is not enabled"),
        (4004, 78, "Discord refuses the token"),
    ];
    for (close, code, sentence) in cases {
        let twin = Twin::start().await.unwrap();
        let folder = Folder::with("");
        let mut command = folder.candor(&["run"]);
        command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token");
        let mut bot = Bot::start_with(command.env("RUST_LOG", "off"));
        assert!(twin.wait_ready(PATIENCE).await, "{close}:\n{}", bot.log());
        twin.close(close);
        assert_eq!(bot.wait().code(), Some(code), "{close}:\n{}", bot.log());
        bot.hears(&["candor: ", sentence]);
        assert_eq!(twin.identifies().len(), 1, "{close} was tried again");
    }
}

/// L4: what a process was started with can be read as long as it lives.
#[tokio::test(flavor = "multi_thread")]
async fn l4_the_token_of_the_environment_is_not_readable_there_while_the_bot_runs() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let mut bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
    let of_process = |file: &str| std::fs::read(format!("/proc/{}/{file}", bot.pid())).unwrap();
    for file in ["environ", "cmdline"] {
        let text = String::from_utf8_lossy(&of_process(file)).into_owned();
        assert!(!text.contains("test.token") && !text.contains("DISCORD_TOKEN="), "{file}: {text:?}");
    }
    // It is the same process with the same name, it left nothing in the pipe, and it hears a signal.
    assert_eq!(of_process("comm"), b"candor\n");
    assert!(of_process("environ").windows(13).any(|part| part == b"DISCORD_PROXY"));
    assert!(of_process("fd/0").is_empty(), "the token is still in the pipe");
    terminate(&bot);
    assert_eq!(bot.wait().code(), Some(0), "{}", bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_a_final_close_ends_in_order() {
    let Connected { mut bot, twin, folder, .. } = connect("").await;
    let add = || Interaction::slash("tasks").subcommand("add").option("title", "milk");
    let sent: Vec<_> = (0..20).map(|_| twin.interact(add())).collect();
    assert!(twin.callback_to(&sent[0], PATIENCE).await.is_some(), "{}", bot.log());
    twin.close(4014);
    assert_eq!(bot.wait().code(), Some(78), "{}", bot.log());
    bot.hears(&["leaving Discord"]);
    let answers: Vec<_> = sent.iter().flat_map(|sent| twin.replies_to(sent)).collect();
    let ran: Vec<_> = answers.iter().filter(|answer| answer.text().contains("✓ /tasks add")).collect();
    assert!(!ran.is_empty(), "{}", bot.log());
    for answer in ran {
        let shown = folder.run(&["receipts", "show", &receipt_in(answer.text(), ENGLISH)]);
        assert!(shown.status.success(), "{}: {shown:?}", answer.text());
    }
    assert!(!folder.path().join("data/candor.db-wal").exists(), "the store was not closed");
    // It was open until the last of them was done.
    let log = bot.log();
    let is_of_store = |line: &&str| ["store", "receipt", "claim"].iter().any(|word| line.contains(word));
    let warned = log.lines().filter(|line| line.contains("WARN") || line.contains("ERROR")).filter(is_of_store);
    assert_eq!(warned.collect::<Vec<_>>(), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_while_the_bot_runs_ends_it() {
    let Connected { mut bot, twin, folder: _folder, _log, .. } = connect("").await;
    twin.fail_next(Fault::new("POST", "/channels").status(401).code(0, "401: Unauthorized"));
    twin.say(Message::to_bot("/help"));
    assert_eq!(bot.wait().code(), Some(78), "{}", bot.log());
    bot.hears(&["candor: ", "Discord refuses the token"]);
    _log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn held_07_a_heartbeat_that_is_not_acknowledged_leads_to_a_resume() {
    let twin = Twin::start_with(Options { heartbeat: Duration::from_secs(1), ..Options::default() }).await.unwrap();
    let connected = connect_to(twin, "").await;
    let Connected { bot, twin, .. } = &connected;
    twin.ack_heartbeats(false);
    twin.silence(Some(Silence::Resume));
    bot.hears(&["the connection to Discord ended; resuming", "a heartbeat was not acknowledged"]);
    // Until Discord is heard again, the bot is not ready.
    answers(admin_address(bot), "/readyz", false, r#""missing":["gateway"]"#).await;
    twin.ack_heartbeats(true);
    twin.silence(None);
    twin.drop_connection();
    let resumed = twin.wait_until(PATIENCE, || (0 < twin.n_resumes()).then_some(()));
    assert!(resumed.await.is_some(), "{}", bot.log());
    connected.answer(Interaction::slash("help")).await;
    assert_eq!(twin.identifies().len(), 1);
}

/// M12: each RESUMED counted as heard, so that a gateway that acknowledged nothing was never told. A unit test of `Pulse`
/// has the minute after which the bot is not ready.
#[tokio::test(flavor = "multi_thread")]
async fn m12_a_session_that_is_resumed_is_no_acknowledged_heartbeat() {
    let twin = Twin::start_with(Options { heartbeat: Duration::from_secs(1), ..Options::default() }).await.unwrap();
    let connected = connect_to(twin, "").await;
    let (address, twin) = (admin_address(&connected.bot), &connected.twin);
    let age_s = |body: &str| {
        let health: serde_json::Value = serde_json::from_str(body).unwrap();
        health["shards"][0]["heartbeat_age_s"].as_u64().unwrap()
    };
    twin.ack_heartbeats(false);
    // A resume comes after each second.
    answers_so(address, "/readyz", true, "an age over resumes", |body| 4 <= age_s(body)).await;
    assert!(2 <= twin.n_resumes(), "{}", connected.bot.log());
    twin.ack_heartbeats(true);
    answers_so(address, "/readyz", true, "an acknowledged heartbeat", |body| age_s(body) < 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn held_10_a_session_that_is_lost_costs_no_interactions() {
    let connected = connect("").await;
    let Connected { bot, twin, .. } = &connected;
    // Each is resumed, and what was sent meanwhile is answered.
    for code in [1000, 4000, 4001, 4005, 4008, 4999] {
        twin.close(code);
        connected.answer(Interaction::slash("help")).await;
    }
    twin.reconnect();
    connected.answer(Interaction::slash("help")).await;
    assert_eq!(twin.identifies().len(), 1, "{}", bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn held_02_every_silence_of_the_gateway_is_left_behind() {
    let left_behind = async |silence| {
        let connected = connect("").await;
        let Connected { bot, twin, .. } = &connected;
        twin.silence(Some(silence));
        if silence == Silence::Identify {
            twin.invalid_session(false)
        } else {
            twin.drop_connection()
        }
        let address = admin_address(bot);
        answers(address, "/readyz", false, r#""missing":["gateway"]"#).await;
        // It has given up waiting.
        let gave_up = timeout(PATIENCE, async {
            while !bot.log().contains("no connection to Discord;") {
                sleep(Duration::from_millis(50)).await;
            }
        });
        assert!(gave_up.await.is_ok(), "{silence:?}:\n{}", bot.log());
        twin.silence(None);
        let again = timeout(PATIENCE * 2, answers(address, "/readyz", true, r#""missing":[]"#));
        assert!(again.await.is_ok(), "{silence:?}:\n{}", bot.log());
        connected.answer(Interaction::slash("help")).await;
    };
    // At once, because each waits for a limit of many seconds.
    tokio::join!(
        left_behind(Silence::Upgrade),
        left_behind(Silence::Hello),
        left_behind(Silence::Identify),
        left_behind(Silence::Resume),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_level_shows_a_token_or_what_people_write() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let wanted = "trace,serenity=trace,serenity::http::client=trace,serenity::client::dispatch=debug,\
                  serenity::gateway::ws=trace,hyper_util::client=trace,tungstenite=trace,no=such=directive";
    let mut command = folder.candor(&["run"]);
    command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token").env("RUST_LOG", wanted);
    let bot = Bot::start_with(&mut command);
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
    // What is not for the bot is told by a line of the lowest level, which does not say who wrote it.
    twin.say(Message::text("overheard-in-private").by(310_000_000_000_000_017));
    let sent = twin.interact(Interaction::slash("tasks").subcommand("add").option("title", "option-in-private"));
    assert!(twin.answer_to(&sent, PATIENCE).await.is_some(), "{}", bot.log());
    let seen = twin.n_requests();
    twin.say(Message::to_bot("message-in-private"));
    let is_reply = |request: &discord_twin::Recorded| seen <= request.n && request.path.ends_with("/messages");
    assert!(twin.wait_for(PATIENCE, is_reply).await.is_some(), "{}", bot.log());
    // What serenity cannot decode is printed by it with all its payload.
    twin.dispatch_raw("MESSAGE_CREATE", &serde_json::json!({"content": "broken-in-private"}));
    twin.interact(Interaction::slash("help"));
    terminate(&bot);
    bot.hears(&["stopped"]);

    let log = bot.log();
    assert!(log.contains("DEBUG") || log.contains("TRACE"), "RUST_LOG has no effect:\n{log}");
    assert!(log.contains("part of RUST_LOG is not understood"), "{log}");
    for secret in ["test.token", sent.token.as_str(), "in-private", "310000000000000017"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_end_closes_the_store_and_does_not_warn_of_the_connection() {
    let Connected { mut bot, twin: _twin, folder, .. } = connect("").await;
    terminate(&bot);
    assert!(bot.wait().success());
    bot.hears(&["stopped"]);
    let log = bot.log();
    let warning = log.lines().find(|line| line.contains("WARN") && line.to_lowercase().contains("shard"));
    assert_eq!(warning, None);
    assert!(!folder.path().join("data/candor.db-wal").exists(), "the store was not closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_of_the_environment_is_not_for_discord() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let mut command = folder.candor(&["run"]);
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        // Nobody answers there.
        command.env(variable, "http://127.0.0.1:1");
    }
    let bot = Bot::start_with(command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token"));
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
}

#[test]
fn a_proxy_that_cannot_be_used_is_refused_and_never_passed_by() {
    let mut proxies: Vec<(std::ffi::OsString, &str)> = vec![
        ("127.0.0.1:4000".into(), "is not an address"),
        ("ftp://127.0.0.1".into(), "is not a web address"),
        ("http://bot:SECRET@127.0.0.1:4000".into(), "holds a user name or a password"),
    ];
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        proxies.push((std::ffi::OsString::from_vec(b"http://127.0.0.1:4000/\xff".to_vec()), "is not UTF-8 text"));
    }
    for (proxy, wanted) in proxies {
        let folder = Folder::with("");
        let mut command = folder.candor(&["run"]);
        command.env("DISCORD_PROXY", &proxy).env("DISCORD_TOKEN", "test.token").stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(78), "{}: {said}", proxy.display());
        assert!(said.contains(&format!("DISCORD_PROXY {wanted}")) && said.contains("unset it"), "{said}");
        assert!(!said.contains("SECRET"), "{said}");
        assert!(!folder.path().join("data").exists(), "nothing is opened before the proxy is known");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_is_shown_without_its_path() {
    let twin = Twin::start().await.unwrap();
    let address = twin.url();
    drop(twin);
    let folder = Folder::with("");
    let mut bot = Bot::start(&folder, &format!("{address}/SECRET"));
    assert_eq!(bot.wait().code(), Some(69), "{}", bot.log());
    bot.hears(&["the Discord proxy", &address, "does not answer"]);
    assert!(!bot.log().contains("SECRET"), "{}", bot.log());
}

#[test]
fn without_a_token_nothing_is_opened() {
    let folder = Folder::with("");
    let output = folder.run(&["run"]);
    assert_eq!(output.status.code(), Some(78), "{output:?}");
    assert!(!folder.path().join("data").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn h4_every_shard_is_connected_before_the_bot_is_ready_at_the_pace_of_discord() {
    // As Discord: a login that comes sooner is refused, and the shard has to make another.
    let identify_every = Duration::from_secs(5);
    let twin = Twin::start_with(Options { shards: 2, identify_every, ..Options::default() }).await.unwrap();
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    answers(admin_address(&bot), "/readyz", true, r#""missing":[]"#).await;
    assert_eq!(twin.identifies().len(), 2);
}

/// A supervisor that starts the bot again and again risked 500 refused requests with each start.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_were_refused_before_a_restart_count_and_none_is_risked_beyond_them() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let start_refused = || {
        twin.fail_next(Fault::new("GET", "/oauth2/applications/@me").status(401));
        assert_eq!(Bot::start(&folder, &twin.url()).wait().code(), Some(78));
    };
    start_refused();
    start_refused();
    let path = folder.path().join("data/candor.db");
    let store = candor_store::Database::open_file(&path).await.unwrap();
    let counted = store.add_refused(498, SystemTime::now()).await.unwrap();
    assert_eq!(counted.iter().map(|minute| minute.n).sum::<u64>(), 500, "one of each start");
    store.close().await;

    let n_before = twin.n_requests();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["Discord does not answer; trying again", "too many requests were refused in the last minutes"]);
    assert!(bot.stop().success());
    assert_eq!(twin.n_requests(), n_before);
}

/// `candor sync` and `candor doctor` use the same token and the same address as the bot.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_refused_to_sync_and_doctor_count_for_the_bot_and_stop_with_it() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let run = |arguments: &[&str]| {
        let mut command = folder.candor(arguments);
        command.env("DISCORD_TOKEN", "test.token").env("DISCORD_PROXY", twin.url()).output().unwrap()
    };
    let path = folder.path().join("data/candor.db");
    let counted = async |n: u64| {
        let store = candor_store::Database::open_file(&path).await.unwrap();
        let counted = store.add_refused(n, SystemTime::now()).await.unwrap();
        store.close().await;
        counted.iter().map(|minute| minute.n).sum::<u64>()
    };
    twin.fail_next(Fault::new("GET", "/oauth2/applications/@me").status(401));
    assert_eq!(run(&["sync", "--plan"]).status.code(), Some(78));
    assert_eq!(counted(0).await, 1);
    twin.fail_next(Fault::new("GET", "/gateway/bot").status(403));
    assert!(!run(&["doctor"]).status.success());
    assert_eq!(counted(498).await, 500);
    for arguments in [&["sync", "--plan"][..], &["doctor"]] {
        let n_before = twin.requests().iter().filter(|request| request.path != "/gateway").count();
        let output = run(arguments);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("too many requests were refused in the last minutes"), "{arguments:?}: {said}");
        let n_after = twin.requests().iter().filter(|request| request.path != "/gateway").count();
        assert_eq!(n_after, n_before, "{arguments:?}");
    }
}

/// H4: a supervisor that starts the bot again and again used up the logins of the day.
#[tokio::test(flavor = "multi_thread")]
async fn h4_refused_logins_of_earlier_processes_count_and_a_session_takes_its_own_away() {
    let Connected { bot, twin, folder, .. } = connect("").await;
    assert!(bot.stop().success());
    let path = folder.path().join("data/candor.db");
    let store = candor_store::Database::open_file(&path).await.unwrap();
    let now = SystemTime::now();
    let pending = store.pending_logins(now - Duration::from_secs(600)).await.unwrap();
    assert!(pending.is_empty(), "a session came of the login");
    for n in 0..21 {
        store.login_made(now - Duration::from_secs(300 - n)).await.unwrap();
    }
    store.close().await;

    twin.refuse_resume(true);
    let mut bot = Bot::start(&folder, &twin.url());
    assert_eq!(bot.wait().code(), Some(69), "{}", bot.log());
    assert!(bot.log().contains("it refused 20 sessions in a row"), "{}", bot.log());
    assert_eq!(twin.identifies().len(), 1, "nobody logged in");
}
