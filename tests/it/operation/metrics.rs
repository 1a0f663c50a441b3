//! `docs/metrics.md` lists every family of metrics, as the bot exports it.

use std::collections::BTreeSet;

use super::generated::{cell, is_in_step};
use candor_discord::SyncStatus;
use candor_operate::{FAMILIES, Label, Values};

/// What stands above the list.
const INTRODUCTION: &str = "\
# Metrics

`GET /metrics` at `[admin] listen` answers in the text format of Prometheus. This is every family that it has, in its
order. Counters begin at 0 with each process. A family whose figures nobody knows is left out: that of the model's server
without `[model]`, for example. No label holds a name of a person, a channel or a command, or text that anybody wrote:
each value comes from a list that is fixed in the program.

`candor_ready` is 1 as long as `/readyz` answers 200. Store and disk are tried when `/readyz` or `/metrics` is asked, at
most every 5 s: something is written and has to be on the disk within a second, and the disk of the data folder needs
16 MiB of room. The connection to Discord is watched all the time; a gateway that acknowledges no heartbeat counts as lost
after a minute, also when sessions were resumed in between.

Rules for alerts stand in [`deploy/prometheus/alerts.yaml`](../deploy/prometheus/alerts.yaml), a dashboard for Grafana in
[`deploy/grafana/candor.json`](../deploy/grafana/candor.json).

This page is made from the program; a test holds it in step (see `CONTRIBUTING.md`).
";

#[test]
fn the_page_of_metrics_lists_every_family_as_it_is_exported() {
    let mut page = format!("{INTRODUCTION}\n| Family | Kind | Labels | What it says |\n| --- | --- | --- | --- |\n");
    for family in FAMILIES {
        let labels: Vec<_> = family.labels.iter().map(label).collect();
        let (name, kind, help) = (family.name, family.kind.name(), cell(family.help));
        page.push_str(&format!("| `{name}` | {kind} | {} | {help} |\n", labels.join("; ")));
    }
    is_in_step("docs/metrics.md", &page);
}

#[test]
fn the_states_of_registration_are_those_of_the_connection() {
    let family = FAMILIES.iter().find(|family| family.name == "candor_commands_registered").unwrap();
    assert_eq!(family.labels[0].values.fixed().unwrap(), SyncStatus::NAMES);
}

/// See Prometheus' documentation, "Metric and label naming".
#[test]
fn names_are_those_that_prometheus_expects() {
    for family in FAMILIES {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(is_name(family.name), "{}", family.name);
        assert!(["candor_", "process_"].iter().any(|begin| family.name.starts_with(begin)), "{}", family.name);
        assert_eq!(family.name.ends_with("_total"), family.kind.name() == "counter", "{}", family.name);
        assert!(family.help.ends_with('.') && !family.help.contains(['\\', '\n']), "{}", family.help);
        let labels: BTreeSet<_> = family.labels.iter().map(|label| label.name).collect();
        assert_eq!(labels.len(), family.labels.len(), "{}", family.name);
        for label in family.labels {
            assert!(is_name(label.name), "{}", family.name);
            // More would be a page that grows without use.
            let values = label.values.fixed().unwrap_or_default();
            assert!(values.len() <= 20, "{}: {}", family.name, values.len());
            assert_eq!(values.iter().collect::<BTreeSet<_>>().len(), values.len(), "{}", family.name);
        }
    }
}

/// A label with its values.
fn label(label: &Label) -> String {
    let values = match &label.values {
        Values::Shards => "numbers from 0".to_owned(),
        Values::Version => "the version".to_owned(),
        values => values.fixed().unwrap().iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "),
    };
    format!("`{}`: {values}", label.name)
}
