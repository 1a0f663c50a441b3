//! Signatures: the key, what shows that the end of the chain is missing, and proofs that anyone can verify.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::{code, lines, printed, public_key, tamper, text, used};
use crate::support::bot::Folder;
use crate::support::said::{assert_says, said};
use candor_core::record::{Head, ReceiptKey, SEED_LENGTH, SignedHead};

/// The verifier in another language that stands in the documentation.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/verify_proof.py");

fn python(file: &Path, key: &str) -> Output {
    Command::new("python3").arg(SCRIPT).arg(file).arg(key).output().unwrap()
}

/// What `verify` prints of a chain that something is wrong with.
fn problem(folder: &Folder) -> String {
    let output = folder.run(&["receipts", "verify"]);
    assert_eq!(code(&output), 1, "{output:?}");
    text(&output.stdout)
}

#[test]
fn a_proof_is_verified_anywhere_by_two_programs_and_any_change_of_it_is_refused() {
    let folder = used("");
    let key = public_key(&folder);
    let ids: Vec<_> = lines(&printed(&folder, &["receipts", "export"]))
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let elsewhere = Folder::empty();
    let range = format!("{}..{}", ids[1], ids[2]);
    for (which, n) in [("all", 3), (ids[1].as_str(), 1), (&range, 2)] {
        let file = elsewhere.path().join(format!("{n}.json"));
        let name = file.display().to_string();
        let proved = printed(&folder, &["receipts", "export", "--proof", which, "--out", &name]);
        assert!(proved.starts_with(&format!("wrote a proof of {n} receipts")), "{proved}");
        let verified = printed(&elsewhere, &["receipts", "verify", &name, "--key", &key]);
        assert!(verified.starts_with(&format!("valid: {n} receipts, signed by ")), "{verified}");
        let verified = python(&file, &key);
        assert_eq!((code(&verified), text(&verified.stdout).trim()), (0, format!("valid: {n} receipts").as_str()));
    }

    let whole = std::fs::read(elsewhere.path().join("3.json")).unwrap();
    let changed = elsewhere.path().join("changed.json");
    let n_bits = whole.len() * 8;
    for n in 0..20 {
        let bit = n * 7_919 % n_bits;
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&changed, bytes).unwrap();
        let ours = elsewhere.run(&["receipts", "verify", "changed.json", "--key", &key]);
        let other = python(&changed, &key);
        assert_eq!((code(&ours), code(&other)), (1, 1), "bit {bit}: {ours:?} {other:?}");
        assert!(text(&ours.stdout).starts_with("not valid: `"), "{ours:?}");
        assert!(text(&other.stdout).starts_with("not valid: `"), "{other:?}");
    }
    for content in [&whole[..whole.len() / 2], b"", b"{}\n", b"\xff"] {
        std::fs::write(&changed, content).unwrap();
        let ours = elsewhere.run(&["receipts", "verify", "changed.json", "--key", &key]);
        let other = python(&changed, &key);
        assert_eq!((code(&ours), code(&other)), (1, 1), "{content:?}: {ours:?} {other:?}");
    }
    let other_key = key.chars().rev().collect::<String>();
    let refused = elsewhere.run(&["receipts", "verify", "3.json", "--key", &other_key, "--json"]);
    let told: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((code(&refused), told["field"].as_str().unwrap()), (1, "heads[0].signed.key"));
    let without = elsewhere.run(&["receipts", "verify", "3.json"]);
    assert_eq!(code(&without), 78, "{without:?}");
}

#[test]
fn a_proof_without_an_id_is_of_the_last_receipt_and_with_a_reply_it_is_refused() {
    let folder = used("");
    let ids: Vec<_> = lines(&printed(&folder, &["receipts", "export"]))
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let said = text(&folder.console("/receipt proof: true\n").stdout);
    assert!(said.contains(&format!("receipt-{}.json", ids[2])), "{said}");
    let said = text(&folder.console("/receipt page: 1 proof: true\n").stdout);
    assert_says(said, said!("receipt-proof-of"));
}

#[test]
fn a_proof_of_what_is_not_there_is_refused_and_nothing_is_overwritten() {
    let folder = used("");
    for (which, code_of, why) in [("00000", 1, "there is no receipt"), ("a receipt", 78, "not the id of a receipt")] {
        let output = folder.run(&["receipts", "export", "--proof", which, "--out", "p.json"]);
        assert_eq!(code(&output), code_of, "{output:?}");
        assert!(text(&output.stderr).contains(why), "{output:?}");
        assert!(!folder.path().join("p.json").exists());
    }
    printed(&folder, &["receipts", "export", "--proof", "all", "--out", "p.json"]);
    let again = folder.run(&["receipts", "export", "--proof", "all", "--out", "p.json"]);
    assert_eq!(code(&again), 69, "{again:?}");
}

