//! Counters with names from closed sets: they never contain text of a person or a model.

use crate::record::counting::counted;
use crate::record::measures::{Durations, Gauge, Grid, Reading, Tally};
use crate::record::traffic::{Arrival, GatewayEvent, LimitScope, RestAnswer, RouteKind, StoreWork};
use crate::record::{Origin, Outcome};

counted! {
    /// A finding in a model's output during a chat turn.
    GuardFinding {
        /// A tool call written amid words.
        ToolText = "tool-text",
        /// A made-up result, which was removed.
        MadeUpResult = "made-up-result",
        /// A message that was a call written as text, and was read as one.
        CallInText = "call-in-text",
        /// A receipt that does not belong to the turn.
        UnknownReceipt = "unknown-receipt",
        /// A call to a tool that was not offered.
        UnknownTool = "unknown-tool",
        /// A call with unreadable or invalid arguments.
        InvalidCall = "invalid-call",
        /// An unreadable block of the text protocol.
        BrokenBlock = "broken-block",
        /// A turn given up because its steps were used up.
        StepsSpent = "steps-spent",
        /// A turn given up because its corrections were used up.
        CorrectionsSpent = "corrections-spent",
        /// A turn given up because its time was used up.
        TimeSpent = "time-spent",
        /// A command that a model only wrote, and that a person then ran.
        Recovered = "recovered",
    }
}

counted! {
    /// How a chat turn ended.
    TurnEnd {
        /// With text from the model.
        Prose = "prose",
        /// A person stopped it.
        Stopped = "stopped",
        /// Without text from the model; the host said why.
        Failed = "failed",
    }
}

counted! {
    /// How a model's tool call ended.
    ToolCallEnd {
        /// The command changed something.
        Done = "done",
        /// The command answered and changed nothing.
        Answered = "answered",
        /// The command asked a question before doing anything.
        Asked = "asked",
        Refused = "refused",
        Failed = "failed",
        /// The command did not return in time.
        TimedOut = "timed-out",
        /// Its effect is not known.
        Unknown = "unknown",
        NotRun = "not-run",
    }
}

counted! {
    /// How an interaction met its time limits.
    Timing {
        /// It came too late to be answered and was dropped.
        DroppedLate = "dropped-late",
        /// Its answer took longer than 1.5 s.
        Deferred = "deferred",
        /// Its answer took so long that the caller got a notice where to find it.
        ToldStillRunning = "told-still-running",
        /// Its answer could not be shown in time and was stored.
        AnswerKept = "answer-kept",
    }
}

counted! {
    /// A missing or changed target of an interaction.
    UnknownInteraction {
        /// A slash command.
        Command = "command",
        /// A subcommand or a group.
        Subcommand = "subcommand",
        /// Options or the modal of a command that has changed.
        Stale = "stale",
        /// A button or select menu.
        Component = "component",
        Modal = "modal",
        /// A context-menu command.
        Menu = "menu",
        /// The entry point of an activity.
        EntryPoint = "entry-point",
        /// Autocomplete for an option without it.
        Completion = "completion",
        /// An interaction that cannot be decoded.
        Undecodable = "undecodable",
        /// A message, an edit or a deletion that cannot be decoded.
        Message = "message",
    }
}

counted! {
    /// Why slash text with the name of a command is not plain. The command does not run.
    NotPlain {
        Quote = "quote",
        Code = "code",
        QuotationMarks = "quotation-marks",
        /// It is escaped by a backslash.
        Backslash = "backslash",
        /// It is emphasised, struck out or hidden as a spoiler, or it is in a heading or a list.
        Formatted = "formatted",
        /// It is a link, or a mention of the command.
        Link = "link",
        /// It begins with a character that only reads as a slash.
        Lookalike = "lookalike",
        /// It has invisible characters in front.
        Hidden = "hidden",
        /// It has a mention of another user, a timestamp or an emoji in front.
        Mention = "mention",
        /// It is on a separate line, below a quote or other words.
        Below = "below",
    }
}

counted! {
    /// The rule by which a command was denied.
    Denial {
        /// The operator blocked the user.
        Blocked = "blocked",
        /// The command is for operators only.
        OperatorsOnly = "operators-only",
        /// The command is no longer in force.
        Gone = "gone",
        /// The command is not a tool of the chat model.
        NotATool = "not-a-tool",
        /// The caller did not confirm it.
        NotConfirmed = "not-confirmed",
        /// The administrators of the guild disabled it.
        SwitchedOff = "switched-off",
        /// A policy requires an operator.
        Owners = "owners",
        /// A policy lists users.
        Users = "users",
        /// A policy lists roles.
        Roles = "roles",
        /// A policy lists channels.
        Channels = "channels",
        /// A policy requires Discord permissions.
        Discord = "discord",
        /// The manifest does not allow it in this kind of place.
        Context = "context",
        /// It is for age-restricted channels.
        Age = "age",
        /// It must be chosen in Discord's picker.
        Picker = "picker",
        /// Its cooldown has not ended.
        Cooldown = "cooldown",
        /// The person may not talk with the chat model there.
        Chat = "chat",
        /// The person sent too many messages to the chat model.
        ChatRate = "chat-rate",
    }
}

