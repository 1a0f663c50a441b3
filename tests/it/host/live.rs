//! The live metrics with real files: however a file is written, what is shown is whole and true.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use notify::{RecursiveMode, Watcher as _};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use candor_core::contract::{FileTrouble, Live as _, Observation, Presentation};
use candor_core::inbound::EventId;
use candor_core::reply::Reply;
use candor_core::settings::{Settings, StoreSettings};
use candor_engine::executor::Ledger as _;
use candor_modules::status;
use candor_store::Database;
use candor_system::host_metrics::HostMetrics;
use candor_system::watch::{FILE_SIZE_MAX, Hints, LiveMetrics, WatchOptions};

type Seen = Observation<Map<String, Value>>;
type Write = fn(&Path, u64);

/// Longer than any of this takes. Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// The tick never comes: whatever is seen was reported by the kernel.
const REPORTS_ONLY: WatchOptions = WatchOptions { tick: Duration::from_secs(3600), hints: Hints::Kernel };
const TICK_ONLY: WatchOptions = WatchOptions { tick: Duration::from_millis(10), hints: Hints::TickOnly };
const BOTH: WatchOptions = WatchOptions { tick: Duration::from_millis(20), hints: Hints::Kernel };

fn presentation() -> Presentation {
    let generated_at = "generated_at".to_owned();
    Presentation { generated_at, stale_after: Duration::from_secs(60), metrics: [].into() }
}

fn watch(file: &Path, options: WatchOptions) -> LiveMetrics {
    LiveMetrics::start(file, presentation(), options).unwrap()
}

#[track_caller]
fn wait(live: &LiveMetrics, what: &str, condition: impl Fn(&Seen) -> bool) -> Arc<Seen> {
    let seen = live.file().wait_until(PATIENCE, condition);
    seen.unwrap_or_else(|| panic!("never came: {what}; now {:?}", live.observe()))
}

/// Waits until the file is good and says this number.
#[track_caller]
fn wait_for_number(live: &LiveMetrics, n: u64) {
    wait(live, &format!("number {n}"), |seen| number(seen) == Some(n) && seen.trouble.is_none());
}

fn number(seen: &Seen) -> Option<u64> {
    seen.good.as_ref()?.value.get("n")?.as_u64()
}

/// A document that can be told from every part and mixture of documents.
fn document(n: u64) -> String {
    let pad = "p".repeat(pad_length(n));
    json!({ "n": n, "copy": n, "pad": pad }).to_string()
}

fn pad_length(n: u64) -> usize {
    usize::try_from(n % 50).unwrap() * 400
}

fn is_whole(content: &Map<String, Value>) -> bool {
    let number = |key| content.get(key).and_then(Value::as_u64);
    let pad = content.get("pad").and_then(Value::as_str);
    number("n").is_some_and(|n| number("copy") == Some(n) && pad.map(str::len) == Some(pad_length(n)))
}

fn write_in_place(file: &Path, n: u64) {
    fs::write(file, document(n)).unwrap();
}

fn rename_over(file: &Path, n: u64) {
    let new = file.with_extension("new");
    fs::write(&new, document(n)).unwrap();
    fs::rename(new, file).unwrap();
}

fn delete_and_create(file: &Path, n: u64) {
    fs::remove_file(file).unwrap();
    fs::write(file, document(n)).unwrap();
}

/// As Kubernetes updates a ConfigMap: the file's own name never changes what it points to.
fn swap_data_folder(file: &Path, n: u64) {
    let folder = file.parent().unwrap();
    let version = folder.join(format!("..version-{n}"));
    fs::create_dir(&version).unwrap();
    fs::write(version.join("metrics.json"), document(n)).unwrap();
    symlink(version.file_name().unwrap(), folder.join("..data_tmp")).unwrap();
    let before = fs::read_link(folder.join("..data")).ok();
    fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
    if let Some(before) = before {
        fs::remove_dir_all(folder.join(before)).unwrap();
    }
    if !file.is_symlink() {
        fs::remove_file(file).ok();
        symlink("..data/metrics.json", file).unwrap();
    }
}

/// Another folder takes the place of the watched one.
fn swap_folder(file: &Path, n: u64) {
    let folder = file.parent().unwrap();
    let (new, old) = (folder.with_extension("new"), folder.with_extension(format!("old-{n}")));
    fs::create_dir(&new).unwrap();
    fs::write(new.join("metrics.json"), document(n)).unwrap();
    fs::rename(folder, old).unwrap();
    fs::rename(new, folder).unwrap();
}

/// The file is a link into a folder that is not watched.
fn rename_behind_a_link(file: &Path, n: u64) {
    let elsewhere = file.parent().unwrap().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    rename_over(&elsewhere.join("target.json"), n);
    if !file.is_symlink() {
        fs::remove_file(file).ok();
        symlink("elsewhere/target.json", file).unwrap();
    }
}

