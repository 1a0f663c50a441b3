//! Checks one module: its identity, services and commands, and whether all of its code is declared.

mod events;
mod services;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::checked::{AcceptedModule, RejectedModule, Withdrawn};
use crate::contract::check::commands::{command, menu};
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::options::private;
use crate::contract::check::outside;
use crate::contract::check::settings;
use crate::contract::check::subject::{Candidate, Standing, bare_name};
use crate::contract::check::wording;
use crate::contract::code::ModuleCode;
use crate::contract::manifest::{self, Text, WrittenCommand, WrittenCommandValue, WrittenLeaf, WrittenManifest};
use crate::contract::outside::{RunSpec, RunStart};
use crate::contract::services::ServiceName;
use crate::contract::signature::Signature;
use crate::contract::spec::HandlerKind;
use crate::diagnostic::spanned::Spanned;
use crate::diagnostic::{Code, Diagnostics, FirstError, SourceFile};
use crate::record::{CodeName, Digest};

/// The owner name of the built-in commands; no module may use it.
const BUILTIN: &str = "builtin";
/// The longest module name. It must be a valid folder name on every system.
const NAME_LENGTH_MAX: usize = 32;

pub(crate) enum Verdict {
    Accepted(Box<AcceptedModule>),
    Rejected(RejectedModule),
}

pub(crate) fn check(candidate: Candidate, names: &mut DeclaredNames) -> (Verdict, Diagnostics) {
    let Some(file) = candidate.file.clone() else {
        // The reader already reported why. The built-in manifest is not a fallback: the operator meant to replace it.
        return (rejected(&candidate, &WrittenManifest::default(), BTreeMap::new(), None), Diagnostics::default());
    };
    let mut read = Diagnostics::default();
    let mut written = manifest::read(&file, &mut read);
    let mut found = Findings::new(file, read);
    for (_, leaf) in subcommands(&written) {
        found.concern(&leaf.path, leaf.misread.clone());
    }
    let kind = outside::kind(&written).unwrap_or(HandlerKind::Native);
    let specs = settings::declared(&written, kind, &mut found);
    let mut declared = handlers_of(&written);
    written.switch_off(&candidate.given.names);
    if kind == HandlerKind::Text {
        written.rename_in_replies(&candidate.given.names);
    }
    let content = candidate.started.as_ref().and_then(|started| started.content);
    let candidate = outside::with_code(candidate, &specs, &mut written, &mut found);
    declared.extend(handlers_of(&written));
    let settings = settings::in_force(&specs, &written, &candidate, &mut found);
    let per_server = settings::per_server(specs, &candidate.given);

    let run = run_spec(&candidate, &written);
    let code_name = code_name(&written, &candidate, run.as_deref(), content, &mut found);
    written.rename(&candidate.given.names);

    check_name(&written, &candidate, &mut found);
    let summary = summary(&written, &mut found);
    let mut services = services::asked(&written, &candidate, &mut found);
    let http_hosts = services::http_hosts(&written, candidate.kind, &mut found);
    private::check_none_kept(&written, &services, &mut found);
    let mut commands = Vec::new();
    let mut at_fault = BTreeMap::new();
    for written in &written.commands {
        let (command, error) = found.watched(|found| command::check(written, &candidate, names, found));
        at_fault.extend(error.map(|error| (bare_name(&written.key.value).to_owned(), error)));
        commands.extend(command);
    }
    commands.extend(written.menus.iter().filter_map(|menu| menu::check(menu, &candidate, names, &mut found)));
    let events = events::hooks(&written, &commands, &candidate, &mut found);
    let schedules = events::schedules(&written, &commands, &candidate, &mut found);
    check_send(&written, &candidate, &services, &mut found);
    let runs_by_itself = !events.is_empty() || !schedules.is_empty();
    if runs_by_itself && !services.contains(&ServiceName::Send) {
        // Replies of event and schedule commands are posted as messages of the module.
        services.push(ServiceName::Send);
    }
    // Such a file may be read only in part, so missing declarations prove nothing.
    let misshapen = [Code::ManifestSyntax, Code::ManifestUnknownKey, Code::ManifestWrongType];
    if !candidate.has_wrong_kind && !misshapen.into_iter().any(|code| found.has(code)) {
        check_all_declared(&written, &declared, &candidate, &mut found);
    }

    let withdrawn = faulty_subcommands(&written, &found);
    // A command that loses its last subcommand rejects the whole module, so that the module still answers for the name.
    let is_whole = commands.len() == written.commands.len() + written.menus.len();
    let is_rejected = found.is_faulty_beyond_parts() || (!withdrawn.is_empty() && !is_whole);
    let diagnostics = found.finish();
    let verdict = if is_rejected {
        // If a header is cut off, `finish` drops all other errors.
        at_fault.retain(|_, error| diagnostics.iter().any(|told| FirstError::from(told) == *error));
        rejected(&candidate, &written, at_fault, diagnostics.first_error().map(FirstError::from))
    } else {
        Verdict::Accepted(Box::new(AcceptedModule {
            owner: candidate.owner(),
            summary,
            services,
            http_hosts,
            commands,
            events,
            schedules,
            withdrawn,
            switched_off: candidate.given.names.switched_off().map(str::to_owned).collect(),
            run,
            code_name,
            code: ModuleCode::from(candidate.code)
                .with_settings(settings, per_server)
                .with_names(&candidate.given.names, kind)
                .sending_to(candidate.given.send_to),
        }))
    };
    (verdict, diagnostics)
}

