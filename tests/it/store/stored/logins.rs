//! Logins of which no session came: counted over restarts, by every process.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_engine::PendingLogins as _;

on_every_engine!(a_login_counts_until_a_session_comes);

async fn a_login_counts_until_a_session_comes(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    let at = |seconds| NOW + Duration::from_secs(seconds);
    for seconds in [100_000, 100_005, 100_010] {
        first.login_made(at(seconds)).await.unwrap();
    }
    assert_eq!(second.pending_logins(at(100_005)).await.unwrap(), [at(100_005), at(100_010)]);
    second.login_succeeded(at(100_005)).await.unwrap();
    assert_eq!(first.pending_logins(NOW).await.unwrap(), [at(100_000), at(100_010)]);
    second.login_made(at(186_405)).await.unwrap();
    assert_eq!(first.pending_logins(at(100_001)).await.unwrap(), [at(100_010), at(186_405)]);
}
