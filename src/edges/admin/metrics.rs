//! `/metrics`: the counters, in the text format of Prometheus.
//!
//! See its documentation, "Exposition formats". Every label comes from a closed set, so nothing needs to be escaped
//! and no person and no model can make the page grow.

use crate::edges::admin::state::{AdminState, Shard, States};
use candor_core::record::{Counted, Tally};

/// The content type that Prometheus expects.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4";

/// The whole page: every counter and state of this process.
pub(super) fn text(state: &AdminState) -> String {
    let AdminState { readiness, counters, is_breaker_open, registered, shards, lines_dropped, reloads } = state;
    let mut page = Exposition(String::new());
    page.family("candor_build_info", "gauge", "The version that runs.");
    page.sample("candor_build_info", Some(("version", env!("CARGO_PKG_VERSION"))), 1);
    page.family("candor_ready", "gauge", "Whether everything is ready, as /readyz says.");
    page.sample("candor_ready", None, u64::from(readiness.missing().is_empty()));
    if let Some(is_open) = is_breaker_open {
        let name = "candor_model_breaker_open";
        page.family(name, "gauge", "Whether the model's server failed too often, so that requests to it are paused.");
        page.sample(name, None, u64::from(is_open()));
    }
    if let Some(States { names, now }) = registered {
        let name = "candor_commands_registered";
        page.family(name, "gauge", "How the commands stand at Discord.");
        let now = now();
        names.iter().for_each(|state| page.sample(name, Some(("state", state)), u64::from(*state == now)));
    }
    if let Some(shards) = shards {
        page.shards(&shards());
    }
    if let Some(reloads) = reloads {
        let name = "candor_reload_failed";
        page.family(
            name,
            "gauge",
            "Whether the last reload of the modules failed, so that what was before is in force.",
        );
        page.sample(name, None, u64::from((reloads.has_failed)()));
        let name = "candor_reloads_total";
        page.family(name, "counter", "Reloads of the modules, by how they ended.");
        page.sample(name, Some(("outcome", "done")), (reloads.done)());
        page.sample(name, Some(("outcome", "failed")), (reloads.failed)());
    }
    let name = "candor_log_lines_dropped_total";
    page.family(name, "counter", "Lines of the log that were dropped because too many waited to be written.");
    page.sample(name, None, lines_dropped());

    page.tally("candor_chat_turns_total", "Chat turns, by how they ended.", "ending", &counters.turns);
    let help = "Tool calls of the chat model, by what became of them.";
    page.tally("candor_tool_calls_total", help, "outcome", &counters.tool_calls);
    let help = "What chat turns found in what the model did, by check.";
    page.tally("candor_guard_findings_total", help, "check", &counters.findings);
    let help = "Interactions that came late, or whose answer did.";
    page.tally("candor_interaction_timing_total", help, "what", &counters.timings);
    let help = "Interactions that named something that is not there, by what.";
    page.tally("candor_unknown_interactions_total", help, "what", &counters.unknown);
    let help = "Typed commands that did not run because they do not stand plainly, by why.";
    page.tally("candor_not_plain_total", help, "why", &counters.not_plain);
    page.tally("candor_denials_total", "Commands that were denied, by the rule.", "rule", &counters.denials);
    let name = "candor_chat_day_tokens";
    page.family(name, "gauge", "Tokens of chat on the UTC day of this process's last turn, by who counted them.");
    page.sample(name, Some(("by", "server")), counters.chat_tokens_of_day.read());
    page.sample(name, Some(("by", "estimate")), counters.chat_estimated_tokens_of_day.read());
    let name = "candor_chat_day_turns";
    page.family(name, "gauge", "Chat turns that began on the UTC day of this process's last turn.");
    page.sample(name, None, counters.chat_turns_of_day.read());
    page.tally(
        "candor_unsent_total",
        "What was not sent, so that a flood is not answered by one.",
        "what",
        &counters.unsent,
    );
    page.0
}

/// The text so far.
struct Exposition(String);

impl Exposition {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn tally<T: Counted>(&mut self, name: &str, help: &str, label: &str, tally: &Tally<T>) {
        self.family(name, "counter", help);
        tally.read().for_each(|(what, count)| self.sample(name, Some((label, what.name())), count));
    }

    fn shards(&mut self, shards: &[Shard]) {
        let name = "candor_shard_connected";
        self.family(name, "gauge", "Whether a shard has a session and a connection.");
        let each = |page: &mut Self, name: &str, value: &dyn Fn(&Shard) -> Option<u64>| {
            for (index, shard) in shards.iter().enumerate() {
                if let Some(value) = value(shard) {
                    page.sample(name, Some(("shard", &index.to_string())), value);
                }
            }
        };
        each(self, name, &|shard| Some(u64::from(shard.is_connected)));
        let name = "candor_shard_heartbeat_age_seconds";
        self.family(name, "gauge", "How long ago Discord acknowledged a heartbeat of a shard.");
        each(self, name, &|shard| shard.acknowledged.map(|ago| ago.as_secs()));
        let name = "candor_shard_event_age_seconds";
        self.family(name, "gauge", "How long ago an event came for a shard.");
        each(self, name, &|shard| shard.event.map(|ago| ago.as_secs()));
    }

    fn sample(&mut self, name: &str, label: Option<(&str, &str)>, value: u64) {
        let label = label.map(|(key, of)| format!("{{{key}=\"{of}\"}}")).unwrap_or_default();
        self.0.push_str(&format!("{name}{label} {value}\n"));
    }
}
