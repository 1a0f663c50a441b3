//! What is old goes, and what is young stays.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::commands::ledger::Bot;
use super::{NOW, Trial, on_every_engine};
use crate::support::bot::PATIENCE;
use candor_core::agent::{ConversationKey, Conversations as _};
use candor_core::contract::{Records as _, WorkspacePath, Workspaces as _};
use candor_core::inbound::{ChannelId, EventId, GuildId, Place, UserId};
use candor_core::record::{Origin, milliseconds};
use candor_core::registration::{Scope, SyncMemory as _};
use candor_core::settings::KeepSettings;
use candor_engine::executor::Ledger as _;
use candor_engine::sampler::{Sample, Samples as _};
use candor_engine::{Aging, Clock, Leases as _, PendingLogins as _, Retention as _, RetentionTask, TrustedTime};
use candor_system::workspace::WorkspaceFolders;

on_every_engine!(
    of_each_kind_what_is_old_goes_in_parts_and_what_is_young_stays,
    no_number_of_a_scope_that_went_comes_back,
    the_time_that_is_believed_is_kept_over_restarts,
);

const HOUR: Duration = Duration::from_hours(1);

async fn of_each_kind_what_is_old_goes_in_parts_and_what_is_young_stays(trial: Trial) {
    let store = trial.open().await;
    let place = |n| Place::Guild { guild: GuildId(n), channel: ChannelId(n) };
    for n in 1..=101 {
        // The newest of all is young.
        let at = NOW + HOUR * u32::from(n == 101) * 2 + Duration::from_millis(n);
        store.claim(EventId(n), at).await.unwrap();
        store.login_made(at).await.unwrap();
        store.keep(at, &Sample::Stale).await.unwrap();
        store.take_lease(&format!("turn:{n}"), Duration::ZERO, at).await.unwrap();
        let key = ConversationKey::new(place(n), UserId(n));
        store.generation(&key).await.unwrap();
        store.choose_model(&key, "small").await.unwrap();
        store.settle(7, Scope::Guild(GuildId(n)), None).await.unwrap();
        store.reserve("tasks", &format!("guild:{n}"), 9).await.unwrap();
    }
    // The host's own clock says when these were used.
    for (table, number) in [
        ("conversations", "\"user\""),
        ("chosen_models", "\"user\""),
        ("registrations", "scope"),
        ("record_scopes", "CAST(substr(scope, 7) AS BIGINT)"),
    ] {
        let ms = format!("{number} + CASE WHEN {number} = 101 THEN 7200000 ELSE 0 END");
        trial.tamper(&format!("UPDATE {table} SET used_ms = {ms}")).await;
    }
    let kinds = [
        (Aging::Claims, "claims", true),
        (Aging::Logins, "logins", false),
        (Aging::Samples, "samples", true),
        (Aging::Leases, "leases", false),
        (Aging::Conversations, "conversations", true),
        (Aging::ChosenModels, "chosen_models", true),
        (Aging::Registrations, "registrations", false),
        (Aging::Scopes, "record_scopes WHERE scope <> ''", true),
    ];
    for (what, table, is_counted) in kinds {
        for (since, n_added) in [(NOW, 101), (NOW + HOUR, 1), (NOW + HOUR * 3, 0)] {
            let expected = if is_counted { n_added } else { 0 };
            assert_eq!(store.added(what, since).await.unwrap(), expected, "{what:?}");
        }
        let before = NOW + HOUR;
        assert_eq!(store.remove_old(what, NOW, before).await.unwrap(), 0, "{what:?}");
        assert_eq!(store.remove_old(what, before, before).await.unwrap(), 100, "{what:?}");
        assert_eq!(store.remove_old(what, before, before).await.unwrap(), 0, "{what:?}");
        assert_eq!(trial.numbers(&format!("SELECT count(*) FROM {table}")).await, [1], "{what:?}");
    }
}

async fn no_number_of_a_scope_that_went_comes_back(trial: Trial) {
    let store = trial.open().await;
    let (quiet, busy) = ("guild:1", "guild:2");
    for scope in [quiet, quiet, quiet, busy] {
        store.add("tasks", scope, &json!("milk"), 9).await.unwrap();
    }
    trial.tamper("UPDATE record_scopes SET used_ms = 1").await;
    assert_eq!(store.remove_old(Aging::Scopes, NOW + HOUR, NOW).await.unwrap(), 0, "they have records");
    for id in 1..=3 {
        store.remove("tasks", quiet, id).await.unwrap();
    }
    assert_eq!(store.remove_old(Aging::Scopes, NOW + HOUR, NOW).await.unwrap(), 1);
    assert_eq!(store.add("tasks", quiet, &json!("bread"), 9).await.unwrap(), 4);
    assert_eq!(store.add("tasks", busy, &json!("bread"), 9).await.unwrap(), 2);
}

#[tokio::test]
async fn who_used_a_direct_message_is_forgotten_once_nothing_is_kept_there_and_nobody_comes_back() {
    let trial = Trial::on_sqlite();
    struct MuchLater;
    impl Clock for MuchLater {
        fn now(&self) -> SystemTime {
            NOW + KeepSettings::default().receipts + HOUR
        }
    }

    let (bot, folder) = (Bot::new(&trial).await, tempfile::tempdir().unwrap());
    let (store, files) = (&bot.store, Arc::new(WorkspaceFolders::below(folder.path())));
    let direct = |channel| Place::Direct { channel: ChannelId(channel) };
    let [unused, with_records, with_files, used_by_another] = [1, 2, 3, 4].map(direct);
    for (event, place) in (1..).zip([unused, with_records, with_files, used_by_another]) {
        bot.run_for(Origin::Person, event, UserId(7), place, "note").await.unwrap();
    }
    store.add("tasks", &with_records.scope(), &json!("tea"), 9).await.unwrap();
    files.write(with_files, &WorkspacePath::of_file("a.txt").unwrap(), b"words", None).await.unwrap();
    trial.tamper("UPDATE direct_places SET used_ms = 0").await;
    let also = "INSERT INTO direct_places (place, \"user\", used_ms) VALUES";
    let (place, later) = (used_by_another.key(), milliseconds(MuchLater.now()));
    trial.tamper(&format!("{also} ('{place}', 8, {later})")).await;

    store.keep_trusted_time(TrustedTime { at: MuchLater.now(), held: None }).await.unwrap();
    let (keep, stop) = (KeepSettings::default(), CancellationToken::new());
    let task = RetentionTask { store: store.clone(), files, keep, clock: Arc::new(MuchLater) };
    let running = tokio::spawn(task.run(stop.clone()));
    // Where something is kept, it is looked at again after as long a time.
    let end = Instant::now() + PATIENCE;
    while !store.unused_places(MuchLater.now()).await.unwrap().is_empty() {
        assert!(Instant::now() < end);
        sleep(Duration::from_millis(5)).await;
    }
    stop.cancel();
    running.await.unwrap();
    let left =
        trial.numbers("SELECT CAST(substr(place, 4) AS BIGINT) FROM direct_places ORDER BY place, \"user\"").await;
    assert_eq!(left, [2, 3, 4, 4]);
}

async fn the_time_that_is_believed_is_kept_over_restarts(trial: Trial) {
    let mut store = trial.open().await;
    assert_eq!(store.trusted_time().await.unwrap(), None);
    for held in [None, Some(Duration::ZERO), Some(HOUR), None] {
        let trusted = TrustedTime { at: NOW + HOUR, held };
        store.keep_trusted_time(trusted).await.unwrap();
        store = trial.restart(store).await;
        assert_eq!(store.trusted_time().await.unwrap(), Some(trusted));
    }
}