#[test]
fn cutting_one_some_or_all_receipts_shows_and_so_does_removing_the_signatures() {
    for (n_left, why) in
        [(2, "the chain ends at position 2"), (1, "the chain ends at position 1"), (0, "not one is left")]
    {
        let folder = used("");
        tamper(
            &folder,
            &format!("DELETE FROM receipts WHERE position > {n_left}; DELETE FROM heads WHERE position > {n_left}"),
        );
        let told = problem(&folder);
        assert!(told.contains(why) && told.contains("receipts.head: the head of position 3"), "{told}");
        // The next start keeps what shows it.
        let started = folder.console("/status\n");
        assert!(text(&started.stderr).contains("the last signed head is missing"), "{started:?}");
        assert!(problem(&folder).contains("receipts.head.missing-"));
    }
    let folder = used("");
    tamper(&folder, "DELETE FROM heads; DELETE FROM receipt_keys");
    assert!(problem(&folder).contains("3 receipts at its end are not signed"));
    std::fs::remove_file(folder.path().join("data/receipts.head")).unwrap();
    assert!(problem(&folder).contains("3 receipts at its end are not signed"));
}

#[test]
fn an_older_store_shows_unless_it_was_put_back_by_restore_or_the_operator_says_so() {
    let folder = used("");
    let store = folder.path().join("data/candor.db");
    printed(&folder, &["backup", "copy.db"]);
    assert!(folder.console("/status\n").status.success());

    // As `candor restore` does it.
    printed(&folder, &["restore", "copy.db"]);
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(verified.contains("is of the store before `candor restore`"), "{verified}");
    assert!(printed(&folder, &["receipts", "list", "--command", "x"]).is_empty());
    let exported = lines(&printed(&folder, &["receipts", "export"]));
    assert_eq!(exported.last().unwrap()["command"], "candor restore");

    // By hand.
    for end in ["-wal", "-shm"] {
        let _not_there = std::fs::remove_file(format!("{}{end}", store.display()));
    }
    assert!(folder.console("/status\n").status.success());
    std::fs::copy(folder.path().join("copy.db"), &store).unwrap();
    for end in ["-wal", "-shm"] {
        let _not_there = std::fs::remove_file(format!("{}{end}", store.display()));
    }
    assert!(problem(&folder).contains("an older store took its place"));
    assert!(folder.console("/status\n/status\n").status.success());
    assert!(problem(&folder).contains("is missing: another receipt has its position"));
    let unconfirmed = folder.run(&["receipts", "restored"]);
    assert_eq!(code(&unconfirmed), 78, "{unconfirmed:?}");
    assert!(
        printed(&folder, &["receipts", "restored", "--yes"]).starts_with("recorded that this store took the place")
    );
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(verified.contains("is of the store before `candor restore`"), "{verified}");
}

