//! Sparklines: a metric over time in one line of text, where no image can be shown.

use std::time::SystemTime;

use super::Series;

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the series in this many columns of equal duration, scaled from its lowest to its highest value. A column
/// without data is a space.
pub fn sparkline(series: &Series, from: SystemTime, until: SystemTime, columns: u32) -> String {
    let known: Vec<_> = (0..columns).map(|column| known(series, from, until, column, columns)).collect();
    let all = || known.iter().flatten().copied();
    let low = all().fold(f64::INFINITY, f64::min);
    let high = all().fold(f64::NEG_INFINITY, f64::max);
    known.into_iter().map(|value| value.map_or(' ', |value| level(value, low, high))).collect()
}

/// Returns the value of a column: the mean of its samples, or that of the sample before between two joined samples;
/// `None` if unknown.
fn known(series: &Series, from: SystemTime, until: SystemTime, column: u32, columns: u32) -> Option<f64> {
    let width = until.duration_since(from).ok()? / columns.max(1);
    let begin = from + width * column;
    let last = column + 1 == columns;
    let end = begin + width;
    let begin_at = series.samples.partition_point(|(at, _)| *at < begin);
    let end_at = series.samples.partition_point(|(at, _)| *at < end || (last && *at <= until));
    let inside = series.samples.get(begin_at..end_at).unwrap_or_default();
    if !inside.is_empty() {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred samples")]
        let n_samples = inside.len() as f64;
        return Some(inside.iter().map(|(_, value)| value / n_samples).sum());
    }
    let before = series.samples.get(begin_at.checked_sub(1)?)?;
    let after = series.samples.get(begin_at)?;
    if series.gap < after.0.duration_since(before.0).ok()? {
        return None;
    }
    Some(before.1)
}

fn level(value: f64, low: f64, high: f64) -> char {
    let [lowest, .., highest] = LEVELS;
    if high <= low {
        return lowest;
    }
    // Halved, because the full range may overflow an `f64`.
    let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    let index = share * 7.0;
    LEVELS.into_iter().zip(0_u8..).find(|(_, at)| index < f64::from(*at) + 0.5).map_or(highest, |(level, _)| level)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn figures_are_levels_and_what_is_not_known_is_a_space() {
        let cases: [(&[(u64, f64)], &str); 9] = [
            (&[], "          "),
            (&[(0, 1.0), (10, 2.0), (20, 3.0), (30, 4.0), (40, 5.0), (50, 6.0)], "▁▂▄▅▇█    "),
            (&[(0, 5.0), (10, 5.0), (20, 5.0)], "▁▁▁       "),
            // Nothing is known between samples further apart than 25 s.
            (&[(0, 1.0), (10, 8.0), (50, 8.0), (60, 1.0)], "▁█   █▁   "),
            // Closer samples are joined.
            (&[(0, 0.0), (20, 7.0), (40, 0.0)], "▁▁██▁     "),
            // A column is the mean of its samples.
            (&[(0, 0.0), (1, 14.0), (10, 14.0), (20, 0.0)], "▅█▁       "),
            // The last moment belongs to the last column.
            (&[(90, 0.0), (100, 2.0)], "         ▁"),
            (&[(0, f64::MIN), (10, f64::MAX)], "▁█        "),
            (&[(50, -1.0)], "     ▁    "),
        ];
        for (samples, expected) in cases {
            let at = |second: u64| UNIX_EPOCH + Duration::from_secs(second);
            let samples: Vec<_> = samples.iter().map(|&(second, value)| (at(second), value)).collect();
            let series = Series {
                label: String::new(),
                unit: String::new(),
                summary: String::new(),
                samples: samples.clone(),
                spread: Vec::new(),
                gap: Duration::from_secs(25),
                thresholds: Vec::new(),
            };
            assert_eq!(sparkline(&series, at(0), at(100), 10), expected, "{samples:?}");
        }
    }
}
