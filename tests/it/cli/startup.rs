//! The start-up check from the outside: what it finds before anything is started, and what a start leaves alone.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::bot::{Bot, Folder};
use crate::support::postgres;
use crate::support::said::{said, says};

/// What `candor check` prints, and its exit code.
fn check(folder: &Folder) -> (String, Option<i32>) {
    let output = folder.run(&["check"]);
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// The codes and messages that `candor check` reports.
fn told(folder: &Folder) -> Vec<String> {
    let output = folder.run(&["check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = report["diagnostics"].as_array().unwrap().iter();
    told.map(|problem| format!("{}: {}", problem["code"].as_str().unwrap(), problem["message"].as_str().unwrap()))
        .collect()
}

fn write(folder: &Folder, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Starts the console on these lines: what it says, and whether it started.
fn console(folder: &Folder, lines: &str) -> (String, bool) {
    let output = folder.console(lines);
    // 1: it started, and a line has no answer.
    (String::from_utf8_lossy(&output.stdout).into_owned(), matches!(output.status.code(), Some(0 | 1)))
}

const QUARANTINE: &str = "[modules]\non_violation = \"quarantine\"\n";

#[test]
fn a_file_of_the_operators_own_is_not_written() {
    let folder = Folder::with("[status]\nfile = \"figures.json\"\n");
    let figures = "{\"orders\": 7}";
    write(&folder, "figures.json", figures);
    let (said, started) = console(&folder, "/status\n");
    assert!(started && said.contains("Orders"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("figures.json")).unwrap(), figures);
}

#[test]
fn a_file_that_the_bot_did_not_write_is_left_alone_with_one_warning() {
    let folder = Folder::with("[status]\nfile = \"figures.json\"\n[host_metrics]\nenabled = true\n");
    let figures = "{\"orders\": 7}";
    write(&folder, "figures.json", figures);
    let output = folder.console("/status\n");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(log.matches("left alone: set `enabled = false` in `[host_metrics]`").count(), 1, "{log}");
    assert!(log.contains("figures.json"), "{log}");
    assert_eq!(fs::read_to_string(folder.path().join("figures.json")).unwrap(), figures);
}

#[test]
fn the_mark_of_the_bots_own_figures_is_not_shown() {
    let folder = Folder::with("");
    let (said, started) = console(&folder, "/status\n");
    assert!(started && said.contains("Uptime") && !said.contains("Producer"), "{said}");
    assert!(
        fs::read_to_string(folder.path().join("data/live/metrics.json")).unwrap().contains("\"producer\": \"candor\"")
    );
}

#[test]
fn one_file_has_one_use() {
    let cases = [
        ("[store]\npath = \"config.toml\"\n", "`store.path` names the settings file itself, `config.toml`"),
        ("[status]\nfile = \"./x/../config.toml\"\n", "`status.file` names the settings file itself"),
        (
            "[status]\nfile = \"data/candor.db\"\n",
            "`status.file` names `data/candor.db`, which `store.path` takes for itself",
        ),
        (
            "[status]\nfile = \"data/x-wal\"\n[store]\npath = \"data/x\"\n",
            "`status.file` names `data/x-wal`, which `store.path` takes for itself",
        ),
        ("[store]\npath = \"data/live/metrics.json\"\n", "which `store.path` takes for itself"),
        ("[status]\nfile = \"HERE/data/candor.db\"\n", "which `store.path` takes for itself"),
        ("[status]\nfile = \"/tmp\"\n", "`status.file` names the folder `/tmp`, and it takes a file"),
    ];
    for (config, expected) in cases {
        let folder = Folder::empty();
        let here = folder.path().canonicalize().unwrap();
        fs::write(folder.path().join("config.toml"), config.replace("HERE", &here.display().to_string())).unwrap();
        let told = told(&folder);
        assert!(told.len() == 1 && told[0].starts_with("config-value-invalid: "), "{config}: {told:?}");
        assert!(told[0].contains(expected), "{config}: {told:?}");
        assert_eq!(check(&folder).1, Some(78), "{config}");
        assert!(!folder.console("").status.success(), "{config}");
    }
}

#[test]
fn a_file_with_the_address_of_the_store_is_read_before_the_start_and_never_shown() {
    let folder = Folder::with("[store]\nurl_file = \"store.url\"\n");
    let (report, code) = check(&folder);
    assert!(report.contains("the address file `store.url` cannot be read ("), "{report}");
    assert!(report.contains("config.toml:2:12"), "{report}");
    assert_eq!(code, Some(78));

    write(&folder, "store.url", "mysql://candor:hunter2@localhost/candor\n");
    let (report, _) = check(&folder);
    assert!(report.contains("holds no address of a PostgreSQL database") && !report.contains("hunter2"), "{report}");

    // The driver would log a parameter that it does not know, with its value.
    for scheme in ["mysql", "postgres"] {
        write(&folder, "store.url", format!("{scheme}://candor@localhost/candor?sslpassword=hunter2\n"));
        let refused = folder.candor(&["console"]).env("RUST_LOG", "trace").stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && told.contains("store.url") && !told.contains("hunter2"), "{told}");
    }

    write(&folder, "store.url", "postgres://candor:hunter2@localhost/candor?host=/nowhere\n");
    assert_eq!(check(&folder).1, Some(0));
    let refused = folder.console("");
    assert_eq!(refused.status.code(), Some(69));
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(told.contains("the database of `store.url` cannot be used") && !told.contains("hunter2"), "{told}");
}

#[test]
fn a_bot_keeps_its_lists_in_postgres() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Some(address) = runtime.block_on(postgres::database()) else { return };
    let folder = Folder::with("[store]\nurl_file = \"store.url\"\n");
    write(&folder, "store.url", &address);
    for (said, expected) in
        [("/tasks add title: milk\n", "milk"), ("/tasks list\n", "milk"), ("/receipt\n", "/tasks list")]
    {
        let output = folder.console(said);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains(expected), "{said}: {told}");
        assert!(told.contains("store postgres of store.url") && !told.contains("://"), "{told}");
    }
    assert!(!folder.path().join("data/candor.db").exists());
}

#[test]
fn a_key_file_is_read_before_the_start() {
    let model = "[model]\nbase_url = \"http://127.0.0.1:9\"\nmodels = [\"small\"]\nkey_file = \"model.key\"\n";
    let folder = Folder::with(model);
    let (report, code) = check(&folder);
    assert!(report.contains("the key file `model.key` cannot be read ("), "{report}");
    assert!(report.contains("config.toml:4:12"), "{report}");
    assert_eq!(code, Some(78));

    write(&folder, "model.key", "sk-1\nsk-2\n");
    let (report, _) = check(&folder);
    assert!(report.contains("has more than one line") && !report.contains("sk-"), "{report}");

    write(&folder, "model.key", "sk-1\n");
    assert_eq!(check(&folder).1, Some(0));
}

#[test]
fn a_module_that_is_left_out_has_to_exist() {
    let folder = Folder::with("[modules]\ndisabled = [\"task\", \"builtin\", \"status\"]\n");
    let (report, code) = check(&folder);
    assert!(report.contains("`modules.disabled` names `task`, and there is no such module"), "{report}");
    assert!(report.contains("did you mean `tasks`?"), "{report}");
    assert!(
        report.contains(
            "the modules are `alerts`, `feed`, `files`, `inspect`, `memory`, `poll`, `remind`, `status`, `tasks`"
        ),
        "{report}"
    );
    assert!(report.contains("config.toml:2:13"), "{report}");
    assert!(report.contains("\n2 errors, 0 warnings in 8 modules;"), "{report}");
    assert_eq!(code, Some(78));
}

#[test]
fn a_module_that_is_left_out_is_not_read() {
    let folder = Folder::with("[modules]\ndisabled = [\"weather\", \"status\"]\n");
    write(&folder, "modules/weather/notes.txt", "no manifest");
    write(&folder, "modules/status/module.toml", b"\xff");
    assert_eq!(told(&folder), [] as [&str; 0]);
    assert!(console(&folder, "/tasks list\n").1);
}

#[test]
fn a_broken_setting_does_not_bring_back_what_is_left_out() {
    let folder = Folder::with("[modules]\ndisabled = [\"weather\"]\n[chat]\nhistory = -1\n");
    write(&folder, "modules/weather/module.toml", "");
    assert_eq!(told(&folder), ["config-value-invalid: `chat.history` cannot be -1"]);
}

#[test]
fn a_manifest_on_disk_asks_for_what_the_code_needs() {
    let folder = Folder::with("");
    let built_in =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("modules/status/module.toml")).unwrap();
    write(&folder, "modules/status/module.toml", built_in.replace("[\"live\", \"history\"]", "[\"history\"]"));
    assert_eq!(told(&folder), ["service-missing: the manifest does not ask for the service `live`"]);
}

