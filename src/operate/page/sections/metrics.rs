//! The metrics file over the last hour: a chart for each metric.

use std::time::{Duration, SystemTime};

use crate::page::figures::{amount, name_of, time_of_day, unit_of};
use crate::page::html::Html;
use crate::page::view::{Metrics, Overview};
use candor_core::contract::{PastMetric, Point};

/// The most charts: a file may have any number of metrics.
const CHARTS_MAX: usize = 24;

/// The size of a chart in its own coordinates.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 60.0;

pub(in crate::page) fn show(html: &mut Html, overview: &Overview) {
    html.raw("<section id=\"metrics\"><h2>Metrics</h2>");
    match &overview.metrics {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(metrics) => show_metrics(html, metrics),
    }
    html.raw("</section>");
}

fn show_metrics(html: &mut Html, metrics: &Metrics) {
    let Metrics { from, until, past, trouble, .. } = metrics;
    html.raw("<p>The metrics file from ").text(&time_of_day(*from)).raw(" to ").text(&time_of_day(*until));
    html.raw(" UTC; a shade is where it was stale.</p>");
    if let Some(trouble) = trouble {
        html.raw("<p><span class=\"mark bad\">now</span> ").sentence(trouble).raw("</p>");
    }
    if past.metrics.is_empty() {
        html.raw("<p class=\"none\">No samples yet.</p>");
    }
    html.raw("<div class=\"cards\">");
    for metric in past.metrics.iter().take(CHARTS_MAX) {
        show_chart(html, metric, metrics);
    }
    html.raw("</div>");
    if let Some(left_out) = past.metrics.len().checked_sub(CHARTS_MAX).filter(|left_out| *left_out != 0) {
        html.raw("<p class=\"none\">").value(left_out).raw(" more are in the file.</p>");
    }
}

fn show_chart(html: &mut Html, metric: &PastMetric, metrics: &Metrics) {
    let said = metrics.shown.get(&metric.key);
    let label = said.and_then(|said| said.label.clone()).unwrap_or_else(|| name_of(&metric.key));
    let unit = said.and_then(|said| said.unit.as_deref()).unwrap_or_else(|| unit_of(&metric.key));
    let lowest = metric.points.iter().map(|point| point.low).fold(metric.last, f64::min);
    let highest = metric.points.iter().map(|point| point.high).fold(metric.last, f64::max);
    html.raw("<figure class=\"card\"><figcaption><span>").text(&label).raw("</span> <strong>");
    html.text(&amount(metric.last, unit)).raw("</strong></figcaption><svg class=\"chart\" viewBox=\"0 0 300 60\" ");
    html.raw("preserveAspectRatio=\"none\" role=\"img\" aria-label=\"").text(&label).raw(": lowest ");
    html.text(&amount(lowest, unit)).raw(", highest ").text(&amount(highest, unit)).raw("\">");
    // A percentage is shown on the full scale.
    let is_share = unit == "%" && 0.0 <= lowest && highest <= 100.0;
    let (low, high) = if is_share { (0.0, 100.0) } else { (lowest, highest) };
    let scale = Scale { from: metrics.from, until: metrics.until, low, high };
    for (begin, end) in &metrics.past.stale {
        let left = scale.x(*begin);
        let right = scale.x(*end);
        html.raw("<rect class=\"stale\" y=\"0\" height=\"60\" x=\"").value(format_args!("{left:.1}"));
        html.raw("\" width=\"").value(format_args!("{:.1}", (right - left).max(1.0))).raw("\"/>");
    }
    for run in runs(&metric.points, metrics.past.gap) {
        show_run(html, run, &scale);
    }
    html.raw("</svg><p class=\"range\">").text(&amount(lowest, unit)).raw(" to ").text(&amount(highest, unit));
    html.raw("</p></figure>");
}

/// Draws connected points: the band from lowest to highest, and the mean as a line.
fn show_run(html: &mut Html, run: &[Point], scale: &Scale) {
    let edge = |at: SystemTime, value: f64| format!("{:.1},{:.1}", scale.x(at), scale.y(value));
    let joined = |points: Vec<String>| points.join(" ");
    let band = run.iter().map(|point| edge(point.at, point.high));
    let band = band.chain(run.iter().rev().map(|point| edge(point.at, point.low)));
    html.raw("<polygon class=\"band\" points=\"").text(&joined(band.collect())).raw("\"/>");
    let mut line: Vec<_> = run.iter().map(|point| edge(point.at, point.mean)).collect();
    // A line of one point is a dot.
    line.extend(line.first().filter(|_| run.len() == 1).cloned());
    html.raw("<polyline class=\"line\" points=\"").text(&joined(line)).raw("\"/>");
}

/// Splits the points at gaps without data.
fn runs(points: &[Point], gap: Duration) -> impl Iterator<Item = &[Point]> {
    points.chunk_by(move |before, after| after.at.duration_since(before.at).unwrap_or_default() <= gap)
}

struct Scale {
    from: SystemTime,
    until: SystemTime,
    low: f64,
    high: f64,
}

impl Scale {
    fn x(&self, at: SystemTime) -> f64 {
        let all = self.until.duration_since(self.from).unwrap_or_default().as_secs_f64().max(1.0);
        let passed = at.duration_since(self.from).unwrap_or_default().as_secs_f64();
        (passed / all).min(1.0) * WIDTH
    }

    /// Returns the y coordinate, with a margin for the line width. A constant value is a line in the middle.
    fn y(&self, value: f64) -> f64 {
        // Halved, because the full range may overflow.
        let range = self.high / 2.0 - self.low / 2.0;
        let share = if range <= 0.0 { 0.5 } else { ((value / 2.0 - self.low / 2.0) / range).clamp(0.0, 1.0) };
        2.0 + (1.0 - share) * (HEIGHT - 4.0)
    }
}