/// Returns the full names that a manifest declares: commands, groups, subcommands and context-menu commands. Returns
/// `None` if the manifest has errors; the check of the module reports them.
pub fn declared_commands(file: &Arc<SourceFile>) -> Option<Vec<String>> {
    let mut read = Diagnostics::default();
    let mut written = manifest::read(file, &mut read);
    outside::take_in(None, &mut written, &mut Findings::new(Arc::clone(file), Diagnostics::default()));
    (!read.has_errors()).then(|| written.declared_names())
}

/// Returns the program or server of an outside module. `outside::with_code` already reported its problems.
fn run_spec(candidate: &Candidate, written: &WrittenManifest) -> Option<Box<RunSpec>> {
    let file = candidate.file.clone().filter(|_| candidate.kind.is_outside())?;
    let found = &mut Findings::new(file, Diagnostics::default());
    outside::run_spec(candidate.kind, written, &candidate.given.trusted, found).map(Box::new)
}

fn faulty_subcommands(written: &WrittenManifest, found: &Findings) -> Vec<Withdrawn> {
    let faulty = |(name, leaf): (String, &WrittenLeaf)| Some(Withdrawn { name, error: found.error_of(&leaf.path)? });
    subcommands(written).filter_map(faulty).collect()
}

fn subcommands(written: &WrittenManifest) -> impl Iterator<Item = (String, &WrittenLeaf)> {
    let tables = written.commands.iter().filter_map(|command| match &command.value {
        WrittenCommandValue::Table(body) => Some(body.named_leaves(&command.key.value).skip(1)),
        WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
    });
    tables.flatten()
}

/// Builds a rejected module with its declared names. They come from its manifest, as far as it can be read, and from
/// its built-in manifest, whose names people already know.
fn rejected(
    candidate: &Candidate,
    written: &WrittenManifest,
    at_fault: BTreeMap<String, FirstError>,
    error: Option<FirstError>,
) -> Verdict {
    let mut built_in = manifest::read(&Arc::new(candidate.code.manifest.clone()), &mut Diagnostics::default());
    built_in.rename(&candidate.given.names);
    let mut commands = Vec::new();
    for command in written.commands.iter().chain(&built_in.commands) {
        let name = bare_name(&command.key.value);
        if !name.is_empty() && !commands.iter().any(|known| known == name) {
            commands.push(name.to_owned());
        }
    }
    let mut menus = Vec::new();
    for written in written.menus.iter().chain(&built_in.menus) {
        let Some(command_type) = menu::command_type(written) else { continue };
        let declared = (command_type, written.name.value.clone());
        if !menus.contains(&declared) {
            menus.push(declared);
        }
    }
    Verdict::Rejected(RejectedModule { name: candidate.code.folder.clone(), commands, menus, at_fault, error })
}

