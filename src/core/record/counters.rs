//! What is counted, from closed sets of names: never a text of a person or of a model.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::record::Outcome;

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

names! {
    /// Something about the time that an interaction has.
    Timing {
        /// It came too late to be answered, so nothing was done for it.
        DroppedLate = "dropped-late",
        /// Its answer took longer than a second and a half.
        Deferred = "deferred",
        /// Its answer took so long that the person was told where it will be.
        ToldStillRunning = "told-still-running",
        /// Its answer could not be shown in time, and was kept.
        AnswerKept = "answer-kept",
    }
}

names! {
    /// What an interaction named that is not there, or no longer as it was sent.
    UnknownInteraction {
        /// A slash command.
        Command = "command",
        /// A subcommand or a group.
        Subcommand = "subcommand",
        /// Options, or the form, of a command that is there.
        Stale = "stale",
        /// A button or a list.
        Component = "component",
        /// A form.
        Modal = "modal",
        /// An entry of a menu.
        Menu = "menu",
        /// The entry point of an activity.
        EntryPoint = "entry-point",
        /// Completions for something that has none.
        Completion = "completion",
        /// Something that cannot be decoded.
        Undecodable = "undecodable",
    }
}

names! {
    /// The rule by which a command was denied.
    Denial {
        /// The operator blocked the person.
        Blocked = "blocked",
        /// The command is for operators.
        OperatorsOnly = "operators-only",
        /// It went out of force.
        Gone = "gone",
        /// No model may call it.
        NotATool = "not-a-tool",
        /// Nobody confirmed it.
        NotConfirmed = "not-confirmed",
        /// A policy wants an operator.
        Owners = "owners",
        /// A policy names people.
        Users = "users",
        /// A policy names roles.
        Roles = "roles",
        /// A policy names channels.
        Channels = "channels",
        /// A policy wants permissions of Discord.
        Discord = "discord",
        /// It may not be used in such a place.
        Context = "context",
        /// It is for age-restricted channels.
        Age = "age",
        /// It has to be chosen in Discord's picker.
        Picker = "picker",
        /// It ran too short a time ago.
        Cooldown = "cooldown",
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
    timings: [AtomicU64; Timing::ALL.len()],
    unknown: [AtomicU64; UnknownInteraction::ALL.len()],
    denials: [AtomicU64; Denial::ALL.len()],
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

    /// Counts what time did to an interaction.
    pub fn timed(&self, timing: Timing) {
        self.timings[timing as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an interaction that names what is not there.
    pub fn unknown(&self, what: UnknownInteraction) {
        self.unknown[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Everything about time, with how often it happened.
    pub fn timings(&self) -> impl Iterator<Item = (Timing, u64)> {
        read(Timing::ALL, &self.timings)
    }

    /// Everything that an interaction can name in vain, with how often one did.
    pub fn unknown_interactions(&self) -> impl Iterator<Item = (UnknownInteraction, u64)> {
        read(UnknownInteraction::ALL, &self.unknown)
    }

    /// Counts a command that was denied.
    pub fn denied(&self, rule: Denial) {
        self.denials[rule as usize].fetch_add(1, Ordering::Relaxed);
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

    /// Every rule by which a command can be denied, with how often one was.
    pub fn denials(&self) -> impl Iterator<Item = (Denial, u64)> {
        read(Denial::ALL, &self.denials)
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
