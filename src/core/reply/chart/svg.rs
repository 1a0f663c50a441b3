//! Renders a chart as SVG text: stacked panels over one time axis in UTC.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use super::axis::{self, Values};
use super::{Chart, Series};
use crate::text::shortened;

/// An opaque colour: red, green, blue.
pub(super) type Colour = [u8; 3];

/// The background of the whole chart.
pub const CARD: Colour = [0x2B, 0x2D, 0x31];
/// The background of a plot.
pub const PLOT: Colour = [0x23, 0x25, 0x28];
/// The background of stale periods.
pub const STALE: Colour = [0x4D, 0x44, 0x33];
/// Headings and names.
pub(super) const TEXT: Colour = [0xF2, 0xF3, 0xF5];
/// Axis labels.
pub(super) const MUTED: Colour = [0xC4, 0xC9, 0xCE];
/// The line of a metric. Colour-blind people can tell it from the thresholds' orange.
pub const LINE: Colour = [0x5E, 0xC8, 0xF8];
/// The band from lowest to highest value.
pub(super) const SPREAD: Colour = [0x2F, 0x55, 0x67];
/// A threshold line; it is also dashed, so that it does not rely on colour alone.
pub(super) const THRESHOLD: Colour = [0xFF, 0xA7, 0x4D];
/// Grid lines.
pub(super) const GRID: Colour = [0x3C, 0x3F, 0x45];

/// Formats the colour for SVG.
pub(super) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The most panels: more would be illegible on a phone.
pub const SERIES_MAX: usize = 4;
/// The width of every chart, in pixels: twice the width at which Discord shows it.
pub const WIDTH: u32 = 1_100;
/// The height of every chart, in pixels.
pub const HEIGHT: u32 = 660;

/// The height of the heading, in pixels.
const TOP: u32 = 56;
/// The height of the time labels, in pixels.
const BOTTOM: u32 = 46;
/// The height of a panel's name, in pixels.
const NAME_HEIGHT: u32 = 38;
/// The space below a plot, in pixels.
const SPACE: u32 = 10;
/// The left and right edges of a plot, in pixels.
const LEFT: u32 = 158;
const RIGHT: u32 = 1_076;

/// Font sizes, in pixels. Shown 400 pixels wide, the smallest has ten.
const TITLE_SIZE: u32 = 32;
const NAME_SIZE: u32 = 29;
const AXIS_SIZE: u32 = 27;
/// The smallest font size of the figures beside a name.
const SUMMARY_SIZE_MIN: u32 = 19;
/// The width of the widest letter, as a share of its size.
const LETTER_WIDTH: f64 = 0.62;

/// The minimum width of a stale period, in pixels, so that short ones are visible.
const STALE_WIDTH_MIN: f64 = 5.0;

/// The longest title and name in characters; longer texts would overlap.
const TITLE_LENGTH_MAX: usize = 46;
const LABEL_LENGTH_MAX: usize = 48;
const TIMES_MAX: u64 = 6;

/// Renders the chart as SVG. Series beyond [`SERIES_MAX`] are omitted.
pub fn svg(chart: &Chart) -> String {
    let panels: Vec<_> = chart.series.iter().take(SERIES_MAX).zip(0_u32..).collect();
    let height = (HEIGHT - TOP - BOTTOM) / u32::try_from(panels.len()).unwrap_or_default().max(1);
    let mut drawing = Drawing(String::new());
    drawing.add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">"
    ));
    drawing.rectangle(0.0, 0.0, f64::from(WIDTH), f64::from(HEIGHT), CARD);
    drawing.text(
        Text { x: 24, y: 41, size: TITLE_SIZE, anchor: "start", colour: TEXT },
        &shortened(&chart.title, TITLE_LENGTH_MAX),
    );
    drawing.text(Text { x: RIGHT, y: 41, size: AXIS_SIZE, anchor: "end", colour: MUTED }, "UTC");
    let time = Time { from: chart.from, until: chart.until };
    for (series, n) in &panels {
        panel(&mut drawing, series, chart, &time, TOP + height * n, height);
    }
    for (at, text) in axis::times(chart.from, chart.until, TIMES_MAX) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place within the width")]
        let x = time.x(at).round() as u32;
        let half = width(&text, AXIS_SIZE) / 2.0;
        if f64::from(x) + half <= f64::from(WIDTH) {
            let label = Text { x, y: HEIGHT - 14, size: AXIS_SIZE, anchor: "middle", colour: MUTED };
            drawing.text(label, &text);
        }
    }
    drawing.add(format_args!("</svg>"));
    drawing.0
}

