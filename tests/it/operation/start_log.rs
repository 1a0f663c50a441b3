//! What an operator reads in the log: what is in force, and above all what is not.

use discord_twin::Twin;
use serde_json::Value;

use crate::support::bot::{Bot, Folder};

/// A module that works, one whose command misses its slash, and one with a good command that has no summary.
const MODULES: [(&str, &str); 3] = [
    (
        "good",
        "[module]\nname = \"good\"\nsummary = \"Good\"\nkind = \"text\"\n\n[commands.\"/good\"]\ndescription = \"Good\"\nreply = \"Good.\"\n",
    ),
    (
        "weather",
        "[module]\nname = \"weather\"\nsummary = \"Weather\"\nkind = \"text\"\n\n[commands.weather]\ndescription = \"Weather\"\nreply = \"Sunny.\"\n",
    ),
    (
        "nameless",
        "[module]\nname = \"nameless\"\nkind = \"text\"\n\n[commands.\"/alone\"]\ndescription = \"Alone\"\nreply = \"Here.\"\n",
    ),
];

const NOT_IN_FORCE: &str = "not in force: /alone (module-summary-missing, modules/nameless/module.toml:1); \
                            /weather (command-missing-slash, modules/weather/module.toml:6)";

fn folder(settings: &str) -> Folder {
    let folder = Folder::with(settings);
    for (name, manifest) in MODULES {
        let module = folder.path().join("modules").join(name);
        std::fs::create_dir_all(&module).unwrap();
        std::fs::write(module.join("module.toml"), manifest).unwrap();
    }
    folder
}

const QUARANTINE: &str = "[modules]\non_violation = \"quarantine\"\n";

fn objects(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn people_read_one_table_and_last_what_is_not_in_force() {
    let (folder, twin) = (folder(QUARANTINE), Twin::start().await.unwrap());
    let bot = Bot::start(&folder, &twin.url());
    // Once registered, and once connected: either may be last.
    bot.hears_nth(1, &["WARN", NOT_IN_FORCE]);
    bot.hears(&["WARN", "code=\"command-missing-slash\"", "line=6", "help=\"write `[commands.\\\"/weather\\\"]`\""]);
    let log = bot.log();
    assert!(log.lines().last().unwrap().contains(NOT_IN_FORCE), "{log}");
    for (row, what) in [
        ("  /good ", "Good"),
        ("  /weather ", "rejected: command-missing-slash, modules/weather/module.toml:6"),
        ("  /alone ", "unavailable: module-summary-missing, modules/nameless/module.toml:1"),
    ] {
        let rows: Vec<_> = log.lines().filter(|line| line.contains(row)).collect();
        assert!(matches!(rows[..], [row] if row.contains(what)), "{row}\n{log}");
    }
    assert!(bot.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_read_one_event_a_command() {
    let folder = folder(&format!("{QUARANTINE}[log]\nformat = \"json\"\n"));
    let twin = Twin::start().await.unwrap();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears_nth(1, &[NOT_IN_FORCE]);
    let lines = objects(&bot.log());
    for (name, level, state, code, line) in [
        ("/good", "INFO", "in-force", Value::Null, Value::Null),
        ("/status", "INFO", "in-force", Value::Null, Value::Null),
        ("/weather", "WARN", "rejected", "command-missing-slash".into(), 6.into()),
        ("/alone", "WARN", "unavailable", "module-summary-missing".into(), 1.into()),
    ] {
        let of_command = |event: &&Value| event["message"] == "command" && event["command.name"] == name;
        let events: Vec<_> = lines.iter().filter(of_command).collect();
        let [event] = events[..] else { panic!("{name}: {events:?}") };
        assert_eq!((&event["level"], &event["state"]), (&level.into(), &state.into()), "{event}");
        assert_eq!((&event["code"], &event["line"]), (&code, &line), "{event}");
        assert_eq!(event["help"].is_string(), !code.is_null(), "{event}");
        assert!(event["module"].is_string(), "{event}");
    }
    assert_eq!(lines.last().unwrap()["message"], NOT_IN_FORCE);
    assert!(bot.stop().success());
}

#[test]
fn a_refused_start_is_an_object_a_problem_for_programs() {
    let refused = folder("[log]\nformat = \"json\"\n").run(&["run"]);
    assert_eq!(refused.status.code(), Some(78));
    let lines = objects(&String::from_utf8(refused.stderr).unwrap());
    let codes: Vec<_> = lines.iter().filter_map(|line| line["code"].as_str()).collect();
    assert_eq!(codes, ["module-summary-missing", "command-missing-slash"]);
    for line in lines.iter().filter(|line| !line["code"].is_null()) {
        assert_eq!(line["level"], "ERROR", "{line}");
        for field in ["file", "help", "message"] {
            assert!(line[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {line}");
        }
        assert!(line["line"].is_u64() && line["column"].is_u64(), "{line}");
    }
    assert!(lines.last().unwrap()["message"].as_str().unwrap().starts_with("not started: 2 errors"), "{lines:?}");
}

#[test]
fn what_a_start_tolerates_is_a_warning_of_the_check() {
    let folder = folder(QUARANTINE);
    let checked = folder.run(&["check"]);
    let said = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(0), "{said}");
    assert!(said.contains("warning[command-missing-slash]") && said.contains(NOT_IN_FORCE), "{said}");
    assert!(said.contains("0 errors, 2 warnings"), "{said}");
    assert_eq!(folder.run(&["check", "--offline"]).status.code(), Some(0));
    assert_eq!(folder.set_to("").run(&["check"]).status.code(), Some(78));
}
