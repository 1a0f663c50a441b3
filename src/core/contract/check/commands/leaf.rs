//! Checks a callable command or subcommand: its handler, and its options in the manifest and the signature.

use std::ops::Range;

use crate::contract::check::commands::tool;
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::options::{modal, option};
use crate::contract::check::subject::{Candidate, OptionSite, Part, Standing};
use crate::contract::check::wording::{self, NamedItem};
use crate::contract::code::NativeHandler;
use crate::contract::limits;
use crate::contract::manifest::{Text, WrittenLeaf, WrittenOption};
use crate::contract::signature::{Parameter, Signature};
use crate::contract::spec::{HandlerKind, Leaf, OptionKind, OptionSpec};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{in_code_spans, nearest};

/// Checks a callable command or subcommand. Returns `None`, and reports why, if it cannot be called.
pub(crate) fn check(
    written: &WrittenLeaf,
    part: &Part,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Leaf> {
    let (handler, span) = handler(written, part, candidate, found)?;
    let signature = Signature::read(&handler.signature);
    check_supported(&signature, &handler.name, span, found);
    for option in written.options.iter().filter(|option| !signature.has(&option.name.value)) {
        report_not_taken(option, &handler.name, &signature, found);
    }
    if limits::OPTIONS_MAX < signature.parameters.len() {
        found.at(Code::TooManyOptions, span).label(format!("it takes {} options", signature.parameters.len())).report(
            format!("{} has more than the {} options that Discord accepts", part.title(), limits::OPTIONS_MAX),
            "take fewer in its handler's arguments, or split the command",
        );
    }
    modal::check_count(written, part, found);
    let options = options(&signature, written, handler, span, candidate, found);
    let tool = tool::check(written, &options, part, candidate, names, found);
    let writes = tool::writes(written, candidate.kind);
    let removes = tool::removes(written, candidate.kind);
    Some(Leaf { writes, removes, ..Leaf::new(&handler.name, options, tool).of_kind(candidate.kind) })
}

/// Returns the handler that the manifest names and its source position. Returns `None`, and reports why, if it is
/// missing.
pub(crate) fn handler<'a>(
    written: &'a WrittenLeaf,
    part: &Part,
    candidate: &'a Candidate,
    found: &mut Findings,
) -> Option<(&'a NativeHandler, &'a Range<usize>)> {
    let names: Vec<_> = candidate.code.handlers.iter().map(|handler| handler.name.as_str()).collect();
    let (listed, code) = match candidate.kind {
        HandlerKind::Mcp => (in_code_spans(&names), "the server lists"),
        HandlerKind::Native | HandlerKind::Text | HandlerKind::Exec => (in_code_spans(&names), "the code has"),
    };
    let Spanned { value: name, span } = match &written.handler {
        Text::Given(handler) => handler,
        Text::Unreadable => return None,
        Text::Missing => {
            if candidate.has_wrong_kind {
                return None;
            }
            let known = if names.is_empty() { String::new() } else { format!("; {code} {listed}") };
            found.at(Code::HandlerMissing, &part.span).report(
                format!("{} has no handler", part.title()),
                format!("write `handler = \"…\"` under `[{}]`{known}", written.path),
            );
            return None;
        }
    };
    if let Some(handler) = candidate.handler(name) {
        return Some((handler, span));
    }
    let folder = &candidate.code.folder;
    if candidate.kind == HandlerKind::Mcp {
        report_unlisted(name, span, part, &names, found);
        return None;
    }
    let (label, help) = match (candidate.standing, nearest(name, names.iter().copied(), 1).first()) {
        (Standing::WithoutCode, _) => (
            format!("no module `{folder}` is compiled in"),
            "write `kind = \"text\"`, `\"exec\"` or `\"mcp\"` under `[module]`, take the folder out, or add the module's \
             code and its line to `modules/lib.rs`"
                .to_owned(),
        ),
        (_, Some(near)) => (String::new(), format!("did you mean `{near}`?")),
        (_, None) if names.is_empty() => {
            (String::new(), format!("add `.handler(\"{}\", …)` to the module's code", name.escape_default()))
        }
        (_, None) => (String::new(), format!("the code has {listed}")),
    };
    found
        .at(Code::HandlerNotFound, span)
        .label(label)
        .report(format!("{} names the handler `{name}`, which no code implements", part.title()), help);
    None
}

/// Reports a tool that its MCP server does not list.
fn report_unlisted(tool: &str, span: &Range<usize>, part: &Part, listed: &[&str], found: &mut Findings) {
    let help = match nearest(tool, listed.iter().copied(), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if listed.is_empty() => "it lists none".to_owned(),
        None => format!("it lists {}", in_code_spans(listed)),
    };
    let message = format!("{} names the tool `{tool}`, which its server does not list", part.title());
    found.at(Code::HandlerNotFound, span).report(message, help);
}

