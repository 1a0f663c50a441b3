//! Renders a chart as SVG text: stacked panels over one time axis in UTC.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use super::axis::{self, Values};
use super::palette::{CARD, Colour, GRID, LINE, MUTED, PLOT, SPREAD, STALE, TEXT, THRESHOLD, hex};
use super::{Chart, Series};
use crate::text::shortened;

/// The most panels: a phone could not show more legibly.
pub const SERIES_MAX: usize = 8;
/// The width of every chart, in pixels.
pub const WIDTH: u32 = 800;
/// The height of a chart with [`SERIES_MAX`] panels, in pixels.
pub const HEIGHT_MAX: u32 = TOP + PANEL * 8 + BOTTOM;

/// The height of the heading, in pixels.
const TOP: u32 = 46;
/// The height of one panel with name, plot and spacing, in pixels.
const PANEL: u32 = 132;
/// The height of the time labels, in pixels.
const BOTTOM: u32 = 34;
const NAME_HEIGHT: u32 = 24;
const PLOT_HEIGHT: u32 = 94;
/// The left and right edges of a plot, in pixels.
const LEFT: u32 = 84;
const RIGHT: u32 = 780;

/// The minimum width of a stale period, in pixels, so that short ones are visible.
const STALE_WIDTH_MIN: f64 = 2.0;

/// The longest title in characters; longer texts would overlap.
const TITLE_LENGTH_MAX: usize = 60;
const LABEL_LENGTH_MAX: usize = 34;
const SUMMARY_LENGTH_MAX: usize = 60;

/// The chart as SVG. Series beyond [`SERIES_MAX`] are omitted.
pub fn svg(chart: &Chart) -> String {
    let panels: Vec<_> = chart.series.iter().take(SERIES_MAX).zip(0_u32..).collect();
    let height = TOP + PANEL * u32::try_from(panels.len()).unwrap_or_default() + BOTTOM;
    let mut drawing = Drawing(String::new());
    drawing.add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">"
    ));
    drawing.rectangle(0.0, 0.0, f64::from(WIDTH), f64::from(height), CARD);
    drawing.text(
        Text { x: 20, y: 30, size: 17, anchor: "start", colour: TEXT },
        &shortened(&chart.title, TITLE_LENGTH_MAX),
    );
    let time = Time { from: chart.from, until: chart.until };
    for (series, n) in &panels {
        panel(&mut drawing, series, chart, &time, TOP + PANEL * n);
    }
    let baseline = height - BOTTOM + 8;
    for (at, text) in axis::times(chart.from, chart.until) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place within the width")]
        let x = time.x(at).round() as u32;
        // The left end stays free; the right end is for `UTC`.
        if (LEFT + 16..=RIGHT - 52).contains(&x) {
            drawing.text(Text { x, y: baseline, size: 12, anchor: "middle", colour: MUTED }, &text);
        }
    }
    drawing.text(Text { x: RIGHT, y: baseline, size: 12, anchor: "end", colour: MUTED }, "UTC");
    drawing.add(format_args!("</svg>"));
    drawing.0
}

fn panel(drawing: &mut Drawing, series: &Series, chart: &Chart, time: &Time, top: u32) {
    let name = Text { x: LEFT, y: top + 15, size: 14, anchor: "start", colour: TEXT };
    drawing.text(name, &shortened(&series.label, LABEL_LENGTH_MAX));
    let summary = Text { x: RIGHT, y: top + 15, size: 12, anchor: "end", colour: MUTED };
    drawing.text(summary, &shortened(&series.summary, SUMMARY_LENGTH_MAX));

    let plot = Plot { top: f64::from(top + NAME_HEIGHT), values: values(series) };
    let (left, right, height) = (f64::from(LEFT), f64::from(RIGHT), f64::from(PLOT_HEIGHT));
    drawing.rectangle(left, plot.top, right - left, height, PLOT);
    for (from, until) in &chart.stale {
        let (begin, end) = (time.x(*from), time.x(*until));
        let begin = begin.min(right - STALE_WIDTH_MIN);
        drawing.rectangle(begin, plot.top, (end - begin).max(STALE_WIDTH_MIN), height, STALE);
    }
    for (value, text) in &plot.values.labels {
        let y = plot.y(*value);
        drawing.line((left, y), (right, y), GRID, "");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place within the height")]
        let y = y.round() as u32 + 4;
        drawing.text(Text { x: LEFT - 8, y, size: 11, anchor: "end", colour: MUTED }, text);
    }
    for run in series.runs() {
        curve(drawing, series, run, time, &plot);
    }
    for threshold in series.thresholds.iter().filter(|threshold| threshold.is_finite()) {
        let y = plot.y(*threshold);
        drawing.line((left, y), (right, y), THRESHOLD, " stroke-dasharray=\"7 5\"");
    }
}