fn check_name(written: &WrittenManifest, candidate: &Candidate, found: &mut Findings) {
    let folder = &candidate.code.folder;
    let Spanned { value: name, span } = match &written.name {
        Text::Given(name) => name,
        Text::Unreadable => return,
        Text::Missing => {
            found
                .at(Code::ModuleNameInvalid, &written.header)
                .report("the module has no name", format!("write `name = \"{folder}\"` under `[module]`"));
            return;
        }
    };
    let well_formed = (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter));
    if !well_formed {
        found.at(Code::ModuleNameInvalid, span).report(
            format!("`{name}` cannot be a module's name"),
            format!(
                "name the folder and the module with 1 to {NAME_LENGTH_MAX} of the characters a-z, 0-9, `-` and `_`"
            ),
        );
    } else if name == BUILTIN && candidate.standing != Standing::Builtin {
        found.at(Code::ModuleNameInvalid, span).report(
            format!("the name `{BUILTIN}` belongs to the bot itself"),
            "name the folder and the module otherwise",
        );
    } else if name != folder {
        found.at(Code::ModuleNameInvalid, span).label(format!("the folder is called `{folder}`")).report(
            format!("module `{name}` is not named like its folder"),
            format!("write `name = \"{folder}\"`, or rename the folder"),
        );
    }
}

fn summary(written: &WrittenManifest, found: &mut Findings) -> String {
    let (summary, span) = match &written.summary {
        Text::Given(summary) => (summary.value.trim(), &summary.span),
        Text::Unreadable => return String::new(),
        Text::Missing => ("", &written.header),
    };
    if summary.is_empty() {
        found.at(Code::ModuleSummaryMissing, span).report(
            "the module has no summary",
            "write `summary = \"…\"` under `[module]`: one line on what the module is for",
        );
    }
    wording::check_line(summary, "the module's summary", span, found);
    summary.to_owned()
}

/// Returns the name of the code of a module on disk. `content` is the digest of its folder, if it was copied.
fn code_name(
    written: &WrittenManifest,
    candidate: &Candidate,
    run: Option<&RunSpec>,
    content: Option<Digest>,
    found: &mut Findings,
) -> Option<CodeName> {
    if let Some(Spanned { value, span }) = &written.version
        && (value.is_empty() || VERSION_LENGTH_MAX < value.len() || !value.bytes().all(is_of_version))
    {
        found.at(Code::TextInvalid, span).report(
            format!("`{value}` is not a version"),
            format!("write at most {VERSION_LENGTH_MAX} letters, digits, `.`, `-` and `+`: `version = \"1.2.0\"`"),
        );
    }
    let file = candidate.file.as_ref().filter(|_| candidate.standing == Standing::WithoutCode)?;
    let is_program = run.is_some_and(|run| matches!(run.start, RunStart::Program { .. }));
    let digest = match is_program {
        // Unknown if nothing was started.
        true => content?,
        false => Digest::of_file(file.text.as_bytes()),
    };
    let version = written.version.as_ref().map(|version| version.value.as_str());
    Some(CodeName::new(&candidate.owner().to_string(), version, digest))
}

const VERSION_LENGTH_MAX: usize = 32;

fn is_of_version(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-+".contains(&byte)
}

fn handlers_of(written: &WrittenManifest) -> BTreeSet<String> {
    let of_menus = written.menus.iter().filter_map(|menu| menu.leaf.handler.given());
    let of_menus = of_menus.map(|handler| handler.value.as_str());
    written.commands.iter().flat_map(declared_handlers).chain(of_menus).map(str::to_owned).collect()
}

