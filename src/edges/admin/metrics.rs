//! `/metrics`: the counters, in the text that Prometheus reads.
//!
//! See its documentation, "Exposition formats". Every label comes from a closed set, so nothing needs to be escaped
//! and no person and no model can make the page grow.

use crate::edges::admin::{AdminState, States};

/// The form of the text, as Prometheus wants it named.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4";

/// Everything that is counted and known of this process.
pub(super) fn text(told: &AdminState) -> String {
    let AdminState { readiness, counters, is_breaker_open, registered } = told;
    let mut page = Page(String::new());
    page.family("candor_build_info", "gauge", "The version that runs.");
    page.sample("candor_build_info", Some(("version", env!("CARGO_PKG_VERSION"))), 1);
    page.family("candor_ready", "gauge", "Whether everything is ready, as /readyz says.");
    page.sample("candor_ready", None, u64::from(readiness.missing().is_empty()));
    if let Some(is_open) = is_breaker_open {
        let name = "candor_model_breaker_open";
        page.family(name, "gauge", "Whether the model's server failed too often and is left alone for a while.");
        page.sample(name, None, u64::from(is_open()));
    }
    if let Some(States { names, now }) = registered {
        let name = "candor_commands_registered";
        page.family(name, "gauge", "How the commands stand at Discord.");
        let now = now();
        names.iter().for_each(|state| page.sample(name, Some(("state", state)), u64::from(*state == now)));
    }

    let name = "candor_chat_turns_total";
    page.family(name, "counter", "Chat turns, by how they ended.");
    counters.turns().for_each(|(end, count)| page.sample(name, Some(("ending", end.name())), count));
    let name = "candor_tool_calls_total";
    page.family(name, "counter", "Tool calls of the chat model, by what became of them.");
    counters.tool_calls().for_each(|(end, count)| page.sample(name, Some(("outcome", end.name())), count));
    let name = "candor_guard_findings_total";
    page.family(name, "counter", "What chat turns found in what the model did, by check.");
    counters.findings().for_each(|(finding, count)| page.sample(name, Some(("check", finding.name())), count));
    let name = "candor_interaction_timing_total";
    page.family(name, "counter", "Interactions that came late, or whose answer did.");
    counters.timings().for_each(|(timing, count)| page.sample(name, Some(("what", timing.name())), count));
    let name = "candor_unknown_interactions_total";
    page.family(name, "counter", "Interactions that named something that is not there, by what.");
    counters.unknown_interactions().for_each(|(what, count)| page.sample(name, Some(("what", what.name())), count));
    let name = "candor_denials_total";
    page.family(name, "counter", "Commands that were denied, by the rule.");
    counters.denials().for_each(|(rule, count)| page.sample(name, Some(("rule", rule.name())), count));
    page.0
}

/// The text as it grows.
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn sample(&mut self, name: &str, label: Option<(&str, &str)>, value: u64) {
        let label = label.map(|(key, of)| format!("{{{key}=\"{of}\"}}")).unwrap_or_default();
        self.0.push_str(&format!("{name}{label} {value}\n"));
    }
}
