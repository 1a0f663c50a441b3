//! Every exported family of metrics, in the order of the page. `docs/metrics.md` is generated from this list.

use super::family::{Family, Kind, Label, Values, named};
use candor_core::record::{
    Arrival, Denial, Dropped, GatewayEvent, GuardFinding, Latch, LimitScope, MessageTry, NotPlain, Origin, Outcome,
    RestAnswer, RouteKind, StoreWork, Timing, ToolCallEnd, TurnEnd, UnknownInteraction, Unsent,
};

pub(super) const REGISTERED: [&str; 5] = ["in-place", "partly", "held", "failed", "not-yet"];

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
        $(pub(super) const $constant: Family =
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
