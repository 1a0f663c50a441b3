//! The command line from the outside: exit codes and what the operator reads.

use std::net::TcpListener;
use std::process::Output;

use discord_twin::Twin;

use crate::support::bot::{Bot, Folder};
use crate::support::said::{assert_says, said};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn check_is_clean_on_defaults_and_says_so_to_people_and_programs() {
    let folder = Folder::empty();
    let output = folder.run(&["check"]);
    let report = text(&output.stdout);
    assert!(report.starts_with("  /alerts "), "{report}");
    assert!(report.contains("  /tasks ") && report.contains(" add | list | done | remove\n"), "{report}");
    // What needs a chat model is not offered without one.
    let left_out = "left out: no chat model (/clear, /context, /model, /thread, /usage, What it said, Ask again, ";
    assert!(report.contains(left_out) && !report.contains("\n  /clear"), "{report}");
    assert!(report.ends_with("\n\n0 errors, 0 warnings in 9 modules; registered 47, reachable 47\n"), "{report}");
    assert_eq!(code(&output), 0);

    let output = folder.run(&["check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    assert_eq!((report["registered"].as_u64(), report["reachable"].as_u64()), (Some(47), Some(47)));
    assert_eq!(report["left_out"], serde_json::json!(["/clear", "/context", "/model", "/thread", "/usage"]));
    // A check touches nothing.
    assert!(!folder.path().join("data").exists());
}

#[test]
fn the_check_says_where_commands_are_registered_unless_it_is_everywhere() {
    let modes = [("", "everywhere"), ("[discord]\nguild = \"5\"\n", "in the server 5 alone")];
    for (config, mode) in modes {
        let folder = Folder::with(config);
        let told = text(&folder.run(&["check"]).stdout);
        assert_eq!(told.contains(mode), mode != "everywhere", "{told}");
        let report: serde_json::Value =
            serde_json::from_slice(&folder.run(&["check", "--format", "json"]).stdout).unwrap();
        assert_eq!(report["where_registered"], mode);
    }
}

#[test]
fn every_problem_is_reported_at_once_and_the_bot_does_not_start() {
    let folder = Folder::with("[status]\nfle = \"x\"\n[commands]\ndeadline_s = \"soon\"\n");
    let weather = folder.path().join("modules/weather");
    std::fs::create_dir_all(&weather).unwrap();
    let manifest = "[module]\nname = \"weather\"\nsummary = \"Weather\"\n[commands.status]\ndescription = \"x\"\nhandler = \"y\"\n";
    std::fs::write(weather.join("module.toml"), manifest).unwrap();

    let output = folder.run(&["check"]);
    let report = text(&output.stdout);
    for wanted in [
        "error[config-unknown-key]",
        "config.toml:2:1",
        "error[config-wrong-type]",
        "error[command-missing-slash]",
        "modules/weather/module.toml:4:11",
        "[commands.\"/status\"]",
    ] {
        assert!(report.contains(wanted), "{wanted} is not in\n{report}");
    }
    assert_eq!(code(&output), 78);

    let started = folder.run(&["console"]);
    assert_eq!(code(&started), 78);
    assert!(text(&started.stderr).contains("error[command-missing-slash]"));
    assert!(!folder.path().join("data").exists(), "nothing was started");
}

#[test]
fn quarantine_starts_without_the_bad_module_and_says_whose_commands_are_missing() {
    let folder = Folder::with("[modules]\non_violation = \"quarantine\"\n");
    let weather = folder.path().join("modules/weather");
    std::fs::create_dir_all(&weather).unwrap();
    let manifest = "[module]\nname = \"weather\"\nsummary = \"Weather\"\n[commands.\"/forecast\"]\ndescription = \"x\"\nhandler = \"y\"\n";
    std::fs::write(weather.join("module.toml"), manifest).unwrap();
    let output = folder.console("/forecast\n/status\n");
    let said = text(&output.stdout);
    assert_eq!(code(&output), 1, "a line has no answer: {output:?}");
    assert_says(&said, said!("command-unavailable", command = "/forecast"));
    assert!(said.contains("✓ /status"), "{said}");
    assert!(text(&output.stderr).contains("handler-not-found"));
}

#[test]
fn what_is_set_up_wrong_ends_with_78_and_says_what_to_do() {
    let folder = Folder::with("");
    let output = folder.run(&["run"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("no Discord token: put it into a file"), "{}", text(&output.stderr));

    let output = folder.run(&["--config", "nowhere.toml", "check"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stdout).contains("config-unreadable"), "{}", text(&output.stdout));

    let output = folder.run(&["chek"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("check"));
}

#[test]
fn a_database_that_cannot_be_used_is_named_and_left_alone() {
    let folder = Folder::with("");
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    let database = folder.path().join("data/candor.db");
    std::fs::write(&database, "this is not a database, it is a letter").unwrap();
    let output = folder.run(&["console"]);
    assert_eq!(code(&output), 78, "{output:?}");
    assert!(text(&output.stderr).contains("data/candor.db"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&database).unwrap(), "this is not a database, it is a letter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_and_an_unreachable_proxy_end_with_69() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{address}\"\n"));
    let twin = Twin::start().await.unwrap();
    let mut bot = Bot::start(&folder, &twin.url());
    assert_eq!(bot.wait().code(), Some(69));
    bot.hears(&["cannot listen on", &address.to_string(), "[admin] listen"]);

    let folder = Folder::with("");
    let mut bot = Bot::start(&folder, &format!("http://{address}"));
    assert_eq!(bot.wait().code(), Some(69));
    bot.hears(&["does not answer GET /gateway"]);
    drop(taken);
}

#[test]
fn health_without_a_running_bot_is_69() {
    // Bound and dropped: nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{free}\"\n"));
    let output = folder.run(&["health"]);
    assert_eq!(code(&output), 69);
    assert!(text(&output.stderr).contains("no answer from"), "{}", text(&output.stderr));
}

#[test]
fn help_names_the_commands_the_environment_and_the_exit_codes() {
    let output = Folder::empty().run(&["--help"]);
    let help = text(&output.stdout);
    for wanted in
        ["console", "run", "check", "receipts", "health", "DISCORD_TOKEN_FILE", "DISCORD_PROXY", "RUST_LOG", "78"]
    {
        assert!(help.contains(wanted), "{wanted} is not in\n{help}");
    }
    assert_eq!(code(&output), 0);
}

#[test]
fn the_version_names_commit_build_and_features() {
    let folder = Folder::empty();
    let long = text(&folder.run(&["--version"]).stdout);
    assert!(long.starts_with(&format!("candor {}\ncommit ", env!("CARGO_PKG_VERSION"))), "{long}");
    let traces = if cfg!(feature = "otlp") { ", otlp" } else { "" };
    assert!(long.contains(" build for "), "{long}");
    assert!(long.contains(&format!("\nfeatures operate, outside, postgres{traces}\n")), "{long}");
    assert_eq!(text(&folder.run(&["-V"]).stdout), format!("candor {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn shells_and_man_know_every_command() {
    let folder = Folder::empty();
    let commands = ["init", "console", "run", "check", "receipts", "completions", "health"];
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let made = text(&folder.run(&["completions", shell]).stdout);
        assert!(
            commands.iter().all(|command| made.contains(command)) && made.contains("deployment"),
            "{shell}: {made}"
        );
    }
    let page = text(&folder.run(&["man"]).stdout);
    assert!(page.contains(".TH candor 1") && commands.iter().all(|command| page.contains(command)), "{page}");
    assert_eq!(code(&folder.run(&["man", "pages"])), 0);
    for name in ["candor.1", "candor-check.1", "candor-receipts-verify.1"] {
        assert!(folder.path().join("pages").join(name).exists(), "{name}");
    }
    assert_eq!(code(&folder.run(&["completions", "tcsh"])), 78);
}

#[test]
fn a_first_deployment_is_written_and_nothing_is_overwritten() {
    use std::io::Write as _;
    use std::process::Stdio;
    let folder = Folder::empty();
    let write = |arguments: &[&str]| {
        let mut command = folder.candor(&[&["init", "bot", "--token-stdin"][..], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It may have ended before it reads.
        let _closed = child.stdin.take().unwrap().write_all(b"abc.def\n");
        child.wait_with_output().unwrap()
    };
    let refused = write(&["--operator", "80351110224678912", "--language", "fr"]);
    assert_eq!((code(&refused), folder.path().join("bot").exists()), (78, false), "{refused:?}");

    let output = write(&["--operator", "80351110224678912", "--guild", "7", "--language", "de"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(said.ends_with("next: cd 'bot' && DISCORD_TOKEN_FILE=discord_token.txt candor run\n"), "{said}");
    assert!(!said.contains("abc.def") && !text(&output.stderr).contains("abc.def"), "{output:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("bot").join(name)).unwrap();
    let config = read("config.toml");
    for line in ["operators = [\"80351110224678912\"]", "guild = \"7\"", "default = \"de\""] {
        assert!(config.lines().any(|known| known == line), "{line} is not in\n{config}");
    }
    // Every comment is there, and the rest is as in the repository.
    assert_eq!(config.lines().count(), include_str!("../../../config.toml").lines().count());
    assert_eq!(read("discord_token.txt"), "abc.def\n");
    let compose = read("compose.yaml");
    assert!(!compose.contains("build: ."), "there is nothing to build there");
    assert!(compose.contains("\n      - ./modules:/app/modules:ro\n"), "{compose}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join("bot/discord_token.txt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let in_bot = |arguments: &[&str]| {
        let output = folder.candor(arguments).current_dir(folder.path().join("bot")).output().unwrap();
        assert_eq!(code(&output), 0, "{output:?}");
        text(&output.stdout)
    };
    // With a first module, which answers.
    assert!(in_bot(&["check"]).contains("/hello"));
    assert!(in_bot(&["console", "-c", "/hello"]).contains("Hello, "));

    std::fs::write(folder.path().join("bot/config.toml"), "mine").unwrap();
    let refused = write(&[]);
    assert_eq!((code(&refused), read("config.toml").as_str()), (78, "mine"));
    assert!(text(&refused.stderr).contains("`--force`"), "{refused:?}");
    assert_eq!(code(&write(&["--force"])), 0);
    assert!(read("config.toml").contains("# operators = []"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_that_invites_the_bot_is_that_of_its_application() {
    let twin = Twin::start().await.unwrap();
    let folder = Folder::with("");
    let mut command = folder.candor(&["invite"]);
    command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token");
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    let link = text(&output.stdout);
    assert!(link.starts_with("https://discord.com/oauth2/authorize?client_id="), "{output:?}");
    assert!(link.ends_with("&scope=bot%20applications.commands&permissions=309237763072\n"), "{link}");
    // Without Discord and a token.
    let output = folder.run(&["invite", "--application", "7"]);
    assert!(text(&output.stdout).contains("client_id=7&"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_for_programs_has_an_object_a_command_and_ids_as_text() {
    let folder = Folder::with("[log]\nformat = \"json\"\n");
    let twin = Twin::start().await.unwrap();
    let bot = Bot::start(&folder, &twin.url());
    let ready: serde_json::Value = serde_json::from_str(&bot.hears(&["\"message\":\"ready\""])).unwrap();
    // A number of this size is another one to most programs.
    assert!(ready["bot.id"].as_str().is_some_and(|id| id.parse::<u64>().is_ok()), "{ready}");
    let log = bot.log();
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let with = |message: &'static str| lines.iter().filter(move |line| line["message"] == message);
    assert_eq!(with("starting").map(|line| line["registered"].as_u64()).collect::<Vec<_>>(), [Some(47)]);
    let in_force: Vec<_> = with("command").map(|line| line["command.name"].as_str().unwrap()).collect();
    assert_eq!(in_force.iter().filter(|name| **name == "/tasks").count(), 1, "{in_force:?}");
    let left_out: Vec<_> = with("left out: no chat model").map(|line| line["commands"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["/clear /context /model /thread /usage"]);
    // No row of the table for people.
    assert!(!lines.iter().any(|line| line["message"].as_str().is_some_and(|text| text.starts_with(' '))), "{log}");
    assert!(bot.stop().success());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn sighup_does_not_end_the_bot() {
    let folder = Folder::with("");
    let twin = Twin::start().await.unwrap();
    let mut bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(crate::support::bot::PATIENCE).await, "{}", bot.log());
    let sent = std::process::Command::new("kill").args(["-HUP", &bot.pid().to_string()]).status().unwrap();
    assert!(sent.success());
    bot.hears(&["the modules are read again", "SIGHUP"]);
    assert!(!bot.has_ended());
    assert!(bot.stop().success());
}

#[test]
fn what_init_takes_for_a_token_is_what_run_takes() {
    use std::io::Write as _;
    use std::process::Stdio;
    let long = "x1".repeat(50_000);
    for (token, wrong) in [
        ("a", Some("it is too short")),
        (&long, Some("it is longer than any token")),
        ("\"MTIz.abc.def\"", Some("it stands in quotation marks")),
        ("DISCORD_TOKEN=MTIz.abc.def", Some("`DISCORD_TOKEN=` stands before it")),
        ("your-token-here", Some("it is a placeholder")),
        ("MTIz.abc .def", Some("it has spaces")),
        ("Bot MTIz.abc.def", None),
    ] {
        let folder = Folder::with("");
        let mut command = folder.candor(&["init", "bot", "--token-stdin"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It reads no more than it needs.
        let _closed = child.stdin.take().unwrap().write_all(token.as_bytes());
        let init = child.wait_with_output().unwrap();
        std::fs::write(folder.path().join("token"), token).unwrap();
        let mut command = folder.candor(&["check", "--deployment"]);
        let run = command.env("DISCORD_TOKEN_FILE", "token").stdin(Stdio::null()).output().unwrap();
        let expected = if wrong.is_some() { 78 } else { 0 };
        assert_eq!((code(&init), code(&run)), (expected, expected), "{init:?}\n{run:?}");
        assert_eq!(folder.path().join("bot").exists(), wrong.is_none());
        for said in [text(&init.stderr), text(&run.stdout)] {
            assert!(wrong.is_none_or(|wrong| said.contains(wrong)), "{said}");
            assert!(token.len() < 2 || !said.contains(token), "{said}");
        }
    }
}

#[test]
fn what_run_would_fail_on_is_found_by_the_check_of_a_deployment() {
    let check = |folder: &Folder, token: &str| {
        let mut command = folder.candor(&["check", "--deployment"]);
        let output = command.env("DISCORD_TOKEN_FILE", token).stdin(std::process::Stdio::null()).output().unwrap();
        (code(&output), text(&output.stdout))
    };
    let folder = Folder::with("");
    std::fs::write(folder.path().join("token"), "abc.def\n").unwrap();
    assert_eq!(check(&folder, "token").0, 0, "{}", check(&folder, "token").1);
    assert!(!folder.path().join("data").exists(), "nothing is left behind");
    // Token: none, a folder in its place.
    assert_eq!(code(&folder.run(&["check"])), 0);
    assert_eq!(code(&folder.run(&["check", "--deployment"])), 78);
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let (exit, told) = check(&folder, "folder");
    assert!(exit == 78 && told.contains("Docker makes one"), "{told}");
    // A store of another program.
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/candor.db"), "this is not a database, it is a letter").unwrap();
    let (exit, told) = check(&folder, "token");
    assert!(exit == 78 && told.contains("is not a SQLite database"), "{told}");
    assert!(told.contains("\n1 error, 0 warnings in "), "{told}");
    // A file where the data folder would be.
    let folder = Folder::with("");
    std::fs::write(folder.path().join("token"), "abc.def\n").unwrap();
    std::fs::write(folder.path().join("data"), "").unwrap();
    let (exit, told) = check(&folder, "token");
    assert!(exit == 78 && told.matches("data folder").count() == 1, "{told}");
    assert!(told.matches("error: ").count() == 1 && told.contains("\n1 error, 0 warnings in "), "{told}");
    // A port in use.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{}\"\n", taken.local_addr().unwrap()));
    std::fs::write(folder.path().join("token"), "abc.def\n").unwrap();
    let (exit, told) = check(&folder, "token");
    assert!(exit == 69 && told.contains("[admin] listen"), "{told}");
}
