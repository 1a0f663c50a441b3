//! Tests that need the tables themselves: the removal of old turns, and rows that this program did not write.

use std::path::Path;
use std::time::UNIX_EPOCH;

use sqlx::query_scalar;

use super::*;
use candor_core::inbound::ChannelId;

const ANN: UserId = UserId(1);
const HERE: Place = Place::Direct { channel: ChannelId(2) };

async fn keep(store: &Sqlite, at: SystemTime) -> TurnId {
    store.keep(ANN, HERE, at, &TurnRecord::default()).await.unwrap()
}

async fn open(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("store.db")).await.unwrap()
}

#[tokio::test]
async fn old_turns_are_removed_with_their_messages_and_their_numbers_do_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let later = UNIX_EPOCH + TURNS_KEPT;
    for number in 1..TURNS_BETWEEN_REMOVALS {
        // The last two of them are exactly as old as may be.
        let age = if number < TURNS_BETWEEN_REMOVALS - 2 { Duration::from_millis(1) } else { Duration::ZERO };
        let turn = keep(&store, later - age).await;
        store.shown(turn, &[1_000 + number]).await.unwrap();
    }
    let last = keep(&store, later + TURNS_KEPT).await;
    assert_eq!(last, TurnId(TURNS_BETWEEN_REMOVALS));

    let turns: Vec<i64> = query_scalar("SELECT number FROM turns").fetch_all(&store.readers).await.unwrap();
    assert_eq!(turns, [98, 99, 100]);
    let messages: Vec<i64> = query_scalar("SELECT message FROM turn_messages").fetch_all(&store.readers).await.unwrap();
    assert_eq!(messages, [1_098, 1_099]);

    query("DELETE FROM turns").execute(&store.writer).await.unwrap();
    assert_eq!(keep(&store, later).await, TurnId(TURNS_BETWEEN_REMOVALS + 1));
}

#[tokio::test]
async fn a_row_that_says_nothing_known_is_an_error_and_not_another_turn() {
    for (change, column) in [
        ("UPDATE turns SET record = '{\"calls\": 7}'", "record"),
        ("UPDATE turns SET record = ''", "record"),
        ("UPDATE turns SET place = 'nowhere'", "place"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        let turn = keep(&store, UNIX_EPOCH).await;
        query(change).execute(&store.writer).await.unwrap();
        let refused = store.turn(turn).await.unwrap_err().to_string();
        let expected = format!("a turn's {column} says nothing this program has ever written");
        assert!(refused.ends_with(&expected), "{change}: {refused}");
    }
}

#[tokio::test]
async fn a_record_of_an_older_or_newer_version_reads_with_what_is_known_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let turn = keep(&store, UNIX_EPOCH).await;
    let change =
        "UPDATE turns SET record = '{\"model\": \"small\", \"mood\": \"good\", \"calls\": [{\"tool\": \"status\"}]}'";
    query(change).execute(&store.writer).await.unwrap();
    let record = store.turn(turn).await.unwrap().unwrap().record;
    let call = candor_core::record::CallRecord { tool: "status".to_owned(), ..Default::default() };
    assert_eq!(record, TurnRecord { model: "small".to_owned(), calls: vec![call], ..TurnRecord::default() });
}
