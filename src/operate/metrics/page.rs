//! Writes the page: every family with its current values.

use std::sync::atomic::Ordering;

use super::exposition::{Exposition, Seconds};
use super::families as of;
use crate::state::{AdminState, States};
use candor_core::record::{Measured, ProcessFigures, ReloadState, ShardState};

/// The content type that Prometheus expects.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4";

/// Returns the whole page. `measured`: the latest measurements of store and disk.
pub(crate) fn text(state: &AdminState, measured: Measured) -> String {
    let AdminState { readiness, counters, is_breaker_open, registered, shards, modules, .. } = state;
    let mut page = Exposition::default();
    page.values(&of::BUILD_INFO, [([env!("CARGO_PKG_VERSION")], 1)]);
    page.value(&of::READY, u64::from(readiness.missing().is_empty()));
    page.values(&of::PART_READY, readiness.read().map(|(part, is_ready, _)| ([part.name()], u64::from(is_ready))));
    page.values(&of::PART_LOSSES, readiness.read().map(|(part, _, losses)| ([part.name()], losses)));

    page.grid(&of::COMMAND_RUNS, &counters.runs);
    page.durations(&of::COMMAND_SECONDS, &counters.run_times);
    page.grid(&of::ROUTES, &counters.routes);
    page.tally(&of::UNKNOWN, &counters.unknown);
    page.tally(&of::NOT_PLAIN, &counters.not_plain);
    page.tally(&of::DENIALS, &counters.denials);
    page.tally(&of::TIMINGS, &counters.timings);
    page.tally(&of::UNSENT, &counters.unsent);
    page.tally(&of::DROPPED, &counters.dropped);
    page.tally(&of::MESSAGES, &counters.messages);

    page.tally(&of::CHAT_TURNS, &counters.turns);
    page.tally(&of::TOOL_CALLS, &counters.tool_calls);
    page.tally(&of::FINDINGS, &counters.findings);
    let by_server = &counters.chat_tokens_of_day;
    let estimated = &counters.chat_estimated_tokens_of_day;
    page.values(&of::CHAT_TOKENS, [(["server"], by_server.read()), (["estimate"], estimated.read())]);
    page.value(&of::CHAT_DAY_TURNS, counters.chat_turns_of_day.read());
    page.known(&of::BREAKER_OPEN, is_breaker_open.as_ref().map(|is_open| u64::from(is_open())));

    page.tally(&of::STORE_FAILURES, &counters.store_failures);
    page.durations(&of::STORE_SECONDS, &counters.store_writes);
    page.known(&of::STORE_BYTES, measured.store_size);
    page.known(&of::DISK_FREE, measured.disk_free);

    if let Some(shards) = shards {
        write_shards(&mut page, &shards());
    }
    page.tally(&of::GATEWAY, &counters.gateway);
    page.known(&of::LOGINS_LEFT, counters.logins_left.read());
    page.tally(&of::REST, &counters.rest);
    page.tally(&of::REST_LIMITS, &counters.rest_limits);
    if let Some(States { names, now }) = registered {
        let now = now();
        page.values(&of::COMMANDS_REGISTERED, names.iter().map(|state| ([*state], u64::from(*state == now))));
    }

    if let Some(modules) = modules {
        let found = modules();
        let commands = [(["in-force"], found.commands), (["unavailable"], found.unavailable)];
        page.values(&of::COMMANDS, commands);
        page.values(&of::MODULES, [(["in-force"], found.modules), (["rejected"], found.rejected)]);
    }
    if let Some(reloads) = &state.reloads {
        let ReloadState { has_failed, done, failed } = &*reloads.state;
        page.value(&of::RELOAD_FAILED, u64::from(has_failed.load(Ordering::Relaxed)));
        let done = done.load(Ordering::Relaxed);
        let failed = failed.load(Ordering::Relaxed);
        page.values(&of::RELOADS, [(["done"], done), (["failed"], failed)]);
    }
    page.value(&of::LINES_DROPPED, (state.lines_dropped)());
    if let Some(process) = state.process.as_ref().and_then(|process| process()) {
        write_process(&mut page, &process);
    }
    page.finish()
}

fn write_shards(page: &mut Exposition, shards: &[ShardState]) {
    let numbers: Vec<_> = (0..shards.len()).map(|index| index.to_string()).collect();
    let each = |value: fn(&ShardState) -> Option<u64>| {
        let samples = numbers.iter().zip(shards).filter_map(|(number, shard)| Some(([number.as_str()], value(shard)?)));
        samples.collect::<Vec<_>>()
    };
    page.values(&of::SHARD_CONNECTED, each(|shard| Some(u64::from(shard.is_connected))));
    page.values(&of::HEARTBEAT_AGE, each(|shard| shard.acknowledged.map(|ago| ago.as_secs())));
    page.values(&of::EVENT_AGE, each(|shard| shard.event.map(|ago| ago.as_secs())));
}

fn write_process(page: &mut Exposition, process: &ProcessFigures) {
    page.value(&of::PROCESS_MEMORY, process.memory);
    page.value(&of::PROCESS_TIME, Seconds(process.processor_time));
    page.known(&of::PROCESS_FILES, process.open_files);
    page.value(&of::PROCESS_START, process.started);
}
