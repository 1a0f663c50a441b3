//! Checks `[events]` and `[schedules]`: commands that run on Discord events or at set times.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Candidate;
use crate::contract::manifest::{NameInForce, Text, WrittenEvent, WrittenManifest, WrittenSchedule};
use crate::contract::spec::{Command, EventHook, EventKind, Leaf, OptionKind, Schedule};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};
use crate::text::{Cron, in_code_spans, nearest};

const HOW_TO_WRITE_TIMES: &str =
    "write minute, hour, day of the month, month and day of the week: `cron = \"0 9 * * mon-fri\"`";

/// Returns the entries of `[events]` whose command exists. Reports required options that the event cannot supply.
pub(super) fn hooks(
    written: &WrittenManifest,
    commands: &[Command],
    candidate: &Candidate,
    found: &mut Findings,
) -> Vec<EventHook> {
    let own = Own::of(commands, candidate, found);
    written.events.iter().filter_map(|event| hook(event, &own, found)).collect()
}

/// Returns the entries of `[schedules]` with valid times and an existing command. Reports required options.
pub(super) fn schedules(
    written: &WrittenManifest,
    commands: &[Command],
    candidate: &Candidate,
    found: &mut Findings,
) -> Vec<Schedule> {
    let own = Own::of(commands, candidate, found);
    written.schedules.iter().filter_map(|schedule| timed(schedule, &own, found)).collect()
}

fn hook(event: &WrittenEvent, own: &Own<'_>, found: &mut Findings) -> Option<EventHook> {
    let name = event.name.value.as_str();
    let Some(kind) = EventKind::named(name) else {
        let names = EventKind::ALL.map(EventKind::name);
        let help = match nearest(name, names, 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the events are {}", in_code_spans(&names)),
        };
        found.at(Code::EventUnknown, &event.name.span).report(format!("there is no event `{name}`"), help);
        return None;
    };
    let (leaf, run) = own.leaf(Code::EventCommand, &event.name, "event", &event.run, found)?;
    check_options(leaf, kind, run, found);
    Some(EventHook { kind, path: leaf.path().clone() })
}

fn timed(schedule: &WrittenSchedule, own: &Own<'_>, found: &mut Findings) -> Option<Schedule> {
    let name = &schedule.name;
    let cron = match &schedule.cron {
        Text::Given(pattern) => match Cron::parse(&pattern.value) {
            Ok(cron) => Some(cron),
            Err(problem) => {
                let message = format!("`{}` is not a cron pattern: {problem}", pattern.value);
                found.at(Code::ScheduleTimes, &pattern.span).report(message, HOW_TO_WRITE_TIMES);
                None
            }
        },
        Text::Unreadable => None,
        Text::Missing => {
            let message = format!("the schedule `{}` has no times", name.value);
            found.at(Code::ScheduleTimes, &name.span).report(message, HOW_TO_WRITE_TIMES);
            None
        }
    };
    let (leaf, run) = own.leaf(Code::ScheduleCommand, name, "schedule", &schedule.run, found)?;
    for option in leaf.options.iter().filter(|option| option.required) {
        found.at(Code::ScheduleOptions, &run.span).report(
            format!("`{}`: nobody gives the required option `{}`", run.value, option.name),
            "run a command without required options",
        );
    }
    Some(Schedule { name: name.value.clone(), cron: cron?, path: leaf.path().clone() })
}

/// The module's own commands, which events and schedules may run.
struct Own<'a> {
    commands: &'a [Command],
    candidate: &'a Candidate,
    /// Whether no command was dropped. If one was, its error is already reported.
    are_whole: bool,
}

impl<'a> Own<'a> {
    fn of(commands: &'a [Command], candidate: &'a Candidate, found: &Findings) -> Self {
        Self { commands, candidate, are_whole: !found.is_faulty_at_all() }
    }

    /// Returns the command that an entry runs. Returns `None` if it is switched off, or, after reporting it, if it does
    /// not exist.
    fn leaf<'b>(
        &self,
        code: Code,
        name: &Spanned<String>,
        kind: &str,
        run: &'b Text,
        found: &mut Findings,
    ) -> Option<(&'a Leaf, &'b Spanned<String>)> {
        let run = match run {
            Text::Given(run) => run,
            Text::Unreadable => return None,
            Text::Missing => {
                found.at(code, &name.span).report(
                    format!("nothing is run for the {kind} `{}`", name.value),
                    "write `run = \"/name\"`: a command of this module",
                );
                return None;
            }
        };
        let declared: Vec<_> = run.value.strip_prefix('/').into_iter().flat_map(str::split_whitespace).collect();
        let path = CommandPath::at(CommandType::Slash, &declared);
        let names = &self.candidate.given.names;
        let is_off = (1..=declared.len()).filter_map(|n| declared.get(..n)).any(|above| {
            let above = CommandPath::at(CommandType::Slash, above).to_string();
            matches!(names.of(&above), Some(NameInForce::Off))
        });
        if is_off {
            // The operator switched it off on purpose.
            return None;
        }
        let path = names.current(&path);
        let known = self.commands.iter().find_map(|command| Some((command, command.leaf(&path)?)));
        if known.is_some_and(|(command, _)| command.chat_only) {
            found.at(code, &run.span).report(
                format!("`{}` is a tool of the chat model alone, so that nothing else can run it", run.value),
                "write the name of another command, or take `chat_only` out of this one",
            );
            return None;
        }
        if known.is_none() && self.are_whole {
            let leaves = self.commands.iter().flat_map(Command::leaves);
            let names: Vec<_> = leaves.map(|leaf| leaf.path().to_string()).collect();
            let help = match nearest(&run.value, names.iter().map(String::as_str), 1).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write the full name of one, with its subcommand: `run = \"/name sub\"`".to_owned(),
            };
            found.at(code, &run.span).report(format!("this module has no command `{}`", run.value), help);
        }
        known.map(|(_, leaf)| (leaf, run))
    }
}

/// Reports options that the event cannot fill.
fn check_options(leaf: &Leaf, kind: EventKind, run: &Spanned<String>, found: &mut Findings) {
    let offered = kind.options();
    for option in &leaf.options {
        let is_offered = offered.contains(&option.name.as_str());
        let is_text = matches!(option.kind, OptionKind::String { .. });
        let message = match (is_offered, is_text) {
            (true, true) => continue,
            (true, false) => format!("the option `{}` is not a text, as what is known of the event is", option.name),
            (false, _) if !option.required => continue,
            (false, _) => format!("nothing is known for the required option `{}`", option.name),
        };
        let help = match offered {
            [] => "run a command without required options: the event is about the person who calls it".to_owned(),
            offered => format!("known are, as texts, {}", in_code_spans(offered)),
        };
        found.at(Code::EventOptions, &run.span).report(format!("`{}`: {message}", run.value), help);
    }
}
