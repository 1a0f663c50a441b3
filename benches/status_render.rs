//! What `/status` costs once the file was read: to observe and to put into words. No disk, no Discord.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use candor::contract::{Live as _, Presentation};
use candor::modules::status;
use candor::watch::{LiveMetrics, WatchOptions};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

fn main() {
    divan::main();
}

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