/// Returns the most pixels that a text takes.
fn width(text: &str, size: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few dozen letters")]
    let n_letters = text.chars().count() as f64;
    n_letters * f64::from(size) * LETTER_WIDTH
}

fn panel(drawing: &mut Drawing, series: &Series, chart: &Chart, time: &Time, top: u32, height: u32) {
    let label = shortened(&series.label, LABEL_LENGTH_MAX);
    drawing.text(Text { x: LEFT, y: top + 28, size: NAME_SIZE, anchor: "start", colour: TEXT }, &label);
    // Shrink the figures beside a long name, or omit them: the reply's text holds them too.
    let room = f64::from(RIGHT - LEFT) - width(&label, NAME_SIZE) - f64::from(AXIS_SIZE);
    if let Some(size) = (SUMMARY_SIZE_MIN..=AXIS_SIZE).rev().find(|size| width(&series.summary, *size) <= room) {
        let summary = Text { x: RIGHT, y: top + 28, size, anchor: "end", colour: MUTED };
        drawing.text(summary, &series.summary);
    }

    let plot_top = f64::from(top + NAME_HEIGHT);
    let plot_height = f64::from(height - NAME_HEIGHT - SPACE);
    let plot = Plot { top: plot_top, height: plot_height, values: values(series) };
    let left = f64::from(LEFT);
    let right = f64::from(RIGHT);
    drawing.rectangle(left, plot.top, right - left, plot.height, PLOT);
    for (from, until) in chart.stale.iter().filter(|(_, until)| chart.from <= *until) {
        let begin = time.x(*from);
        let end = time.x(*until);
        let begin = begin.min(right - STALE_WIDTH_MIN);
        drawing.rectangle(begin, plot.top, (end - begin).max(STALE_WIDTH_MIN), plot.height, STALE);
    }
    for (value, _) in &plot.values.labels {
        let y = plot.y(*value);
        drawing.line((left, y), (right, y), GRID, " stroke-width=\"1.5\"");
    }
    for (value, text) in plot.labels() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place within the height")]
        let y = plot.y(*value).round() as u32 + 10;
        drawing.text(Text { x: LEFT - 12, y, size: AXIS_SIZE, anchor: "end", colour: MUTED }, text);
    }
    for run in series.runs() {
        curve(drawing, series, run, time, &plot);
    }
    for threshold in series.thresholds.iter().filter(|threshold| threshold.is_finite()) {
        let y = plot.y(*threshold);
        drawing.line((left, y), (right, y), THRESHOLD, " stroke-width=\"2.5\" stroke-dasharray=\"14 10\"");
    }
}

/// Draws joined samples: their spread, and the line above it. A single sample is a dot.
fn curve(drawing: &mut Drawing, series: &Series, run: std::ops::Range<usize>, time: &Time, plot: &Plot) {
    let samples = series.samples.get(run.clone()).unwrap_or_default();
    let points: Vec<_> = samples.iter().map(|(at, value)| (time.x(*at), plot.y(*value))).collect();
    if let [(x, y)] = points[..] {
        drawing.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"{}\"/>", hex(LINE)));
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
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\" stroke-width=\"4\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\"/>",
        hex(LINE)
    ));
}

/// Returns the value axis that covers everything in a panel.
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
    height: f64,
    values: Values,
}

impl Plot {
    fn y(&self, value: f64) -> f64 {
        let Values { low, high, .. } = self.values;
        // Halved, because the full range may overflow an `f64`.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        self.top + (1.0 - share.clamp(0.0, 1.0)) * self.height
    }

    /// Returns the labels of the value axis: all, or lowest and highest if all would overlap.
    fn labels(&self) -> Vec<&(f64, String)> {
        let labels = &self.values.labels;
        let apart = match &labels[..] {
            [(first, _), (second, _), ..] => self.y(*first) - self.y(*second),
            [_] | [] => self.height,
        };
        match f64::from(AXIS_SIZE) * 1.2 <= apart {
            true => labels.iter().collect(),
            false => labels.first().into_iter().chain(labels.last()).collect(),
        }
    }
}

