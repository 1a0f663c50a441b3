//! `/status range:`: the metrics over time, as a chart and as a sparkline for each metric.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use time::macros::format_description;

use super::format::TEXTS;
use super::{format, reading};
use candor_core::contract::{
    CommandError, Observation, Past, PastMetric, Point, Presentation, fresh_metrics, metric_figures,
};
use candor_core::language::{Language, say_from};
use candor_core::record::Source;
use candor_core::reply::{Chart, Reply, SERIES_MAX, Series, clock_time, sparkline};
use candor_core::text::{one_line, utc_text};

/// A phone shows this many characters on one line. Name and figures are on the line above.
const SPARKLINE_WIDTH: u32 = 30;

const NAMED_MAX: usize = 12;

const STALE_NAMED_MAX: usize = 3;

/// Discord's limit for an image's alternative text, in characters.
const ALT_TEXT_LENGTH_MAX: usize = 1_024;

/// How far a chart goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Range {
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
}

impl Range {
    pub(super) fn begin(self, now: SystemTime) -> SystemTime {
        const HOUR: Duration = Duration::from_secs(3_600);
        let length = match self {
            Self::Hour => HOUR,
            Self::Day => 24 * HOUR,
            Self::Week => 7 * 24 * HOUR,
        };
        now.checked_sub(length).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Formats a time in the range: the time of day, with the date if the range is longer than a day.
    fn moment(self, at: SystemTime) -> String {
        let format = format_description!("[day padding:none] [month repr:short] [hour]:[minute] UTC");
        match self {
            Self::Hour => clock_time(at),
            Self::Day | Self::Week => utc_text(at, format),
        }
    }

    fn name(self, language: Language) -> String {
        match self {
            Self::Hour => say_from!(TEXTS, language, "range-hour"),
            Self::Day => say_from!(TEXTS, language, "range-day"),
            Self::Week => say_from!(TEXTS, language, "range-week"),
        }
    }
}

pub(super) struct PastRequest<'a> {
    pub(super) range: Range,
    pub(super) wanted: Option<&'a str>,
    pub(super) presentation: &'a Presentation,
    pub(super) observation: &'a Observation<Map<String, Value>>,
    pub(super) language: Language,
}

/// Adds the history to the current reply. Shows the history even if there are no current metrics.
pub(super) fn with_past(
    now_said: Result<Reply, CommandError>,
    past: Past,
    asked: &PastRequest<'_>,
    now: SystemTime,
) -> Result<Reply, CommandError> {
    let language = asked.language;
    let metrics = wanted(past.metrics, asked);
    let is_empty = metrics.is_empty() && past.stale.is_empty();
    let shows_now = now_said.is_ok();
    let mut reply = match now_said {
        Err(CommandError::Tell(text)) if !is_empty && (asked.wanted.is_none() || !metrics.is_empty()) => Reply {
            title: Some(say_from!(TEXTS, language, "title")),
            text,
            source: Some(Source { name: asked.observation.path.clone(), as_of: None }),
            ..Reply::default()
        },
        said => said?,
    };
    if is_empty {
        reply.add_line(&say_from!(TEXTS, language, "no-samples", range = asked.range.name(language)));
        return Ok(reply);
    }
    // That sample equals the current value, which the reply already shows.
    if shows_now && past.stale.is_empty() && metrics.iter().all(|metric| metric.points.len() < 2) {
        reply.add_line(&say_from!(TEXTS, language, "one-sample"));
        return Ok(reply);
    }
    let metrics = with_now(metrics, asked, now);
    // A curve of an unchanging metric would show nothing.
    let (steady, mut moving): (Vec<_>, Vec<_>) = metrics.into_iter().partition(is_steady);
    moving.sort_by(|one, other| movement(other).total_cmp(&movement(one)));
    let left_out = moving.split_off(SERIES_MAX.min(moving.len()));
    let names = names(&moving, asked.presentation, asked.language);
    let series: Vec<_> =
        moving.iter().zip(names).map(|(metric, name)| self::series(name, metric, past.gap, asked)).collect();
    let begin = series.iter().filter_map(|series| series.samples.first()).map(|(at, _)| *at).min();
    let from = begin.unwrap_or_else(|| asked.range.begin(now)).min(now);
    let until = now;
    if asked.range.begin(now) + past.gap < from {
        reply.add_line(&say_from!(TEXTS, language, "since", from = asked.range.moment(from)));
    }
    for line in series.iter().flat_map(|series| lines(series, from, until)) {
        reply.add_line(&line);
    }
    let stale = stale(&past.stale, asked);
    let remarks = [stale.clone(), unchanged(&steady, asked), more(&left_out, language)];
    for remark in remarks.into_iter().flatten() {
        reply.add_line(&remark);
    }
    if !series.is_empty() {
        let title = say_from!(TEXTS, language, "title-range", range = asked.range.name(language));
        let alt_text = alt_text(&title, asked, &series, stale.as_deref(), (from, until));
        reply.chart = Some(Chart { title, from, until, series, stale: past.stale, alt_text, png: None });
    }
    Ok(reply)
}

