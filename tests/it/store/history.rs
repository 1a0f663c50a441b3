//! Samples of the metrics and live messages, on real files.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::{Trial, on_every_engine};
use candor_core::contract::History as _;
use candor_core::inbound::{
    CallMethod, Caller, ChannelId, CommandType, EventId, GuildId, Interaction, Member, Permissions, Place, RoleId,
    UserId,
};
use candor_core::language::Language;
use candor_engine::sampler::{Sample, SampledHistory, Samples as _};
use candor_engine::{Aging, LiveMessage, LiveMessages as _, Retention as _};
use candor_store::Database;

on_every_engine!(
    samples_read_back_as_they_were_also_after_a_restart,
    l11_a_producer_with_ever_new_keys_is_refused_until_old_ones_are_gone,
    every_sample_is_visited_once_however_many_there_are,
    a_clock_that_was_set_back_overwrites_what_it_said_before,
    the_past_has_gaps_and_stale_stretches_where_they_were,
    a_channel_has_one_live_message_and_it_is_remembered_over_restarts,
);

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
}

fn figures(figures: &[(&str, f64)]) -> Sample {
    Sample::Figures(figures.iter().map(|&(key, number)| (key.to_owned(), number)).collect())
}

/// Everything that is kept between two moments.
async fn all(store: &Database, from: SystemTime, until: SystemTime) -> Vec<(SystemTime, Sample)> {
    let mut found = Vec::new();
    let mut visit = |at, kept: candor_engine::sampler::Sampled<'_>| {
        let sample = kept.map(|(keys, numbers)| Sample::Figures(keys.iter().cloned().zip(numbers.to_vec()).collect()));
        found.push((at, sample.unwrap_or(Sample::Stale)));
    };
    store.each(from, until, &mut visit).await.unwrap();
    found
}

async fn samples_read_back_as_they_were_also_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    let samples = [
        (at(0), figures(&[("cpu.usage_percent", 12.5), ("uptime", f64::MAX)])),
        (at(30), Sample::Stale),
        (at(60), figures(&[("cpu.usage_percent", -0.0), ("uptime", 5e-324)])),
        (at(90), figures(&[("other", 1.0)])),
        (at(120), figures(&[])),
    ];
    for (at, sample) in &samples {
        store.keep(*at, sample).await.unwrap();
    }
    let store = trial.restart(store).await;
    assert_eq!(all(&store, at(0), at(120)).await, samples);
    assert_eq!(all(&store, at(30), at(60)).await, samples[1..3]);
    assert_eq!(all(&store, at(121), at(9_999)).await, []);
}

async fn l11_a_producer_with_ever_new_keys_is_refused_until_old_ones_are_gone(trial: Trial) {
    let store = trial.open().await;
    let sample = |n: u64| figures(&[(&format!("metric {n}"), 1.0)]);
    for n in 0..100 {
        store.keep(at(n), &sample(n)).await.unwrap();
    }
    let refused = store.keep(at(100), &sample(100)).await.unwrap_err();
    assert!(refused.to_string().contains("100 different sets of keys"), "{refused}");
    store.keep(at(101), &sample(7)).await.unwrap();
    store.keep(at(102), &Sample::Stale).await.unwrap();
    assert_eq!(trial.numbers("SELECT count(*) FROM sample_layouts").await, [100]);

    // A set of keys goes with its last sample.
    assert_eq!(store.remove_old(Aging::Samples, at(1), at(200)).await.unwrap(), 1);
    store.keep(at(103), &sample(100)).await.unwrap();
    assert!(store.keep(at(104), &sample(101)).await.is_err());
}

async fn every_sample_is_visited_once_however_many_there_are(trial: Trial) {
    let store = trial.open().await;
    // More than are read at once.
    for n in 0..1_003_u32 {
        let sample =
            if n % 3 == 0 { Sample::Stale } else { figures(&[(&format!("metric {}", n / 400), f64::from(n))]) };
        store.keep(at(n.into()), &sample).await.unwrap();
    }
    let found = all(&store, at(1), at(1_001)).await;
    assert_eq!(found.len(), 1_001);
    for (number, (when, sample)) in (1_u32..).zip(found) {
        let name = format!("metric {}", number / 400);
        let expected = if number % 3 == 0 { Sample::Stale } else { figures(&[(&name, f64::from(number))]) };
        assert_eq!((when, sample), (at(number.into()), expected));
    }
}

async fn a_clock_that_was_set_back_overwrites_what_it_said_before(trial: Trial) {
    let store = trial.open().await;
    store.keep(at(0), &figures(&[("load", 1.0)])).await.unwrap();
    store.keep(at(0), &Sample::Stale).await.unwrap();
    assert_eq!(all(&store, at(0), at(0)).await, [(at(0), Sample::Stale)]);
}

async fn the_past_has_gaps_and_stale_stretches_where_they_were(trial: Trial) {
    let store = trial.open().await;
    for second in (0..600).step_by(30) {
        store.keep(at(second), &figures(&[("load", 1.0)])).await.unwrap();
    }
    for second in (1_800..2_400).step_by(30) {
        store.keep(at(second), &Sample::Stale).await.unwrap();
    }
    store.keep(at(2_400), &figures(&[("load", 2.0), ("new", 3.0)])).await.unwrap();
    let history = SampledHistory::new(Arc::new(store), Duration::from_secs(30));
    let past = history.between(at(0), at(3_600)).await.unwrap();
    assert_eq!(past.stale, [(at(1_800), at(2_400))]);
    let told: Vec<_> =
        past.metrics.iter().map(|metric| (metric.key.as_str(), metric.points.len(), metric.last)).collect();
    assert_eq!(told, [("load", 21, 2.0), ("new", 1, 3.0)]);
    assert!(past.gap < Duration::from_secs(1_800));
}

fn live(channel: u64, message: u64) -> LiveMessage {
    let member = Member { roles: vec![RoleId(u64::MAX), RoleId(2)], permissions: Some(Permissions(8)) };
    let language = Language::of_locale("de").unwrap();
    let caller = Caller { language, member: Some(member), ..Caller::new(UserId(7), "") };
    let arguments = json!({ "live": true, "range": "1h" });
    let interaction = Interaction {
        // However it was called: nobody chooses a refresh in the picker.
        method: CallMethod::Pressed,
        command_type: CommandType::Slash,
        id: EventId(1 << 63),
        caller,
        place: Place::Guild { guild: GuildId(1), channel: ChannelId(channel) },
        path: vec!["status".to_owned()],
        arguments: arguments.as_object().unwrap().clone(),
        target: None,
        sent: at(0),
    };
    LiveMessage { message, interaction }
}

async fn a_channel_has_one_live_message_and_it_is_remembered_over_restarts(trial: Trial) {
    let store = trial.open().await;
    for kept in [live(3, 30), live(4, 40), live(3, 31)] {
        store.remember(&kept).await.unwrap();
    }
    let store = trial.restart(store).await;
    assert_eq!(store.remembered().await.unwrap(), [live(3, 31), live(4, 40)]);
    // The one that was replaced ends without taking the new one with it.
    store.forget(&live(3, 30)).await.unwrap();
    store.forget(&live(4, 40)).await.unwrap();
    assert_eq!(store.remembered().await.unwrap(), [live(3, 31)]);
}
