//! The state of the bot and its counters since the start: the metrics of this port, for people.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::figures::{bytes, grouped, moment, span};
use crate::state::AdminState;
use candor_core::record::{Counted, Counters, Durations, Grid, Measured, ReloadState, Tally};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HealthView {
    /// Each part, whether it is ready, and how often it became unready.
    pub(super) parts: Vec<(&'static str, bool, u64)>,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) counts: Vec<Counts>,
    /// Counts of the chat guard's findings and of refusals.
    pub(super) guard: Vec<Counts>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) title: &'static str,
    /// Nonzero counts, the most frequent first.
    pub(super) counts: Vec<(String, u64)>,
}

impl HealthView {
    pub(super) fn is_ready(&self) -> bool {
        self.parts.iter().all(|(_, is_ready, _)| *is_ready)
    }
}

/// Reads the state. `measured`: the latest measurements of store and disk.
pub(super) fn read(state: &AdminState, measured: Measured) -> HealthView {
    let counters = &state.counters;
    HealthView {
        parts: state.readiness.read().map(|(part, is_ready, losses)| (part.name(), is_ready, losses)).collect(),
        facts: facts(state, measured),
        counts: vec![
            grid("runs of commands", &counters.runs, |by, outcome| format!("{by}: {outcome}")),
            durations("times of handlers", &counters.run_times),
            grid("routes", &counters.routes, |arrival, route| format!("{arrival}: {route}")),
            tally("chat turns", &counters.turns),
            tally("tool calls of the model", &counters.tool_calls),
            tally("late answers", &counters.timings),
            tally("failures of the store", &counters.store_failures),
            tally("requests to Discord", &counters.rest),
            tally("connections to Discord", &counters.gateway),
        ],
        guard: guard(counters),
    }
}

fn guard(counters: &Counters) -> Vec<Counts> {
    vec![
        tally("found in what the model did", &counters.findings),
        tally("denied, by rule", &counters.denials),
        tally("typed commands that do not stand plainly", &counters.not_plain),
        tally("unknown to the bot", &counters.unknown),
    ]
}

fn facts(state: &AdminState, measured: Measured) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(shards) = &state.shards {
        for (n, shard) in shards().into_iter().enumerate() {
            let ago =
                |ago: Option<Duration>| ago.map_or_else(|| "never".to_owned(), |ago| format!("{} ago", span(ago)));
            let stands = if shard.is_connected { "connected" } else { "not connected" };
            let heartbeat = ago(shard.acknowledged);
            let event = ago(shard.event);
            facts.push(("shard", format!("{n}: {stands}, heartbeat {heartbeat}, event {event}")));
        }
    }
    if let Some(registered) = &state.registered {
        facts.push(("commands at Discord", (registered.now)().to_owned()));
    }
    if let Some(left) = state.counters.logins_left.read() {
        facts.push(("logins left today", grouped(left)));
    }
    if let Some(is_open) = &state.is_breaker_open {
        let stands = if is_open() { "paused, after too many failures" } else { "in use" };
        facts.push(("model's server", stands.to_owned()));
    }
    if let Some(reloads) = &state.reloads {
        let ReloadState { has_failed, done, failed } = &*reloads.state;
        let done = done.load(Ordering::Relaxed);
        let failed = failed.load(Ordering::Relaxed);
        let last = if has_failed.load(Ordering::Relaxed) { "; the last one failed" } else { "" };
        facts.push(("reloads", format!("{done} done, {failed} failed{last}")));
    }
    let size = measured.store_size.map(|size| ("store", bytes(size)));
    facts.extend(size.into_iter().chain(measured.disk_free.map(|free| ("disk, free", bytes(free)))));
    if let Some(process) = state.process.as_ref().and_then(|process| process()) {
        facts.push(("memory", bytes(process.memory)));
        facts.push(("processor time", span(process.processor_time)));
        if let Some(started) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(process.started)) {
            facts.push(("started", moment(started)));
        }
    }
    facts.push(("lines of the log dropped", grouped((state.lines_dropped)())));
    facts
}

fn tally<T: Counted>(title: &'static str, tally: &Tally<T>) -> Counts {
    counts(title, tally.read().map(|(what, n)| (what.name().to_owned(), n)))
}

fn grid<R: Counted, C: Counted>(title: &'static str, grid: &Grid<R, C>, named: fn(&str, &str) -> String) -> Counts {
    counts(title, grid.read().map(|(row, column, n)| (named(row.name(), column.name()), n)))
}

fn counts(title: &'static str, all: impl Iterator<Item = (String, u64)>) -> Counts {
    let mut counts: Vec<_> = all.filter(|(_, n)| *n != 0).collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    Counts { title, counts }
}

/// Counts durations, in ascending order.
fn durations(title: &'static str, durations: &Durations) -> Counts {
    let most = Durations::STEPS.map(|step| format!("up to {}", span(Duration::from_millis(step))));
    let mut before = 0;
    let mut counts = Vec::new();
    for (step, n) in most.into_iter().chain(["longer".to_owned()]).zip(durations.read()) {
        counts.push((step, n.saturating_sub(before)));
        before = n;
    }
    counts.retain(|(_, n)| *n != 0);
    Counts { title, counts }
}
