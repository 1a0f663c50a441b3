//! 100,000 hostile events in one process: Discord's payloads through the conversion, the router and commands over
//! records in memory, and a model's words through what reads and shows them. Memory, threads and descriptors stay flat.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it counts")]

#[path = "../tests/fuzz/bodies.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod bodies;
#[path = "../tests/fuzz/hostile.rs"]
#[expect(unreachable_pub, reason = "shared with the tests")]
mod hostile;

use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use bodies::{BODIES, Body};
use hostile::Changes;

const EVENTS: usize = 100_000;

/// What is filled once is filled after this many: lists that have a bound, tables that are made when first needed.
const WARM: usize = 20_000;

/// What resident memory may grow by after that, in KiB: less than 60 bytes an event.
const GROWTH_MAX: u64 = 4_096;

/// The targets whose inputs come while the bot runs.
const TARGETS: [&str; 7] = ["interaction", "message", "router", "custom_id", "text_protocol", "sanitizer", "splitter"];

fn main() -> io::Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources: Vec<(Body, Changes)> = Vec::new();
    for (name, body) in BODIES.into_iter().filter(|(name, _)| TARGETS.contains(name)) {
        sources.push((body, Changes::of(repository, name)?));
    }
    assert_eq!(sources.len(), TARGETS.len(), "a target is gone");
    let began = Instant::now();
    events(&mut sources, WARM);
    let before = Standing::now()?;
    events(&mut sources, EVENTS - WARM);
    let after = Standing::now()?;
    println!("{EVENTS} events in {} s; {before:?}, then {after:?}", began.elapsed().as_secs());
    assert!(after.resident <= before.resident + GROWTH_MAX, "memory grows");
    assert_eq!((after.threads, after.descriptors), (before.threads, before.descriptors), "threads or files are left");
    Ok(())
}

fn events(sources: &mut [(Body, Changes)], n: usize) {
    let n_sources = sources.len();
    for event in 0..n {
        if let Some((body, changes)) = sources.get_mut(event % n_sources)
            && let Some(bytes) = changes.next()
        {
            body(&bytes);
        }
    }
}

/// What this process holds.
#[derive(Debug)]
struct Standing {
    /// Resident memory, in KiB.
    resident: u64,
    threads: u64,
    descriptors: usize,
}

impl Standing {
    fn now() -> io::Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse().ok());
            number.ok_or_else(|| io::Error::other(format!("/proc/self/status has no {name}")))
        };
        let descriptors = fs::read_dir("/proc/self/fd")?.count();
        Ok(Self { resident: field("VmRSS:")?, threads: field("Threads:")?, descriptors })
    }
}
