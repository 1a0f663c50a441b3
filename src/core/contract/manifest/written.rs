//! The parsed `module.toml`. Every value is optional and has its source position.
//!
//! Only the shape of the file is checked here: valid TOML, known keys, correct types. `check` does everything else.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::contract::manifest::option::WrittenOption;
use crate::contract::manifest::outside::{self, WrittenReply, WrittenRun};
use crate::contract::manifest::setting::{self, WrittenSetting};
use crate::contract::manifest::terms::WrittenTerms;
use crate::contract::manifest::text::{Text, WrittenLocalized};
use crate::contract::manifest::{option, terms, text};
use crate::diagnostic::spanned::{self, Codes, Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics, SourceFile};

const CODES: Codes =
    Codes { syntax: Code::ManifestSyntax, unknown_key: Code::ManifestUnknownKey, wrong_type: Code::ManifestWrongType };

#[derive(Debug, Default)]
pub(crate) struct WrittenManifest {
    /// The key `module` of `[module]`; an empty range if absent.
    pub(crate) header: Range<usize>,
    pub(crate) name: Text,
    pub(crate) summary: Text,
    pub(crate) version: Option<Spanned<String>>,
    pub(crate) kind: Option<Spanned<String>>,
    pub(crate) run: Option<WrittenRun>,
    pub(crate) services: Vec<Spanned<String>>,
    pub(crate) http_hosts: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) settings: Vec<WrittenSetting>,
    pub(crate) commands: Vec<WrittenCommand>,
    pub(crate) menus: Vec<WrittenMenu>,
    pub(crate) events: Vec<WrittenEvent>,
    pub(crate) schedules: Vec<WrittenSchedule>,
}

/// `[events.<name>]`: a command that runs on a Discord event.
#[derive(Debug)]
pub(crate) struct WrittenEvent {
    pub(crate) name: Spanned<String>,
    /// The command, with a slash.
    pub(crate) run: Text,
}

/// `[schedules.<name>]`: a command that runs at set times.
#[derive(Debug)]
pub(crate) struct WrittenSchedule {
    pub(crate) name: Spanned<String>,
    pub(crate) cron: Text,
    /// The command, with a slash.
    pub(crate) run: Text,
}

#[derive(Debug)]
pub(crate) struct WrittenCommand {
    /// The key as written; it should begin with a slash.
    pub(crate) key: Spanned<String>,
    pub(crate) value: WrittenCommandValue,
}

#[derive(Debug)]
pub(crate) enum WrittenCommandValue {
    Table(Box<WrittenBody>),
    /// A handler's name alone.
    BareHandler(Spanned<String>),
    /// Something else, already reported.
    Unreadable,
}

#[derive(Debug)]
pub(crate) struct WrittenBody {
    pub(crate) description: Text,
    pub(crate) leaf: WrittenLeaf,
    pub(crate) terms: WrittenTerms,
    pub(crate) chat_only: Option<Spanned<bool>>,
    pub(crate) subcommands: Vec<WrittenSubcommand>,
    pub(crate) groups: Vec<WrittenGroup>,
    pub(crate) localized: Vec<WrittenLocalized>,
}

impl WrittenBody {
    pub(crate) fn is_chat_only(&self) -> bool {
        self.chat_only.as_ref().is_some_and(|key| key.value)
    }

    /// Returns every leaf that may name a handler: the command itself, its subcommands and those of its groups.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = &WrittenLeaf> {
        let grouped = self.groups.iter().flat_map(|group| &group.subcommands);
        std::iter::once(&self.leaf).chain(self.subcommands.iter().chain(grouped).map(|subcommand| &subcommand.leaf))
    }

    /// Returns the leaves with their full names, such as `/tasks add`, for the command with this key.
    pub(crate) fn named_leaves<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (String, &'a WrittenLeaf)> {
        let own = std::iter::once((key.to_owned(), &self.leaf));
        let subcommands = self.subcommands.iter().map(move |sub| (format!("{key} {}", sub.name.value), &sub.leaf));
        let grouped = self.groups.iter().flat_map(move |group| {
            let path = move |sub: &WrittenSubcommand| format!("{key} {} {}", group.name.value, sub.name.value);
            group.subcommands.iter().map(move |sub| (path(sub), &sub.leaf))
        });
        own.chain(subcommands).chain(grouped)
    }

    /// Returns the leaves with their full names, mutably. `own` includes the command itself, which is callable only
    /// without subcommands.
    pub(crate) fn named_leaves_mut(&mut self, key: &str, own: bool) -> Vec<(String, &mut WrittenLeaf)> {
        let mut leaves = Vec::new();
        if own {
            leaves.push((key.to_owned(), &mut self.leaf));
        }
        leaves.extend(self.subcommands.iter_mut().map(|sub| (format!("{key} {}", sub.name.value), &mut sub.leaf)));
        for group in &mut self.groups {
            let name = &group.name.value;
            let named =
                group.subcommands.iter_mut().map(|sub| (format!("{key} {name} {}", sub.name.value), &mut sub.leaf));
            leaves.extend(named);
        }
        leaves
    }
}

