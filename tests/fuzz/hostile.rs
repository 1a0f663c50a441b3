//! Hostile inputs without a fuzzer: changes of a corpus, the same ones in each run.

use std::fs;
use std::path::Path;

/// What is put into a text somewhere: what breaks parsers, clocks, lines and messages.
const HOSTILE: [&str; 36] = [
    "9999-12-31T23:59:59-23:59",
    "1e308",
    "-1e308",
    "-0",
    "18446744073709551615",
    "-9223372036854775808",
    "99999999999999",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"\\u0000\"",
    "\\ud800",
    "[[[[[[[[[[[[[[[[",
    "{\"a\":",
    "\n",
    "\r",
    "\0",
    "\u{202e}",
    "\u{200b}",
    "\u{2028}",
    "👩\u{200d}💻",
    "ß",
    "```",
    "`",
    "-# ",
    ">>> ",
    "</status:1>",
    "<:x:1>",
    "](http://x)",
    "/status",
    "／",
    " · 1 ms",
    "generated · ",
    "\u{fffd}",
];

/// Endless changes of the files of a corpus.
pub struct Changes {
    /// The files as they are, by their names.
    pub seeds: Vec<Vec<u8>>,
    state: u64,
}

impl Changes {
    /// Of the files in `tests/fuzz/corpus/<target>`, below the folder of the repository.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn of(repository: &Path, target: &str) -> std::io::Result<Self> {
        let entries = fs::read_dir(repository.join("tests/fuzz/corpus").join(target))?;
        let mut files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
        files.sort_unstable();
        let seeds = files.iter().map(fs::read).collect::<Result<_, _>>()?;
        Ok(Self { seeds, state: 1 })
    }

    /// A number below `n`, by SplitMix64.
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 16).unwrap_or_default() % n.max(1)
    }
}

impl Iterator for Changes {
    type Item = Vec<u8>;

    /// One of the files with a few changes.
    fn next(&mut self) -> Option<Vec<u8>> {
        let n_seeds = self.seeds.len();
        let first = self.below(n_seeds);
        let mut bytes = self.seeds.get(first)?.clone();
        for _ in 0..=self.below(4) {
            let (from, until) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
            let (from, until) = (from.min(until), from.max(until));
            let hostile = HOSTILE[self.below(HOSTILE.len())];
            match self.below(7) {
                0 => drop(bytes.splice(from..from, hostile.bytes())),
                1 => drop(bytes.splice(from..until.min(from + 24), hostile.bytes())),
                2 => drop(bytes.drain(from..until.min(from + 16))),
                3 => bytes.truncate(until),
                4 if from < bytes.len() => bytes[from] ^= 1 << self.below(8),
                5 => {
                    let part = bytes[from..until.min(from + 64)].to_vec();
                    drop(bytes.splice(until..until, part));
                }
                _ => {
                    let other = self.below(n_seeds);
                    let at = self.below(self.seeds[other].len() + 1);
                    let part: Vec<_> = self.seeds[other].iter().skip(at).take(32).copied().collect();
                    drop(bytes.splice(from..from, part));
                }
            }
        }
        Some(bytes)
    }
}
