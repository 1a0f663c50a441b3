//! `candor privacy` and `/privacy`, on the store of a console that ran, and of one that still runs.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::bot::Folder;
use crate::support::postgres;
use crate::support::said::{assert_says, said};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// What a command prints that succeeds.
fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {output:?}");
    text(&output.stdout)
}

const USED: &str = "/memory save content: likes tea\n/files write path: a.txt content: quiet words\n/status\n";

/// What is kept of the console, by kind.
fn exported(folder: &Folder) -> Value {
    serde_json::from_str(&printed(folder, &["privacy", "export", "0"])).unwrap()
}

fn exports_and_erases(folder: &Folder) {
    let kept = exported(folder);
    let n = |kind: &str| kept[kind].as_array().unwrap().len();
    assert_eq!((n("receipts"), n("records"), n("files"), n("turns")), (3, 1, 1, 0));
    assert_eq!(kept["records"][0]["record"]["content"], json!("likes tea"));
    assert_eq!(kept["files"][0]["text"], json!("quiet words"));
    assert_eq!(kept["receipts"][0]["arguments"], json!({ "content": "likes tea" }));
    // The content of a file is private: there is a digest of it.
    let written = &kept["receipts"][1]["arguments"];
    assert_eq!(written["path"], json!("a.txt"));
    assert_eq!(written["content"]["sha256"].as_str().map(str::len), Some(64));

    let refused = folder.run(&["privacy", "erase", "0"]);
    assert_eq!(code(&refused), 78);
    assert!(text(&refused.stderr).contains("--yes"), "{refused:?}");
    assert_eq!(exported(folder)["receipts"], kept["receipts"]);

    assert_eq!(
        printed(folder, &["privacy", "erase", "0", "--yes"]),
        "erased what was kept about 0; receipts stay without words: receipts 3, records 1, files 1\n"
    );
    let again: Value = serde_json::from_str(&printed(folder, &["privacy", "erase", "0", "--yes", "--json"])).unwrap();
    assert_eq!(again, json!({ "user": "0", "n": {} }));
    let left = exported(folder);
    for kind in ["records", "files", "conversations", "turns", "answers", "models"] {
        assert_eq!(left[kind], json!([]), "{kind}");
    }
    let receipts = left["receipts"].as_array().unwrap();
    assert_eq!(receipts.len(), 3);
    assert!(receipts.iter().all(|receipt| receipt["arguments"].is_null()), "{receipts:?}");
    assert!(printed(folder, &["receipts", "verify"]).starts_with("the chain holds: 3 receipts"));
}

#[test]
fn what_is_kept_of_a_person_is_exported_and_erased_while_the_bot_runs() {
    let folder = Folder::with("");
    assert_eq!(code(&folder.console(USED)), 0);
    let mut console = folder.candor(&["console"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Its first line stands there once its store is open.
    let (mut said, mut first) = (BufReader::new(console.stdout.take().unwrap()), String::new());
    said.read_line(&mut first).unwrap();
    exports_and_erases(&folder);
    drop(console.stdin.take());
    assert!(console.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_keeps_of_a_person_is_exported_and_erased_too() {
    let Some(address) = postgres::database().await else { return };
    let folder = Folder::with("[store]\nurl_file = \"url\"\n");
    std::fs::write(folder.path().join("url"), address).unwrap();
    tokio::task::block_in_place(|| {
        assert_eq!(code(&folder.console(USED)), 0);
        exports_and_erases(&folder);
    });
}

#[cfg(unix)]
fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_export_is_a_new_file_for_its_owner_alone() {
    let folder = Folder::with("");
    assert_eq!(code(&folder.console(USED)), 0);
    let told = printed(&folder, &["privacy", "export", "0", "kept.json"]);
    assert_eq!(told, "wrote what is kept about 0 to `kept.json`: receipts 3, records 1, files 1\n");
    let file = folder.path().join("kept.json");
    #[cfg(unix)]
    assert_eq!(mode(&file), 0o600);
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&kept["user"], &kept["is_whole"]), (&json!("0"), &json!(true)));
    assert_eq!(code(&folder.run(&["privacy", "export", "0", "kept.json"])), 78, "nothing is overwritten");
    let told: Value =
        serde_json::from_str(&printed(&folder, &["privacy", "export", "7", "of-7.json", "--json"])).unwrap();
    assert!(told["n"].as_object().unwrap().values().all(|n| *n == json!(0)), "{told}");
    assert_eq!(code(&folder.run(&["privacy", "export", "0", "--json"])), 78, "it says nothing without a file");
}

#[test]
fn people_see_and_erase_what_is_kept_of_them() {
    let folder = Folder::with("");
    let output = folder.console(&format!("{USED}/privacy show\n/privacy erase\n/memory list\n"));
    let said = text(&output.stdout);
    assert_says(&said, said!("privacy-shown"));
    assert_says(&said, said!("privacy-export", user = "0"));
    assert_says(&said, format!("{}: 3", said!("kept-receipts")));
    assert_says(&said, said!("privacy-erase-question"));
    assert!(said.contains("likes tea"), "asking erases nothing: {said}");

    let output = folder.console("/privacy erase confirm: true\n/memory list\n/files list\n/privacy show\n");
    let said = text(&output.stdout);
    assert_says(&said, said!("privacy-erased"));
    assert_says(&said, format!("{}: 1", said!("kept-files")));
    assert!(!said.contains("likes tea") && !said.contains("a.txt"), "{said}");
    // What ran since then has words again: `{\"confirm\":true}`.
    let kept = exported(&folder);
    let words: Vec<_> = kept["receipts"].as_array().unwrap().iter().map(|receipt| &receipt["arguments"]).collect();
    assert!(words[..6].iter().all(|arguments| arguments.is_null()), "{words:?}");
    assert_eq!(words[6], &json!({ "confirm": true }));
    assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 10 receipts"));
}

#[test]
fn a_forgotten_memory_is_in_no_receipt() {
    let folder = Folder::with("");
    let output =
        folder.console("/memory save content: likes tea\n/memory save content: lives in Ulm\n/memory forget id: 1\n");
    assert_eq!(code(&output), 0, "{output:?}");
    let receipts = printed(&folder, &["receipts", "export"]);
    assert!(!receipts.contains("likes tea") && receipts.contains("lives in Ulm"), "{receipts}");
    assert!(printed(&folder, &["receipts", "verify"]).starts_with("the chain holds: 3 receipts"));
}