/// Appends the current value if the file is fresh, because the reply shows it too.
fn with_now(mut metrics: Vec<PastMetric>, asked: &PastRequest<'_>, now: SystemTime) -> Vec<PastMetric> {
    let Some(content) = fresh_metrics(asked.observation, asked.presentation, now) else { return metrics };
    let figures: BTreeMap<_, _> = metric_figures(content, asked.presentation).into_iter().collect();
    for metric in &mut metrics {
        if let Some(&value) = figures.get(&metric.key) {
            metric.points.push(Point { at: now, mean: value, low: value, high: value });
            metric.last = value;
        }
    }
    metrics
}

/// Selects the requested metrics by key, group or label, or by their label among the current metrics.
fn wanted(metrics: Vec<PastMetric>, asked: &PastRequest<'_>) -> Vec<PastMetric> {
    let Some(wanted) = asked.wanted.map(str::to_lowercase) else { return metrics };
    let inside = format!("{wanted}.");
    let how = reading::How { presentation: asked.presentation, language: asked.language };
    let groups = asked.observation.good.as_ref().map(|good| reading::read(&good.value, how));
    let groups = groups.map(|groups| reading::select(&groups, &wanted)).unwrap_or_default();
    let called: BTreeSet<_> = groups.iter().flat_map(|group| &group.lines).flat_map(|line| &line.keys).collect();
    let is_wanted = |metric: &PastMetric| {
        let key = metric.key.to_lowercase();
        let title = reading::title(&metric.key, asked.presentation, asked.language).to_lowercase();
        key == wanted || key.starts_with(&inside) || title == wanted || called.contains(&metric.key)
    };
    metrics.into_iter().filter(is_wanted).collect()
}

/// Returns whether all points are equal. A single sample does not count as steady.
fn is_steady(metric: &PastMetric) -> bool {
    let first = metric.points.first().map(|point| point.mean);
    1 < metric.points.len() && metric.points.iter().all(|point| Some(point.low) == first && Some(point.high) == first)
}

/// Returns the movement of a metric relative to its largest value: 0 to 2.
fn movement(metric: &PastMetric) -> f64 {
    let low = metric.points.iter().map(|point| point.low).fold(f64::INFINITY, f64::min);
    let high = metric.points.iter().map(|point| point.high).fold(f64::NEG_INFINITY, f64::max);
    let largest = low.abs().max(high.abs());
    // Divided first, because the range may overflow an `f64`.
    if 0.0 < largest { high / largest - low / largest } else { 0.0 }
}

/// Returns the names of the curves. Equal names, such as the part and the percentage of a disk, get their unit or key
/// added.
fn names(metrics: &[PastMetric], presentation: &Presentation, language: Language) -> Vec<String> {
    let titles: Vec<_> = metrics.iter().map(|metric| reading::title(&metric.key, presentation, language)).collect();
    let is_alone = |name: &str, names: &[String]| names.iter().filter(|other| *other == name).count() <= 1;
    let with_unit = |(title, metric): (&String, &PastMetric)| match reading::unit(&metric.key, presentation).text() {
        unit if unit.is_empty() || is_alone(title, &titles) => title.clone(),
        unit => format!("{title} ({unit})"),
    };
    let names: Vec<_> = titles.iter().zip(metrics).map(with_unit).collect();
    let with_key = |(name, metric): (&String, &PastMetric)| match is_alone(name, &names) {
        true => name.clone(),
        false => format!("{name} ({})", metric.key),
    };
    names.iter().zip(metrics).map(with_key).collect()
}

fn series(label: String, metric: &PastMetric, gap: Duration, asked: &PastRequest<'_>) -> Series {
    let presentation = asked.presentation;
    let language = asked.language;
    let unit = reading::unit(&metric.key, presentation);
    let text = |number: f64| format::value(&Value::from(number), unit, language);
    let low = metric.points.iter().map(|point| point.low).fold(f64::INFINITY, f64::min);
    let high = metric.points.iter().map(|point| point.high).fold(f64::NEG_INFINITY, f64::max);
    let own = presentation.metrics.get(&metric.key);
    Series {
        label,
        unit: unit.text().to_owned(),
        summary: say_from!(TEXTS, language, "summary", low = text(low), high = text(high), last = text(metric.last)),
        samples: metric.points.iter().map(|point| (point.at, point.mean)).collect(),
        spread: metric.points.iter().map(|point| (point.low, point.high)).collect(),
        gap,
        thresholds: own.map(|own| own.thresholds.clone()).unwrap_or_default(),
    }
}

