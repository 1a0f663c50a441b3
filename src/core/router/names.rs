//! Names of commands: the walk from a command to its subcommands, and names that stand alone.

use crate::contract::{Command, CommandKind, Group, Leaf, Press, Subcommand, text_form};
use crate::inbound::{CallMethod, CommandPath, CommandType};
use crate::language::Language;
use crate::registry::NameLookup;
use crate::router::normalize;
use crate::router::route::{Named, Route, Unavailable, Unknown, UnknownKind};

/// The result of a walk down a command.
pub(in crate::router) enum Reached<'a> {
    Leaf(CommandPath, &'a Leaf),
    /// A command or group, which is callable only through its subcommands.
    Level(Level<'a>),
}

/// A command or group with its subcommands.
pub(in crate::router) struct Level<'a> {
    path: CommandPath,
    subcommands: &'a [Subcommand],
    groups: &'a [Group],
}

impl<'a> Reached<'a> {
    /// Returns the top level of a slash command.
    pub(in crate::router) fn at(command: &'a Command) -> Self {
        let path = CommandPath::new(&command.name, None);
        match &command.kind {
            CommandKind::Leaf(leaf) => Self::Leaf(path, leaf),
            CommandKind::Parent { subcommands, groups } => Self::Level(Level { path, subcommands, groups }),
        }
    }
}

impl<'a> Level<'a> {
    pub(in crate::router) fn path(&self) -> &CommandPath {
        &self.path
    }

    /// Takes the next step by this name. Matching is exact.
    pub(in crate::router) fn step(&self, name: &str) -> Option<Reached<'a>> {
        if let Some(found) = self.subcommands.iter().find(|known| known.name == name) {
            return Some(Reached::Leaf(self.below(name), &found.leaf));
        }
        let group = self.groups.iter().find(|known| known.name == name)?;
        Some(Reached::Level(Level { path: self.below(name), subcommands: &group.subcommands, groups: &[] }))
    }

    /// Returns the part that this caller may use, if any.
    pub(in crate::router) fn usable<'n>(&self, names: &'n dyn NameLookup) -> Option<Level<'n>> {
        let mut step = Reached::at(names.usable().command(self.path.command())?);
        for name in self.path.below() {
            let Reached::Level(level) = step else { return None };
            step = level.step(name)?;
        }
        match step {
            Reached::Level(level) => Some(level),
            Reached::Leaf(..) => None,
        }
    }

    /// Returns the names one step below, as people write them.
    pub(in crate::router) fn exist(&self) -> Vec<String> {
        let groups = self.groups.iter().map(|known| &known.name);
        let names = self.subcommands.iter().map(|known| &known.name).chain(groups);
        names.map(|name| self.below(name).to_string()).collect()
    }

    /// Returns the usage lines: one per subcommand and one per group.
    pub(in crate::router) fn usage(&self, language: Language) -> Vec<String> {
        let direct = self.subcommands.iter().map(|known| text_form::usage(&known.leaf, language));
        let grouped = self.groups.iter().map(|group| {
            let names: Vec<_> = group.subcommands.iter().map(|known| known.name.as_str()).collect();
            format!("{} {}", self.below(&group.name), names.join("|"))
        });
        direct.chain(grouped).collect()
    }

    fn below(&self, name: &str) -> CommandPath {
        let names: Vec<_> = self.path.names().chain([name]).collect();
        CommandPath::at(self.path.command_type(), &names)
    }
}

/// The longest message that is checked, in bytes.
const LENGTH_MAX: usize = 120;
/// Characters allowed around the name: marks of code and emphasis, and quotation marks.
const AROUND: [char; 9] = ['`', '*', '"', '\'', '“', '”', '„', '«', '»'];
/// Words around a name, in English and German.
const POLITE: [&str; 2] = ["please", "bitte"];
const VERBS: [&str; 12] =
    ["run", "call", "execute", "use", "invoke", "start", "führe", "fuehre", "rufe", "starte", "benutze", "nutze"];
const PARTICLES: [&str; 2] = ["aus", "auf"];
const ARTICLES: [&str; 4] = ["the", "den", "die", "das"];
const NOUNS: [&str; 9] =
    ["function", "functions", "command", "tool", "tools", "funktion", "befehl", "kommando", "werkzeug"];

