//! Writes samples in the text format of Prometheus. See its documentation, "Exposition formats".
//!
//! Every value of a label comes from a closed set, so nothing needs to be escaped.

use std::fmt::{Display, Write as _};
use std::time::Duration;

use super::family::Family;
use candor_core::record::{Counted, Durations, Grid, Tally};

#[derive(Default)]
pub(super) struct Exposition(String);

impl Exposition {
    pub(super) fn value(&mut self, family: &Family, value: impl Display) {
        self.values(family, [([], value)]);
    }

    /// Writes one sample without labels, if the value is known.
    pub(super) fn known(&mut self, family: &Family, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(family, value);
        }
    }

    /// Writes samples, each with the values of the family's labels.
    pub(super) fn values<'a, const LABELS: usize>(
        &mut self,
        family: &Family,
        samples: impl IntoIterator<Item = ([&'a str; LABELS], impl Display)>,
    ) {
        self.head(family);
        for (values, value) in samples {
            self.sample(family, "", &values, None, &value);
        }
    }

    pub(super) fn tally<T: Counted>(&mut self, family: &Family, tally: &Tally<T>) {
        self.values(family, tally.read().map(|(what, count)| ([what.name()], count)));
    }

    pub(super) fn grid<R: Counted, C: Counted>(&mut self, family: &Family, grid: &Grid<R, C>) {
        self.values(family, grid.read().map(|(row, column, count)| ([row.name(), column.name()], count)));
    }

    pub(super) fn durations(&mut self, family: &Family, durations: &Durations) {
        self.head(family);
        let counts = durations.read();
        for (step, count) in Durations::STEPS.into_iter().zip(&counts) {
            self.sample(family, "_bucket", &[], Some(&Seconds(Duration::from_millis(step)).to_string()), count);
        }
        let n_all = counts.last().copied().unwrap_or_default();
        self.sample(family, "_bucket", &[], Some("+Inf"), &n_all);
        self.sample(family, "_sum", &[], None, &Seconds(durations.sum()));
        self.sample(family, "_count", &[], None, &n_all);
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    fn head(&mut self, Family { name, kind, help, .. }: &Family) {
        // Writing to a string cannot fail.
        let _always = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
    }

    fn sample(&mut self, family: &Family, suffix: &str, values: &[&str], step: Option<&str>, value: &dyn Display) {
        let labels = family.labels.iter().map(|label| label.name).zip(values.iter().copied());
        let labels: Vec<_> = labels.chain(step.map(|step| ("le", step))).collect();
        let labels: Vec<_> = labels.into_iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _always = writeln!(self.0, "{}{suffix}{labels} {value}", family.name);
    }
}

/// A time in seconds, without trailing zeros.
pub(super) struct Seconds(pub(super) Duration);

impl Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{}.{:06}", self.0.as_secs(), self.0.subsec_micros());
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_of_six_places_at_most() {
        let of = |microseconds| Seconds(Duration::from_micros(microseconds)).to_string();
        assert_eq!([of(0), of(1), of(1_500_000), of(10_000_000)], ["0", "0.000001", "1.5", "10"]);
    }
}