fn check_supported(signature: &Signature, handler: &str, span: &Range<usize>, found: &mut Findings) {
    for unsupported in &signature.unsupported {
        let (message, subject) = match &unsupported.field {
            Some(field) => {
                (format!("handler `{handler}` takes `{field}`, for which Discord has no option"), format!("`{field}`"))
            }
            None => (format!("the arguments of handler `{handler}` are not options"), "its argument type".to_owned()),
        };
        found.at(Code::SignatureUnsupported, span).label(format!("{subject} {}", unsupported.reason)).report(
            message,
            "take a text, a whole number, a number, a truth value, an enum of plain names, one of `contract::entity`, \
             or one of these in `Option`",
        );
    }
    for parameter in signature.parameters.iter().filter(|parameter| parameter.kind == OptionKind::Message) {
        found.at(Code::SignatureUnsupported, span).label(format!("`{}` is a message", parameter.name)).report(
            format!("handler `{handler}` takes `{}`, for which Discord has no option", parameter.name),
            "declare a message context-menu command: `[menus.\"…\"]` with `type = \"message\"`",
        );
    }
}

fn report_not_taken(option: &WrittenOption, handler: &str, signature: &Signature, found: &mut Findings) {
    let name = &option.name.value;
    let known: Vec<_> = signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let help = match nearest(name, known.iter().copied(), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("take `[{}]` out; the handler takes nothing", option.path),
        None => {
            let listed = in_code_spans(&known);
            format!("take `[{}]` out, or add `{name}` to the handler's arguments; it takes {listed}", option.path)
        }
    };
    found
        .at(Code::HandlerSignatureMismatch, &option.name.span)
        .label("Discord would ask for it, and nobody would read it")
        .report(format!("handler `{handler}` does not take the option `{name}`"), help);
}

/// Returns the options in display order: first the manifest's, in its order, then the rest in the signature's order.
/// Discord requires required options first. The manifest must already list its own options that way.
fn options(
    signature: &Signature,
    written: &WrittenLeaf,
    handler: &NativeHandler,
    span: &Range<usize>,
    candidate: &Candidate,
    found: &mut Findings,
) -> Vec<OptionSpec> {
    let mut merge = |parameter: &Parameter, option: Option<&WrittenOption>| {
        let completers = &candidate.code.completers;
        let has_completer = completers.iter().any(|c| c.handler == handler.name && c.option == parameter.name);
        let place = OptionSite {
            handler: &handler.name,
            path: &written.path,
            span: option.map_or(span, |option| &option.name.span),
        };
        option::merge(parameter, option, has_completer, &place, found)
    };
    let parameter = |name: &str| signature.parameters.iter().find(|parameter| parameter.name == name);
    let listed = written.options.iter().filter_map(|option| Some((option, parameter(&option.name.value)?)));
    let listed: Vec<_> = listed.map(|(option, parameter)| (option, merge(parameter, Some(option)))).collect();
    let is_listed = |name: &str| written.options.iter().any(|option| option.name.value == name);
    let rest = signature.parameters.iter().filter(|parameter| !is_listed(&parameter.name));
    let rest: Vec<_> = rest.map(|parameter| merge(parameter, None)).collect();

    check_order(&listed, found);
    check_names(&listed, &rest, span, found);
    let mut options: Vec<_> = listed.into_iter().map(|(_, option)| option).chain(rest).collect();
    options.sort_by_key(|option| !option.is_demanded());
    options
}

fn check_names(
    listed: &[(&WrittenOption, OptionSpec)],
    rest: &[OptionSpec],
    span: &Range<usize>,
    found: &mut Findings,
) {
    let rest =
        rest.iter().map(|option| NamedItem { name: &option.name, localized: &option.localized, written: &[], span });
    let listed = listed.iter().map(|(written, option)| NamedItem {
        name: &option.name,
        localized: &option.localized,
        written: &written.localized,
        span: &written.name.span,
    });
    // Unlisted options go first, because a clash is reported at the later item and only listed options can be changed
    // in the manifest.
    wording::check_beside(&rest.chain(listed).collect::<Vec<_>>(), "options", found);
}

fn check_order(listed: &[(&WrittenOption, OptionSpec)], found: &mut Findings) {
    let Some((first_optional, _)) = listed.iter().find(|(_, option)| !option.is_demanded()) else {
        return;
    };
    let behind =
        listed.iter().skip_while(|(_, option)| option.is_demanded()).filter(|(_, option)| option.is_demanded());
    for (written, option) in behind {
        found
            .at(Code::OptionOrder, &written.name.span)
            .label("required")
            .also(&first_optional.name.span, "optional, and before it")
            .report(
                format!("the required option `{}` comes after an optional one", option.name),
                format!("move `[{}]` up; Discord wants required options first", written.path),
            );
    }
}
