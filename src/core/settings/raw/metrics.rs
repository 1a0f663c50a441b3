//! `[status.metrics]`: how single metrics are shown.
//!
//! A metric's key is dotted for groups. TOML reads `[status.metrics."cpu.usage_percent"]` as one table and
//! `[status.metrics.cpu.usage_percent]` as nested tables; both mean the same metric here. A table that contains a table
//! is a group, any other is a metric.

use std::collections::BTreeMap;

use crate::contract::Metric;
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics};

/// The most thresholds: more lines would hide the chart.
const THRESHOLDS_MAX: usize = 8;

/// The longest label or unit, in characters: a line must fit on a phone.
const TEXT_LENGTH_MAX: usize = 100;

pub(super) fn read(table: Section, found: &mut Diagnostics) -> BTreeMap<String, Metric> {
    let mut metrics = BTreeMap::new();
    group("", table, &mut metrics, found);
    metrics
}

fn group(key: &str, mut table: Section, metrics: &mut BTreeMap<String, Metric>, found: &mut Diagnostics) {
    for name in table.keys() {
        let inner_key = if key.is_empty() { name.value.clone() } else { format!("{key}.{}", name.value) };
        match table.take(&name.value) {
            Some((_, Spanned { value: TomlValue::Table(inner), .. })) => {
                metric_or_group(&inner_key, inner, metrics, found)
            }
            Some((at, _)) => {
                let message = format!("`status.metrics.{inner_key}` is not the table of a metric");
                let help = "a metric is a table with `label`, `unit` and `thresholds`, and a group holds only tables";
                found.push(table.problem(Code::ConfigUnknownKey, &at.span, message, help.to_owned()));
            }
            None => {}
        }
    }
}

fn metric_or_group(key: &str, table: Section, metrics: &mut BTreeMap<String, Metric>, found: &mut Diagnostics) {
    if table.has_tables() {
        group(key, table, metrics, found);
    } else if metrics.contains_key(key) {
        let message = format!("the metric `{key}` is described twice");
        let help = "quoted or not, a dotted key is the same metric: take one of the tables out";
        found.push(table.problem(Code::ConfigValueInvalid, &table.span(), message, help.to_owned()));
    } else {
        metrics.insert(key.to_owned(), metric(table, found));
    }
}

fn metric(mut table: Section, found: &mut Diagnostics) -> Metric {
    let metric = Metric {
        label: text(&mut table, "label", found),
        unit: text(&mut table, "unit", found),
        thresholds: thresholds(&mut table, found),
    };
    table.finish(found);
    metric
}

/// Reads a list of numbers, sorted and without duplicates.
fn thresholds(table: &mut Section, found: &mut Diagnostics) -> Vec<f64> {
    let Some((_, list)) = table.take("thresholds") else { return Vec::new() };
    let numbers = match &list.value {
        TomlValue::Array(items) if items.len() <= THRESHOLDS_MAX => {
            items.iter().map(|item| number(&item.value)).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let Some(mut numbers) = numbers else {
        let message = "`thresholds` is not a list of a few numbers".to_owned();
        let help = format!("write at most {THRESHOLDS_MAX} numbers, such as `thresholds = [80, 95]`");
        found.push(table.problem(Code::ConfigValueInvalid, &list.span, message, help));
        return Vec::new();
    };
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

fn number(value: &TomlValue) -> Option<f64> {
    match value {
        // Beyond 2^53 neighbouring integers coincide, which is invisible in a chart.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        TomlValue::Integer(whole) => Some(*whole as f64),
        TomlValue::Number(number) => Some(*number).filter(|number| number.is_finite()),
        _ => None,
    }
}

fn text(table: &mut Section, key: &str, found: &mut Diagnostics) -> Option<String> {
    let text = table.string(key, found)?;
    let length = text.value.chars().count();
    if text.value.trim().is_empty() || TEXT_LENGTH_MAX < length {
        let message = format!("a {key} has 1 to {TEXT_LENGTH_MAX} characters; this has {length}");
        let help = "write what people should read, or take the key out".to_owned();
        found.push(table.problem(Code::ConfigValueInvalid, &text.span, message, help));
    }
    Some(text.value)
}
