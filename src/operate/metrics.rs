//! `/metrics`: counters and measurements in the text format of Prometheus.
//!
//! `families` is the only list of exported metrics. `docs/metrics.md` is generated from it, and no other metric can be
//! written to the page.

use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::state::{AdminState, States};
use candor_core::record::{
    Arrival, Counted, Denial, Dropped, Durations, GatewayEvent, Grid, GuardFinding, Latch, LimitScope, Measured,
    MessageTry, NotPlain, Origin, Outcome, ProcessFigures, ReloadState, RestAnswer, RouteKind, ShardState, StoreWork,
    Tally, Timing, ToolCallEnd, TurnEnd, UnknownInteraction, Unsent,
};
use candor_core::text::names;

#[derive(Default)]
struct Exposition(String);

impl Exposition {
    fn value(&mut self, family: &Family, value: impl Display) {
        self.values(family, [([], value)]);
    }

    /// Writes one sample without labels, if the value is known.
    fn known(&mut self, family: &Family, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(family, value);
        }
    }

    /// Writes samples, each with the values of the family's labels.
    fn values<'a, const LABELS: usize>(
        &mut self,
        family: &Family,
        samples: impl IntoIterator<Item = ([&'a str; LABELS], impl Display)>,
    ) {
        self.head(family);
        for (values, value) in samples {
            self.sample(family, "", &values, None, &value);
        }
    }

    fn tally<T: Counted>(&mut self, family: &Family, tally: &Tally<T>) {
        self.values(family, tally.read().map(|(what, count)| ([what.name()], count)));
    }

    fn grid<R: Counted, C: Counted>(&mut self, family: &Family, grid: &Grid<R, C>) {
        self.values(family, grid.read().map(|(row, column, count)| ([row.name(), column.name()], count)));
    }

    fn durations(&mut self, family: &Family, durations: &Durations) {
        self.head(family);
        let counts = durations.read();
        for (step, count) in Durations::STEPS.into_iter().zip(&counts) {
            self.sample(family, "_bucket", &[], Some(&Seconds(Duration::from_millis(step)).to_string()), count);
        }
        let n_all = counts.last().copied().unwrap_or_default();
        self.sample(family, "_bucket", &[], Some("+Inf"), &n_all);
        self.sample(family, "_sum", &[], None, &Seconds(durations.sum()));
        self.sample(family, "_count", &[], None, &n_all);
    }

    fn finish(self) -> String {
        self.0
    }

    fn head(&mut self, Family { name, kind, help, .. }: &Family) {
        // Writing to a string cannot fail.
        let _always = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
    }

    fn sample(&mut self, family: &Family, suffix: &str, values: &[&str], step: Option<&str>, value: &dyn Display) {
        let labels = family.labels.iter().map(|label| label.name).zip(values.iter().copied());
        let labels: Vec<_> = labels.chain(step.map(|step| ("le", step))).collect();
        let labels: Vec<_> = labels.into_iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _always = writeln!(self.0, "{}{suffix}{labels} {value}", family.name);
    }
}

/// A time in seconds, without trailing zeros.
struct Seconds(Duration);

impl Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{}.{:06}", self.0.as_secs(), self.0.subsec_micros());
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

const REGISTERED: [&str; 5] = ["in-place", "partly", "held", "failed", "not-yet"];

const SHARD: Label = Label { name: "shard", values: Values::Shards };

const fn label(name: &'static str, values: fn() -> Vec<&'static str>) -> Label {
    Label { name, values: Values::Named(values) }
}