/// Returns a metric on two lines: name with figures, and sparkline.
fn lines(series: &Series, from: SystemTime, until: SystemTime) -> [String; 2] {
    let course = sparkline(series, from, until, SPARKLINE_WIDTH);
    // Code keeps the spaces, which stand for unknown times.
    [format!("**{}** {}", series.label, series.summary), format!("`{course}`")]
}

fn stale(stretches: &[(SystemTime, SystemTime)], asked: &PastRequest<'_>) -> Option<String> {
    let range = asked.range;
    let language = asked.language;
    let stretch = |&(from, until): &(SystemTime, SystemTime)| {
        say_from!(TEXTS, language, "stretch", from = range.moment(from), until = range.moment(until))
    };
    let latest = stretches.iter().rev().take(STALE_NAMED_MAX);
    let mut latest: Vec<_> = latest.map(stretch).collect();
    latest.reverse();
    match stretches.len().saturating_sub(STALE_NAMED_MAX) {
        _ if latest.is_empty() => None,
        0 => Some(say_from!(TEXTS, language, "stale-at", stretches = latest.join(", "))),
        earlier => Some(say_from!(TEXTS, language, "stale-more", stretches = latest.join(", "), n = earlier)),
    }
}

/// Lists the metrics that never changed, by key, with their value.
fn unchanged(steady: &[PastMetric], asked: &PastRequest<'_>) -> Option<String> {
    let named = |metric: &PastMetric| {
        let unit = reading::unit(&metric.key, asked.presentation);
        let value = format::value(&Value::from(metric.last), unit, asked.language);
        format!("`{}` {value}", one_line(&metric.key, 60))
    };
    let names = steady.iter().take(NAMED_MAX).map(named).collect::<Vec<_>>().join(", ");
    match steady.len().saturating_sub(NAMED_MAX) {
        _ if names.is_empty() => None,
        0 => Some(say_from!(TEXTS, asked.language, "unchanged", names = names)),
        more => Some(say_from!(TEXTS, asked.language, "unchanged-more", names = names, n = more)),
    }
}

/// Lists the changing metrics that are not drawn, by key: each has its own chart if requested by name.
fn more(left_out: &[PastMetric], language: Language) -> Option<String> {
    let names = left_out.iter().take(NAMED_MAX).map(|metric| format!("`{}`", one_line(&metric.key, 60)));
    let names = names.collect::<Vec<_>>().join(", ");
    match left_out.len().saturating_sub(NAMED_MAX) {
        _ if names.is_empty() => None,
        0 => Some(say_from!(TEXTS, language, "not-drawn", names = names)),
        more => Some(say_from!(TEXTS, language, "not-drawn-more", names = names, n = more)),
    }
}

