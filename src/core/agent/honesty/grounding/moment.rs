//! Dates and times, as they are compared.

/// A date, a time of day, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// `2026-02-01`, or `1/2/2026` where the order of day and month is nobody's knowledge.
    pub(super) date: Option<String>,
    /// `09:30` or `09:30:15`, in the 24-hour clock.
    pub(super) time: Option<String>,
}

impl Moment {
    /// Reads a token. `next` is the word behind it, which may be `am` or `pm`.
    pub(super) fn read(token: &str, next: &str) -> Option<Self> {
        if !token.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        if let Some((date, time)) = token.split_once(['T', 't'])
            && let Some(date) = iso_date(date)
        {
            return Some(Self { date: Some(date), time: time_of_day(time, next) });
        }
        if let Some(date) = iso_date(token).or_else(|| other_date(token)) {
            return Some(Self { date: Some(date), time: None });
        }
        time_of_day(token, next).map(|time| Self { date: None, time: Some(time) })
    }
}

fn iso_date(text: &str) -> Option<String> {
    let parts: Vec<_> = text.splitn(4, '-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let fits = year.len() == 4 && (1..=12).contains(&number(month)?) && (1..=31).contains(&number(day)?);
    (fits && number(year).is_some())
        .then(|| format!("{year}-{:02}-{:02}", number(month).unwrap_or(0), number(day).unwrap_or(0)))
}

/// `05/01/2024` and `1.5.2024`.
fn other_date(text: &str) -> Option<String> {
    let parts: Vec<_> = text.splitn(4, ['/', '.']).collect();
    let [first, second, year] = parts.as_slice() else { return None };
    let (first, second) = (number(first)?, number(second)?);
    let fits = year.len() == 4 && (1..=31).contains(&first) && (1..=31).contains(&second);
    Some(format!("{first}/{second}/{}", number(year).filter(|_| fits)?))
}

/// `9:30`, `09:30:15.123Z`, `9:30pm`.
fn time_of_day(text: &str, next: &str) -> Option<String> {
    let digits = text.trim_end_matches(|part: char| part.is_ascii_alphabetic());
    let suffix = text.strip_suffix(digits).or_else(|| text.strip_prefix(digits)).unwrap_or_default();
    let half = if suffix.is_empty() { next } else { suffix };
    // Zones and fractions do not count.
    let digits = digits.split(['+', '.', '-']).next()?;
    let parts: Vec<_> = digits.splitn(4, ':').collect();
    let (hour, minute, second) = match parts.as_slice() {
        [hour, minute] => (number(hour)?, minute, None),
        [hour, minute, second] => (number(hour)?, minute, Some(second)),
        _ => return None,
    };
    let is_sixty = |part: &str| part.len() == 2 && number(part).is_some_and(|number| number < 60);
    if 23 < hour || !is_sixty(minute) || !second.is_none_or(|second| is_sixty(second)) {
        return None;
    }
    let hour = match half.to_ascii_lowercase().as_str() {
        "pm" | "p.m" if hour < 12 => hour + 12,
        "am" | "a.m" if hour == 12 => 0,
        _ => hour,
    };
    Some(second.map_or_else(|| format!("{hour:02}:{minute}"), |second| format!("{hour:02}:{minute}:{second}")))
}

/// One to four digits.
fn number(text: &str) -> Option<u32> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn dates_and_times_are_read_in_their_usual_forms() {
        let cases = [
            ("2026-02-01", "", Some((Some("2026-02-01"), None))),
            ("2026-2-1", "", Some((Some("2026-02-01"), None))),
            ("2026-02-01T09:30:15.123Z", "", Some((Some("2026-02-01"), Some("09:30:15")))),
            ("05/01/2024", "", Some((Some("5/1/2024"), None))),
            ("1.5.2024", "", Some((Some("1/5/2024"), None))),
            ("9:30", "", Some((None, Some("09:30")))),
            ("9:30", "PM", Some((None, Some("21:30")))),
            ("9:30pm", "", Some((None, Some("21:30")))),
            ("12:00", "am", Some((None, Some("00:00")))),
            ("12:03:04", "UTC", Some((None, Some("12:03:04")))),
            ("3:1", "", None),
            ("25:00", "", None),
            ("12:60", "", None),
            ("2026-13-01", "", None),
            ("10-20", "", None),
            ("1.2.3", "", None),
            ("12", "", None),
            ("a:30", "", None),
        ];
        for (token, next, expected) in cases {
            let expected =
                expected.map(|(date, time)| Moment { date: date.map(str::to_owned), time: time.map(str::to_owned) });
            assert_eq!(Moment::read(token, next), expected, "{token} {next}");
        }
    }
}
