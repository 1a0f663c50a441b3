//! Requests that Discord refused: counted over restarts, and together by every process.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_engine::RefusedRequests as _;
use candor_store::Database;

on_every_engine!(refusals_of_every_process_count_for_ten_minutes, what_processes_add_at_once_is_all_there);

/// Adds so many at this second after [`NOW`], and says how many of each minute count then.
async fn add(store: &Database, n: u64, second: u64) -> Vec<u64> {
    let counted = store.add_refused(n, NOW + Duration::from_secs(second)).await.unwrap();
    counted.into_iter().map(|minute| minute.n).collect()
}

async fn refusals_of_every_process_count_for_ten_minutes(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    // NOW is on the minute or within one: whole minutes from it are in minutes of their own.
    assert_eq!(add(&first, 3, 0).await, [3]);
    assert_eq!(add(&second, 4, 0).await, [7]);
    assert_eq!(add(&first, 0, 60).await, [7], "nothing is added, and all is told");
    assert_eq!(add(&first, 1, 120).await, [7, 1]);
    first.close().await;
    assert_eq!(add(&second, 0, 540).await, [7, 1]);
    assert_eq!(add(&second, 0, 665).await, [1], "ten minutes after its minute ended");
    assert_eq!(add(&second, 2, 3_600).await, [2]);
    assert_eq!(add(&second, 0, 120).await, [0; 0], "a clock that was wrong");
}

async fn what_processes_add_at_once_is_all_there(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    let add_some = async |store: &Database| {
        for _ in 0..20 {
            add(store, 3, 0).await;
        }
    };
    tokio::join!(add_some(&first), add_some(&second));
    assert_eq!(add(&first, 0, 0).await, [120]);
}