/// Describes the chart in words, with as many metrics as fit.
fn alt_text(
    title: &str,
    asked: &PastRequest<'_>,
    series: &[Series],
    stale: Option<&str>,
    (from, until): (SystemTime, SystemTime),
) -> String {
    let from_text = asked.range.moment(from);
    let until_text = asked.range.moment(until);
    let stretch = say_from!(TEXTS, asked.language, "stretch", from = from_text, until = until_text);
    let mut text = format!("{title}: {stretch}.");
    let courses = series.iter().map(|series| format!("{}: {}.", series.label, series.summary));
    for part in stale.map(str::to_owned).into_iter().chain(courses) {
        if ALT_TEXT_LENGTH_MAX < text.chars().count() + 1 + part.chars().count() {
            break;
        }
        text.push(' ');
        text.push_str(&part);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;
    use candor_core::contract::{Good, Metric, Point};

    /// 2023-11-14 22:13:20 UTC.
    const NOW: u64 = 1_700_000_000;

    fn ago(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(NOW - seconds)
    }

    fn metric(key: &str, values: &[(u64, f64)]) -> PastMetric {
        let point = |&(seconds, value): &(u64, f64)| Point { at: ago(seconds), mean: value, low: value, high: value };
        let last = values.last().map_or(0.0, |(_, value)| *value);
        PastMetric { key: key.to_owned(), points: values.iter().map(point).collect(), last }
    }

    fn past(metrics: Vec<PastMetric>) -> Past {
        Past { metrics, stale: Vec::new(), gap: Duration::from_secs(90) }
    }

    fn presentation() -> Presentation {
        let thresholds = vec![80.0, 95.0];
        let cpu = Metric { label: Some("CPU".to_owned()), unit: None, thresholds };
        Presentation {
            generated_at: "generated_at".to_owned(),
            stale_after: Duration::from_secs(60),
            metrics: BTreeMap::from([("cpu.usage_percent".to_owned(), cpu)]),
        }
    }

    fn shown(now: Result<Reply, CommandError>, past: Past, wanted: Option<&str>) -> Result<Reply, CommandError> {
        let content = json!({ "cpu": { "usage_percent": 12.5 }, "memory": { "used_bytes": 10, "total_bytes": 20 } });
        let good = Good { value: Arc::new(content.as_object().unwrap().clone()), modified: ago(0) };
        let observation = Observation { path: "data/metrics.json".to_owned(), good: Some(good), trouble: None };
        let presentation = presentation();
        let asked = PastRequest {
            range: Range::Hour,
            wanted,
            presentation: &presentation,
            observation: &observation,
            language: Language::ENGLISH,
        };
        with_past(now, past, &asked, ago(0))
    }

    fn fresh() -> Result<Reply, CommandError> {
        Ok(Reply::text("").titled("Status"))
    }

    #[test]
    fn each_curve_has_a_name_of_its_own() {
        let cases: [(&[&str], &[&str]); 3] = [
            (&["disk.used_bytes", "disk.used_percent", "load"], &["Disk / Used (bytes)", "Disk / Used (%)", "Load"]),
            (&["cpu.usage_percent", "cpu.cores"], &["CPU", "CPU / Cores"]),
            (&["a.b_c", "a.b c"], &["A / B c (a.b_c)", "A / B c (a.b c)"]),
        ];
        for (keys, wanted) in cases {
            let metrics: Vec<_> = keys.iter().map(|key| metric(key, &[(60, 1.0)])).collect();
            assert_eq!(names(&metrics, &presentation(), Language::ENGLISH), wanted);
        }
    }

    #[test]
    fn the_text_says_what_the_picture_shows() {
        let cpu = metric("cpu.usage_percent", &[(240, 10.0), (120, 90.0), (60, 50.0)]);
        let past = Past { stale: vec![(ago(60), ago(30))], ..past(vec![cpu]) };
        let reply = shown(fresh(), past, None).unwrap();
        let lines: Vec<_> = reply.text.lines().collect();
        let [since, figures, course, stale] = lines[..] else { panic!("{lines:?}") };
        assert_eq!(since, "Measured since 22:09:20 UTC.");
        // The current value ends the curve.
        assert_eq!(figures, "**CPU** min 10 % · max 90 % · last 12.5 %");
        assert_eq!(course.trim_matches('`').chars().count(), 30);
        assert_eq!(stale, "Stale: 22:12:20 UTC to 22:12:50 UTC.");
        let chart = reply.chart.unwrap();
        assert_eq!((chart.from, chart.until, chart.series.len()), (ago(240), ago(0), 1));
        assert_eq!(chart.series[0].thresholds, [80.0, 95.0]);
        assert_eq!((chart.series[0].unit.as_str(), chart.series[0].spread.len()), ("%", 4));
        assert_eq!(
            chart.alt_text,
            "Status, last hour: 22:09:20 UTC to 22:13:20 UTC. Stale: 22:12:20 UTC to 22:12:50 UTC. CPU: min 10 % · max \
             90 % · last 12.5 %."
        );
    }

    #[test]
    fn without_samples_it_says_so_and_draws_nothing() {
        let reply = shown(fresh(), Past::default(), None).unwrap();
        assert_eq!(reply.text, "No samples of the last hour yet: there is nothing to draw. Ask again later.");
        assert_eq!(reply.chart, None);
        let none = shown(Err(CommandError::tell("No data.")), Past::default(), None);
        assert!(matches!(none, Err(CommandError::Tell(text)) if text == "No data."));
    }

    #[test]
    fn one_sample_is_no_curve() {
        let one = || past(vec![metric("cpu.usage_percent", &[(30, 10.0)]), metric("cpu.cores", &[(30, 2.0)])]);
        let reply = shown(fresh(), one(), None).unwrap();
        let said = "So far there is one sample, and a curve takes two. Ask again later.";
        assert_eq!((reply.text.as_str(), reply.chart), (said, None));
        let reply = shown(Err(CommandError::tell("No data.")), one(), None).unwrap();
        assert!(reply.text.contains("**CPU** min 10 %"), "{}", reply.text);
    }

    #[test]
    fn where_nothing_is_known_now_the_past_still_is() {
        let cpu = || metric("cpu.usage_percent", &[(120, 10.0), (90, 90.0)]);
        let reply = shown(Err(CommandError::tell("No data.")), past(vec![cpu()]), None).unwrap();
        assert!(reply.text.starts_with("No data.\nMeasured since 22:11:20 UTC.\n**CPU** min 10 %"), "{}", reply.text);
        assert!(reply.chart.is_some() && reply.source.is_some());
        // An unknown name, now and in the past, is still an error.
        let unknown = shown(Err(CommandError::tell("No metric `x`.")), past(vec![cpu()]), Some("x"));
        assert!(matches!(unknown, Err(CommandError::Tell(text)) if text == "No metric `x`."));
    }

    #[test]
    fn only_what_was_asked_for_is_shown() {
        let metrics = || {
            vec![
                metric("cpu.usage_percent", &[(60, 1.0), (30, 2.0)]),
                metric("memory.used_bytes", &[(60, 1.0), (30, 2.0)]),
                metric("gone.players", &[(60, 1.0), (30, 2.0)]),
            ]
        };
        let cases: [(Option<&str>, &[&str]); 6] = [
            (None, &["CPU", "Memory / Used", "Gone / Players"]),
            (Some("cpu.usage_percent"), &["CPU"]),
            (Some("CPU"), &["CPU"]),
            (Some("memory"), &["Memory / Used"]),
            (Some("gone"), &["Gone / Players"]),
            (Some("gone.players"), &["Gone / Players"]),
        ];
        for (wanted, expected) in cases {
            let chart = shown(fresh(), past(metrics()), wanted).unwrap().chart.unwrap();
            let labels: Vec<_> = chart.series.iter().map(|series| series.label.as_str()).collect();
            assert_eq!(labels, expected, "{wanted:?}");
        }
    }

    #[test]
    fn the_most_moving_are_drawn_and_all_others_are_named() {
        let steady = (0..14).map(|n| metric(&format!("steady_{n:02}"), &[(60, 5.0), (30, 5.0)]));
        let moving = (0..20).map(|n| metric(&format!("moving_{n:02}"), &[(60, 1.0), (30, 2.0 + f64::from(n / 2))]));
        let reply = shown(fresh(), past(steady.chain(moving).collect()), None).unwrap();
        let chart = reply.chart.unwrap();
        let labels: Vec<_> = chart.series.iter().map(|series| series.label.as_str()).collect();
        assert_eq!(labels, ["Moving 18", "Moving 19", "Moving 16", "Moving 17"]);
        let lines: Vec<_> = reply.text.lines().collect();
        let [.., unchanged, more] = lines[..] else { panic!("{lines:?}") };
        assert!(unchanged.starts_with("Unchanged: `steady_00` 5, `steady_01` 5, "), "{unchanged}");
        assert!(unchanged.ends_with("`steady_11` 5 and 2 more."), "{unchanged}");
        assert!(more.starts_with("Not drawn; ask for one by name: `moving_14`, `moving_15`"), "{more}");
        assert!(more.ends_with("`moving_05` and 4 more."), "{more}");
        assert!(chart.alt_text.chars().count() <= 1_024, "{}", chart.alt_text.chars().count());
        assert!(reply.text.chars().count() < 3_000, "{}", reply.text.chars().count());
    }

    #[test]
    fn what_never_changed_is_a_line_and_no_picture() {
        let disk = metric("disk.total_bytes", &[(3_590, 1_073_741_824.0), (30, 1_073_741_824.0)]);
        let reply = shown(fresh(), past(vec![disk]), None).unwrap();
        assert_eq!((reply.chart, reply.text.as_str()), (None, "Unchanged: `disk.total_bytes` 1.0 GiB."));
    }

    #[test]
    fn a_metric_moves_by_a_share_of_its_largest_value() {
        let cases: [(&[f64], f64); 5] = [
            (&[5.0], 0.0),
            (&[0.0, 0.0], 0.0),
            (&[50.0, 100.0], 0.5),
            (&[-2.0, 2.0], 2.0),
            (&[f64::MIN, f64::MAX], 2.0),
        ];
        for (values, expected) in cases {
            let values: Vec<_> = values.iter().map(|value| (30, *value)).collect();
            assert!((movement(&metric("key", &values)) - expected).abs() < 1e-9, "{values:?}");
        }
    }
}
