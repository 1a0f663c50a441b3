//! Numbers, times and names of metrics, in words.

use std::time::{Duration, SystemTime};

use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use candor_core::text::utc_text;

/// Key endings that name a unit.
const ENDINGS: [(&str, &str); 4] =
    [("_bytes_per_second", "bytes/s"), ("_bytes", "bytes"), ("_percent", "%"), ("_seconds", "seconds")];

/// Formats a moment as `2026-01-31 12:03:04`, in UTC; the page says so at the top.
pub(super) fn moment(at: SystemTime) -> String {
    let format: StaticFormatDescription = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    utc_text(at, format)
}

/// Formats a time of day in UTC: `12:03`.
pub(super) fn time_of_day(at: SystemTime) -> String {
    let format: StaticFormatDescription = format_description!("[hour]:[minute]");
    utc_text(at, format)
}

/// Formats a duration in its two largest units: `3 h 12 min`.
pub(super) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    let ms = span.subsec_millis();
    match seconds {
        0 if ms == 0 => format!("{} µs", span.subsec_micros()),
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Formats a number with spaces between thousands: `12 345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n != 0 && (digits.len() - n).is_multiple_of(3) {
            // A no-break space.
            grouped.push('\u{a0}');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the unit that a metric's key names, for metrics without a unit in the settings.
pub(super) fn unit_of(key: &str) -> &'static str {
    ENDINGS.into_iter().find(|(ending, _)| key.ends_with(ending)).map_or("", |(_, unit)| unit)
}

/// Makes a name from a metric's key, without its unit: `cpu usage` for `cpu.usage_percent`.
pub(super) fn name_of(key: &str) -> String {
    let bare = ENDINGS.into_iter().find_map(|(ending, _)| key.strip_suffix(ending)).unwrap_or(key);
    bare.split(['_', '.', '-']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(super) fn amount(value: f64, unit: &str) -> String {
    match unit {
        "bytes" | "bytes/s" => {
            let per = if unit == "bytes" { "B" } else { "B/s" };
            let mut size = value;
            let mut names = ["", "Ki", "Mi", "Gi", "Ti", "Pi"].into_iter();
            let mut name = names.next().unwrap_or_default();
            while 1_024.0 <= size.abs()
                && let Some(larger) = names.next()
            {
                (size, name) = (size / 1_024.0, larger);
            }
            format!("{} {name}{per}", short(size))
        }
        "seconds" => Duration::try_from_secs_f64(value).map_or_else(|_| short(value), span),
        "" => short(value),
        other => format!("{} {other}", short(value)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size for people")]
pub(super) fn bytes(n: u64) -> String {
    amount(n as f64, "bytes")
}

fn short(value: f64) -> String {
    if value != 0.0 && !(0.001..1e9).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let places = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let cases = [
            (0.0, "", "0"),
            (12.345, "%", "12.3 %"),
            (100.0, "%", "100 %"),
            (1_536.0, "bytes", "1.5 KiB"),
            (3.2e9, "bytes/s", "2.98 GiB/s"),
            (11_520.0, "seconds", "3 h 12 min"),
            (-1.0, "seconds", "-1"),
            (1e300, "players", "1.00e300 players"),
            (f64::MAX, "bytes", "1.60e293 PiB"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(amount(value, unit), expected);
        }
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1\u{a0}000", "1\u{a0}234\u{a0}567"]);
        let spans =
            [Duration::from_micros(7), Duration::from_millis(70), Duration::from_secs(7), Duration::from_secs(93_600)];
        assert_eq!(spans.map(span), ["7 µs", "70 ms", "7 s", "1 d 2 h"]);
        assert_eq!((name_of("cpu.usage_percent"), unit_of("cpu.usage_percent")), ("cpu usage".to_owned(), "%"));
    }
}
