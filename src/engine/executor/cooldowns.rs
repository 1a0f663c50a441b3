//! Cooldowns, checked before the event is claimed, so that a refusal leaves no trace in the ledger.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;

use crate::executor::ledger::Wait;
use candor_core::access::{CooldownKey, CooldownKind};
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;
use candor_core::language::{Language, say};
use candor_core::reply::{Answer, clock_time};
use candor_core::router::Invocation;

/// Reads cooldowns. A run takes them when it is stored: see [`Ledger`](super::Ledger).
#[async_trait]
pub trait CooldownStore: Send + Sync {
    /// Returns the longest wait, if a key is taken. Keys that the same event took count as free: an event that is
    /// delivered twice is not refused.
    async fn waiting(
        &self,
        event: EventId,
        keys: &[CooldownKey],
        now: SystemTime,
    ) -> Result<Option<Wait>, ServiceError>;
}

/// Returns the cooldown that an invocation has to wait for, if there is one.
pub(super) async fn waiting(
    cooldowns: &dyn CooldownStore,
    event: EventId,
    keys: &[(CooldownKey, Duration)],
    now: SystemTime,
) -> Result<Option<Wait>, ServiceError> {
    if keys.is_empty() {
        return Ok(None);
    }
    let keys: Vec<_> = keys.iter().map(|(key, _)| key.clone()).collect();
    cooldowns.waiting(event, &keys, now).await
}

pub(super) fn refusal(invocation: &Invocation, wait: &Wait, now: SystemTime) -> Answer {
    let path = invocation.path.to_string();
    // The refusal names an option that has the cooldown: without the option the command may run.
    let command = if wait.key.command.starts_with(&path) { &wait.key.command } else { &path };
    Answer::host(text(command, wait.key.kind, wait.until, now, invocation.caller.language))
}

/// Returns the text of the refusal: whose cooldown it is, and until when. Rounds up to whole seconds, so that a person
/// who waits that long is not refused again.
fn text(command: &str, kind: CooldownKind, until: SystemTime, now: SystemTime, language: Language) -> String {
    let wait = span(until.duration_since(now).unwrap_or_default());
    let at = clock_time(rounded_up(until));
    match kind {
        CooldownKind::User | CooldownKind::Member(_) => {
            say!(language, "cooldown-user", command = command, wait = wait, at = at)
        }
        CooldownKind::Channel => say!(language, "cooldown-channel", command = command, wait = wait, at = at),
        CooldownKind::Guild => say!(language, "cooldown-guild", command = command, wait = wait, at = at),
        CooldownKind::Global => say!(language, "cooldown-global", command = command, wait = wait, at = at),
    }
}

fn rounded_up(at: SystemTime) -> SystemTime {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(seconds_up(since_1970))
}

/// Formats a wait in the largest unit that is precise enough, never rounded down: `5 s`, `3 min`, `24 h`.
fn span(wait: Duration) -> String {
    match seconds_up(wait) {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds @ 120..=7_199 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3_600)),
    }
}

fn seconds_up(span: Duration) -> u64 {
    span.as_secs() + u64::from(0 < span.subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_for_whom_it_counts_and_until_when() {
        const EN: Language = Language::ENGLISH;
        let noon = UNIX_EPOCH + Duration::from_secs(12 * 3_600);
        let command = "/tasks add";
        let cases = [
            (
                CooldownKind::User,
                4_200,
                say!(EN, "cooldown-user", command = command, wait = "5 s", at = "12:00:05 UTC"),
            ),
            (
                CooldownKind::Channel,
                1,
                say!(EN, "cooldown-channel", command = command, wait = "1 s", at = "12:00:01 UTC"),
            ),
            (
                CooldownKind::Guild,
                119_000,
                say!(EN, "cooldown-guild", command = command, wait = "119 s", at = "12:01:59 UTC"),
            ),
            (
                CooldownKind::Global,
                121_000,
                say!(EN, "cooldown-global", command = command, wait = "3 min", at = "12:02:01 UTC"),
            ),
            (
                CooldownKind::User,
                86_400_000,
                say!(EN, "cooldown-user", command = command, wait = "24 h", at = "12:00:00 UTC"),
            ),
        ];
        for (kind, ms, expected) in cases {
            assert_eq!(text(command, kind, noon + Duration::from_millis(ms), noon, EN), expected);
        }
    }
}
