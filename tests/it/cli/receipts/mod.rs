//! `candor receipts`, on the store of a console that ran, and of one that still runs.

mod exports;
mod proofs;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Instant;

use candor_core::record;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::bot::{Folder, PATIENCE};
use crate::support::postgres;
use crate::support::said::{assert_says, said};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A folder in which a console ran `/tasks add` twice and `/status` once.
fn used(config: &str) -> Folder {
    let folder = Folder::with(config);
    let output = folder.console("/tasks add title: milk\n/tasks add title: tea\n/status\n");
    assert_eq!(code(&output), 0, "{output:?}");
    folder
}

fn database(folder: &Folder) -> PathBuf {
    folder.path().join("data/candor.db")
}

/// Changes the database behind the bot's back.
fn tamper(folder: &Folder, statements: &str) {
    rusqlite::Connection::open(database(folder)).unwrap().execute_batch(statements).unwrap();
}

/// What a command prints that succeeds.
fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {output:?}");
    text(&output.stdout)
}

fn lines(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn public_key(folder: &Folder) -> String {
    let keys: Value = serde_json::from_str(&printed(folder, &["receipts", "key", "--json"])).unwrap();
    keys.as_array().unwrap().last().unwrap()["key"].as_str().unwrap().to_owned()
}

#[test]
fn receipts_are_listed_newest_first_by_person_and_command() {
    let folder = used("");
    let commands = |arguments: &[&str]| -> Vec<String> {
        let listed = printed(&folder, &[&["receipts", "list", "--json"], arguments].concat());
        lines(&listed).iter().map(|line| line["command"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(commands(&[]), ["/status", "/tasks add", "/tasks add"]);
    assert_eq!(commands(&["--limit", "2"]), ["/status", "/tasks add"]);
    assert_eq!(commands(&["--command", "/tasks"]), ["/tasks add", "/tasks add"]);
    assert_eq!(commands(&["--command", "tasks add", "--limit", "1"]), ["/tasks add"]);
    assert_eq!(commands(&["--command", "/stat"]), [""; 0]);
    assert_eq!(commands(&["--user", "7"]), [""; 0]);

    let people = printed(&folder, &["receipts", "list"]);
    assert_eq!(people.lines().count(), 3);
    assert!(people.lines().next().unwrap().contains("/status"), "{people}");
}

#[test]
fn a_receipt_is_shown_by_its_id_and_all_are_exported_in_order() {
    let folder = used("");
    let exported = lines(&printed(&folder, &["receipts", "export"]));
    let positions: Vec<_> = exported.iter().map(|line| line["position"].clone()).collect();
    assert_eq!(positions, [json!(1), json!(2), json!(3)]);
    assert_eq!(exported[0]["arguments"], json!("{\"title\":\"milk\"}"));

    let id = exported[0]["id"].as_str().unwrap();
    let shown: Value = serde_json::from_str(&printed(&folder, &["receipts", "show", id, "--json"])).unwrap();
    assert_eq!(shown, exported[0]);
    let shown = printed(&folder, &["receipts", "show", &id.to_lowercase()]);
    assert!(shown.contains("\narguments  title: milk\n"), "{shown}");
    let status = printed(&folder, &["receipts", "show", exported[2]["id"].as_str().unwrap()]);
    assert!(status.contains("\narguments  none\n"), "{status}");
    for wanted in [id, "/tasks add", "milk", "console", "done"] {
        assert!(shown.contains(wanted), "{wanted} is not in\n{shown}");
    }
    let unknown = folder.run(&["receipts", "show", "00000"]);
    assert_eq!((code(&unknown), text(&unknown.stdout).as_str()), (1, ""));
}

/// SHA-256 over parts, as `docs/proofs.md` describes it for a module's folder.
fn folder_digest(parts: &[(&str, &[u8])]) -> String {
    let mut hash = Sha256::new();
    for part in parts.iter().flat_map(|(kind, bytes)| [kind.as_bytes(), bytes]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    record::Digest(hash.finalize().into()).to_string()
}

#[test]
fn a_receipt_names_the_code_that_ran() {
    let folder = Folder::with("");
    let modules = folder.path().join("modules");
    let hail = "[module]\nname = \"hail\"\nversion = \"1.2.0\"\nsummary = \"Hails\"\nkind = \"text\"\n\
                [commands.\"/hail\"]\ndescription = \"Hail\"\nreply = \"Hail!\"\n";
    let echo = "[module]\nname = \"echo\"\nsummary = \"Echoes\"\nkind = \"exec\"\n[run]\nprogram = \"echo.sh\"\n\
                [commands.\"/echo\"]\ndescription = \"Echo\"\n";
    let script = "#!/bin/sh\nprintf '{\"text\":\"echo\"}'\n";
    for (module, file, text) in
        [("hail", "module.toml", hail), ("echo", "module.toml", echo), ("echo", "echo.sh", script)]
    {
        fs::create_dir_all(modules.join(module)).unwrap();
        fs::write(modules.join(module).join(file), text).unwrap();
    }
    fs::set_permissions(modules.join("echo/echo.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let output = folder.console("/hail\n/echo\n/tasks list\n");
    assert_eq!(code(&output), 0, "{output:?}");

    let exported = lines(&printed(&folder, &["receipts", "export"]));
    let codes: Vec<_> = exported.iter().map(|line| line["code"].as_str().unwrap()).collect();
    let script_digest = Sha256::digest(script);
    let manifest_digest = Sha256::digest(echo);
    let of_echo = folder_digest(&[
        ("program", b"echo.sh"),
        ("content", &script_digest),
        ("file", b"module.toml"),
        ("content", &manifest_digest),
        ("end", b""),
    ]);
    let sum = |content: &[u8]| record::Digest::of_file(content).to_string();
    let program = sum(&fs::read(folder.candor(&[]).get_program()).unwrap());
    let expected = [
        format!("hail 1.2.0 sha256:{}", sum(hail.as_bytes())),
        format!("echo sha256:{of_echo}"),
        format!("tasks {} sha256:{program}", env!("CARGO_PKG_VERSION")),
    ];
    assert_eq!(codes, expected);
    let shown = printed(&folder, &["receipts", "show", exported[0]["id"].as_str().unwrap()]);
    assert!(shown.contains(&format!("\ncode       {}\nmodel      none\n", expected[0])), "{shown}");
    let rights = printed(&folder, &["check"]);
    assert!(rights.contains(&format!("services: none; code: {}\n", expected[0])), "{rights}");
    assert!(rights.contains(&format!("services: none; code: {}\n", expected[1])), "{rights}");
}

#[test]
fn verify_says_whether_the_chain_holds_and_names_the_first_receipt_that_is_not_in_its_place() {
    let cases = [
        "UPDATE receipts SET arguments = '{}' WHERE position = 2",
        "DELETE FROM receipts WHERE position = 1",
        "UPDATE receipts SET position = 9 WHERE position = 1",
    ];
    for change in cases {
        let folder = used("");
        assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 3 receipts"));
        let second = lines(&printed(&folder, &["receipts", "export"]))[1]["id"].as_str().unwrap().to_owned();
        tamper(&folder, change);
        let output = folder.run(&["receipts", "verify"]);
        assert_eq!(code(&output), 1, "{change}: {output:?}");
        assert!(text(&output.stdout).contains(&second), "{change}: {output:?}");
        let output = folder.run(&["receipts", "verify", "--json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((code(&output), &told["intact"]), (1, &json!(false)), "{change}");
        assert_eq!(told["broken"]["receipt"], json!(second), "{change}");

        let pruned = folder.run(&["receipts", "prune", "--older-than", "0d", "--yes"]);
        assert_eq!(code(&pruned), 1, "{change}: what was changed is not removed");
    }
}

#[test]
fn verify_says_that_every_receipt_was_removed_and_not_so_of_a_bot_that_ran_nothing() {
    let folder = Folder::with("");
    assert_eq!(code(&folder.console("")), 0);
    assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 0 receipts"));
    let folder = used("");
    tamper(&folder, "DELETE FROM receipts");
    let output = folder.run(&["receipts", "verify"]);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(text(&output.stdout).contains("numbers were given to receipts, and not one is left"), "{output:?}");
    let told: Value = serde_json::from_slice(&folder.run(&["receipts", "verify", "--json"]).stdout).unwrap();
    let why = json!({ "why": "numbers were given to receipts, and not one is left" });
    assert_eq!((&told["intact"], &told["broken"]), (&json!(false), &why));
}

#[test]
fn pruning_asks_leaves_a_chain_that_holds_and_keeps_the_newest() {
    let folder = used("");
    let asked = folder.run(&["receipts", "prune", "--older-than", "0d"]);
    assert_eq!(code(&asked), 78);
    assert!(text(&asked.stderr).contains("--yes"), "{asked:?}");
    assert_eq!(lines(&printed(&folder, &["receipts", "export"])).len(), 3);

    assert!(printed(&folder, &["receipts", "prune", "--before", "2020-01-31", "--yes"]).starts_with("removed 0 "));
    let pruned = printed(&folder, &["receipts", "prune", "--older-than", "0d", "--yes", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&pruned).unwrap()["removed"], 2);
    let verified = printed(&folder, &["receipts", "verify", "--json"]);
    let verified: Value = serde_json::from_str(&verified).unwrap();
    let chain = (&verified["intact"], &verified["receipts"], &verified["removed"], &verified["broken"]);
    assert_eq!(chain, (&json!(true), &json!(1), &json!(2), &Value::Null));
    let signed = (&verified["signed"]["position"], &verified["signed"]["unsigned"], &verified["heads"][0]["good"]);
    assert_eq!(signed, (&json!(3), &json!(0), &json!(true)));

    for wrong in [&["prune", "--yes"][..], &["prune", "--before", "soon"], &["prune", "--older-than", "400"]] {
        assert_eq!(code(&folder.run(&[&["receipts"], wrong].concat())), 78, "{wrong:?}");
    }
}

#[test]
fn arguments_that_were_taken_out_are_shown_as_that_and_the_chain_holds() {
    let folder = used("");
    let ids: Vec<_> = lines(&printed(&folder, &["receipts", "export"]))
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let taken_out = printed(&folder, &["receipts", "prune", "--arguments-only", "--older-than", "0d", "--yes"]);
    assert!(taken_out.starts_with("took the arguments out of 3 receipts"), "{taken_out}");
    let again = ["receipts", "prune", "--arguments-only", "--older-than", "0d", "--yes", "--json"];
    assert_eq!(serde_json::from_str::<Value>(&printed(&folder, &again)).unwrap()["receipts"], 0);
    assert!(lines(&printed(&folder, &["receipts", "export"])).iter().all(|line| line["arguments"].is_null()));
    printed(&folder, &["receipts", "verify"]);

    let output = folder.console(&format!("/receipt id: {}\n", ids[0]));
    assert_says(text(&output.stdout), said!("receipt-arguments-taken-out"));
}

#[test]
fn a_running_bot_does_not_keep_its_ledger_from_being_read_and_pruned() {
    let folder = Folder::with("");
    let mut command = folder.candor(&["console"]);
    let mut console = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    console.stdin.as_mut().unwrap().write_all(b"/status\n/status\n").unwrap();
    let begun = Instant::now();
    let count = || -> Output { folder.run(&["receipts", "export"]) };
    while text(&count().stdout).lines().count() < 2 {
        assert!(begun.elapsed() < PATIENCE, "no receipts: {:?}", count());
    }
    printed(&folder, &["receipts", "verify"]);
    assert!(printed(&folder, &["receipts", "prune", "--older-than", "0d", "--yes"]).starts_with("removed 1 "));
    console.stdin.as_mut().unwrap().write_all(b"/status\n").unwrap();
    drop(console.stdin.take());
    assert!(console.wait().unwrap().success());
    assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 2 receipts, 1 removed"));
}

#[test]
fn nothing_is_made_where_no_store_is() {
    let folder = Folder::with("");
    for arguments in [&["list"][..], &["verify"], &["prune", "--older-than", "1d", "--yes"]] {
        let output = folder.run(&[&["receipts"], arguments].concat());
        assert_eq!(code(&output), 78, "{output:?}");
        assert!(text(&output.stderr).contains("data/candor.db"), "{output:?}");
    }
    assert!(!folder.path().join("data").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receipts_of_a_server_are_read_and_pruned_too() {
    let Some(address) = postgres::database().await else { return };
    let config = "[store]\nurl_file = \"url\"\n";
    let folder = Folder::with(config);
    std::fs::write(folder.path().join("url"), address).unwrap();
    tokio::task::block_in_place(|| {
        let empty = folder.run(&["receipts", "list"]);
        assert_eq!(code(&empty), 78, "{empty:?}");
        assert_eq!(code(&folder.console("/status\n/status\n/status\n")), 0);
        assert_eq!(lines(&printed(&folder, &["receipts", "list", "--json"])).len(), 3);
        assert!(printed(&folder, &["receipts", "prune", "--older-than", "0d", "--yes"]).starts_with("removed 2 "));
        assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 1 receipts, 2 removed"));
    });
}
