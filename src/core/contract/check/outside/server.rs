//! Makes commands of a server's tools that the manifest names in a list: `tools = ["search", "fetch"]`.

use crate::contract::check::findings::Findings;
use crate::contract::check::outside::signature::option_name;
use crate::contract::limits;
use crate::contract::manifest::{
    Text, WrittenBody, WrittenCommand, WrittenCommandValue, WrittenLeaf, WrittenManifest, WrittenRun,
    WrittenSubcommand, WrittenTerms,
};
use crate::contract::outside::OfferedTool;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{first_characters, one_line};

/// Adds to the manifest a command for each tool that `[run]` takes in: `/search`, or `/web search` with a prefix. What
/// they do is what the server says of them, cut to what Discord takes.
pub(crate) fn take_in(tools: &[OfferedTool], written: &mut WrittenManifest, found: &mut Findings) {
    let Some(run) = &written.run else { return };
    let Some(taken) = run.tools.as_ref() else {
        report_unused(run, found);
        return;
    };
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
                subcommands: taken.value.iter().map(subcommand).collect(),
                groups: Vec::new(),
                localized: Vec::new(),
            };
            vec![command(prefix, body)]
        }
        None => taken.value.iter().map(|tool| command(&named(tool), alone(tool, described(tool), run))).collect(),
    };
    written.commands.extend(commands);
}

/// The name of the command for a tool: what Discord refuses in a name becomes a hyphen.
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
    // What is for chat alone is offered there; if the manifest says that it is not, the check of the command reports it.
    let is_tool = run.model.clone().or_else(|| run.chat_only.clone());
    WrittenLeaf { tool: is_tool, writes: run.writes.clone(), ..WrittenLeaf::of("run.tools", Text::Given(tool.clone())) }
}

fn report_unused(run: &WrittenRun, found: &mut Findings) {
    let flag =
        |flag: &'static str, written: &'_ Option<Spanned<bool>>| (flag, written.as_ref().map(|key| key.span.clone()));
    let keys = [
        ("prefix", run.prefix.as_ref().map(|key| key.span.clone())),
        flag("model", &run.model),
        flag("chat_only", &run.chat_only),
        flag("writes", &run.writes),
    ];
    for (key, span) in keys.into_iter().filter_map(|(key, span)| Some((key, span?))) {
        found.at(Code::RunInvalid, &span).report(
            format!("`{key}` says nothing without `tools`"),
            "write `tools = [\"…\"]` beside it, or take it out",
        );
    }
}
