//! An event is claimed once.

use std::sync::Arc;

use super::{NOW, restart, store};
use candor::host::executor::Ledger as _;
use candor_core::inbound::EventId;

#[tokio::test]
async fn a_claimed_event_is_not_claimed_again_after_a_restart() {
    let (folder, store) = store().await;
    for event in [0, 1, u64::MAX] {
        assert!(store.claim(EventId(event), NOW).await.unwrap().is_some(), "{event}");
    }
    let store = restart(&folder, store).await;
    for event in [0, 1, u64::MAX] {
        assert_eq!(store.claim(EventId(event), NOW).await.unwrap(), None, "{event}");
    }
    assert_eq!(store.claim(EventId(2), NOW).await.unwrap(), Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_claims_of_one_event_one_is_won() {
    let (_folder, store) = store().await;
    let store = Arc::new(store);
    let claims: Vec<_> = (0..50)
        .map(|_delivery| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.claim(EventId(7), NOW).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for claim in claims {
        won += usize::from(claim.await.unwrap().is_some());
    }
    assert_eq!(won, 1);
}