/// `[commands."/x".groups.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenGroup {
    pub(crate) name: Spanned<String>,
    pub(crate) path: String,
    pub(crate) description: Text,
    pub(crate) subcommands: Vec<WrittenSubcommand>,
    pub(crate) localized: Vec<WrittenLocalized>,
}

/// `[commands."/x".subcommands.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenSubcommand {
    pub(crate) name: Spanned<String>,
    pub(crate) description: Text,
    pub(crate) leaf: WrittenLeaf,
    pub(crate) localized: Vec<WrittenLocalized>,
}

/// `[menus."Report message"]`: a context-menu command.
#[derive(Debug)]
pub(crate) struct WrittenMenu {
    pub(crate) name: Spanned<String>,
    pub(crate) kind: Text,
    pub(crate) leaf: WrittenLeaf,
    pub(crate) terms: WrittenTerms,
    pub(crate) localized: Vec<WrittenLocalized>,
}

#[derive(Debug)]
pub(crate) struct WrittenLeaf {
    /// The table's header, without brackets: `commands."/x"`.
    pub(crate) path: String,
    pub(crate) handler: Text,
    /// The reply of a text module's command.
    pub(crate) reply: Option<Spanned<WrittenReply>>,
    /// The question of a command that asks before it runs.
    pub(crate) ask: Option<Spanned<WrittenReply>>,
    /// The options to try an exec module's command with at start, as JSON.
    pub(crate) probe: Option<Spanned<Map<String, Value>>>,
    pub(crate) tool: Option<Spanned<bool>>,
    pub(crate) tool_name: Option<Spanned<String>>,
    pub(crate) writes: Option<Spanned<bool>>,
    pub(crate) removes: Option<Spanned<bool>>,
    pub(crate) tool_description: Option<Spanned<String>>,
    pub(crate) tool_options: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) options: Vec<WrittenOption>,
    /// The range of reader diagnostics that concern only this subcommand.
    pub(crate) misread: Range<usize>,
}

/// Keys of earlier versions, replaced by the mark under a chat reply.
const UNUSED: [&str; 5] = ["asks", "claims", "about", "figures", "results"];

/// Reads a manifest. Reports problems of shape to `found` and still reads the rest of the file.
pub(crate) fn read(file: &Arc<SourceFile>, found: &mut Diagnostics) -> WrittenManifest {
    let mut root = spanned::read(file, CODES, found);
    let mut manifest = WrittenManifest::default();
    if let Some(mut module) = root.section("module", found) {
        manifest.header = module.span();
        manifest.name = text::text("name", &mut module, found);
        manifest.summary = text::text("summary", &mut module, found);
        manifest.version = module.string("version", found);
        manifest.kind = module.string("kind", found);
        manifest.services = module.strings("services", found).map(|services| services.value).unwrap_or_default();
        manifest.http_hosts = module.strings("http_hosts", found);
        module.finish(found);
    }
    manifest.run = root.section("run", found).map(|run| outside::run(run, found));
    let settings = root.sections("settings", found);
    manifest.settings = settings.into_iter().map(|(name, table)| setting::setting(name, table, found)).collect();
    if let Some(mut commands) = root.section("commands", found) {
        for key in commands.keys() {
            manifest.commands.extend(command(&mut commands, key, found));
        }
    }
    manifest.menus = root.sections("menus", found).into_iter().map(|(name, table)| menu(name, table, found)).collect();
    let events = root.sections("events", found);
    manifest.events = events.into_iter().map(|(name, table)| event(name, table, found)).collect();
    let schedules = root.sections("schedules", found);
    manifest.schedules = schedules.into_iter().map(|(name, table)| schedule(name, table, found)).collect();
    root.finish(found);
    manifest
}