#[test]
fn the_key_is_made_once_and_a_lost_or_another_one_is_told() {
    let folder = used("");
    let key_file = folder.path().join("data/receipts.key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let first = public_key(&folder);
    assert!(folder.console("/status\n").status.success());
    assert_eq!(public_key(&folder), first);

    let aside = folder.path().join("aside.key");
    std::fs::rename(&key_file, &aside).unwrap();
    let refused = folder.console("/status\n");
    assert_eq!(code(&refused), 78, "{refused:?}");
    assert!(text(&refused.stderr).contains("is missing: put it back"), "{refused:?}");
    assert!(!key_file.exists(), "no other key takes its place");
    std::fs::write(&key_file, "no key").unwrap();
    assert!(text(&folder.console("/status\n").stderr).contains("is not an Ed25519 key in PEM"));
    std::fs::write(&key_file, ReceiptKey::to_pem(&[9; SEED_LENGTH])).unwrap();
    let other = folder.run(&["receipts", "rotate"]);
    assert_eq!(code(&other), 1, "{other:?}");
    assert!(text(&other.stderr).contains("and the key file holds"), "{other:?}");
    assert_eq!(public_key(&folder), first);
    std::fs::remove_file(&key_file).unwrap();
    assert_eq!(code(&folder.run(&["receipts", "rotate"])), 78);

    printed(&folder, &["receipts", "rotate", "--lost"]);
    let second = public_key(&folder);
    assert_ne!(second, first);
    assert!(folder.console("/status\n").status.success());
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(verified.contains("took the place of a lost one"), "{verified}");
    let distrusted = folder.run(&["receipts", "verify", "--key", &first]);
    assert_eq!(code(&distrusted), 1, "{distrusted:?}");
}

#[test]
fn after_a_rotation_proofs_of_both_keys_hold_for_both() {
    let folder = used("");
    let first = public_key(&folder);
    printed(&folder, &["receipts", "export", "--proof", "all", "--out", "before.json"]);
    printed(&folder, &["receipts", "rotate"]);
    let second = public_key(&folder);
    assert!(folder.console("/status\n").status.success());
    printed(&folder, &["receipts", "export", "--proof", "all", "--out", "after.json"]);
    for (file, key) in [("before.json", &first), ("after.json", &first), ("after.json", &second)] {
        assert!(printed(&folder, &["receipts", "verify", file, "--key", key]).starts_with("valid: "), "{file}");
        assert_eq!(code(&python(&folder.path().join(file), key)), 0, "{file}");
    }
    for key in [&first, &second] {
        printed(&folder, &["receipts", "verify", "--key", key]);
    }
    printed(&folder, &["receipts", "rotate", "--new", "third.key"]);
    let old = folder.console("/status\n");
    assert_eq!(code(&old), 78, "{old:?}");
    let folder = folder.set_to("[receipts]\nkey_file = \"third.key\"\n");
    assert!(folder.console("/status\n").status.success());
    printed(&folder, &["receipts", "verify"]);
}

#[test]
fn a_rotation_that_was_interrupted_anywhere_is_finished_by_the_next_one() {
    for step in ["made", "registered", "moved away"] {
        let folder = used("");
        let data = folder.path().join("data");
        let first = public_key(&folder);
        let next = data.join("receipts.key.new");
        if step == "made" {
            std::fs::write(&next, ReceiptKey::to_pem(&[9; SEED_LENGTH])).unwrap();
            assert!(folder.console("/status\n").status.success(), "the old key is in force");
        } else {
            printed(&folder, &["receipts", "rotate", "--new", "data/receipts.key.new"]);
        }
        if step == "moved away" {
            std::fs::rename(data.join("receipts.key"), data.join("receipts.key.old-1")).unwrap();
        }
        if step != "made" {
            let refused = folder.console("/status\n");
            assert_eq!(code(&refused), 78, "{refused:?}");
            let told = text(&refused.stderr);
            assert!(told.contains("receipts.key.new`: run `candor receipts rotate` again"), "{told}");
        }
        let n_before = lines(&printed(&folder, &["receipts", "export"])).len();
        let finished = printed(&folder, &["receipts", "rotate"]);
        assert!(finished.contains("from the next start on"), "{finished}");
        assert!(!next.exists(), "{step}");
        let second = public_key(&folder);
        assert_ne!(second, first);
        let n_recorded = lines(&printed(&folder, &["receipts", "export"])).len() - n_before;
        assert_eq!(n_recorded, usize::from(step == "made"), "a rotation is recorded once");
        assert!(folder.console("/status\n").status.success(), "{step}");
        for key in [&first, &second] {
            printed(&folder, &["receipts", "verify", "--key", key]);
        }
    }
    let folder = used("");
    let in_use = folder.run(&["receipts", "rotate", "--new", "data/receipts.key"]);
    assert_eq!(code(&in_use), 78, "{in_use:?}");
}

#[test]
fn a_key_that_leaked_is_withdrawn_and_nothing_that_it_signed_counts_for_the_new_one() {
    let folder = used("");
    let first = public_key(&folder);
    let data = folder.path().join("data");
    printed(&folder, &["receipts", "export", "--proof", "all", "--out", "before.json"]);
    std::fs::copy(data.join("receipts.head"), folder.path().join("published")).unwrap();
    printed(&folder, &["receipts", "prune", "--older-than", "0d", "--yes"]);

    let rotated = printed(&folder, &["receipts", "rotate", "--leaked"]);
    assert!(rotated.contains("from the next start on"), "{rotated}");
    let second = public_key(&folder);
    assert!(folder.console("/status\n").status.success());
    printed(&folder, &["receipts", "export", "--proof", "all", "--out", "after.json"]);
    for (file, key, is_valid) in [
        ("before.json", &first, true),
        ("before.json", &second, false),
        ("after.json", &first, false),
        ("after.json", &second, true),
    ] {
        let ours = folder.run(&["receipts", "verify", file, "--key", key]);
        let other = python(&folder.path().join(file), key);
        assert_eq!(
            (code(&ours), code(&other)),
            (i32::from(!is_valid), i32::from(!is_valid)),
            "{file}: {ours:?} {other:?}"
        );
    }

    // A head that was published before the leak still tells whether the chain is the same.
    let verified = printed(&folder, &["receipts", "verify", "--head", "published"]);
    assert!(verified.contains("was withdrawn: no proof with it counts"), "{verified}");
    assert!(verified.contains("published: the head of position 3") && !verified.contains("lost"), "{verified}");
    let keys = printed(&folder, &["receipts", "key"]);
    assert!(keys.contains("withdrawn"), "{keys}");
    let mut files = std::fs::read_dir(&data).unwrap().map(|file| file.unwrap().path());
    let stolen = files.find(|file| file.to_string_lossy().contains("receipts.key.leaked-")).unwrap();
    let stolen = ReceiptKey::from_pem(&std::fs::read_to_string(stolen).unwrap()).unwrap();
    assert_eq!(stolen.public().to_string(), first);
    let head = std::fs::read_to_string(folder.path().join("published")).unwrap();
    let genuine = SignedHead::from_line(head.lines().next().unwrap()).unwrap();
    let made = Head { position: genuine.head.position + 1, ..genuine.head }.signed(&stolen).unwrap();
    std::fs::write(folder.path().join("published"), made.to_line()).unwrap();
    let told = folder.run(&["receipts", "verify", "--head", "published"]);
    assert_eq!(code(&told), 1, "{told:?}");
    assert!(text(&told.stdout).contains("is signed with a key that leaked, and is not in the chain"), "{told:?}");

    // A chain that something is wrong with is not signed again.
    tamper(&folder, "UPDATE receipts SET took_us = took_us + 1 WHERE position = 4");
    let refused = folder.run(&["receipts", "rotate", "--leaked"]);
    assert_eq!(code(&refused), 1, "{refused:?}");
    assert!(text(&refused.stderr).contains("nothing was changed, because the chain breaks"), "{refused:?}");
    assert_eq!(public_key(&folder), second);
}

#[test]
fn a_restored_store_from_before_a_rotation_takes_over_the_keys_that_followed() {
    for (how, is_old_readable) in [("", true), ("--leaked", true), ("", false)] {
        let folder = used("");
        let first = public_key(&folder);
        printed(&folder, &["backup", "copy.db"]);
        printed(&folder, &["receipts", "export", "--proof", "all", "--out", "before.json"]);
        let rotate = ["receipts", "rotate", how];
        printed(&folder, if how.is_empty() { &rotate[..2] } else { &rotate });
        assert!(folder.console("/status\n").status.success());
        let second = public_key(&folder);
        if !is_old_readable {
            std::fs::write(folder.path().join("data/candor.db"), "a letter").unwrap();
        }
        printed(&folder, &["restore", "copy.db"]);
        assert_eq!(public_key(&folder), second);
        assert!(folder.console("/status\n").status.success());
        printed(&folder, &["receipts", "verify"]);
        let trusts_the_old_one = how.is_empty();
        printed(&folder, &["receipts", "export", "--proof", "all", "--out", "after.json"]);
        for (file, key, is_valid) in [
            ("before.json", &first, true),
            ("before.json", &second, false),
            ("after.json", &first, trusts_the_old_one),
            ("after.json", &second, true),
        ] {
            let verified = folder.run(&["receipts", "verify", file, "--key", key]);
            assert_eq!(code(&verified), i32::from(!is_valid), "{how} {is_old_readable} {file}: {verified:?}");
        }
    }
}

#[test]
fn a_backup_of_a_copy_that_went_on_by_itself_is_restored_with_a_record() {
    let folder = used("");
    let data = folder.path().join("data");
    // The copy went on less far than the store, and then further.
    for n_alone in [1, 4] {
        let other = Folder::with("");
        std::fs::create_dir_all(other.path().join("data")).unwrap();
        for file in ["candor.db", "receipts.key", "receipts.head"] {
            std::fs::copy(data.join(file), other.path().join("data").join(file)).unwrap();
        }
        assert!(other.console(&"/status\n".repeat(n_alone)).status.success());
        printed(&other, &["backup", "copy.db"]);
        let mut published = String::new();
        for _ in 0..2 {
            assert!(folder.console("/status\n").status.success());
            published += &std::fs::read_to_string(data.join("receipts.head")).unwrap();
        }
        std::fs::write(folder.path().join("published"), published).unwrap();
        let copy = other.path().join("copy.db");
        printed(&folder, &["restore", &copy.display().to_string()]);
        let verified = printed(&folder, &["receipts", "verify", "--head", "published"]);
        assert!(verified.contains("is of the store before `candor restore`"), "{verified}");
        assert!(folder.console("/status\n").status.success());
        printed(&folder, &["receipts", "verify", "--head", "published"]);
        assert_eq!(set_aside(&folder), 0, "nothing is missing");
    }
}

#[test]
fn a_backup_from_before_the_first_key_is_restored_with_a_record() {
    let folder = used("");
    printed(&folder, &["backup", "copy.db"]);
    let unsigned = "DELETE FROM heads; DELETE FROM receipt_keys; DELETE FROM secrets WHERE name = 'store'";
    rusqlite::Connection::open(folder.path().join("copy.db")).unwrap().execute_batch(unsigned).unwrap();
    assert!(folder.console("/status\n").status.success());
    printed(&folder, &["restore", "copy.db"]);
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(verified.contains("is of the store before `candor restore`"), "{verified}");
}

/// How many files with heads that the store does not have the bot kept.
fn set_aside(folder: &Folder) -> usize {
    let files = std::fs::read_dir(folder.path().join("data")).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.to_string_lossy().contains("receipts.head.missing-")).count()
}

