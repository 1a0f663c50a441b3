//! What `/status` costs once the file was read: to observe, to put into words and to draw. No disk, no Discord.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use candor_core::contract::{Live as _, Presentation};
use candor_core::reply::chart::svg;
use candor_core::reply::{Chart, Series};
use candor_modules::status;
use candor_system::chart_png::png;
use candor_system::watch::{LiveMetrics, WatchOptions};

/// A metrics file with this many groups of ten metrics each.
fn live(n_groups: usize) -> (TempDir, LiveMetrics) {
    let group: Map<_, _> = (0..10).map(|n| (format!("metric_{n}_bytes"), json!(n * 1_000_000))).collect();
    let groups: Map<_, _> = (0..n_groups).map(|n| (format!("group_{n}"), Value::Object(group.clone()))).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("metrics.json");
    fs::write(&file, Value::Object(groups).to_string()).expect("a written file");
    let generated_at = "generated_at".to_owned();
    let presentation = Presentation { generated_at, stale_after: Duration::from_secs(60), metrics: BTreeMap::new() };
    let live = LiveMetrics::start(&file, presentation, WatchOptions::default()).expect("a thread");
    (folder, live)
}

#[divan::bench]
fn observe(bencher: divan::Bencher<'_, '_>) {
    let (_folder, live) = live(5);
    bencher.bench(|| live.observe());
}

#[divan::bench(args = [1, 5, 100])]
fn render(bencher: divan::Bencher<'_, '_>, n_groups: usize) {
    let (_folder, live) = live(n_groups);
    let now = SystemTime::now();
    bencher.bench(|| status::render(&live.observe(), live.presentation(), None, now).is_ok());
}

/// A chart with this many metrics of 400 points each.
fn chart(n_series: usize) -> Chart {
    let until = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let from = until - Duration::from_secs(86_400);
    let at = |n: u32| from + Duration::from_secs(216) * n;
    let series = Series {
        label: "CPU".to_owned(),
        unit: "%".to_owned(),
        summary: "min 0 % · max 96 % · last 12 %".to_owned(),
        samples: (0..400).map(|n| (at(n), f64::from(n * 7 % 97))).collect(),
        spread: (0..400).map(|n| (f64::from(n * 7 % 97) - 5.0, f64::from(n * 7 % 97) + 5.0)).collect(),
        gap: Duration::from_secs(432),
        thresholds: vec![80.0],
    };
    let (title, alt_text) = ("Status, last 24 hours".to_owned(), "CPU".to_owned());
    Chart { title, from, until, series: vec![series; n_series], stale: vec![(at(10), at(50))], alt_text, png: None }
}

/// From the chart to the file that Discord is sent.
#[divan::bench(args = [1, 4])]
fn draw(bencher: divan::Bencher<'_, '_>, n_series: usize) {
    let chart = chart(n_series);
    bencher.bench(|| png(&svg(&chart)).is_ok());
}
