//! The names of the live values that commands show, so that figures in a reply are known to be a command's.

use serde_json::{Map, Value};

use crate::host::executor::runner::Executor;
use candor_core::agent::tools::OfferedSet;
use candor_core::contract::{OWN_METRICS, Presentation};
use candor_core::inbound::Asking;

/// The most names that are taken. A file has as many values as its producer likes.
const NAMES_MAX: usize = 200;

/// The longest name, in bytes.
const NAME_LENGTH_MAX: usize = 60;

/// The deepest group whose values are taken.
const DEPTH_MAX: usize = 4;

/// Ends of keys that are units: a reply says `memory used`, not `memory used bytes`.
const UNITS: [&str; 8] = ["bytes", "percent", "pct", "seconds", "s", "ms", "count", "mb"];

impl Executor {
    /// The same tools, where those that show values of a module with the live metrics know what these are called now.
    pub fn with_live_names(&self, offered: OfferedSet, asking: &Asking<'_>) -> OfferedSet {
        let registry = self.registry.now();
        let shows = offered.commands().filter(|tool| !tool.words.figures.is_empty());
        let shows: Vec<_> = shows.map(|tool| tool.path.clone()).collect();
        shows.iter().fold(offered, |offered, path| {
            let Some((command, _)) = registry.find(path) else { return offered };
            let call = self.call(asking, &command.owner, self.clock.now());
            let Ok(live) = call.services.live() else { return offered };
            let good = live.observe().good;
            let names = good.map(|good| names(&good.value, live.presentation())).unwrap_or_default();
            offered.showing(path, &names)
        })
    }
}

/// What the numbers of the file are called: by their keys, and by the operator's labels.
fn names(content: &Map<String, Value>, presentation: &Presentation) -> Vec<String> {
    let mut names = Vec::new();
    collect("", content, presentation, DEPTH_MAX, &mut names);
    names.dedup();
    names
}

fn collect(path: &str, group: &Map<String, Value>, presentation: &Presentation, depth: usize, names: &mut Vec<String>) {
    for (key, value) in group {
        let dotted = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let is_meant = ![presentation.generated_at.as_str(), OWN_METRICS.0].contains(&dotted.as_str());
        match value {
            Value::Object(inner) if 0 < depth => collect(&dotted, inner, presentation, depth - 1, names),
            Value::Number(_) if is_meant => {
                let label = presentation.metrics.get(&dotted).and_then(|metric| metric.label.clone());
                let fits = |name: &String| !name.is_empty() && name.len() <= NAME_LENGTH_MAX;
                let both = [Some(of_key(&dotted)), label.map(|label| label.to_lowercase())];
                let room = NAMES_MAX.saturating_sub(names.len());
                names.extend(both.into_iter().flatten().filter(fits).take(room));
            }
            _ => {}
        }
    }
}

/// A dotted key as a reply writes it: `disk.used_bytes` is `disk used`.
fn of_key(dotted: &str) -> String {
    let words = dotted.split(['.', '_', '-', ' ']).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let mut words: Vec<_> = words.collect();
    if 1 < words.len() && words.last().is_some_and(|last| UNITS.contains(&last.as_str())) {
        words.pop();
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use candor_core::contract::Metric;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_called_by_their_keys_and_by_the_operators_labels() {
        let content = json!({
            "generated_at": 1, "producer": "candor", "cpu_percent": 12.5, "memory": {"used_bytes": 1, "swap": {"free": 2}},
            "revenue_today": 3, "top_user": "alice",
        });
        let label = Metric { label: Some("Sales".to_owned()), ..Metric::default() };
        let presentation = Presentation {
            generated_at: "generated_at".to_owned(),
            stale_after: Duration::from_secs(60),
            metrics: [("revenue_today".to_owned(), label)].into(),
        };
        let named = names(content.as_object().unwrap(), &presentation);
        assert_eq!(named, ["cpu", "memory used", "memory swap free", "revenue today", "sales"]);
        let many: Map<_, _> = (0..1_000).map(|n| (format!("value_{n:03}"), json!(n))).collect();
        assert_eq!(names(&many, &presentation).len(), NAMES_MAX);
    }
}
