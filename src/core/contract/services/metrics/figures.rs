//! The numbers of a metrics file, by dotted key.

use serde_json::{Map, Value};

use super::Presentation;

/// The most metrics sampled, in file order.
const METRICS_MAX: usize = 64;

/// In characters. Longer keys are not sampled: the operator can give the metric a shorter name.
const KEY_LENGTH_MAX: usize = 100;

/// Deeper groups are not read.
const DEPTH_MAX: usize = 8;

/// Returns the first 64 numbers in file order. Booleans, texts, lists and the time of writing are skipped.
pub fn metric_figures(content: &Map<String, Value>, presentation: &Presentation) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (key, value) in content.iter().filter(|(key, _)| **key != presentation.generated_at) {
        collect(key.clone(), value, 1, &mut found);
    }
    found
}

fn collect(key: String, value: &Value, depth: usize, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite());
            if let Some(number) = number
                && found.len() < METRICS_MAX
                && key.chars().count() <= KEY_LENGTH_MAX
            {
                found.push((key, number));
            }
        }
        Value::Object(group) if depth < DEPTH_MAX => {
            for (name, value) in group {
                collect(format!("{key}.{name}"), value, depth + 1, found);
            }
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn sampled(content: Value) -> Vec<(String, f64)> {
        let generated_at = "generated_at".to_owned();
        let presentation =
            Presentation { generated_at, stale_after: Duration::from_secs(60), metrics: BTreeMap::new() };
        metric_figures(content.as_object().unwrap(), &presentation)
    }

    #[test]
    fn numbers_are_sampled_by_their_dotted_keys_in_the_order_of_the_file() {
        let content = json!({
            "generated_at": 1_700_000_000, "producer": "candor",
            "cpu": { "usage_percent": 12.5, "cores": 2, "throttled": false },
            "queue": { "mail": { "waiting": -3 } }, "version": "1.4", "list": [1, 2], "nothing": null,
            "uptime_seconds": 60,
        });
        let found = sampled(content);
        let expected =
            [("cpu.usage_percent", 12.5), ("cpu.cores", 2.0), ("queue.mail.waiting", -3.0), ("uptime_seconds", 60.0)];
        assert_eq!(found, expected.map(|(key, number)| (key.to_owned(), number)));
    }

    #[test]
    fn only_so_many_and_no_endless_keys_are_sampled() {
        let many: Map<_, _> = (0..500).map(|n| (format!("metric_{n:03}"), json!(n))).collect();
        let found = sampled(Value::Object(many));
        assert_eq!((found.len(), found[63].0.as_str()), (METRICS_MAX, "metric_063"));
        assert_eq!(sampled(json!({ "k".repeat(101): 1, "short": 2 })), [("short".to_owned(), 2.0)]);
        let deep = (0..50).fold(json!(1), |inner, _| json!({ "a": inner }));
        assert_eq!(sampled(deep), []);
    }
}