counted! {
    /// Output that the bot did not send.
    Unsent {
        /// A notice to a person who just got one in the same channel, or for whom there was no room.
        Notice = "notice",
    }
}

counted! {
    /// An event that was dropped because too many of its kind waited.
    Dropped {
        /// The deletion of a message.
        Deletion = "deletion",
        /// A message, an edit, a new member, or a reaction.
        Event = "event",
    }
}

counted! {
    /// The outcome of a try to send a module's message to a channel.
    MessageTry {
        Sent = "sent",
        /// It was not sent and will be retried.
        Again = "again",
        /// Discord refuses it permanently, for example because the channel is gone.
        Refused = "refused",
        /// The operator no longer allows the module this channel.
        NotAllowed = "not-allowed",
        /// It was retried for too long.
        TooOld = "too-old",
    }
}

impl From<Outcome> for ToolCallEnd {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::Answered => Self::Answered,
            Outcome::Asked => Self::Asked,
            Outcome::Refused => Self::Refused,
            Outcome::Failed => Self::Failed,
            Outcome::TimedOut => Self::TimedOut,
            Outcome::Interrupted | Outcome::Unknown => Self::Unknown,
        }
    }
}

#[derive(Debug, Default)]
pub struct Counters {
    pub findings: Tally<GuardFinding>,
    pub turns: Tally<TurnEnd>,
    pub tool_calls: Tally<ToolCallEnd>,
    /// Late interactions and late answers.
    pub timings: Tally<Timing>,
    /// Interactions that named something that does not exist.
    pub unknown: Tally<UnknownInteraction>,
    /// Typed commands that did not run because they are not plain, by reason.
    pub not_plain: Tally<NotPlain>,
    pub denials: Tally<Denial>,
    /// Tokens that chat used on the day of the last turn, for the whole bot, as the provider counted them.
    pub chat_tokens_of_day: Gauge,
    /// The same, estimated for providers that do not count.
    pub chat_estimated_tokens_of_day: Gauge,
    /// Turns that began on that day.
    pub chat_turns_of_day: Gauge,
    pub unsent: Tally<Unsent>,
    pub dropped: Tally<Dropped>,
    /// Tries to send messages of modules to channels, by outcome.
    pub messages: Tally<MessageTry>,
    pub runs: Grid<Origin, Outcome>,
    pub run_times: Durations,
    /// Inbounds, by their arrival and the router's decision.
    pub routes: Grid<Arrival, RouteKind>,
    pub store_failures: Tally<StoreWork>,
    /// The time until writes were on the disk, including the wait.
    pub store_writes: Durations,
    pub rest: Tally<RestAnswer>,
    pub rest_limits: Tally<LimitScope>,
    pub gateway: Tally<GatewayEvent>,
    /// The remaining gateway logins of today, once Discord has reported them.
    pub logins_left: Reading,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_counted_under_its_own_name() {
        let counters = Counters::default();
        for (times, &finding) in GuardFinding::ALL.iter().enumerate() {
            (0..times).for_each(|_| counters.findings.count(finding));
        }
        counters.turns.count(TurnEnd::Failed);
        for outcome in [Outcome::TimedOut, Outcome::Done, Outcome::TimedOut] {
            counters.tool_calls.count(outcome.into());
        }
        let expected: Vec<_> = GuardFinding::ALL.iter().copied().zip(0_u64..).collect();
        assert_eq!(counters.findings.read().collect::<Vec<_>>(), expected);
        let turns: Vec<_> = counters.turns.read().map(|(end, count)| (end.name(), count)).collect();
        assert_eq!(turns, [("prose", 0), ("stopped", 0), ("failed", 1)]);
        let calls: Vec<_> = counters.tool_calls.read().map(|(end, count)| (end.name(), count)).collect();
        assert_eq!(
            calls,
            [
                ("done", 1),
                ("answered", 0),
                ("asked", 0),
                ("refused", 0),
                ("failed", 0),
                ("timed-out", 2),
                ("unknown", 0),
                ("not-run", 0)
            ]
        );
    }

    #[test]
    fn names_are_of_their_own_and_an_outcome_keeps_its_name() {
        let names: BTreeSet<_> = GuardFinding::ALL.iter().map(|finding| finding.name()).collect();
        assert_eq!(names.len(), GuardFinding::ALL.len());
        for outcome in Outcome::ALL.into_iter().filter(|&outcome| outcome != Outcome::Interrupted) {
            assert_eq!(ToolCallEnd::from(outcome).name(), outcome.name());
        }
    }
}
