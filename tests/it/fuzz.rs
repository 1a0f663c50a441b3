//! The bodies of the fuzz targets, for a bounded time: every file of their corpus, and changes of those. The changes
//! are the same in every run; cargo-fuzz goes on where they end (tests/fuzz/README.md).

#[path = "../fuzz/bodies.rs"]
#[expect(unreachable_pub, reason = "public in the crate of the targets")]
mod bodies;
#[path = "../fuzz/hostile.rs"]
#[expect(unreachable_pub, reason = "shared with benches/soak.rs")]
pub(crate) mod hostile;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use bodies::BODIES;
use hostile::Changes;

/// How long each target goes on, and how many changes it makes at most.
const AT_MOST: Duration = Duration::from_secs(5);
const CHANGES: usize = 3_000;

fn corpus(target: &str) -> Changes {
    Changes::of(Path::new(env!("CARGO_MANIFEST_DIR")), target).unwrap()
}

fn hold(target: &str) {
    let (_, body) = BODIES.into_iter().find(|(name, _)| *name == target).unwrap();
    let (changes, end) = (corpus(target), Instant::now() + AT_MOST);
    let seeds = changes.seeds.clone().into_iter();
    for bytes in seeds.chain(changes.take(CHANGES)).take_while(|_| Instant::now() < end) {
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
                assert!(!corpus(name).seeds.is_empty(), "{name}");
            }
        }
    };
}

targets!(
    metrics,
    manifest,
    config,
    router,
    text_protocol,
    splitter,
    sanitizer,
    interaction,
    message,
    custom_id,
    gateway_frame,
    rest_answer,
    headers,
    program_reply,
    model_answer,
    messages_answer,
    responses_answer,
    picture,
);
