//! What is counted, from closed sets of names: never a text of a person or of a model.
#![deny(clippy::disallowed_methods)]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::receipt::Outcome;

macro_rules! names {
    ($(#[$doc:meta])+ $name:ident { $($(#[$variant_doc:meta])+ $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])+ $variant,)+
        }

        impl $name {
            /// Every one, in the order in which they are counted.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name, as `/metrics` shows it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

names! {
    /// Something that a chat turn found in what a model did.
    GuardFinding {
        /// A tool call written as text, which was taken out.
        ToolText = "tool-text",
        /// A made-up result, which was taken out.
        MadeUpResult = "made-up-result",
        /// A claim that something was done, without a receipt.
        Claim = "claim",
        /// The name of a command that does not exist.
        UnknownCommandName = "unknown-command-name",
        /// A figure, name, path or date that no receipt holds.
        Ungrounded = "ungrounded",
        /// A call of a tool that was not offered.
        UnknownTool = "unknown-tool",
        /// A call whose arguments cannot be read or are not valid.
        InvalidCall = "invalid-call",
        /// A block of the text protocol that cannot be read.
        BrokenBlock = "broken-block",
        /// A turn that was given up when its steps were spent.
        StepsSpent = "steps-spent",
        /// A turn that was given up when its corrections were spent.
        CorrectionsSpent = "corrections-spent",
        /// A turn that was given up when its time was spent.
        TimeSpent = "time-spent",
        /// A memory that was only pretended to be saved, and was then saved for real.
        RecoveredMemory = "recovered-memory",
    }
}

names! {
    /// How a chat turn ended.
    TurnEnd {
        /// With words of the model.
        Prose = "prose",
        /// Without, and the host said why.
        Failed = "failed",
    }
}

names! {
    /// What became of a tool call of a model.
    ToolCallEnd {
        /// The command ran and returned a reply.
        Done = "done",
        /// The command refused.
        Refused = "refused",
        /// The command failed.
        Failed = "failed",
        /// The command did not return in time.
        TimedOut = "timed-out",
        /// It did not run.
        NotRun = "not-run",
    }
}

impl From<Outcome> for ToolCallEnd {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::Refused => Self::Refused,
            Outcome::Failed => Self::Failed,
            Outcome::TimedOut => Self::TimedOut,
        }
    }
}

/// The counters of this process, from 0 at its start.
#[derive(Debug, Default)]
pub struct Counters {
    findings: [AtomicU64; GuardFinding::ALL.len()],
    turns: [AtomicU64; TurnEnd::ALL.len()],
    tool_calls: [AtomicU64; ToolCallEnd::ALL.len()],
}

impl Counters {
    /// Counts a finding.
    pub fn count(&self, finding: GuardFinding) {
        self.findings[finding as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a chat turn.
    pub fn turn_ended(&self, end: TurnEnd) {
        self.turns[end as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a tool call.
    pub fn tool_call_ended(&self, end: ToolCallEnd) {
        self.tool_calls[end as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Every finding, with how often it was made.
    pub fn findings(&self) -> impl Iterator<Item = (GuardFinding, u64)> {
        read(GuardFinding::ALL, &self.findings)
    }

    /// Every way a chat turn can end, with how often one did.
    pub fn turns(&self) -> impl Iterator<Item = (TurnEnd, u64)> {
        read(TurnEnd::ALL, &self.turns)
    }

    /// Everything that can become of a tool call, with how often it did.
    pub fn tool_calls(&self) -> impl Iterator<Item = (ToolCallEnd, u64)> {
        read(ToolCallEnd::ALL, &self.tool_calls)
    }
}

fn read<T: Copy>(all: &'static [T], counters: &[AtomicU64]) -> impl Iterator<Item = (T, u64)> {
    all.iter().copied().zip(counters.iter().map(|counter| counter.load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_counted_under_its_own_name() {
        let counters = Counters::default();
        for (times, &finding) in GuardFinding::ALL.iter().enumerate() {
            (0..times).for_each(|_| counters.count(finding));
        }
        counters.turn_ended(TurnEnd::Failed);
        for outcome in [Outcome::TimedOut, Outcome::Done, Outcome::TimedOut] {
            counters.tool_call_ended(outcome.into());
        }
        let expected: Vec<_> = GuardFinding::ALL.iter().copied().zip(0_u64..).collect();
        assert_eq!(counters.findings().collect::<Vec<_>>(), expected);
        assert_eq!(counters.turns().collect::<Vec<_>>(), [(TurnEnd::Prose, 0), (TurnEnd::Failed, 1)]);
        let calls: Vec<_> = counters.tool_calls().map(|(end, count)| (end.name(), count)).collect();
        assert_eq!(calls, [("done", 1), ("refused", 0), ("failed", 0), ("timed-out", 2), ("not-run", 0)]);
    }

    #[test]
    fn names_are_of_their_own_and_an_outcome_keeps_its_name() {
        let names: BTreeSet<_> = GuardFinding::ALL.iter().map(|finding| finding.name()).collect();
        assert_eq!(names.len(), GuardFinding::ALL.len());
        for outcome in [Outcome::Done, Outcome::Refused, Outcome::Failed, Outcome::TimedOut] {
            assert_eq!(ToolCallEnd::from(outcome).name(), outcome.name());
        }
    }
}
