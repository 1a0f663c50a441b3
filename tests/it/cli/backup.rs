//! `candor backup` and `candor restore`, with and without a console that runs.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use crate::support::bot::Folder;
use crate::support::postgres;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Runs something that succeeds.
fn runs(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {output:?}");
    text(&output.stdout)
}

/// How many receipts there are.
fn n_receipts(folder: &Folder) -> usize {
    runs(folder, &["receipts", "export"]).lines().count()
}

fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.contains("candor.db")).collect();
    names.sort_unstable();
    names
}

#[test]
fn l9_a_backup_of_a_running_bot_is_restored_once_nobody_has_the_store_open() {
    let folder = Folder::with("");
    assert!(folder.console("/status\n/tasks add title: milk\n").status.success());
    let mut console = folder.candor(&["console"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Its first line stands there once its store is open.
    let (mut said, mut first) = (BufReader::new(console.stdout.take().unwrap()), String::new());
    said.read_line(&mut first).unwrap();

    runs(&folder, &["backup", "copy.db"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join("copy.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let again = folder.run(&["backup", "copy.db"]);
    assert_eq!(code(&again), 78, "{again:?}");
    let refused = folder.run(&["restore", "copy.db"]);
    assert_eq!(code(&refused), 69, "{refused:?}");
    assert!(text(&refused.stderr).contains("stop the bot"), "{refused:?}");
    drop(console.stdin.take());
    console.wait().unwrap();

    assert!(folder.console("/tasks add title: tea\n").status.success());
    assert_eq!(n_receipts(&folder), 3);
    assert!(runs(&folder, &["restore", "copy.db"]).contains("before-restore"));
    assert_eq!(n_receipts(&folder), 3, "two, and that of the restore");
    assert_eq!(files(&folder.path().join("data")).len(), 4, "the store, its locks and the old one");
    let said = text(&folder.console("/tasks list\n").stdout);
    assert!(said.contains("milk") && !said.contains("tea"), "{said}");
    runs(&folder, &["receipts", "verify"]);
}

#[test]
fn what_cannot_be_restored_leaves_the_store_as_it_is() {
    let folder = Folder::with("");
    assert!(folder.console("/status\n/status\n").status.success());
    runs(&folder, &["backup", "changed.db"]);
    let tamper = |file: &str, statement: &str| {
        rusqlite::Connection::open(folder.path().join(file)).unwrap().execute_batch(statement).unwrap();
    };
    tamper("changed.db", "UPDATE receipts SET caller = 7 WHERE position = 1");
    runs(&folder, &["backup", "newer.db"]);
    tamper("newer.db", "INSERT INTO _sqlx_migrations VALUES (99, 'later', '2030-01-01', TRUE, x'00', 0)");
    tamper("other.db", "CREATE TABLE songs (title TEXT)");
    for (file, statement) in [
        ("trigger.db", "CREATE TRIGGER evil AFTER INSERT ON receipts BEGIN DELETE FROM claims; END"),
        ("lacking.db", "DROP TABLE claims"),
    ] {
        runs(&folder, &["backup", file]);
        tamper(file, statement);
    }
    std::fs::write(folder.path().join("empty.db"), "").unwrap();
    std::fs::write(folder.path().join("letter.db"), "this is not a database, it is a letter").unwrap();
    let before = std::fs::read(folder.path().join("data/candor.db")).unwrap();
    let unusable = ["newer", "other", "trigger", "lacking", "empty", "letter", "none"];
    let cases = [("changed.db".to_owned(), 1)].into_iter().chain(unusable.map(|name| (format!("{name}.db"), 78)));
    for (file, expected) in cases {
        let output = folder.run(&["restore", &file]);
        assert_eq!(code(&output), expected, "{file}: {output:?}");
        assert!(text(&output.stderr).contains(&file), "{file}: {output:?}");
        assert_eq!(
            files(&folder.path().join("data")),
            ["candor.db", "candor.db.lock", "candor.db.lock-turn"],
            "{file}"
        );
        assert!(std::fs::read(folder.path().join("data/candor.db")).unwrap() == before, "{file} changed the store");
    }
}

#[test]
fn a_backup_is_restored_where_no_store_is_or_a_damaged_one() {
    let folder = Folder::with("");
    assert!(folder.console("/status\n").status.success());
    runs(&folder, &["backup", "copy.db"]);
    std::fs::remove_dir_all(folder.path().join("data")).unwrap();
    assert_eq!(code(&folder.run(&["backup", "nothing.db"])), 78);
    assert!(!folder.path().join("nothing.db").exists());
    runs(&folder, &["restore", "copy.db"]);
    assert_eq!(n_receipts(&folder), 1);

    std::fs::write(folder.path().join("data/candor.db"), "this is not a database, it is a letter").unwrap();
    runs(&folder, &["restore", "copy.db"]);
    assert_eq!(n_receipts(&folder), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_server_the_command_that_copies_it_is_said_without_its_address() {
    let Some(address) = postgres::database().await else { return };
    let folder = Folder::with("[store]\nurl_file = \"url\"\n");
    std::fs::write(folder.path().join("url"), &address).unwrap();
    for (arguments, wanted) in [(["backup", "copy.dump"], "pg_dump"), (["restore", "copy.dump"], "pg_restore")] {
        let output = tokio::task::block_in_place(|| folder.run(&arguments));
        assert_eq!(code(&output), 78);
        let told = text(&output.stderr);
        assert!(told.contains(wanted) && told.contains("url") && !told.contains(&address), "{told}");
    }
}
