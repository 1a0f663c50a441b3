//! A small catalog for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::agent::tools::OfferedSet;
use crate::contract::{
    Checked, Choice, Command, CommandKind, Leaf, OptionKind, OptionSpec, Owner, Subcommand, ToolSpec, tool_name,
};
use crate::inbound::{CommandPath, Place};
use crate::registry::{Catalog, Registry};
use crate::testing::accepted;

/// `/help`, which is not a tool; `/status metric:`; `/tasks add title:`, which writes; `/tasks list`; `/wipe`, for
/// operators.
pub(super) fn catalog() -> Catalog {
    let metric =
        OptionKind::String { min_length: None, max_length: None, choices: vec![choice("cpu"), choice("disk")] };
    let title = OptionKind::String { min_length: Some(1), max_length: Some(100), choices: Vec::new() };
    let status = leaf("status", None, vec![option("metric", "Only this metric", metric, Need::No)], Effect::Reads);
    let add = leaf("tasks", Some("add"), vec![option("title", "What is to be done", title, Need::Yes)], Effect::Writes);
    let tasks = vec![
        subcommand("add", "Add a task", add),
        subcommand("list", "Show the open tasks", leaf("tasks", Some("list"), Vec::new(), Effect::Reads)),
    ];
    let no_tool = || Leaf::new("unused", Vec::new(), None);
    let mut wipe = command("wipe", "Forget everything", CommandKind::Leaf(no_tool()));
    wipe.operators_only = true;
    catalog_of(vec![
        command("help", "Show what this bot can do", CommandKind::Leaf(no_tool())),
        command("status", "Show the live metrics", CommandKind::Leaf(status)),
        command("tasks", "A shared list of things to do", CommandKind::of_subcommands(tasks)),
        wipe,
    ])
}

pub(super) fn empty_catalog() -> Catalog {
    catalog_of(Vec::new())
}

/// All tools of [`catalog`]: `status`, `tasks_add` and `tasks_list`.
pub(super) fn offered() -> OfferedSet {
    OfferedSet::of(&catalog(), Place::Console, Some(&BTreeSet::from(["/tasks add".to_owned()])))
}

/// The same without `tasks_add`, which the operator did not allow.
pub(super) fn offered_to_read() -> OfferedSet {
    OfferedSet::of(&catalog(), Place::Console, Some(&BTreeSet::new()))
}

enum Need {
    Yes,
    No,
}

enum Effect {
    Reads,
    Writes,
}

/// Exactly these commands, as a caller who is not an operator sees them.
pub(super) fn catalog_of(commands: Vec<Command>) -> Catalog {
    let module = accepted(Owner::Builtin, commands);
    let checked = Checked { accepted: vec![module], ..Checked::default() };
    Catalog::new(Arc::new(Registry::build(checked)), false)
}

fn command(name: &str, description: &str, kind: CommandKind) -> Command {
    let name = name.to_owned();
    let description = description.to_owned();
    Command::new(name, description, Owner::Builtin, kind)
}

fn subcommand(name: &str, description: &str, leaf: Leaf) -> Subcommand {
    Subcommand::new(name.to_owned(), description.to_owned(), leaf)
}

fn leaf(command: &str, subcommand: Option<&str>, options: Vec<OptionSpec>, effect: Effect) -> Leaf {
    let name = tool_name(&CommandPath::new(command, subcommand));
    let tool = ToolSpec::new(name, matches!(effect, Effect::Writes));
    Leaf::new("unused", options, Some(tool))
}

fn option(name: &str, description: &str, kind: OptionKind, need: Need) -> OptionSpec {
    let name = name.to_owned();
    let description = description.to_owned();
    OptionSpec::new(name, description, kind, matches!(need, Need::Yes))
}

fn choice(value: &str) -> Choice {
    Choice::new(value.to_owned(), value.to_owned())
}
