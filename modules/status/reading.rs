//! Reads the metrics of the file as groups of labelled lines.

use serde_json::{Map, Value};

use super::format::{self, Unit};
use candor_core::contract::{Metric, OWN_METRICS, Presentation};
use candor_core::language::Language;
use candor_core::text::one_line;

/// The most characters of a name that are shown.
const LABEL_LENGTH_MAX: usize = 60;

/// A top-level key of the file with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) key: String,
    pub(super) label: String,
    /// One line if the group is itself a metric.
    pub(super) lines: Vec<Line>,
}

/// A metric, or two that form one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) keys: Vec<String>,
    /// The display name; `None` if the group's name suffices.
    pub(super) label: Option<String>,
    pub(super) text: String,
}

#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) presentation: &'a Presentation,
    pub(super) language: Language,
}

/// Reads every metric in the order of the keys, except the producer's time and the mark of the bot's own file.
pub(super) fn read(content: &Map<String, Value>, how: How<'_>) -> Vec<Group> {
    let is_mark = |key: &str, value: &Value| (key, value.as_str()) == (OWN_METRICS.0, Some(OWN_METRICS.1));
    let metrics = content.iter().filter(|(key, value)| **key != how.presentation.generated_at && !is_mark(key, value));
    metrics
        .map(|(key, value)| {
            let mut lines = Vec::new();
            match value {
                Value::Object(inner) if !inner.is_empty() => collect(key, None, inner, how, &mut lines),
                single => lines.push(line(key, None, key, single, how)),
            }
            Group { key: key.clone(), label: label(key, key, how), lines }
        })
        .collect()
}

/// Returns the groups and lines named `wanted`: by dotted key, group or label, ignoring case.
pub(super) fn select(groups: &[Group], wanted: &str) -> Vec<Group> {
    let wanted = wanted.to_lowercase();
    let inside = format!("{wanted}.");
    let is_called = |name: &str| name.to_lowercase() == wanted;
    let is_meant = |line: &Line| {
        line.label.as_deref().is_some_and(is_called)
            || line.keys.iter().any(|key| is_called(key) || key.to_lowercase().starts_with(&inside))
    };
    let part = |group: &Group| {
        if is_called(&group.key) || is_called(&group.label) {
            return Some(group.clone());
        }
        let lines: Vec<_> = group.lines.iter().filter(|line| is_meant(line)).cloned().collect();
        (!lines.is_empty()).then(|| Group { lines, ..group.clone() })
    };
    groups.iter().filter_map(part).collect()
}

/// Returns every name that [`select`] finds by key: groups and dotted keys.
pub(super) fn names(groups: &[Group]) -> Vec<String> {
    let mut names: Vec<_> = groups
        .iter()
        .flat_map(|group| group.lines.iter().flat_map(|line| line.keys.iter()).chain([&group.key]))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Collects the lines of an object below `path`. `outer` names the objects between the group and this one.
fn collect(path: &str, outer: Option<&str>, object: &Map<String, Value>, how: How<'_>, lines: &mut Vec<Line>) {
    let pair = pair(path, outer, object, how);
    let paired = |key: &str| pair.is_some() && (key == USED || key == TOTAL);
    let rest = object.iter().filter(|(key, _)| !paired(key));
    let rest: Vec<_> = rest.map(|(key, value)| (key, format!("{path}.{key}"), value)).collect();
    lines.extend(pair.clone());
    for (key, dotted, value) in rest {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                let name = within(outer, &label(&dotted, key, how));
                collect(&dotted, Some(&name), inner, how, lines);
            }
            single => {
                let name = within(outer, &label(&dotted, key, how));
                lines.push(line(&dotted, Some(name), key, single, how));
            }
        }
    }
}

/// Returns the display name of a metric by dotted key: the operator's label, else the names of its groups and its own.
pub(super) fn title(dotted: &str, presentation: &Presentation, language: Language) -> String {
    if let Some(label) = metric(dotted, presentation).and_then(|metric| metric.label.as_deref()) {
        return one_line(label, LABEL_LENGTH_MAX);
    }
    let names: Vec<_> = dotted.split('.').map(|key| format::name_of(key, language)).collect();
    one_line(&names.join(" / "), LABEL_LENGTH_MAX)
}

pub(super) fn unit<'a>(dotted: &str, presentation: &'a Presentation) -> Unit<'a> {
    let own = metric(dotted, presentation).and_then(|metric| metric.unit.as_deref());
    own.map_or_else(|| Unit::of_key(dotted), Unit::of_text)
}

fn line(dotted: &str, label: Option<String>, key: &str, value: &Value, how: How<'_>) -> Line {
    let unit = metric(dotted, how.presentation).and_then(|metric| metric.unit.as_deref());
    let unit = unit.map_or_else(|| Unit::of_key(key), Unit::of_text);
    Line { keys: vec![dotted.to_owned()], label, text: format::value(value, unit, how.language) }
}

const USED: &str = "used_bytes";
const TOTAL: &str = "total_bytes";

/// Combines a part and its whole into one line.
fn pair(path: &str, outer: Option<&str>, object: &Map<String, Value>, how: How<'_>) -> Option<Line> {
    let keys = [USED, TOTAL].map(|key| format!("{path}.{key}"));
    let metrics = keys.each_ref().map(|key| metric(key, how.presentation));
    let other_unit = |metric: &Metric| metric.unit.as_deref().is_some_and(|unit| Unit::of_text(unit) != Unit::Bytes);
    if metrics.into_iter().flatten().any(other_unit) {
        return None;
    }
    let text = format::part_of(object.get(USED)?.as_f64()?, object.get(TOTAL)?.as_f64()?, how.language)?;
    let [used, _] = metrics;
    let own = used.and_then(|metric| metric.label.as_deref());
    let label = own.map(|own| within(outer, own)).or_else(|| outer.map(str::to_owned));
    Some(Line { keys: keys.to_vec(), label, text })
}

fn label(dotted: &str, key: &str, how: How<'_>) -> String {
    let own = metric(dotted, how.presentation).and_then(|metric| metric.label.clone());
    one_line(&own.unwrap_or_else(|| format::name_of(key, how.language)), LABEL_LENGTH_MAX)
}

fn metric<'a>(dotted: &str, presentation: &'a Presentation) -> Option<&'a Metric> {
    presentation.metrics.get(dotted)
}

fn within(outer: Option<&str>, name: &str) -> String {
    outer.map_or_else(|| name.to_owned(), |outer| one_line(&format!("{outer} / {name}"), LABEL_LENGTH_MAX))
}