/// Joined samples: their spread, and the line above it. A single sample is a dot.
fn curve(drawing: &mut Drawing, series: &Series, run: std::ops::Range<usize>, time: &Time, plot: &Plot) {
    let samples = series.samples.get(run.clone()).unwrap_or_default();
    let points: Vec<_> = samples.iter().map(|(at, value)| (time.x(*at), plot.y(*value))).collect();
    if let [(x, y)] = points[..] {
        drawing.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{}\"/>", hex(LINE)));
        return;
    }
    if let Some(spread) = series.spread.get(run) {
        let edge = |at: &SystemTime, value: f64| format!("{:.1},{:.1}", time.x(*at), plot.y(value));
        let both = || samples.iter().zip(spread);
        let above = both().map(|((at, _), (_, high))| edge(at, *high));
        let below = both().rev().map(|((at, _), (low, _))| edge(at, *low));
        let outline = above.chain(below).collect::<Vec<_>>().join(" ");
        drawing.add(format_args!("<polygon points=\"{outline}\" fill=\"{}\"/>", hex(SPREAD)));
    }
    let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
    drawing.add(format_args!(
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\"/>",
        hex(LINE)
    ));
}

/// The value axis that covers everything in a panel.
fn values(series: &Series) -> Values {
    let seen = || {
        let samples = series.samples.iter().map(|(_, value)| *value);
        let spread = series.spread.iter().flat_map(|(low, high)| [*low, *high]);
        samples.chain(spread).chain(series.thresholds.iter().copied()).filter(|value| value.is_finite())
    };
    match (seen().reduce(f64::min), seen().reduce(f64::max)) {
        (Some(low), Some(high)) => axis::values(low, high, &series.unit),
        (Some(_), None) | (None, Some(_)) | (None, None) => axis::values(0.0, 1.0, &series.unit),
    }
}

/// The time range of the plot's width.
struct Time {
    from: SystemTime,
    until: SystemTime,
}

impl Time {
    fn x(&self, at: SystemTime) -> f64 {
        let all = self.until.duration_since(self.from).unwrap_or_default().max(Duration::from_millis(1));
        let passed = at.duration_since(self.from).unwrap_or_default();
        let share = (passed.as_secs_f64() / all.as_secs_f64()).min(1.0);
        f64::from(LEFT) + share * f64::from(RIGHT - LEFT)
    }
}

/// The position and value range of a panel.
struct Plot {
    top: f64,
    values: Values,
}

impl Plot {
    fn y(&self, value: f64) -> f64 {
        let Values { low, high, .. } = self.values;
        // Halved, because the full range may overflow an `f64`.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        self.top + (1.0 - share.clamp(0.0, 1.0)) * f64::from(PLOT_HEIGHT)
    }
}

/// Position and style of a text.
struct Text {
    x: u32,
    y: u32,
    size: u32,
    anchor: &'static str,
    colour: Colour,
}

/// SVG under construction.
struct Drawing(String);

impl Drawing {
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _written = self.0.write_fmt(element);
    }

    fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Colour) {
        let fill = hex(colour);
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: Colour, more: &str) {
        let stroke = hex(colour);
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"{more}/>"
        ));
    }

    fn text(&mut self, Text { x, y, size, anchor, colour }: Text, text: &str) {
        let (fill, text) = (hex(colour), escaped_for_xml(text));
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }
}