#[test]
fn a_backup_of_another_store_is_refused_with_the_way_on_and_one_without_its_key_says_so() {
    let folder = used("");
    let other = used("");
    printed(&other, &["backup", "copy.db"]);
    let copy = other.path().join("copy.db").display().to_string();
    let before = std::fs::read(folder.path().join("data/candor.db")).unwrap();
    let refused = folder.run(&["restore", &copy]);
    assert_eq!(code(&refused), 78, "{refused:?}");
    assert!(text(&refused.stderr).contains("Put the key file of the backup in place"), "{refused:?}");
    std::fs::copy(other.path().join("data/receipts.key"), folder.path().join("data/receipts.key")).unwrap();
    let refused = folder.run(&["restore", &copy]);
    assert_eq!(code(&refused), 78, "{refused:?}");
    assert!(text(&refused.stderr).contains("receipts.head` away and keep it"), "{refused:?}");
    assert!(std::fs::read(folder.path().join("data/candor.db")).unwrap() == before);
    std::fs::remove_file(folder.path().join("data/receipts.head")).unwrap();
    printed(&folder, &["restore", &copy]);
    assert!(folder.console("/status\n").status.success());
    printed(&folder, &["receipts", "verify"]);

    // Without the key, the restore is not recorded.
    std::fs::rename(folder.path().join("data/receipts.key"), folder.path().join("aside.key")).unwrap();
    let restored = printed(&folder, &["restore", &copy]);
    assert!(restored.contains("the restore is not recorded") && restored.contains("receipts.key"), "{restored}");
    std::fs::rename(folder.path().join("aside.key"), folder.path().join("data/receipts.key")).unwrap();
    assert!(problem(&folder).contains("is missing"));
    printed(&folder, &["receipts", "restored", "--yes"]);
    printed(&folder, &["receipts", "verify"]);
}