const fn listed(name: &'static str, values: &'static [&'static str]) -> Label {
    Label { name, values: Values::Listed(values) }
}

/// Makes a constant of each family, and the list of all.
macro_rules! families {
    ($($constant:ident = $kind:ident $name:literal [$($label:expr),*] $help:literal;)+) => {
        $(const $constant: Family =
            Family { name: $name, kind: Kind::$kind, labels: &[$($label),*], help: $help };)+

        pub const FAMILIES: &[Family] = &[$($constant),+];
    };
}

families! {
    BUILD_INFO = Gauge "candor_build_info" [Label { name: "version", values: Values::Version }]
        "The version that runs; always 1.";
    READY = Gauge "candor_ready" []
        "Whether everything is ready, as /readyz says.";
    PART_READY = Gauge "candor_part_ready" [label("part", named::<Latch>)]
        "Whether a part is ready: the modules, the store, the disk of the data folder, the connection to Discord.";
    PART_LOSSES = Counter "candor_part_losses_total" [label("part", named::<Latch>)]
        "How often a part that was ready stopped being so.";
    COMMAND_RUNS = Counter "candor_command_runs_total" [label("by", named::<Origin>), label("outcome", named::<Outcome>)]
        "Runs of commands, by who asked for them and how they ended.";
    COMMAND_SECONDS = Histogram "candor_command_duration_seconds" []
        "How long handlers of commands ran.";
    ROUTES = Counter "candor_routes_total" [label("arrival", named::<Arrival>), label("route", named::<RouteKind>)]
        "What arrived, by how it did and what the router decided.";
    UNKNOWN = Counter "candor_unknown_interactions_total" [label("what", named::<UnknownInteraction>)]
        "Interactions that named something that is not there, by what.";
    NOT_PLAIN = Counter "candor_not_plain_total" [label("why", named::<NotPlain>)]
        "Typed commands that did not run because they do not stand plainly, by why.";
    DENIALS = Counter "candor_denials_total" [label("rule", named::<Denial>)]
        "Commands that were denied, by the rule.";
    TIMINGS = Counter "candor_interaction_timing_total" [label("what", named::<Timing>)]
        "Interactions that came late, or whose answer did.";
    UNSENT = Counter "candor_unsent_total" [label("what", named::<Unsent>)]
        "What was not sent, so that a flood is not answered by one.";
    DROPPED = Counter "candor_events_dropped_total" [label("what", named::<Dropped>)]
        "Events that were dropped because too many waited or were in progress.";
    MESSAGES = Counter "candor_module_messages_total" [label("what", named::<MessageTry>)]
        "Tries to send messages of modules to channels, by what became of them.";
    CHAT_TURNS = Counter "candor_chat_turns_total" [label("ending", named::<TurnEnd>)]
        "Chat turns, by how they ended.";
    TOOL_CALLS = Counter "candor_tool_calls_total" [label("outcome", named::<ToolCallEnd>)]
        "Tool calls of the chat model, by what became of them.";
    FINDINGS = Counter "candor_guard_findings_total" [label("check", named::<GuardFinding>)]
        "What chat turns found in what the model did, by check.";
    CHAT_TOKENS = Gauge "candor_chat_day_tokens" [listed("by", &["server", "estimate"])]
        "Tokens of chat on the UTC day of this process's last turn, by who counted them.";
    CHAT_DAY_TURNS = Gauge "candor_chat_day_turns" []
        "Chat turns that began on the UTC day of this process's last turn.";
    BREAKER_OPEN = Gauge "candor_model_breaker_open" []
        "Whether the model's server failed too often, so that requests to it are paused.";
    STORE_FAILURES = Counter "candor_store_failures_total" [label("work", named::<StoreWork>)]
        "What the store failed to do, by what it was.";
    STORE_SECONDS = Histogram "candor_store_write_duration_seconds" []
        "How long writes to the store took until they were committed, with their wait for others.";
    STORE_BYTES = Gauge "candor_store_bytes" []
        "The size of the store.";
    DISK_FREE = Gauge "candor_data_disk_free_bytes" []
        "The room that is left on the disk of the data folder.";
    SHARD_CONNECTED = Gauge "candor_shard_connected" [SHARD]
        "Whether a shard has a session and a connection.";
    HEARTBEAT_AGE = Gauge "candor_shard_heartbeat_age_seconds" [SHARD]
        "How long ago Discord acknowledged a heartbeat of a shard.";
    EVENT_AGE = Gauge "candor_shard_event_age_seconds" [SHARD]
        "How long ago an event came for a shard.";
    GATEWAY = Counter "candor_gateway_connections_total" [label("what", named::<GatewayEvent>)]
        "Logins, resumed sessions, and connections to Discord that were lost or came to nothing.";
    LOGINS_LEFT = Gauge "candor_gateway_logins_left" []
        "Logins at Discord that are left of the day.";
    REST = Counter "candor_rest_requests_total" [label("answer", named::<RestAnswer>)]
        "Requests to Discord, by how they were answered.";
    REST_LIMITS = Counter "candor_rest_limits_total" [label("scope", named::<LimitScope>)]
        "Pauses that Discord asked for (status 429), by what they were for.";
    COMMANDS_REGISTERED = Gauge "candor_commands_registered" [listed("state", &REGISTERED)]
        "How the commands stand at Discord.";
    COMMANDS = Gauge "candor_commands" [listed("state", &["in-force", "unavailable"])]
        "Commands, by whether they are in force or unavailable because their module failed its check.";
    MODULES = Gauge "candor_modules" [listed("state", &["in-force", "rejected"])]
        "Modules, by whether they are in force or failed their check.";
    RELOAD_FAILED = Gauge "candor_reload_failed" []
        "Whether the last reload failed for any module. Failed modules keep their old version.";
    RELOADS = Counter "candor_reloads_total" [listed("outcome", &["done", "failed"])]
        "Reloads of the modules, by how they ended.";
    LINES_DROPPED = Counter "candor_log_lines_dropped_total" []
        "Lines of the log that were dropped because too many waited to be written.";
    PROCESS_MEMORY = Gauge "process_resident_memory_bytes" []
        "The memory of the process.";
    PROCESS_TIME = Counter "process_cpu_seconds_total" []
        "The processor time that the process used.";
    PROCESS_FILES = Gauge "process_open_fds" []
        "The files and connections that the process has open.";
    PROCESS_START = Gauge "process_start_time_seconds" []
        "When the process began, in seconds since 1970.";
}

#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub labels: &'static [Label],
    pub help: &'static str,
}