#[test]
fn a_command_that_the_model_is_to_be_allowed_has_to_exist() {
    let folder = Folder::with("[chat]\nwrite_tools = [\"/nosuch\", \"/status\"]\n");
    let expected = [
        "config-value-invalid: `chat.write_tools` names `/nosuch`, and there is no such command",
        "config-value-invalid: `chat.write_tools` names `/status`, which changes nothing",
    ];
    assert_eq!(told(&folder), expected);
    assert!(check(&folder).0.contains("config.toml:2:16"));
    assert!(!console(&folder, "").1);
}

/// What a broken module would have is not known, so its setting is not what is wrong.
#[test]
fn a_command_of_a_broken_module_may_be_one_that_the_model_is_to_be_allowed() {
    let folder = Folder::with(&format!("{QUARANTINE}[chat]\nwrite_tools = [\"/tasks add\"]\n"));
    write(&folder, "modules/tasks/module.toml", "[module");
    let told = told(&folder);
    assert!(!told.is_empty() && told.iter().all(|told| !told.starts_with("config-")), "{told:?}");
    assert!(console(&folder, "/status\n").1);
}

/// People know the commands of a built-in module: they are unavailable, not unknown, and nothing that the
/// operator did not write takes their place.
#[test]
fn a_built_in_module_with_a_bad_manifest_on_disk_is_unavailable() {
    for (manifest, problem) in
        [(&b"\xff"[..], "manifest-unreadable"), (b"", "module-name-invalid"), (b"[module", "manifest-syntax")]
    {
        let folder = Folder::with(QUARANTINE);
        write(&folder, "modules/status/module.toml", manifest);
        assert!(told(&folder).iter().any(|told| told.starts_with(problem)), "{problem}");
        let (said, started) = console(&folder, "/status\n/tasks list\n");
        assert!(started && says(&said, said!("command-unavailable", command = "/status")), "{problem}: {said}");
        assert!(said.contains("✓ /tasks"), "{said}");
    }
    let folder = Folder::with(QUARANTINE);
    write(&folder, "modules/status/notes.txt", "no manifest");
    let (said, started) = console(&folder, "/status\n");
    assert!(started && says(&said, said!("command-unavailable", command = "/status")), "{said}");
}

