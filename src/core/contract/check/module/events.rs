//! Checks what a module has run when something happens on Discord.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Candidate;
use crate::contract::manifest::{NameInForce, Text, WrittenEvent, WrittenManifest};
use crate::contract::spec::{Command, EventHook, EventKind, Leaf, OptionKind};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};
use crate::text::{in_code_spans, nearest};

/// The entries of `[events]` whose command is one of these and can be called with what is known of the event.
pub(super) fn hooks(
    written: &WrittenManifest,
    commands: &[Command],
    candidate: &Candidate,
    found: &mut Findings,
) -> Vec<EventHook> {
    // A command with a fault of its own is reported there.
    let are_whole = !found.is_faulty_at_all();
    written.events.iter().filter_map(|event| hook(event, (commands, are_whole), candidate, found)).collect()
}

fn hook(
    event: &WrittenEvent,
    (commands, are_whole): (&[Command], bool),
    candidate: &Candidate,
    found: &mut Findings,
) -> Option<EventHook> {
    let name = event.name.value.as_str();
    let Some(kind) = EventKind::ALL.into_iter().find(|kind| kind.name() == name) else {
        let names = EventKind::ALL.map(EventKind::name);
        let help = match nearest(name, names, 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the events are {}", in_code_spans(&names)),
        };
        found.at(Code::EventUnknown, &event.name.span).report(format!("there is no event `{name}`"), help);
        return None;
    };
    let run = match &event.run {
        Text::Given(run) => run,
        Text::Unreadable => return None,
        Text::Missing => {
            found.at(Code::EventCommand, &event.name.span).report(
                format!("nothing is run for the event `{name}`"),
                "write `run = \"/name\"`: a command of this module",
            );
            return None;
        }
    };
    let declared: Vec<_> = run.value.strip_prefix('/').into_iter().flat_map(str::split_whitespace).collect();
    let path = CommandPath::at(CommandType::Slash, &declared);
    let names = &candidate.given.names;
    let is_off = (1..=declared.len()).filter_map(|n| declared.get(..n)).any(|above| {
        let above = CommandPath::at(CommandType::Slash, above).to_string();
        matches!(names.of(&above), Some(NameInForce::Off))
    });
    if is_off {
        // The operator wants it so.
        return None;
    }
    let path = names.current(&path);
    let Some(leaf) = commands.iter().flat_map(Command::leaves).find(|leaf| *leaf.path() == path) else {
        if are_whole {
            found.at(Code::EventCommand, &run.span).report(
                format!("`{}` is no command of this module that can be called", run.value),
                "write the full name of one, with its subcommand: `run = \"/name sub\"`",
            );
        }
        return None;
    };
    check_options(leaf, kind, run, found);
    Some(EventHook { kind, path })
}

/// Reports options that no event fills.
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
