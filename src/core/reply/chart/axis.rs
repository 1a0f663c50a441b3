//! Places and texts of axis labels.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use crate::text::utc_text;

const VALUES_MAX: f64 = 3.0;

/// Natural steps between times, in seconds.
const TIME_STEPS: [u64; 14] = [10, 30, 60, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400, 172_800];
const DAY: u64 = 86_400;

/// The range of a value axis and its labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Each value with its text, from low to high.
    pub(super) labels: Vec<(f64, String)>,
}

/// Builds a value axis that covers `low` to `high`, in round steps.
pub(super) fn values(low: f64, high: f64, unit: &str) -> Values {
    // Larger numbers are not measurements, and their steps would not be finite.
    let [low, high] = [low, high].map(|bound| bound.clamp(-1e300, 1e300));
    let (low, high) = if low < high { (low, high) } else { around(low) };
    let (divisor, suffix) = scale(low.abs().max(high.abs()), unit);
    let step = step((high - low) / divisor / VALUES_MAX) * divisor;
    let first = (low / step).floor();
    let last = (high / step).ceil();
    let mut labels = Vec::new();
    let mut at = first;
    while at <= last && labels.len() < 6 {
        labels.push((at * step, format!("{}{suffix}", number(at * step / divisor))));
        at += 1.0;
    }
    Values { low: first * step, high: last * step, labels }
}

/// Returns the range around a constant value; 0 to 1 for zero.
fn around(value: f64) -> (f64, f64) {
    let half = if value == 0.0 { 1.0 } else { value.abs() / 2.0 };
    if value == 0.0 { (0.0, half) } else { (value - half, value + half) }
}

/// Returns the divisor and unit for numbers of this size.
fn scale(size: f64, unit: &str) -> (f64, String) {
    let by = |base: f64, names: &[&str], ending: &str, gap: &str| {
        let mut divisor = 1.0;
        let mut name = "";
        for larger in names {
            if size / divisor < base {
                break;
            }
            (divisor, name) = (divisor * base, larger);
        }
        let suffix = format!("{name}{ending}");
        (divisor, if suffix.is_empty() { suffix } else { format!("{gap}{suffix}") })
    };
    match unit {
        "bytes" | "bytes/s" => {
            let ending = if unit == "bytes" { "B" } else { "B/s" };
            by(1_024.0, &["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"], ending, " ")
        }
        "%" => (1.0, " %".to_owned()),
        "seconds" => match size {
            size if size < 300.0 => (1.0, " s".to_owned()),
            size if size < 18_000.0 => (60.0, " min".to_owned()),
            size if size < 432_000.0 => (3_600.0, " h".to_owned()),
            _ => (86_400.0, " d".to_owned()),
        },
        _ => by(1_000.0, &["k", "M", "G", "T", "P", "E"], "", " "),
    }
}

/// Returns the next 1, 2 or 5 times a power of ten.
fn step(at_least: f64) -> f64 {
    let power = 10_f64.powf(at_least.log10().floor());
    let found = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|step| at_least <= *step);
    found.unwrap_or(10.0 * power)
}

fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(0.000_5..1e7).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the round times between two moments, in UTC, with their texts: times of day, or dates if they are days
/// apart. Returns at most `most + 1` of them.
pub(super) fn times(from: SystemTime, until: SystemTime, most: u64) -> Vec<(SystemTime, String)> {
    let seconds = |at: SystemTime| at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let first = seconds(from);
    let last = seconds(until);
    let fits = |step: &&u64| last.saturating_sub(first) / **step <= most;
    let step = TIME_STEPS.iter().find(fits).copied().unwrap_or(last.saturating_sub(first).max(1));
    let clock: StaticFormatDescription = format_description!("[hour]:[minute]");
    let exact: StaticFormatDescription = format_description!("[hour]:[minute]:[second]");
    let day: StaticFormatDescription = format_description!("[day padding:none] [month repr:short]");
    let format = match step {
        DAY.. => day,
        60.. => clock,
        _ => exact,
    };
    let text = |at: SystemTime| utc_text(at, format);
    let whole = |n: u64| UNIX_EPOCH + Duration::from_secs(n * step);
    (first.div_ceil(step)..=last / step).map(|n| (whole(n), text(whole(n)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_get_a_few_round_labels_in_their_unit() {
        let cases: [(f64, f64, &str, &[&str]); 10] = [
            (3.0, 97.0, "%", &["0 %", "50 %", "100 %"]),
            (0.0, 1.0, "", &["0", "0.5", "1"]),
            (0.12, 0.13, "", &["0.12", "0.125", "0.13"]),
            (5.0, 5.0, "", &["2", "4", "6", "8"]),
            (0.0, 0.0, "", &["0", "0.5", "1"]),
            (-4.0, 4.0, "", &["-5", "0", "5"]),
            (1.5e9, 3.1e9, "bytes", &["1 GiB", "1.5 GiB", "2 GiB", "2.5 GiB", "3 GiB"]),
            (0.0, 900.0, "bytes/s", &["0 B/s", "500 B/s", "1000 B/s"]),
            (7_200.0, 20_000.0, "seconds", &["2 h", "4 h", "6 h"]),
            (12_000.0, 31_000.0, "players", &["10 k", "20 k", "30 k", "40 k"]),
        ];
        for (low, high, unit, expected) in cases {
            let axis = values(low, high, unit);
            let texts: Vec<_> = axis.labels.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts, expected, "{low} to {high} {unit}");
            assert!(axis.low <= low && high <= axis.high, "{axis:?}");
        }
    }

    #[test]
    fn no_number_breaks_an_axis() {
        for (low, high) in [(f64::MIN, f64::MAX), (1e-320, 1e-310), (1e300, 1e300), (-0.0, 0.0)] {
            let axis = values(low, high, "");
            assert!(axis.low.is_finite() && axis.high.is_finite() && axis.low < axis.high, "{axis:?}");
            assert!(axis.labels.len() <= 6, "{axis:?}");
        }
    }

    #[test]
    fn times_are_whole_and_few() {
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
        let now = 1_700_000_000;
        let cases: [(u64, &[&str]); 3] = [
            (3_600, &["21:20", "21:30", "21:40", "21:50", "22:00", "22:10"]),
            (86_400, &["00:00", "04:00", "08:00", "12:00", "16:00", "20:00"]),
            (7 * 86_400, &["8 Nov", "9 Nov", "10 Nov", "11 Nov", "12 Nov", "13 Nov", "14 Nov"]),
        ];
        for (range, expected) in cases {
            let found: Vec<_> = times(at(now - range), at(now), 7).into_iter().map(|(_, text)| text).collect();
            assert_eq!(found, expected, "{range}");
        }
    }
}
