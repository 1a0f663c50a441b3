//! Which files the store opens, and which it refuses with which exit code.

use std::path::Path;

use tempfile::{TempDir, tempdir};

use crate::store::NOW;
use candor_core::inbound::EventId;
use candor_engine::executor::Ledger as _;
use candor_store::{Database, OpenError};

/// A new store in a folder of its own, which goes when the test ends.
async fn store() -> (TempDir, Database) {
    let folder = tempdir().unwrap();
    let store = open(&folder).await;
    (folder, store)
}

async fn open(folder: &TempDir) -> Database {
    Database::open_file(&folder.path().join("store.db")).await.unwrap()
}

/// Changes a database behind the store's back.
fn tamper(path: &Path, statement: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(statement).unwrap();
}

/// Opens a store that cannot be opened. Every message names the file.
async fn refused(path: &Path) -> OpenError {
    let refused = Database::open_file(path).await.unwrap_err();
    assert!(refused.to_string().contains(&path.display().to_string()), "{refused}");
    refused
}

#[tokio::test]
async fn the_folder_and_the_file_are_created_for_their_owner() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a/b/store.db");
    Database::open_file(&path).await.unwrap().close().await;
    #[cfg(unix)]
    {
        assert_eq!([mode(&path), mode(&folder.path().join("a"))], [0o600, 0o700]);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A copy that was put back has the mode of the copy, and older versions made locks that others could hold.
#[cfg(unix)]
#[tokio::test]
async fn a_start_takes_the_access_of_others_to_the_store_its_log_and_its_locks() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, store) = store().await;
    store.claim(EventId(1), NOW).await.unwrap();
    let ends = ["store.db", "store.db-wal", "store.db-shm", "store.db.lock", "store.db.lock-turn"];
    let files = ends.map(|end| folder.path().join(end));
    for file in &files {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o664)).unwrap();
    }
    let _other = open(&folder).await;
    assert_eq!(files.map(|file| mode(&file)), [0o600; 5]);
}

/// A trigger would run with each receipt, and a view in the place of a table would hold what somebody likes.
#[tokio::test]
async fn a_store_with_a_schema_of_somebody_else_is_refused_and_left_as_it_is() {
    const NAMED_LIKE_SQLITES: &str = "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', \
        'sqlite_evil', 'claims', 0, 'CREATE TRIGGER sqlite_evil AFTER INSERT ON claims BEGIN DELETE FROM receipts; END')";
    const VIEW: &str = "ALTER TABLE receipts RENAME TO hidden; CREATE VIEW receipts AS SELECT * FROM hidden";
    let cases = [
        ("CREATE TRIGGER evil AFTER INSERT ON claims BEGIN DELETE FROM receipts; END", "it has the trigger `evil`"),
        (NAMED_LIKE_SQLITES, "it has the trigger `sqlite_evil`"),
        (VIEW, "receipts"),
        ("CREATE TABLE songs (title TEXT)", "it has the table `songs`"),
        ("CREATE VIRTUAL TABLE songs USING fts5 (title)", "it has the table `songs"),
        ("CREATE INDEX slow ON claims (claimed_ms, event)", "it has the index `slow`"),
        ("ALTER TABLE claims ADD COLUMN more TEXT DEFAULT (upper('x'))", "it has the table `claims`"),
        ("DROP TABLE claims", "it lacks the "),
    ];
    for (change, wanted) in cases {
        let (folder, store) = store().await;
        store.close().await;
        let path = folder.path().join("store.db");
        tamper(&path, change);
        let before = std::fs::read(&path).unwrap();
        let refused = refused(&path).await;
        assert!(matches!(refused, OpenError::Strange { .. }), "{change}: {refused:?}");
        assert!(refused.to_string().contains(wanted) && refused.exit_code() == 78, "{change}: {refused}");
        let existing = Database::open_existing_file(&path, false).await.unwrap_err();
        assert_eq!(existing.to_string(), refused.to_string());
        assert!(std::fs::read(&path).unwrap() == before, "{change}: the file was changed");
    }
    // What SQLite itself adds is no change.
    let (folder, store) = store().await;
    store.close().await;
    tamper(&folder.path().join("store.db"), "ANALYZE");
    open(&folder).await;
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("store.db"), "").unwrap();
    assert!(open(&folder).await.claim(EventId(1), NOW).await.unwrap());
}

#[tokio::test]
async fn closing_leaves_the_database_and_its_lock() {
    let (folder, store) = store().await;
    store.claim(EventId(1), NOW).await.unwrap();
    store.close().await;
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["store.db", "store.db.lock", "store.db.lock-turn"]);
    assert_eq!(store.claim(EventId(2), NOW).await.unwrap_err().to_string(), "the store failed: it is closed");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused_and_left_as_it_is() {
    let (folder, store) = store().await;
    store.close().await;
    let path = folder.path().join("store.db");
    tamper(&path, "INSERT INTO _sqlx_migrations VALUES (99, 'later', '2030-01-01', TRUE, x'00', 0)");
    let before = std::fs::read(&path).unwrap();

    let refused = refused(&path).await;
    assert!(matches!(refused, OpenError::Newer { found: 99, .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
    assert!(refused.to_string().contains("newer version of candor"), "{refused}");
    assert!(std::fs::read(&path).unwrap() == before, "the file was changed");
}

#[tokio::test]
async fn a_store_of_a_different_build_is_refused() {
    let (folder, store) = store().await;
    store.close().await;
    let path = folder.path().join("store.db");
    tamper(&path, "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1");
    let refused = refused(&path).await;
    assert!(matches!(refused, OpenError::OtherBuild { found: 1, .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
}

#[tokio::test]
async fn what_is_not_a_database_is_refused_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("config.toml");
    // SQLite itself would take the short ones for empty files.
    for text in ["#", "SQLite format 3", &"# Not a database.\n".repeat(100)] {
        std::fs::write(&path, text).unwrap();
        let refused = refused(&path).await;
        assert!(matches!(refused, OpenError::NotADatabase { .. }), "{text}: {refused:?}");
        assert_eq!(refused.exit_code(), 78);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("other.db");
    tamper(&path, "CREATE TABLE songs (title TEXT)");
    let before = std::fs::read(&path).unwrap();

    let refused = refused(&path).await;
    assert!(matches!(refused, OpenError::AnotherProgram { .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
    assert!(std::fs::read(&path).unwrap() == before, "the file was changed");
}

#[tokio::test]
async fn a_damaged_store_is_refused() {
    let (folder, store) = store().await;
    for event in 1..=500 {
        store.claim(EventId(event), NOW).await.unwrap();
    }
    store.close().await;
    let path = folder.path().join("store.db");
    let mut bytes = std::fs::read(&path).unwrap();
    // Everything behind the first page, which holds the header and the table of tables.
    bytes[4_096..].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();

    let refused = refused(&path).await;
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    assert_eq!(refused.exit_code(), 78);
}

#[tokio::test]
async fn a_place_that_cannot_hold_a_store_is_refused() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();

    let below_a_file = refused(&folder.path().join("file/deeper/store.db")).await;
    assert!(matches!(below_a_file, OpenError::Folder { .. }), "{below_a_file:?}");
    assert!(below_a_file.to_string().contains("file` is a file, not a folder"), "{below_a_file}");
    assert_eq!(below_a_file.exit_code(), 78);

    let a_folder = refused(folder.path()).await;
    assert!(matches!(a_folder, OpenError::File { .. }), "{a_folder:?}");
    assert!(a_folder.to_string().contains("it is a folder"), "{a_folder}");
    assert_eq!(a_folder.exit_code(), 78);
}
