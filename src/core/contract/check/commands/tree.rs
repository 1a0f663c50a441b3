//! Checks the body of a command: one handler, or subcommands and groups.

use crate::contract::check::commands::leaf;
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Candidate, Part};
use crate::contract::check::wording;
use crate::contract::check::wording::description;
use crate::contract::check::wording::{NameRule, NamedItem};
use crate::contract::limits;
use crate::contract::manifest::{WrittenBody, WrittenGroup, WrittenLeaf, WrittenSubcommand};
use crate::contract::spec::{CommandKind, Group, Subcommand};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};

/// Checks the handler or the subcommands of a command and drops invalid subcommands. Returns `None`, and reports why,
/// if nothing remains that can be called.
pub(crate) fn check(
    body: &WrittenBody,
    part: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<CommandKind> {
    if body.subcommands.is_empty() && body.groups.is_empty() {
        return leaf::check(&body.leaf, part, candidate, names, found).map(CommandKind::Leaf);
    }
    check_parent(&body.leaf, part, found);
    let n_parts = body.subcommands.len() + body.groups.len();
    let parts = body.subcommands.iter().map(|known| &known.name).chain(body.groups.iter().map(|known| &known.name));
    // Discord's limit does not apply to commands that it never sees.
    if !body.is_chat_only() {
        check_count(n_parts, parts, part, found);
    }
    // Check all of them first, so that every problem is reported.
    let subcommands: Vec<_> =
        body.subcommands.iter().map(|written| subcommand(written, part, candidate, names, found)).collect();
    let groups: Vec<_> = body.groups.iter().map(|written| group(written, part, candidate, names, found)).collect();
    check_names(body, part, &subcommands, &groups, found);
    let subcommands: Vec<_> = subcommands.into_iter().flatten().collect();
    let groups: Vec<_> = groups.into_iter().flatten().collect();
    let is_callable = !subcommands.is_empty() || !groups.is_empty();
    is_callable.then_some(CommandKind::Parent { subcommands, groups })
}

/// Reports the first subcommand or group beyond Discord's limit.
fn check_count<'a>(
    n_parts: usize,
    mut parts: impl Iterator<Item = &'a Spanned<String>>,
    part: &Part,
    found: &mut Findings,
) {
    if let Some(beyond) = parts.nth(limits::SUBCOMMANDS_MAX) {
        found.at(Code::TooManySubcommands, &beyond.span).label("one too many").report(
            format!("{} has {n_parts} subcommands, and Discord accepts {}", part.title(), limits::SUBCOMMANDS_MAX),
            "spread them over groups or over two commands",
        );
    }
}