#[test]
fn every_way_to_write_is_seen_every_time() {
    let ways: [(&str, Write); 6] = [
        ("in place", write_in_place),
        ("rename", rename_over),
        ("delete and create", delete_and_create),
        ("data folder", swap_data_folder),
        ("behind a link", rename_behind_a_link),
        ("folder", swap_folder),
    ];
    for (name, write) in ways {
        for options in [REPORTS_ONLY, TICK_ONLY] {
            let root = TempDir::new().unwrap();
            let file = root.path().join("data/metrics.json");
            fs::create_dir(root.path().join("data")).unwrap();
            fs::write(&file, document(0)).unwrap();
            // The first writing turns the file into a link where the way needs one.
            write(&file, 1);
            let live = watch(&file, options);
            assert_eq!(number(&live.observe()), Some(1), "{name}: read before `start` returned");
            for n in 2..=4 {
                write(&file, n);
                wait_for_number(&live, n);
            }
        }
    }
}

#[test]
fn a_burst_of_torn_and_empty_writes_never_shows_a_part() {
    for options in [REPORTS_ONLY, TICK_ONLY] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("metrics.json");
        fs::write(&file, document(0)).unwrap();
        let live = watch(&file, options);
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 1..=1_000 {
                    write_badly(&file, n);
                    // Now and then the writer rests, as writers do, until its work has been seen.
                    if n % 100 == 0 {
                        wait_for_number(&live, n);
                    }
                }
            });
            while !writer.is_finished() {
                let good = live.observe().good.expect("a good content never goes away");
                assert!(is_whole(&good.value), "{:?}", good.value);
            }
        });
        assert_eq!(number(&live.observe()), Some(1_000));
    }
}

/// One of the ways in which programs write a file that others read.
fn write_badly(path: &Path, n: u64) {
    let text = document(n);
    let (start, rest) = text.as_bytes().split_at(text.len() / 2);
    match n % 4 {
        0 => {
            let mut file = File::create(path).unwrap();
            file.write_all(start).unwrap();
            file.write_all(rest).unwrap();
        }
        1 => {
            File::create(path).unwrap();
            fs::write(path, &text).unwrap();
        }
        2 => {
            fs::write(path, "{\"n\": ").unwrap();
            rename_over(path, n);
        }
        _ => fs::write(path, &text).unwrap(),
    }
}

#[test]
fn a_content_that_says_nothing_valid_leaves_the_last_good_one() {
    let too_large = format!("{{\"pad\": \"{}\"}}", "x".repeat(usize::try_from(FILE_SIZE_MAX).unwrap()));
    let nested = format!("{}1{}", "{\"a\":".repeat(33), "}".repeat(33));
    let cases: [(&[u8], &str); 8] = [
        (b"", "the file is empty"),
        (too_large.as_bytes(), "it is larger than 1048576 bytes (1024 KiB)"),
        (b"{\"n\": 1, \"n\": 2}", "line 1, column 12: the key `n` is there twice"),
        (b"{\n\"load\": NaN}", "line 2, column 9: `NaN` is not JSON: leave the key out, or write `null`"),
        (nested.as_bytes(), "line 1, column 161: more than 32 objects and arrays within each other"),
        (b"{\"n\": 1e999}", "line 1, column 11: this number is too large for any reader to keep"),
        (b"[1]", "line 1, column 1: invalid type: sequence, expected a JSON object, `{ ... }`"),
        (b"{\"n\": 1", "line 1, column 7: EOF while parsing an object"),
    ];
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("metrics.json");
    write_in_place(&file, 7);
    let live = watch(&file, REPORTS_ONLY);
    let mut first = None;
    for (bytes, expected) in cases {
        fs::write(&file, bytes).unwrap();
        let seen = wait(
            &live,
            expected,
            |seen| matches!(&seen.trouble, Some(FileTrouble::Invalid { problem, .. }) if problem == expected),
        );
        assert_eq!(number(&seen), Some(7), "{expected}");
        let Some(FileTrouble::Invalid { since, .. }) = seen.trouble else { unreachable!() };
        assert_eq!(*first.get_or_insert(since), since, "one trouble has one beginning, whatever the problem");
    }
    fs::write(&file, format!("\u{feff}{}", document(8))).unwrap();
    wait_for_number(&live, 8);
}

#[test]
fn a_missing_file_is_missing_until_it_comes_and_its_folder_too() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("not/yet");
    let file = folder.join("metrics.json");
    let live = watch(&file, BOTH);
    let seen = live.observe();
    assert!(seen.good.is_none() && matches!(seen.trouble, Some(FileTrouble::Missing { .. })), "{seen:?}");
    for n in 1..=3 {
        fs::create_dir_all(&folder).unwrap();
        write_in_place(&file, n);
        wait_for_number(&live, n);
        fs::remove_dir_all(root.path().join("not")).unwrap();
        let seen = wait(&live, "missing", |seen| matches!(seen.trouble, Some(FileTrouble::Missing { .. })));
        assert_eq!(number(&seen), Some(n), "the last good content stays");
    }
}