/// Warns if a module on disk may not send to any channel. A compiled-in module reports this itself when it matters:
/// most operators never need it to send.
fn check_send(written: &WrittenManifest, candidate: &Candidate, services: &[ServiceName], found: &mut Findings) {
    let sends = services.contains(&ServiceName::Send);
    let by_itself = written.events.iter().map(|event| &event.name.span);
    let by_itself = by_itself.chain(written.schedules.iter().map(|schedule| &schedule.name.span)).next();
    let is_needed = candidate.standing == Standing::WithoutCode && (sends || by_itself.is_some());
    if !is_needed || candidate.given.send_to.is_open() {
        return;
    }
    let asked = written.services.iter().find(|asked| asked.value == ServiceName::Send.name()).map(|asked| &asked.span);
    let place = asked.or(by_itself).unwrap_or(&written.header);
    let folder = &candidate.code.folder;
    let message = match sends {
        true => "sends messages, and the operator allows it no channel: its commands that send will fail",
        false => "has scheduled or event commands but no channel to post in, so they never run",
    };
    found.at(Code::SendNowhere, place).report(
        format!("`{folder}` {message}"),
        format!("write `{folder} = [\"<channel id>\"]` under `[modules.send_to]` in the settings file"),
    );
}

/// Checks that the manifest declares everything the code offers. `declared` also has the handlers of commands that the
/// operator switched off.
fn check_all_declared(
    written: &WrittenManifest,
    declared: &BTreeSet<String>,
    candidate: &Candidate,
    found: &mut Findings,
) {
    let place = written.name.given().map_or(&written.header, |name| &name.span);
    let is_off = candidate.given.names.switched_off().next().is_some();
    if written.commands.is_empty() && written.menus.is_empty() && !is_off {
        found.at(Code::ModuleEmpty, place).report(
            "the module declares no command",
            "write `[commands.\"/name\"]` with `description` and `handler`, or take the module out",
        );
    }
    let mut seen = BTreeSet::new();
    for handler in &candidate.code.handlers {
        let name = handler.name.as_str();
        if candidate.kind == HandlerKind::Mcp {
            // A server may list more tools than the manifest uses.
            continue;
        }
        if !seen.insert(name) {
            found.at(Code::HandlerUnused, place).report(
                format!("the code gives the handler `{name}` twice, and the second is never called"),
                "give the second another name, and declare a command for it",
            );
        } else if !declared.contains(name) {
            found.at(Code::HandlerUnused, place).label(format!("its code has a handler `{name}`")).report(
                format!("no command declares the handler `{name}`"),
                format!("declare it: `[commands.\"/{name}\"]` with `handler = \"{name}\"`, or take it out of the code"),
            );
        }
    }
    check_completers(candidate, place, found);
    services::check_needs(written, candidate, place, found);
}

fn declared_handlers(command: &WrittenCommand) -> Vec<&str> {
    match &command.value {
        WrittenCommandValue::Table(body) => {
            body.leaves().filter_map(|leaf| leaf.handler.given()).map(|handler| handler.value.as_str()).collect()
        }
        WrittenCommandValue::BareHandler(handler) => vec![&handler.value],
        WrittenCommandValue::Unreadable => Vec::new(),
    }
}

/// Reports completers for an option that no handler takes, because they would never be called.
fn check_completers(candidate: &Candidate, place: &Range<usize>, found: &mut Findings) {
    for completer in &candidate.code.completers {
        let signature = candidate.handler(&completer.handler).map(|handler| Signature::read(&handler.signature));
        if !signature.is_some_and(|signature| signature.has(&completer.option)) {
            let handler = &completer.handler;
            let option = &completer.option;
            found.at(Code::AutocompleteMismatch, place).report(
                format!(
                    "the code suggests values for `{option}` of the handler `{handler}`, which takes no such option"
                ),
                format!("correct `.complete(\"{handler}\", \"{option}\", …)` in the module's code"),
            );
        }
    }
}
