//! Exports in the formats of others, verified by libraries that nobody here wrote.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{code, lines, printed, public_key, tamper, text, used};
use crate::support::bot::Folder;
use candor_core::record::{ReceiptKey, SEED_LENGTH};

const FORMATS: [&str; 2] = ["agent-receipts", "dsse"];

/// The Python that `tests/receipt_formats/install` sets up.
fn installed() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/receipt-formats");
    if folder.join("installed").exists() {
        return Some(folder.join("bin/python"));
    }
    assert!(std::env::var_os("CI").is_none(), "under CI there are verifiers of others");
    std::io::stderr().write_all(b"SKIPPED verifiers of others: tests/receipt_formats/install was not run\n").unwrap();
    None
}

fn export(folder: &Folder, format: &str, which: &str) -> String {
    printed(folder, &["receipts", "export", "--proof", which, "--format", format])
}

fn statement(envelope: &Value) -> String {
    String::from_utf8(STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap()).unwrap()
}

/// The line about another command, with the signature that it has.
fn with_another_command(line: &str) -> String {
    let change = |text: &str| text.replace("/tasks add", "/tasks done");
    let mut receipt: Value = serde_json::from_str(line).unwrap();
    if receipt["payload"].is_string() {
        receipt["payload"] = STANDARD.encode(change(&statement(&receipt))).into();
        return receipt.to_string();
    }
    change(line)
}

#[test]
fn exports_are_verified_by_the_libraries_of_their_formats_and_changed_ones_are_refused() {
    let Some(python) = installed() else { return };
    let folder = used("");
    let key = public_key(&folder);
    let ids: Vec<_> = lines(&printed(&folder, &["receipts", "export"]))
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let file = folder.path().join("export.jsonl");
    let verified = |format: &str, content: &str, key: &str| {
        std::fs::write(&file, content).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receipt_formats/verify.py");
        let output = Command::new(&python).arg(script).arg(format).arg(&file).arg(key).output().unwrap();
        let said = text(&output.stdout);
        assert_eq!(said.starts_with("valid: "), code(&output) == 0, "{output:?}");
        said
    };
    for format in FORMATS {
        let range = format!("{}..{}", ids[1], ids[2]);
        for (which, n) in [("all", 3), (ids[1].as_str(), 1), (&range, 2)] {
            assert_eq!(verified(format, &export(&folder, format, which), &key), format!("valid: {n}\n"));
        }
        let whole = export(&folder, format, "all");
        let other_key = ReceiptKey::from_seed(&[9; SEED_LENGTH]).unwrap().public().to_string();
        assert!(verified(format, &whole, &other_key).starts_with("not valid: "), "{format}");
        let cut = whole.trim_end().trim_end_matches('}');
        assert!(verified(format, cut, &key).starts_with("not valid: "), "{format}");
        let changed = whole.lines().map(|line| with_another_command(line) + "\n").collect::<String>();
        assert_ne!(changed, whole, "{format}");
        assert!(verified(format, &changed, &key).starts_with("not valid: "), "{format}");
    }
    // A chain shows cut and moved receipts, too.
    let whole = export(&folder, "agent-receipts", "all");
    let receipts: Vec<_> = whole.lines().collect();
    for left in [&receipts[..2], &receipts[1..], &[receipts[1], receipts[0], receipts[2]], &[receipts[0], receipts[2]]]
    {
        assert!(verified("agent-receipts", &left.join("\n"), &key).starts_with("not valid: "), "{left:?}");
    }
}

#[test]
fn an_export_has_what_its_format_can_say_and_a_file_is_not_overwritten() {
    let folder = used("");
    let own = lines(&printed(&folder, &["receipts", "export"]));
    let receipts = lines(&export(&folder, "agent-receipts", "all"));
    for (receipt, own) in receipts.iter().zip(&own) {
        let subject = &receipt["credentialSubject"];
        assert_eq!(subject["correlation_id"], own["id"]);
        assert_eq!(subject["action"]["target"]["system"], own["command"]);
        assert_eq!(subject["action"]["timestamp"], own["started"]);
        assert!(subject["action"]["parameters_hash"].is_string());
    }
    assert!(!receipts.iter().any(|receipt| receipt.to_string().contains("milk")), "words are only in their hash");

    let proof: Value = serde_json::from_str(&printed(&folder, &["receipts", "export", "--proof", "all"])).unwrap();
    for ((envelope, own), proven) in lines(&export(&folder, "dsse", "all")).iter().zip(&own).zip(0..) {
        let statement: Value = serde_json::from_str(&statement(envelope)).unwrap();
        assert_eq!(statement["subject"][0]["digest"]["sha256"], own["link"]);
        assert_eq!(statement["predicate"]["receipt"], proof["receipts"][proven]);
        assert_eq!(statement["predicate"]["store"], proof["heads"][0]["signed"]["head"]["store"]);
    }

    for format in FORMATS {
        let arguments = ["receipts", "export", "--proof", "all", "--format", format, "--out", format];
        assert!(printed(&folder, &arguments).starts_with("wrote a proof of 3 receipts"));
        let n_lines = std::fs::read_to_string(folder.path().join(format)).unwrap().lines().count();
        assert_eq!(n_lines, 3);
        let again = folder.run(&arguments);
        assert_eq!(code(&again), 69, "{again:?}");
    }
    // Erased arguments leave no hash of them.
    printed(&folder, &["receipts", "prune", "--arguments-only", "--older-than", "0d", "--yes"]);
    for receipt in lines(&export(&folder, "agent-receipts", "all")) {
        assert!(receipt["credentialSubject"]["action"].get("parameters_hash").is_none(), "{receipt}");
    }
}

#[test]
fn nothing_is_exported_without_the_key_or_of_receipts_that_are_not_there_or_not_signed() {
    let folder = used("");
    let key_file = folder.path().join("data/receipts.key");
    let refused = |arguments: &[&str], code_of: i32, why: &str| {
        let output = folder.run(&[&["receipts", "export", "--out", "x"], arguments].concat());
        assert_eq!((code(&output), text(&output.stdout).as_str()), (code_of, ""), "{output:?}");
        assert!(text(&output.stderr).contains(why), "{output:?}");
        assert!(!folder.path().join("x").exists(), "{arguments:?}");
    };
    refused(&["--format", "dsse"], 78, "--proof");
    refused(&["--proof", "all", "--format", "cose"], 78, "agent-receipts");
    for format in FORMATS {
        refused(&["--proof", "00000", "--format", format], 1, "there is no receipt 00000");
    }
    let key = std::fs::read(&key_file).unwrap();
    std::fs::write(&key_file, ReceiptKey::to_pem(&[9; SEED_LENGTH])).unwrap();
    refused(&["--proof", "all", "--format", "dsse"], 1, "and the key file holds");
    std::fs::remove_file(&key_file).unwrap();
    refused(&["--proof", "all", "--format", "agent-receipts"], 78, "there is none in `data/receipts.key`");
    std::fs::write(&key_file, key).unwrap();
    // What the store has no longer is what was signed.
    tamper(&folder, "UPDATE receipts SET outcome = 'done' WHERE position = 3");
    refused(&["--proof", "all", "--format", "dsse"], 1, "the store was changed");
    tamper(&folder, "DELETE FROM heads; DELETE FROM receipt_keys");
    refused(&["--proof", "all", "--format", "agent-receipts"], 1, "not signed");
}