#[test]
fn a_folder_that_comes_back_is_listened_to_again() {
    let root = TempDir::new().unwrap();
    let folder = root.path().join("data");
    let file = folder.join("metrics.json");
    // The tick finds the folder again; it is too slow to be what finds the changes after that.
    let live = watch(&file, WatchOptions { tick: Duration::from_secs(3), hints: Hints::Kernel });
    fs::create_dir_all(&folder).unwrap();
    write_in_place(&file, 1);
    wait_for_number(&live, 1);
    for n in 2..=12 {
        rename_over(&file, n);
        let at_most = Duration::from_millis(2_900);
        let seen = live.file().wait_until(at_most, |seen| number(seen) == Some(n));
        assert!(seen.is_some(), "{n} was found by the tick or not at all");
    }
}

#[test]
fn the_same_content_written_again_is_newer() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("metrics.json");
    write_in_place(&file, 1);
    let live = watch(&file, REPORTS_ONLY);
    let before = live.observe().good.unwrap();
    let later = UNIX_EPOCH + Duration::from_secs(2_000_000_000);
    File::open(&file).unwrap().set_modified(later).unwrap();
    let seen = wait(&live, "a newer time", |seen| seen.good.as_ref().is_some_and(|good| good.modified == later));
    assert!(Arc::ptr_eq(&before.value, &seen.good.as_ref().unwrap().value), "and is not parsed again");
}

#[test]
fn what_is_not_a_file_is_invalid() {
    let folder = TempDir::new().unwrap();
    let live = watch(folder.path(), REPORTS_ONLY);
    let Some(FileTrouble::Invalid { problem, .. }) = live.observe().trouble else { panic!("{:?}", live.observe()) };
    assert_eq!(problem, "it is not a regular file");
}

fn status_of(live: &LiveMetrics, metric: Option<&str>) -> Reply {
    status::render(&live.observe(), live.presentation(), metric, SystemTime::now()).unwrap()
}

#[test]
fn a_producers_clock_that_is_ahead_is_a_clock_problem_and_never_fresh() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("metrics.json");
    fs::write(&file, json!({ "generated_at": "2999-01-01T00:00:00Z", "load": 0.5 }).to_string()).unwrap();
    let state = status_of(&watch(&file, TICK_ONLY), None).state.unwrap();
    assert!(state.starts_with("clock problem: written at 00:00:00 UTC, "), "{state}");
    assert!(state.ends_with(" ahead of this machine's clock"), "{state}");
}

#[test]
fn the_hosts_own_figures_are_written_watched_and_shown() {
    let folder = TempDir::new().unwrap();
    let file: PathBuf = folder.path().join("data/metrics.json");
    let live = watch(&file, BOTH);
    let producer = HostMetrics::start(&file, folder.path(), Duration::from_millis(50), "generated_at").unwrap();
    let first = wait(&live, "figures", |seen| seen.good.is_some()).good.clone().unwrap();
    let get = |pointer: &str| Value::Object((*first.value).clone()).pointer(pointer).and_then(Value::as_f64);
    let within = |pointer: &str, least: f64, most: f64| {
        let figure = get(pointer).unwrap_or_else(|| panic!("no {pointer} in {:?}", first.value));
        assert!((least..=most).contains(&figure), "{pointer} is {figure}");
    };
    within("/cpu/usage_percent", 0.0, 100.0);
    within("/cpu/cores", 1.0, 65_536.0);
    within("/memory/total_bytes", 1e6, 1e16);
    within("/memory/used_bytes", 1e5, get("/memory/total_bytes").unwrap());
    within("/load/one", 0.0, 1e6);
    within("/load/fifteen", 0.0, 1e6);
    within("/uptime_seconds", 1.0, 1e10);
    within("/network/received_bytes", 0.0, 1e18);

    let reply = status_of(&live, None);
    assert!(reply.state.as_deref().is_some_and(|state| state.starts_with("fresh · ")), "{reply:?}");
    let memory = status_of(&live, Some("memory")).fields;
    assert!(matches!(&memory[..], [field] if field.value.contains(" of ") && field.value.ends_with('B')), "{memory:?}");

    let written = first.value.get("generated_at").cloned();
    wait(&live, "the next figures", |seen| seen.good.as_ref().unwrap().value.get("generated_at").cloned() != written);
    drop(producer);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside the file");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_store_writes_does_not_wake_whoever_watches_the_metrics() {
    let folder = TempDir::new().unwrap();
    let settings = Settings::default();
    let StoreSettings::File(database) = &settings.store else { panic!("{:?}", settings.store) };
    let (database, metrics) = (folder.path().join(database), folder.path().join(&settings.status.file));
    fs::create_dir_all(metrics.parent().unwrap()).unwrap();
    let (woken, heard) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(woken).unwrap();
    watcher.watch(metrics.parent().unwrap(), RecursiveMode::NonRecursive).unwrap();

    let store = Database::open_file(&database).await.unwrap();
    for event in 0..50 {
        assert!(store.claim(EventId(event), SystemTime::now()).await.unwrap());
    }
    store.close().await;
    fs::write(&metrics, "{}").unwrap();
    // Events come in their order: the first one is that of the metrics.
    let first = heard.recv_timeout(PATIENCE).unwrap().unwrap();
    assert_eq!(first.paths, [metrics]);
}
