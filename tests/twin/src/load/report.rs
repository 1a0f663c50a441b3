//! The result of a load run: as a table, and as JSON.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::load::Pace;
use crate::load::latency::Latency;
use crate::load::process::Usage;

/// The result of a load run.
#[derive(Clone, Debug, Serialize)]
pub struct LoadReport {
    /// How interactions followed each other.
    #[serde(serialize_with = "as_words")]
    pub pace: Pace,
    /// How many were sent, or were to be sent.
    pub count: usize,
    /// From the first interaction to the last final answer.
    pub seconds: f64,
    /// Final answers in a second.
    pub per_second: f64,
    /// From the moment at which an interaction was due to the callback.
    pub answer: Latency,
    /// The same to the final message, if answers were deferred.
    pub finish: Option<Latency>,
    /// In an open loop: from the moment at which an interaction was due to its sending. The twin causes this delay; the
    /// other times contain it.
    pub sent_behind: Option<Latency>,
    /// How many callbacks were deferred.
    pub n_deferred: usize,
    /// How many callbacks took more than three seconds. Discord would have refused them.
    pub n_late: usize,
    /// How many got no final answer.
    pub n_missing: usize,
    /// How many requests of the bot were refused.
    pub n_refused: usize,
    /// What it cost the bot, if its process is known.
    pub bot: Option<Cost>,
    /// What it cost the twin.
    pub twin: Option<Cost>,
}

/// What a load cost a process.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Processor time per interaction, in milliseconds.
    pub cpu_ms: f64,
    /// How often a thread was woken, per interaction.
    pub wake_ups: f64,
    /// Resident memory before the first interaction.
    pub resident_idle_kib: u64,
    /// Resident memory before those that are measured.
    pub resident_before_kib: u64,
    /// Resident memory after them.
    pub resident_after_kib: u64,
}

impl Cost {
    pub(super) fn between(idle: Usage, before: Usage, after: Usage, n: usize) -> Cost {
        Cost {
            cpu_ms: after.cpu.saturating_sub(before.cpu).as_secs_f64() * 1e3 / n as f64,
            wake_ups: after.n_wake_ups.saturating_sub(before.n_wake_ups) as f64 / n as f64,
            resident_idle_kib: idle.resident_kib,
            resident_before_kib: before.resident_kib,
            resident_after_kib: after.resident_kib,
        }
    }
}

impl LoadReport {
    /// Whether every interaction was answered in time and by the rules.
    pub fn is_clean(&self) -> bool {
        (self.n_missing, self.n_late, self.n_refused) == (0, 0, 0)
    }
}

fn as_words<S: Serializer>(pace: &Pace, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(pace)
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::InFlight(n) => write!(f, "{n} in flight"),
            Pace::PerSecond(n) => write!(f, "{n} a second"),
        }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pace, rate) = (self.pace, self.per_second);
        writeln!(f, "{} interactions, {pace}: {:.1} s, {rate:.0} a second", self.count, self.seconds)?;
        writeln!(f, "{:<28} {:>9} {:>9} {:>9} {:>9}", "ms", "p50", "p90", "p99", "max")?;
        let rows = [("until the answer", Some(self.answer)), ("until the final message", self.finish)];
        for (name, latency) in rows.into_iter().chain([("sent behind time", self.sent_behind)]) {
            let Some(Latency { p50_ms, p90_ms, p99_ms, max_ms }) = latency else { continue };
            writeln!(f, "{name:<28} {p50_ms:>9.3} {p90_ms:>9.3} {p99_ms:>9.3} {max_ms:>9.3}")?;
        }
        let LoadReport { n_deferred, n_late, n_missing, n_refused, .. } = self;
        writeln!(f, "{n_missing} missing, {n_late} late, {n_refused} refused, {n_deferred} deferred")?;
        for (name, cost) in [("bot", self.bot), ("twin", self.twin)] {
            let Some(cost) = cost else { continue };
            let mib = |kib: u64| kib as f64 / 1024.0;
            let idle = mib(cost.resident_idle_kib);
            let (before, after) = (mib(cost.resident_before_kib), mib(cost.resident_after_kib));
            let Cost { cpu_ms, wake_ups, .. } = cost;
            writeln!(f, "{name}: {cpu_ms:.4} ms CPU and {wake_ups:.1} wake-ups each")?;
            writeln!(f, "{name}: resident {idle:.1} MiB idle, {before:.1} warm, {after:.1} after")?;
        }
        Ok(())
    }
}
