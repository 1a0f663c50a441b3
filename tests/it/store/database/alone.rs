//! Whether a process is alone on a file, with another real process beside it.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::store::NOW;
use crate::support::bot::Folder;
use candor_engine::LeftOpen;
use candor_engine::executor::Ledger as _;
use candor_store::Database;

#[tokio::test]
async fn a_process_that_began_beside_another_is_seen_by_the_next_one_until_it_ends() {
    let folder = Folder::empty();
    let file = folder.path().join("data/candor.db");
    let first = Database::open_file(&file).await.unwrap();
    assert!(first.was_alone());

    let mut console = folder.candor(&["console"]);
    let mut other = console.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut banner = String::new();
    BufReader::new(other.stdout.as_mut().unwrap()).read_line(&mut banner).unwrap();
    first.close().await;
    let next = Database::open_file(&file).await.unwrap();
    assert!(!next.was_alone(), "{banner}");

    // At the end of its input it ends.
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    assert_eq!(next.open_intents(LeftOpen::all(NOW, Duration::ZERO)).await.unwrap(), []);
    assert!(next.was_alone());
    next.close().await;
}