/// Text escaped for XML: labels come from the operator's files. Characters that XML forbids are removed.
fn escaped_for_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !is_forbidden(*character)) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// See XML 1.0, production 2, "Char".
fn is_forbidden(character: char) -> bool {
    character.is_control() || matches!(character, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
    }

    fn series(label: &str, samples: &[(u64, f64)]) -> Series {
        Series {
            label: label.to_owned(),
            unit: "%".to_owned(),
            summary: "last 40 %".to_owned(),
            samples: samples.iter().map(|&(second, value)| (at(second), value)).collect(),
            spread: Vec::new(),
            gap: Duration::from_secs(90),
            thresholds: Vec::new(),
        }
    }

    fn chart(series: Vec<Series>) -> Chart {
        Chart {
            title: "Status, last hour".to_owned(),
            from: at(0),
            until: at(3_600),
            series,
            stale: Vec::new(),
            alt_text: "CPU".to_owned(),
            png: None,
        }
    }

    #[test]
    fn a_small_chart_is_this_svg() {
        let mut cpu = series(
            "CPU <load> & \"more\"",
            &[(0, 10.0), (60, 40.0), (120, 20.0), (1_800, 60.0), (3_540, 30.0), (3_600, 40.0)],
        );
        cpu.thresholds = vec![80.0];
        let chart = Chart { stale: vec![(at(600), at(1_200))], ..chart(vec![cpu]) };
        insta::assert_snapshot!(svg(&chart).replace("><", ">\n<"));
    }

    #[test]
    fn a_gap_is_two_lines_and_a_lonely_sample_a_dot() {
        type Samples = &'static [(u64, f64)];
        let cases: [(Samples, usize, usize); 4] = [
            (&[(0, 1.0), (60, 2.0), (120, 3.0)], 1, 0),
            (&[(0, 1.0), (60, 2.0), (600, 3.0), (660, 3.0)], 2, 0),
            (&[(0, 1.0), (600, 2.0), (1_200, 3.0)], 0, 3),
            (&[], 0, 0),
        ];
        for (samples, lines, dots) in cases {
            let svg = svg(&chart(vec![series("CPU", samples)]));
            assert_eq!(
                (svg.matches("<polyline").count(), svg.matches("<circle").count()),
                (lines, dots),
                "{samples:?}"
            );
        }
    }

    #[test]
    fn a_stale_stretch_is_as_wide_as_it_was_long_and_never_outside() {
        // 3,600 s are 696 pixels from 84.
        let cases = [
            ((600, 1_200), "x=\"200.0\"", "width=\"116.0\""),
            ((0, 3_600), "x=\"84.0\"", "width=\"696.0\""),
            ((1_800, 1_800), "x=\"432.0\"", "width=\"2.0\""),
            ((3_600, 3_600), "x=\"778.0\"", "width=\"2.0\""),
            ((3_600, 9_999), "x=\"778.0\"", "width=\"2.0\""),
        ];
        for ((from, until), x, width) in cases {
            let chart = Chart { stale: vec![(at(from), at(until))], ..chart(vec![series("CPU", &[(0, 1.0)])]) };
            let svg = svg(&chart);
            let fill = hex(STALE);
            let shaded = svg.split('<').find(|element| element.contains(&fill)).unwrap();
            assert!(shaded.contains(x) && shaded.contains(width), "{shaded}");
        }
    }

    #[test]
    fn only_so_many_panels_are_drawn_and_the_picture_keeps_its_size() {
        for (n_series, height) in [(1, TOP + PANEL + BOTTOM), (8, HEIGHT_MAX), (64, HEIGHT_MAX)] {
            let many = (0..n_series).map(|n| series(&format!("metric {n}"), &[(0, 1.0)])).collect();
            let svg = svg(&chart(many));
            assert!(svg.contains(&format!("height=\"{height}\" viewBox")), "{n_series}");
            assert_eq!(svg.matches("metric ").count(), n_series.min(SERIES_MAX));
        }
        const { assert!(HEIGHT_MAX <= 1_200) }
    }

    #[test]
    fn no_text_is_more_than_text() {
        let hostile = "</text><image href=\"file:///etc/passwd\"/>\u{0}\u{1b}\u{FFFF}&#x41;";
        let mut bad = series(hostile, &[(0, 1.0)]);
        bad.summary = hostile.to_owned();
        bad.unit = hostile.to_owned();
        let svg = svg(&Chart { title: hostile.to_owned(), ..chart(vec![bad]) });
        assert!(
            !svg.contains("<image") && !svg.contains('\u{0}') && !svg.contains('\u{1b}') && !svg.contains("&#x41;")
        );
    }

    #[test]
    fn no_number_breaks_the_drawing() {
        for values in [[f64::MIN, f64::MAX], [0.0, -0.0], [1e-300, 2e-300]] {
            let mut odd = series("odd", &[(0, values[0]), (60, values[1])]);
            odd.spread = values.map(|value| (value, value)).to_vec();
            odd.thresholds = vec![f64::NAN, f64::INFINITY, 1.0];
            let svg = svg(&chart(vec![odd]));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}: {svg}");
        }
    }
}
