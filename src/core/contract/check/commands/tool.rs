//! Checks a command as a tool of the chat model: its name, and whether it writes.

use std::ops::Range;

use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Candidate, Part};
use crate::contract::limits;
use crate::contract::manifest::WrittenLeaf;
use crate::contract::spec::{HandlerKind, OptionSpec, ToolSpec, tool_name};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::in_code_spans;

/// Checks the tool keys of a callable command. Returns `None` if it is not a tool.
pub(crate) fn check(
    written: &WrittenLeaf,
    options: &[OptionSpec],
    part: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<ToolSpec> {
    let Some(tool) = written.tool.as_ref().filter(|tool| tool.value) else {
        report_without_tool(written, part, found);
        return None;
    };
    let (name, span) = match &written.tool_name {
        Some(name) => (name.value.clone(), &name.span),
        None => (tool_name(&part.path), &tool.span),
    };
    if check_name(&name, span, written, part, found) {
        declare(&name, span, candidate, names, found);
    }
    if let Some(entity) = options.iter().find(|option| option.required && option.kind.is_entity()) {
        found.at(Code::ToolOptionUnreachable, &tool.span).label(format!("it needs a {}", entity.kind.name())).report(
            format!("{} is a tool, and no chat model can give its `{}`", part.title(), entity.name),
            format!("make the field `{}` an `Option`, or take `tool` out", entity.name),
        );
    }
    Some(ToolSpec {
        name,
        writes: writes(written, candidate.kind),
        description: written.tool_description.as_ref().and_then(|text| checked_description(text, part, found)),
        options: written.tool_options.as_ref().map(|names| checked_options(&names.value, options, part, found)),
    })
}

/// Returns whether a command may change something. Programs and servers may, unless the manifest says otherwise.
/// Removing counts as changing.
pub(crate) fn writes(written: &WrittenLeaf, kind: HandlerKind) -> bool {
    let says_removes = written.removes.as_ref().is_some_and(|removes| removes.value);
    says_removes || written.writes.as_ref().map_or(kind.is_outside(), |writes| writes.value)
}

/// Returns whether a command may remove something. Programs and servers may, unless the manifest has `writes` or
/// `removes`.
pub(crate) fn removes(written: &WrittenLeaf, kind: HandlerKind) -> bool {
    let unless_said = kind.is_outside() && written.writes.is_none();
    written.removes.as_ref().map_or(unless_said, |removes| removes.value)
}

/// Reports tool keys that have no effect because the command is not a tool.
fn report_without_tool(written: &WrittenLeaf, part: &Part, found: &mut Findings) {
    // `tool` may be the value that could not be read.
    if found.has(Code::ManifestWrongType) {
        return;
    }
    let tool_name = written.tool_name.as_ref().map(|name| ("tool_name", &name.span));
    let description = written.tool_description.as_ref().map(|text| ("tool_description", &text.span));
    let options = written.tool_options.as_ref().map(|names| ("tool_options", &names.span));
    for (key, span) in [tool_name, description, options].into_iter().flatten() {
        found.at(Code::ToolKeyWithoutTool, span).label("only a tool of the chat model has one").report(
            format!("{} has `{key}` but is not a tool", part.title()),
            format!("write `tool = true` under `[{}]`, or take `{key}` out", written.path),
        );
    }
}

/// Returns whether the name is valid. Reports it if not.
fn check_name(name: &str, span: &Range<usize>, written: &WrittenLeaf, part: &Part, found: &mut Findings) -> bool {
    let allowed = "the characters a-z, A-Z, 0-9, `_` and `-`";
    let n_characters = name.chars().count();
    let why = if name.is_empty() {
        "it is empty".to_owned()
    } else if limits::TOOL_NAME_LENGTH_MAX < n_characters {
        format!("{n_characters} characters, and models take {}", limits::TOOL_NAME_LENGTH_MAX)
    } else if let Some(strange) = name.chars().find(|&letter| !limits::is_tool_name_character(letter)) {
        format!("a tool's name does not hold {strange:?}")
    } else if limits::TOOL_NAMES_RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        "this name has a meaning of its own for the model".to_owned()
    } else {
        return true;
    };
    let help = match &written.tool_name {
        Some(_) => format!("write another name, in 1 to {} of {allowed}", limits::TOOL_NAME_LENGTH_MAX),
        None => format!("write `tool_name = \"…\"` under `[{}]`, with a name in {allowed}", written.path),
    };
    found
        .at(Code::ToolNameInvalid, span)
        .label(why)
        .report(format!("the tool of {} cannot be called `{name}`", part.title()), help);
    false
}

fn declare(name: &str, span: &Range<usize>, candidate: &Candidate, names: &mut DeclaredNames, found: &mut Findings) {
    let Err(first) = names.tools.declare(name, candidate.declaration(found.file(), span)) else { return };
    let message = format!("the tool name `{name}` is already taken: {first}");
    let help = "give one of the two another name with `tool_name = \"…\"`";
    found.at(Code::ToolNameDuplicate, span).also_first(&first).report(message, help);
}

/// Returns the description for the model. It is part of every request, so its length is limited.
fn checked_description(written: &Spanned<String>, part: &Part, found: &mut Findings) -> Option<String> {
    let text = written.value.trim();
    let n_characters = text.chars().count();
    if (1..=limits::TOOL_DESCRIPTION_LENGTH_MAX).contains(&n_characters) {
        return Some(text.to_owned());
    }
    found.at(Code::ToolDescriptionLength, &written.span).label(format!("{n_characters} characters")).report(
        format!("the tool of {} has a description that no model is told", part.title()),
        format!("write 1 to {} characters, or take it out", limits::TOOL_DESCRIPTION_LENGTH_MAX),
    );
    None
}

fn checked_options(
    names: &[Spanned<String>],
    options: &[OptionSpec],
    part: &Part,
    found: &mut Findings,
) -> Vec<String> {
    for name in names.iter().filter(|name| !options.iter().any(|option| option.name == name.value)) {
        let known = in_code_spans(options.iter().map(|option| &option.name));
        let help = match known.is_empty() {
            true => "take `tool_options` out: there are no options".to_owned(),
            false => format!("write some of {known}, or take it out"),
        };
        found
            .at(Code::ToolOptionUnknown, &name.span)
            .label("there is no such option")
            .report(format!("{} has no option `{}` to tell a model of", part.title(), name.value), help);
    }
    names.iter().map(|name| name.value.clone()).collect()
}