fn group(
    written: &WrittenGroup,
    parent: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Group> {
    let Spanned { value: name, span } = &written.name;
    wording::check(name, span, "a group", found, |wanted| format!("call it `{wanted}`"));
    let path = CommandPath::at(CommandType::Slash, &[parent.path.command(), name]);
    let part = Part { path, span: span.clone() };
    let description = description(&written.description, &part, &written.path, found);
    let localized = wording::read(&written.localized, NameRule::Slash, &part.title(), found);
    if written.subcommands.is_empty() {
        found.at(Code::GroupEmpty, span).label("Discord does not show it").report(
            format!("the group {} has no subcommand", part.title()),
            format!("write `[{}.subcommands.name]` with `description` and `handler`, or take it out", written.path),
        );
    }
    check_count(written.subcommands.len(), written.subcommands.iter().map(|known| &known.name), &part, found);
    let subcommands: Vec<_> =
        written.subcommands.iter().map(|inner| subcommand(inner, &part, candidate, names, found)).collect();
    let named = written
        .subcommands
        .iter()
        .zip(&subcommands)
        .filter_map(|(written, known)| Some(named(written, known.as_ref()?)));
    wording::check_beside(&named.collect::<Vec<_>>(), "subcommands", found);
    let subcommands: Vec<_> = subcommands.into_iter().flatten().collect();
    if subcommands.is_empty() && !written.subcommands.is_empty() {
        return None;
    }
    Some(Group { name: name.clone(), description, subcommands, localized, written_at: found.written_at(span) })
}

/// Checks a subcommand of a command or group. Returns `None`, and reports why, if it has any error.
fn subcommand(
    written: &WrittenSubcommand,
    parent: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Subcommand> {
    let of = &written.leaf.path;
    let checked = found.within(of, |found| checked_subcommand(written, parent, candidate, names, found));
    checked.filter(|_| found.error_of(of).is_none())
}

fn checked_subcommand(
    written: &WrittenSubcommand,
    parent: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Subcommand> {
    let Spanned { value: name, span } = &written.name;
    wording::check(name, span, "a subcommand", found, |wanted| format!("call it `{wanted}`"));
    let full_name: Vec<_> = parent.path.names().chain([name.as_str()]).collect();
    let part = Part { path: CommandPath::at(CommandType::Slash, &full_name), span: span.clone() };
    let description = description(&written.description, &part, &written.leaf.path, found);
    let localized = wording::read(&written.localized, NameRule::Slash, &part.title(), found);
    let leaf = leaf::check(&written.leaf, &part, candidate, names, found)?;
    Some(Subcommand { localized, written_at: found.written_at(span), ..Subcommand::new(name, description, leaf) })
}

fn check_names(
    body: &WrittenBody,
    part: &Part,
    subcommands: &[Option<Subcommand>],
    groups: &[Option<Group>],
    found: &mut Findings,
) {
    for (at, written) in body.subcommands.iter().enumerate() {
        // TOML forbids duplicate keys, but a rename by the operator can produce one.
        if let Some(same) = body.subcommands.iter().take(at).find(|known| known.name.value == written.name.value) {
            found.at(Code::SubcommandDuplicate, &written.name.span).also(&same.name.span, "the first one").report(
                format!("{} has two subcommands `{}`", part.title(), written.name.value),
                "give one of the two another name",
            );
        }
    }
    for written in &body.groups {
        if let Some(same) = body.subcommands.iter().find(|known| known.name.value == written.name.value) {
            found.at(Code::SubcommandDuplicate, &written.name.span).also(&same.name.span, "the subcommand").report(
                format!("`{}` is a subcommand and a group", written.name.value),
                "give one of the two another name",
            );
        }
    }
    let of_subcommands = body.subcommands.iter().zip(subcommands);
    let of_subcommands = of_subcommands.filter_map(|(written, known)| Some(named(written, known.as_ref()?)));
    let of_groups = body.groups.iter().zip(groups).filter_map(|(written, known)| {
        let Group { name, localized, .. } = known.as_ref()?;
        Some(NamedItem { name, localized, written: &written.localized, span: &written.name.span })
    });
    wording::check_beside(&of_subcommands.chain(of_groups).collect::<Vec<_>>(), "subcommands", found);
}

fn named<'a>(written: &'a WrittenSubcommand, known: &'a Subcommand) -> NamedItem<'a> {
    let Subcommand { name, localized, .. } = known;
    NamedItem { name, localized, written: &written.localized, span: &written.name.span }
}

/// Reports a handler or options on a command with subcommands: Discord cannot call such a command itself.
fn check_parent(leaf: &WrittenLeaf, part: &Part, found: &mut Findings) {
    let handler = leaf.handler.given().map(|handler| ("handler", &handler.span));
    let tool = leaf.tool.as_ref().map(|tool| ("tool", &tool.span));
    let tool_name = leaf.tool_name.as_ref().map(|name| ("tool_name", &name.span));
    let writes = leaf.writes.as_ref().map(|writes| ("writes", &writes.span));
    let description = leaf.tool_description.as_ref().map(|text| ("tool_description", &text.span));
    let tool_options = leaf.tool_options.as_ref().map(|names| ("tool_options", &names.span));
    let removes = leaf.removes.as_ref().map(|removes| ("removes", &removes.span));
    let options = leaf.options.first().map(|option| ("options", &option.name.span));
    for (key, span) in
        [handler, tool, tool_name, writes, removes, description, tool_options, options].into_iter().flatten()
    {
        found.at(Code::HandlerOnParent, span).label("nobody can call it without a subcommand").report(
            format!("{} has subcommands, and `{key}` of its own", part.title()),
            format!("move `{key}` to the subcommand it is meant for"),
        );
    }
}