#[test]
fn without_the_modules_folder_nothing_starts() {
    let folder = Folder::with(&format!("{QUARANTINE}path = \"no/such/folder\"\ndisabled = [\"weather\"]\n"));
    let output = folder.console("/status\n");
    assert_eq!(output.status.code(), Some(78));
    assert!(String::from_utf8_lossy(&output.stderr).contains("modules-unreadable"));
    assert_eq!(told(&folder).len(), 1, "nobody knows whether there is a module `weather`");
}

#[test]
fn the_whole_report_reads_well() {
    let folder = Folder::empty();
    fs::write(folder.path().join("config.toml"), "[chat]\nhistory = -1\n\n[lok]\n").unwrap();
    let expected = "\
error[config-value-invalid]: `chat.history` cannot be -1
 --> config.toml:2:11
  |
2 | history = -1
  |           ^^
  |
  = help: write a whole number from 0 to 200

error[config-unknown-key]: unknown key `lok` at the top level
 --> config.toml:4:2
  |
4 | [lok]
  |  ^^^
  |
  = help: did you mean `log`?

2 errors, 0 warnings in 9 modules; registered 0, reachable 0
";
    assert_eq!(check(&folder), (expected.to_owned(), Some(78)));
}

#[test]
fn a_store_beside_the_settings_keeps_the_disk_figure() {
    let folder = Folder::with("[store]\npath = \"candor.db\"\n");
    let (said, started) = console(&folder, "/status disk\n");
    assert!(started && !said.contains("has no metric"), "{said}");
}

#[test]
fn where_whatever_ends_is_restarted_a_wrong_setup_is_told_and_the_process_stays_until_it_is_stopped() {
    let folder = Folder::empty();
    let run = folder.candor(&["run"]).status().unwrap();
    assert_eq!(run.code(), Some(78));

    let mut held = Bot::start_with(&mut folder.candor(&["run", "--hold"]));
    held.hears(&["no Discord token"]);
    held.hears(&["a restart does not mend this"]);
    assert!(!held.has_ended());
    assert_eq!(held.stop().code(), Some(78));
}