names! {
    /// How the values of a family change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// Only grows, from 0 at the start of the process.
        Counter = "counter",
        /// Goes up and down.
        Gauge = "gauge",
        /// Counts of durations up to each bound, their sum and their number.
        Histogram = "histogram",
    }
}

/// A label. Its values come from a closed set, so that no person and no model can make the page grow.
#[derive(Debug)]
pub struct Label {
    pub name: &'static str,
    pub values: Values,
}

#[derive(Debug)]
pub enum Values {
    Listed(&'static [&'static str]),
    Named(fn() -> Vec<&'static str>),
    /// The numbers of the shards, from 0.
    Shards,
    Version,
}

impl Values {
    /// Returns the values if they are the same in each deployment.
    pub fn fixed(&self) -> Option<Vec<&'static str>> {
        match self {
            Self::Listed(values) => Some(values.to_vec()),
            Self::Named(values) => Some(values()),
            Self::Shards | Self::Version => None,
        }
    }
}

fn named<T: Counted>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}

/// The content type that Prometheus expects.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4";

/// Returns the whole page. `measured`: the latest measurements of store and disk.
pub(crate) fn text(state: &AdminState, measured: Measured) -> String {
    let AdminState { readiness, counters, is_breaker_open, registered, shards, modules, .. } = state;
    let mut page = Exposition::default();
    page.values(&BUILD_INFO, [([env!("CARGO_PKG_VERSION")], 1)]);
    page.value(&READY, u64::from(readiness.missing().is_empty()));
    page.values(&PART_READY, readiness.read().map(|(part, is_ready, _)| ([part.name()], u64::from(is_ready))));
    page.values(&PART_LOSSES, readiness.read().map(|(part, _, losses)| ([part.name()], losses)));

    page.grid(&COMMAND_RUNS, &counters.runs);
    page.durations(&COMMAND_SECONDS, &counters.run_times);
    page.grid(&ROUTES, &counters.routes);
    page.tally(&UNKNOWN, &counters.unknown);
    page.tally(&NOT_PLAIN, &counters.not_plain);
    page.tally(&DENIALS, &counters.denials);
    page.tally(&TIMINGS, &counters.timings);
    page.tally(&UNSENT, &counters.unsent);
    page.tally(&DROPPED, &counters.dropped);
    page.tally(&MESSAGES, &counters.messages);

    page.tally(&CHAT_TURNS, &counters.turns);
    page.tally(&TOOL_CALLS, &counters.tool_calls);
    page.tally(&FINDINGS, &counters.findings);
    let by_server = &counters.chat_tokens_of_day;
    let estimated = &counters.chat_estimated_tokens_of_day;
    page.values(&CHAT_TOKENS, [(["server"], by_server.read()), (["estimate"], estimated.read())]);
    page.value(&CHAT_DAY_TURNS, counters.chat_turns_of_day.read());
    page.known(&BREAKER_OPEN, is_breaker_open.as_ref().map(|is_open| u64::from(is_open())));

    page.tally(&STORE_FAILURES, &counters.store_failures);
    page.durations(&STORE_SECONDS, &counters.store_writes);
    page.known(&STORE_BYTES, measured.store_size);
    page.known(&DISK_FREE, measured.disk_free);

    if let Some(shards) = shards {
        write_shards(&mut page, &shards());
    }
    page.tally(&GATEWAY, &counters.gateway);
    page.known(&LOGINS_LEFT, counters.logins_left.read());
    page.tally(&REST, &counters.rest);
    page.tally(&REST_LIMITS, &counters.rest_limits);
    if let Some(States { names, now }) = registered {
        let now = now();
        page.values(&COMMANDS_REGISTERED, names.iter().map(|state| ([*state], u64::from(*state == now))));
    }

    if let Some(modules) = modules {
        let found = modules();
        let commands = [(["in-force"], found.commands), (["unavailable"], found.unavailable)];
        page.values(&COMMANDS, commands);
        page.values(&MODULES, [(["in-force"], found.modules), (["rejected"], found.rejected)]);
    }
    if let Some(reloads) = &state.reloads {
        let ReloadState { has_failed, done, failed } = &*reloads.state;
        page.value(&RELOAD_FAILED, u64::from(has_failed.load(Ordering::Relaxed)));
        let done = done.load(Ordering::Relaxed);
        let failed = failed.load(Ordering::Relaxed);
        page.values(&RELOADS, [(["done"], done), (["failed"], failed)]);
    }
    page.value(&LINES_DROPPED, (state.lines_dropped)());
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
    page.values(&SHARD_CONNECTED, each(|shard| Some(u64::from(shard.is_connected))));
    page.values(&HEARTBEAT_AGE, each(|shard| shard.acknowledged.map(|ago| ago.as_secs())));
    page.values(&EVENT_AGE, each(|shard| shard.event.map(|ago| ago.as_secs())));
}

fn write_process(page: &mut Exposition, process: &ProcessFigures) {
    page.value(&PROCESS_MEMORY, process.memory);
    page.value(&PROCESS_TIME, Seconds(process.processor_time));
    page.known(&PROCESS_FILES, process.open_files);
    page.value(&PROCESS_START, process.started);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_of_six_places_at_most() {
        let of = |microseconds| Seconds(Duration::from_micros(microseconds)).to_string();
        assert_eq!([of(0), of(1), of(1_500_000), of(10_000_000)], ["0", "0.000001", "1.5", "10"]);
    }
}