#[test]
fn a_file_of_published_heads_that_is_missing_is_named() {
    let folder = used("").set_to("[receipts]\npublish = [\"file:published\"]\n");
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(verified.contains("published` has no head yet"), "{verified}");
    tamper(&folder, "INSERT INTO sequences VALUES ('published file:published', 1)");
    assert!(problem(&folder).contains("published` has no head, although the bot publishes there"));
    let head = folder.path().join("data/receipts.head");
    std::fs::copy(head, folder.path().join("published")).unwrap();
    let verified = printed(&folder, &["receipts", "verify"]);
    assert!(!verified.contains("has no head"), "{verified}");
}

#[test]
fn published_heads_are_compared_each_of_them() {
    let folder = used("");
    let head = std::fs::read_to_string(folder.path().join("data/receipts.head")).unwrap();
    assert!(folder.console("/status\n").status.success());
    let newer = std::fs::read_to_string(folder.path().join("data/receipts.head")).unwrap();
    std::fs::write(folder.path().join("published"), format!("words of a channel\n{head}{newer}")).unwrap();
    let arguments = ["receipts", "verify", "--head", "published"];
    let verified = printed(&folder, &arguments);
    assert!(verified.contains("published: the head of position 4"), "{verified}");
    // The newest fits; an older one does not.
    tamper(
        &folder,
        "UPDATE heads SET position = 30 WHERE position = 3; UPDATE receipts SET position = 30 WHERE position = 3",
    );
    let output = folder.run(&arguments);
    assert_eq!(code(&output), 1, "{output:?}");
    let nothing = folder.run(&["receipts", "verify", "--head", "config.toml"]);
    assert_eq!(code(&nothing), 78, "{nothing:?}");
}
