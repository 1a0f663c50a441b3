//! Creates commands for the server tools that the manifest lists: `tools = ["search", "fetch"]`.

use std::collections::BTreeSet;

use crate::contract::check::findings::Findings;
use crate::contract::check::outside::signature::{self, option_name};
use crate::contract::limits;
use crate::contract::manifest::{
    Text, WrittenBody, WrittenCommand, WrittenCommandValue, WrittenLeaf, WrittenManifest, WrittenRun,
    WrittenSubcommand, WrittenTerms,
};
use crate::contract::outside::{Behind, OfferedTool, UnusableTool};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{first_characters, one_line};

/// Adds a command to the manifest for each tool in `[run]`: `/search`, or `/web search` with a prefix. The server's
/// descriptions are cut to Discord's limits. Tools that cannot be commands are left out.
pub(crate) fn take_in(behind: Option<&Behind>, written: &mut WrittenManifest, found: &mut Findings) {
    let Some(run) = &written.run else { return };
    let Some(taken) = run.tools.as_ref() else {
        report_unused(run, found);
        return;
    };
    let (tools, unusable) = match behind {
        Some(Behind::Server { tools, unusable, .. }) => (&tools[..], &unusable[..]),
        Some(Behind::Program(_)) | None => (&[][..], &[][..]),
    };
    let mut names = BTreeSet::new();
    let mut is_taken =
        |tool: &&Spanned<String>| is_usable(tool, tools, unusable, found) && is_new(tool, &mut names, found);
    let taken: Vec<_> = taken.value.iter().filter(&mut is_taken).collect();
    if taken.is_empty() {
        return;
    }
    let described = |tool: &Spanned<String>| {
        let offered = tools.iter().find(|offered| offered.name == tool.value);
        let text = offered.and_then(|offered| offered.description.as_deref()).unwrap_or(&tool.value);
        let line = one_line(text, limits::DESCRIPTION_LENGTH_MAX);
        Spanned { value: first_characters(&line, limits::DESCRIPTION_LENGTH_MAX).to_owned(), span: tool.span.clone() }
    };
    let named = |tool: &Spanned<String>| Spanned { value: command_name(&tool.value), span: tool.span.clone() };
    let commands = match &run.prefix {
        Some(prefix) => {
            let subcommand = |tool| WrittenSubcommand {
                name: named(tool),
                description: Text::Given(described(tool)),
                leaf: leaf(tool, run),
                localized: Vec::new(),
            };
            let summary = written.summary.given();
            let body = WrittenBody {
                description: summary.map_or(Text::Missing, |summary| Text::Given(summary.clone())),
                leaf: WrittenLeaf::of("run.tools", Text::Missing),
                terms: WrittenTerms::default(),
                chat_only: run.chat_only.clone(),
                subcommands: taken.into_iter().map(subcommand).collect(),
                groups: Vec::new(),
                localized: Vec::new(),
            };
            vec![command(prefix, body)]
        }
        None => taken.into_iter().map(|tool| command(&named(tool), alone(tool, described(tool), run))).collect(),
    };
    written.commands.extend(commands);
}

/// Returns whether a tool can be a command, and reports why if not. A tool that the server does not list is reported
/// later, by the check of its command.
fn is_usable(tool: &Spanned<String>, tools: &[OfferedTool], unusable: &[UnusableTool], found: &mut Findings) -> bool {
    let listed = tools.iter().find(|listed| listed.name == tool.value);
    let of_list = || unusable.iter().find(|unusable| unusable.name == tool.value).map(|unusable| unusable.why.clone());
    let why = listed.map_or_else(of_list, |listed| signature::why_no_command(&listed.input_schema));
    let (why, help) = match why {
        Some(why) => (why, "take it out of `tools`, or ask the server's authors to mend it"),
        None if listed.is_some() && !is_name(&command_name(&tool.value)) => (
            format!("`/{}` is not a name that Discord takes", command_name(&tool.value)),
            "take it out of `tools`, and give it a name of its own: `[commands.\"/…\"]` with `handler`",
        ),
        None => return true,
    };
    found
        .at(Code::ToolUnusable, &tool.span)
        .report(format!("the tool `{}` is left out, because it cannot be a command: {why}", tool.value), help);
    false
}

/// Returns whether no earlier tool has the same command name, and reports it if one has.
fn is_new(tool: &Spanned<String>, names: &mut BTreeSet<String>, found: &mut Findings) -> bool {
    let name = command_name(&tool.value);
    let is_new = !names.contains(&name);
    if !is_new {
        found.at(Code::ToolUnusable, &tool.span).report(
            format!("the tool `{}` is left out, because another tool is the command `/{name}`", tool.value),
            "take it out of `tools`, and give it a name of its own: `[commands.\"/…\"]` with `handler`",
        );
    }
    names.insert(name);
    is_new
}

/// Returns whether Discord takes this name. It also takes names of hyphens alone, which say nothing.
fn is_name(name: &str) -> bool {
    limits::is_name(name) && name.contains(char::is_alphanumeric)
}

/// Returns the command name for a tool. Characters that Discord refuses become hyphens.
fn command_name(tool: &str) -> String {
    option_name(tool).replace('_', "-")
}

fn command(name: &Spanned<String>, body: WrittenBody) -> WrittenCommand {
    let key = Spanned { value: format!("/{}", name.value.trim_start_matches('/')), span: name.span.clone() };
    WrittenCommand { key, value: WrittenCommandValue::Table(Box::new(body)) }
}

fn alone(tool: &Spanned<String>, description: Spanned<String>, run: &WrittenRun) -> WrittenBody {
    WrittenBody {
        description: Text::Given(description),
        leaf: leaf(tool, run),
        terms: WrittenTerms::default(),
        chat_only: run.chat_only.clone(),
        subcommands: Vec::new(),
        groups: Vec::new(),
        localized: Vec::new(),
    }
}

fn leaf(tool: &Spanned<String>, run: &WrittenRun) -> WrittenLeaf {
    // `chat_only` implies `tool`. If the manifest contradicts this, the check of the command reports it.
    let is_tool = run.model.clone().or_else(|| run.chat_only.clone());
    WrittenLeaf {
        tool: is_tool,
        writes: run.writes.clone(),
        removes: run.removes.clone(),
        ..WrittenLeaf::of("run.tools", Text::Given(tool.clone()))
    }
}

fn report_unused(run: &WrittenRun, found: &mut Findings) {
    let flag =
        |flag: &'static str, written: &'_ Option<Spanned<bool>>| (flag, written.as_ref().map(|key| key.span.clone()));
    let keys = [
        ("prefix", run.prefix.as_ref().map(|key| key.span.clone())),
        flag("model", &run.model),
        flag("chat_only", &run.chat_only),
        flag("writes", &run.writes),
        flag("removes", &run.removes),
    ];
    for (key, span) in keys.into_iter().filter_map(|(key, span)| Some((key, span?))) {
        found.at(Code::RunInvalid, &span).report(
            format!("`{key}` says nothing without `tools`"),
            "write `tools = [\"…\"]` beside it, or take it out",
        );
    }
}
