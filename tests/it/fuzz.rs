//! The bodies of the fuzz targets, for a bounded time: every file of their corpus, and changes of those. The changes are
//! the same in every run; cargo-fuzz goes on where they end (tests/fuzz/README.md).

#[path = "../fuzz/bodies.rs"]
#[expect(unreachable_pub, reason = "public in the crate of the targets")]
mod bodies;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use bodies::BODIES;
use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// How long each target goes on, and how many changes it makes at most.
const AT_MOST: Duration = Duration::from_secs(5);
const CHANGES: usize = 3_000;

/// What is put into a text somewhere: what breaks parsers, clocks, lines and messages.
const HOSTILE: [&str; 36] = [
    "9999-12-31T23:59:59-23:59",
    "1e308",
    "-1e308",
    "-0",
    "18446744073709551615",
    "-9223372036854775808",
    "99999999999999",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"\\u0000\"",
    "\\ud800",
    "[[[[[[[[[[[[[[[[",
    "{\"a\":",
    "\n",
    "\r",
    "\0",
    "\u{202e}",
    "\u{200b}",
    "\u{2028}",
    "👩\u{200d}💻",
    "ß",
    "```",
    "`",
    "-# ",
    ">>> ",
    "</status:1>",
    "<:x:1>",
    "](http://x)",
    "/status",
    "／",
    " · 1 ms",
    "generated · ",
    "\u{fffd}",
];

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// One of these with a few changes.
fn changed(seeds: &[Vec<u8>], rng: &mut TestRng) -> Vec<u8> {
    let mut below = |n: usize| usize::try_from(rng.next_u64()).unwrap() % n.max(1);
    let mut bytes = seeds[below(seeds.len())].clone();
    for _ in 0..=below(4) {
        let (from, until) = (below(bytes.len() + 1), below(bytes.len() + 1));
        let (from, until) = (from.min(until), from.max(until));
        match below(7) {
            0 => drop(bytes.splice(from..from, HOSTILE[below(HOSTILE.len())].bytes())),
            1 => drop(bytes.splice(from..until.min(from + 24), HOSTILE[below(HOSTILE.len())].bytes())),
            2 => drop(bytes.drain(from..until.min(from + 16))),
            3 => bytes.truncate(until),
            4 if from < bytes.len() => bytes[from] ^= 1 << below(8),
            5 => {
                let part = bytes[from..until.min(from + 64)].to_vec();
                drop(bytes.splice(until..until, part));
            }
            _ => {
                let other = &seeds[below(seeds.len())];
                let at = below(other.len() + 1);
                drop(bytes.splice(from..from, other[at..other.len().min(at + 32)].iter().copied()));
            }
        }
    }
    bytes
}

fn hold(target: &str) {
    let (_, body) = BODIES.into_iter().find(|(name, _)| *name == target).unwrap();
    let (seeds, end) = (corpus(target), Instant::now() + AT_MOST);
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let changes = std::iter::repeat_with(|| changed(&seeds, &mut rng)).take(CHANGES);
    for bytes in seeds.iter().cloned().chain(changes).take_while(|_| Instant::now() < end) {
        let held = catch_unwind(AssertUnwindSafe(|| body(&bytes)));
        assert!(held.is_ok(), "{target} breaks on {:?}", String::from_utf8_lossy(&bytes));
    }
}

/// A test for each target, and that none is left out.
macro_rules! targets {
    ($($target:ident),* $(,)?) => {
        $(#[test]
        fn $target() {
            hold(stringify!($target));
        })*

        #[test]
        fn every_target_has_a_test_a_file_and_a_corpus() {
            let names: Vec<_> = BODIES.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($target)),*]);
            for name in names {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fuzz/targets/{name}.rs"));
                assert!(fs::read_to_string(file).unwrap().contains(&format!("bodies::{name}(")), "{name}");
                assert!(!corpus(name).is_empty(), "{name}");
            }
        }
    };
}

targets!(metrics, manifest, config, router, text_protocol, splitter, sanitizer, interaction, message, custom_id,);
