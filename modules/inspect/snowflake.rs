//! Discord ids (snowflakes): numbers that begin with their time of creation.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::macros::format_description;

use candor_core::text::utc_text;

/// The epoch of Discord ids in milliseconds: the start of 2015. See its documentation on snowflakes.
const EPOCH_MS: u64 = 1_420_070_400_000;

const TIME_SHIFT: u32 = 22;

/// The lower bound of accepted ids: any smaller id would date from Discord's first month.
const LEAST: u64 = 10_000_000_000_000_000;

/// Parses an id as people write it: alone or in a mention.
pub(super) fn read(text: &str) -> Option<u64> {
    let text = text.trim();
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    let digits = inner.map_or(text, |mention| mention.trim_start_matches(['@', '!', '&', '#']));
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&id| is_number && LEAST <= id)
}

pub(super) fn made(id: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis((id >> TIME_SHIFT) + EPOCH_MS)
}

/// Formats a time with its date: `2026-11-22 05:23:55 UTC`.
pub(super) fn date_and_time(at: SystemTime) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second] UTC");
    utc_text(at, format)
}

#[cfg(test)]
mod tests {
    use super::{date_and_time, made, read};

    #[test]
    fn an_id_is_read_in_every_form_that_discord_shows() {
        let id = Some(175_928_847_299_117_063);
        let cases = [
            ("175928847299117063", id),
            (" 175928847299117063 ", id),
            ("<@175928847299117063>", id),
            ("<@!175928847299117063>", id),
            ("<@&175928847299117063>", id),
            ("<#175928847299117063>", id),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("+175928847299117063", None),
            ("175928847299117063x", None),
            ("<@175928847299117063", None),
            ("12345", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_id_says_when_it_was_made() {
        // The example from Discord's documentation.
        assert_eq!(date_and_time(made(175_928_847_299_117_063)), "2016-04-30 11:18:25 UTC");
        assert_eq!(date_and_time(made(u64::MAX)), "2154-05-15 07:35:11 UTC");
    }
}