fn command(commands: &mut Section, key: Spanned<String>, found: &mut Diagnostics) -> Option<WrittenCommand> {
    let (_, Spanned { value, span }) = commands.take(&key.value)?;
    let value = match value {
        TomlValue::Table(mut table) => {
            if !key.value.starts_with('/') {
                // Help texts show the command's key with its slash.
                table.move_to(commands.path_of(&format!("/{}", key.value)));
            }
            WrittenCommandValue::Table(Box::new(body(table, found)))
        }
        TomlValue::String(handler) => WrittenCommandValue::BareHandler(Spanned { value: handler, span }),
        other => {
            found.push(commands.wrong_type(&key.value, "a table with `description` and `handler`", &other, &span));
            WrittenCommandValue::Unreadable
        }
    };
    Some(WrittenCommand { key, value })
}

fn body(mut table: Section, found: &mut Diagnostics) -> WrittenBody {
    let body = WrittenBody {
        description: text::text("description", &mut table, found),
        leaf: leaf(&mut table, found),
        localized: text::of_both(&mut table, found),
        terms: terms::terms(&mut table, found),
        chat_only: table.boolean("chat_only", found),
        subcommands: subcommands(&mut table, found),
        groups: {
            let tables = table.sections("groups", found);
            tables.into_iter().map(|(name, table)| group(name, table, found)).collect()
        },
    };
    table.finish(found);
    body
}

fn group(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenGroup {
    let group = WrittenGroup {
        name,
        path: table.path().to_owned(),
        description: text::text("description", &mut table, found),
        subcommands: subcommands(&mut table, found),
        localized: text::of_both(&mut table, found),
    };
    table.finish(found);
    group
}

fn subcommands(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenSubcommand> {
    let tables = table.sections("subcommands", found);
    tables.into_iter().map(|(name, table)| subcommand(name, table, found)).collect()
}

fn subcommand(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenSubcommand {
    let before = found.iter().len();
    let description = text::text("description", &mut table, found);
    let mut leaf = leaf(&mut table, found);
    let localized = text::of_both(&mut table, found);
    table.finish(found);
    leaf.misread = before..found.iter().len();
    WrittenSubcommand { name, description, leaf, localized }
}

fn menu(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenMenu {
    let menu = WrittenMenu {
        name,
        kind: text::text("type", &mut table, found),
        leaf: WrittenLeaf::of_handler(&mut table, found),
        localized: text::of_names(&mut table, found),
        terms: terms::terms(&mut table, found),
    };
    table.finish(found);
    menu
}

fn event(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenEvent {
    let event = WrittenEvent { name, run: text::text("run", &mut table, found) };
    table.finish(found);
    event
}

fn schedule(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenSchedule {
    let [cron, run] = ["cron", "run"].map(|key| text::text(key, &mut table, found));
    table.finish(found);
    WrittenSchedule { name, cron, run }
}

fn leaf(table: &mut Section, found: &mut Diagnostics) -> WrittenLeaf {
    for key in UNUSED {
        table.unused(key, found);
    }
    WrittenLeaf {
        path: table.path().to_owned(),
        handler: text::text("handler", table, found),
        reply: outside::reply("reply", table, found),
        ask: outside::reply("ask", table, found),
        probe: outside::probe(table, found),
        tool: table.boolean("tool", found),
        tool_name: table.string("tool_name", found),
        writes: table.boolean("writes", found),
        removes: table.boolean("removes", found),
        tool_description: table.string("tool_description", found),
        tool_options: table.strings("tool_options", found),
        options: {
            let tables = table.sections("options", found);
            tables.into_iter().map(|(name, table)| option::option(name, table, found)).collect()
        },
        misread: 0..0,
    }
}

impl WrittenLeaf {
    pub(crate) fn of(path: &str, handler: Text) -> Self {
        Self {
            path: path.to_owned(),
            handler,
            reply: None,
            ask: None,
            probe: None,
            tool: None,
            tool_name: None,
            writes: None,
            removes: None,
            tool_description: None,
            tool_options: None,
            options: Vec::new(),
            misread: 0..0,
        }
    }

    /// Reads a leaf from a table whose only leaf keys are `handler` and `reply`.
    fn of_handler(table: &mut Section, found: &mut Diagnostics) -> Self {
        let reply = outside::reply("reply", table, found);
        let handler = text::text("handler", table, found);
        Self { reply, ..Self::of(table.path(), handler) }
    }
}
