//! The parts of counters: tallies, grids, durations and levels. All of them can be read while others count.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::record::counting::Counted;

/// Counts of the members of a closed set, from 0 at the start of this process.
#[derive(Debug)]
pub struct Tally<T> {
    counts: Vec<AtomicU64>,
    of: PhantomData<T>,
}

impl<T: Counted> Default for Tally<T> {
    fn default() -> Self {
        Self { counts: T::ALL.iter().map(|_| AtomicU64::new(0)).collect(), of: PhantomData }
    }
}

impl<T: Counted> Tally<T> {
    pub fn count(&self, what: T) {
        self.counts[what.index()].fetch_add(1, Ordering::Relaxed);
    }

    pub fn read(&self) -> impl Iterator<Item = (T, u64)> {
        T::ALL.iter().copied().zip(self.counts.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}

/// A value that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Returns the last value; 0 at first.
    pub fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts of the pairs of two closed sets.
#[derive(Debug)]
pub struct Grid<R, C> {
    counts: Vec<AtomicU64>,
    of: PhantomData<(R, C)>,
}

impl<R: Counted, C: Counted> Default for Grid<R, C> {
    fn default() -> Self {
        let n_pairs = R::ALL.len() * C::ALL.len();
        Self { counts: (0..n_pairs).map(|_| AtomicU64::new(0)).collect(), of: PhantomData }
    }
}

impl<R: Counted, C: Counted> Grid<R, C> {
    pub fn count(&self, row: R, column: C) {
        self.counts[row.index() * C::ALL.len() + column.index()].fetch_add(1, Ordering::Relaxed);
    }

    pub fn read(&self) -> impl Iterator<Item = (R, C, u64)> {
        let pairs = R::ALL.iter().flat_map(|&row| C::ALL.iter().map(move |&column| (row, column)));
        pairs.zip(&self.counts).map(|((row, column), count)| (row, column, count.load(Ordering::Relaxed)))
    }
}

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct Durations {
    /// For each step of [`Durations::STEPS`] the durations up to it and above the step before; then all longer ones.
    counts: [AtomicU64; Self::STEPS.len() + 1],
    microseconds: AtomicU64,
}

impl Durations {
    /// The upper bounds, in milliseconds. The bot defers an answer after 1.5 s, and Discord requires a first one within
    /// 3 s.
    pub const STEPS: [u64; 10] = [1, 5, 20, 100, 500, 1_500, 3_000, 10_000, 30_000, 120_000];

    pub fn took(&self, time: Duration) {
        let step = Self::STEPS.iter().position(|&step| time <= Duration::from_millis(step));
        self.counts[step.unwrap_or(Self::STEPS.len())].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns for each step the number of durations up to it; then the total.
    pub fn read(&self) -> [u64; Self::STEPS.len() + 1] {
        let mut sum = 0;
        std::array::from_fn(|step| {
            sum += self.counts[step].load(Ordering::Relaxed);
            sum
        })
    }

    pub fn sum(&self) -> Duration {
        Duration::from_micros(self.microseconds.load(Ordering::Relaxed))
    }
}

/// A value that another system reports, unknown before its first report.
#[derive(Debug)]
pub struct Reading(AtomicU64);

impl Reading {
    const UNKNOWN: u64 = u64::MAX;

    pub fn set(&self, value: Option<u64>) {
        self.0.store(value.unwrap_or(Self::UNKNOWN), Ordering::Relaxed);
    }

    pub fn read(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&value| value != Self::UNKNOWN)
    }
}

impl Default for Reading {
    fn default() -> Self {
        Self(AtomicU64::new(Self::UNKNOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::traffic::{Arrival, RouteKind};

    #[test]
    fn each_pair_has_a_count_of_its_own() {
        let grid = Grid::<Arrival, RouteKind>::default();
        grid.count(Arrival::Message, RouteKind::UnknownCommand);
        grid.count(Arrival::Message, RouteKind::UnknownCommand);
        grid.count(Arrival::Interaction, RouteKind::Command);
        let counted: Vec<_> = grid.read().filter(|(_, _, count)| *count != 0).collect();
        let expected =
            [(Arrival::Interaction, RouteKind::Command, 1), (Arrival::Message, RouteKind::UnknownCommand, 2)];
        assert_eq!(counted, expected);
        assert_eq!(grid.read().count(), Arrival::ALL.len() * RouteKind::ALL.len());
    }

    #[test]
    fn durations_are_counted_up_to_each_step() {
        let times = Durations::default();
        for ms in [0, 1, 2, 100, 101, 600_000] {
            times.took(Duration::from_millis(ms));
        }
        assert_eq!(times.read(), [2, 3, 3, 4, 5, 5, 5, 5, 5, 5, 6]);
        assert_eq!(times.sum(), Duration::from_millis(600_204));
    }

    #[test]
    fn a_reading_is_unknown_until_somebody_says_it() {
        let reading = Reading::default();
        assert_eq!(reading.read(), None);
        reading.set(Some(0));
        assert_eq!(reading.read(), Some(0));
        reading.set(None);
        assert_eq!(reading.read(), None);
    }
}