/// Returns the command that these words name, even if the caller may not run it.
pub(in crate::router) fn named(words: &str, names: &dyn NameLookup, language: Language) -> Option<Named> {
    let wanted = wanted(words)?;
    let registry = names.registry();
    // Build the caller's catalog only if the words name a command.
    if let Some((command, named)) = first(registry.commands(), &wanted, language) {
        let usable = first(names.usable().commands(), &wanted, language).map(|(_, named)| named);
        return usable.or_else(|| of_others(command, named));
    }
    if let Some((command, named)) = first(registry.chat_only(), &wanted, language) {
        let received = named.path.to_string();
        let looked_up = command.name.clone();
        let kind = UnknownKind::ChatOnly;
        let near = Vec::new();
        let method = CallMethod::Typed;
        return Some(instead(named.path, Route::UnknownCommand(Unknown { received, looked_up, kind, near, method })));
    }
    let (path, command) = registry
        .not_in_force()
        .find(|(path, _)| path.command_type() == CommandType::Slash && wanted.contains(&spoken(&names_of(path))))?;
    let unavailable = Unavailable::of(names_of(&path), command);
    Some(instead(path, Route::Unavailable(unavailable)))
}

fn first<'a>(
    mut commands: impl Iterator<Item = &'a Command>,
    wanted: &[String],
    language: Language,
) -> Option<(&'a Command, Named)> {
    commands.find_map(|command| Some((command, found(command, wanted, language)?)))
}

/// Names a command that the caller may not use, without its usage. For a command with subcommands it names the first,
/// so that the access rules of that one give the reason.
fn of_others(command: &Command, named: Named) -> Option<Named> {
    let leaf = command.leaves().find(|leaf| leaf.path().names().zip(named.path.names()).all(|(a, b)| a == b))?;
    Some(Named { path: leaf.path().clone(), usage: Vec::new(), has_button: false, instead: None })
}

fn instead(path: CommandPath, route: Route) -> Named {
    Named { path, usage: Vec::new(), has_button: false, instead: Some(Box::new(route)) }
}

fn names_of(path: &CommandPath) -> String {
    path.names().collect::<Vec<_>>().join(" ")
}

/// Returns the names that these words may be: all of them, and without the words around a name.
fn wanted(words: &str) -> Option<Vec<String>> {
    let words = words.trim().trim_matches(AROUND);
    if LENGTH_MAX < words.len() || words.contains('\n') {
        return None;
    }
    let words = words.trim_end_matches(['!', '.', ';']).trim_end_matches(AROUND);
    let words = spoken(&words.trim_start_matches(['!', '.']).replace("( )", "()").replace("()", " "));
    let all: Vec<_> = words.split(' ').collect();
    let polite = without_last(without_first(&all, &POLITE), &POLITE);
    let mut rest = without_first(polite, &VERBS);
    if rest.len() < polite.len() {
        rest = without_last(without_last(without_first(rest, &ARTICLES), &PARTICLES), &NOUNS);
    }
    rest = without_first(rest, &NOUNS);
    let mut wanted = vec![words.clone(), rest.join(" ")];
    wanted.retain(|name| !name.is_empty());
    wanted.dedup();
    (!wanted.is_empty()).then_some(wanted)
}

/// Drops the first word if it is one of these and not the only one.
fn without_first<'a, 'b>(words: &'b [&'a str], dropped: &[&str]) -> &'b [&'a str] {
    match words {
        [first, rest @ ..] if dropped.contains(first) && !rest.is_empty() => rest,
        _ => words,
    }
}

fn without_last<'a, 'b>(words: &'b [&'a str], dropped: &[&str]) -> &'b [&'a str] {
    match words {
        [rest @ .., last] if dropped.contains(last) && !rest.is_empty() => rest,
        _ => words,
    }
}

/// Returns a name as it is spoken: `Tasks_List` and `tasks.list` are `tasks list`.
fn spoken(name: &str) -> String {
    let name = normalize::name(name).to_lowercase();
    let parts = name.split(|sign: char| sign.is_whitespace() || "_-.:,".contains(sign)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

fn found(command: &Command, wanted: &[String], language: Language) -> Option<Named> {
    let is_it = |name: &str| wanted.contains(&spoken(name));
    if is_it(&command.name) {
        return Some(match Reached::at(command) {
            Reached::Leaf(path, leaf) => of_leaf(path, leaf, language),
            Reached::Level(level) => {
                Named { path: level.path().clone(), usage: level.usage(language), has_button: false, instead: None }
            }
        });
    }
    let is_leaf =
        |leaf: &&Leaf| is_it(&names_of(leaf.path())) || leaf.tool.as_ref().is_some_and(|tool| is_it(&tool.name));
    command.leaves().find(is_leaf).map(|leaf| of_leaf(leaf.path().clone(), leaf, language))
}

fn of_leaf(path: CommandPath, leaf: &Leaf, language: Language) -> Named {
    let has_button = leaf.press(&serde_json::Map::new()) != Press::Impossible;
    Named { path, usage: vec![text_form::usage(leaf, language)], has_button, instead: None }
}