struct Text {
    x: u32,
    y: u32,
    size: u32,
    anchor: &'static str,
    colour: Colour,
}

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
        let fill = hex(colour);
        let text = escaped_for_xml(text);
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }
}

/// Escapes text for XML: labels come from the operator's files. Characters that XML forbids are removed.
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

    /// See WCAG 2.2, "contrast ratio" and "relative luminance".
    fn contrast(one: Colour, other: Colour) -> f64 {
        let luminance = |colour: Colour| {
            let [red, green, blue] = colour.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let one = luminance(one);
        let other = luminance(other);
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn whatever_must_be_read_stands_out_from_whatever_it_stands_on() {
        for ink in [TEXT, MUTED, LINE, THRESHOLD] {
            for ground in [CARD, PLOT, STALE] {
                let contrast = contrast(ink, ground);
                assert!(4.5 <= contrast, "{} on {}: {contrast:.2}", hex(ink), hex(ground));
            }
        }
    }

    #[test]
    fn contrast_is_as_the_standard_counts_it() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 0.01);
        assert!((contrast([0x77; 3], [255; 3]) - 4.48).abs() < 0.01);
    }

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
        // 3,600 s are 918 pixels from 158.
        let cases = [
            ((600, 1_200), "x=\"311.0\"", "width=\"153.0\""),
            ((0, 3_600), "x=\"158.0\"", "width=\"918.0\""),
            ((1_800, 1_800), "x=\"617.0\"", "width=\"5.0\""),
            ((3_600, 3_600), "x=\"1071.0\"", "width=\"5.0\""),
            ((3_600, 9_999), "x=\"1071.0\"", "width=\"5.0\""),
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
    fn what_was_stale_before_the_chart_begins_is_not_shaded() {
        let stale = vec![(at(0), at(600))];
        let chart = Chart { from: at(900), stale, ..chart(vec![series("CPU", &[(900, 1.0), (960, 2.0)])]) };
        assert!(!svg(&chart).contains(&hex(STALE)));
    }

    #[test]
    fn only_so_many_panels_are_drawn_and_the_picture_keeps_its_size() {
        for n_series in [1, 2, 3, 4, 64] {
            let many = (0..n_series).map(|n| series(&format!("metric {n}"), &[(0, 1.0)])).collect();
            let svg = svg(&chart(many));
            assert!(svg.contains(&format!("height=\"{HEIGHT}\" viewBox")), "{n_series}");
            assert_eq!(svg.matches("metric ").count(), n_series.min(SERIES_MAX));
        }
        const { assert!(HEIGHT < WIDTH) }
    }

    /// The sizes of all lettering of a picture that is shown this wide.
    fn sizes(svg: &str, shown: f64) -> Vec<f64> {
        let sizes = svg.split("font-size=\"").skip(1).filter_map(|part| part.split('"').next()?.parse::<f64>().ok());
        sizes.map(|size| size * shown / f64::from(WIDTH)).collect()
    }

    #[test]
    fn its_lettering_can_be_read_where_it_is_shown_small() {
        for n_series in [1, 4] {
            let series = vec![series("CPU", &[(0, 1.0), (60, 90.0)]); n_series];
            let svg = svg(&chart(series));
            for (shown, smallest) in [(400.0, 9.5), (550.0, 13.0)] {
                let sizes = sizes(&svg, shown);
                assert!(5 < sizes.len() && sizes.iter().all(|size| smallest <= *size), "{sizes:?}");
            }
        }
    }

    #[test]
    fn labels_of_a_low_plot_do_not_overlap_and_figures_that_do_not_fit_leave_the_name() {
        let mut wide = series("Memory / Used", &[(0, 1.5e9), (60, 3.1e9)]);
        (wide.unit, wide.summary) = ("bytes".to_owned(), "m".repeat(60));
        for (n_series, labels) in [(1, 5), (4, 2 * 4)] {
            let svg = svg(&chart(vec![wide.clone(); n_series]));
            assert_eq!(svg.matches(" GiB</text>").count(), labels);
            assert!(svg.contains("Memory / Used") && !svg.contains("mmm"));
        }
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
