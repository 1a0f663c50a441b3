//! A manifest as it was written: every value optional, each with its place in the file.
//!
//! Nothing is judged here but the shape of the file: whether it is TOML, and whether each key is known and
//! of its type. What is missing or wrong beyond that is the check's business.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostics, File};
use crate::written::{self, Codes, Section, Spot, Value};

const CODES: Codes =
    Codes { syntax: Code::ManifestSyntax, unknown_key: Code::ManifestUnknownKey, wrong_type: Code::ManifestWrongType };

/// The keys that a command and a subcommand have in common.
const LEAF_KEYS: [&str; 7] = ["description", "handler", "tool", "tool_name", "writes", "claims", "options"];

/// A text that ought to be there. One that is there and no text is reported as such, and not as missing.
#[derive(Debug, Default)]
pub(crate) enum Text {
    #[default]
    Missing,
    /// Of another type, already reported.
    Unreadable,
    Given(Spot<String>),
}

impl Text {
    /// The text and its place, if it could be read.
    pub(crate) fn given(&self) -> Option<&Spot<String>> {
        match self {
            Self::Given(spot) => Some(spot),
            Self::Missing | Self::Unreadable => None,
        }
    }
}

/// A `module.toml`.
#[derive(Debug, Default)]
pub(crate) struct WrittenManifest {
    /// The key `module` of `[module]`; empty if there is none.
    pub(crate) header: Range<usize>,
    pub(crate) name: Text,
    pub(crate) summary: Text,
    pub(crate) services: Vec<Spot<String>>,
    pub(crate) commands: Vec<WrittenCommand>,
}

/// What stands under `[commands]`.
#[derive(Debug)]
pub(crate) struct WrittenCommand {
    /// The key as written, which ought to begin with a slash.
    pub(crate) key: Spot<String>,
    pub(crate) value: WrittenCommandValue,
}

/// What stands behind a command's key.
#[derive(Debug)]
pub(crate) enum WrittenCommandValue {
    /// A table, as it should be.
    Table(Box<WrittenBody>),
    /// The name of a handler and nothing else.
    BareHandler(Spot<String>),
    /// Something else, already reported.
    Unreadable,
}

/// The table of a command.
#[derive(Debug)]
pub(crate) struct WrittenBody {
    pub(crate) description: Text,
    pub(crate) leaf: WrittenLeaf,
    pub(crate) ephemeral: Option<Spot<bool>>,
    pub(crate) operators_only: Option<Spot<bool>>,
    pub(crate) subcommands: Vec<WrittenSubcommand>,
}

/// `[commands."/x".subcommands.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenSubcommand {
    pub(crate) name: Spot<String>,
    pub(crate) description: Text,
    pub(crate) leaf: WrittenLeaf,
}

/// What a command and a subcommand have in common.
#[derive(Debug)]
pub(crate) struct WrittenLeaf {
    /// The table's header without brackets: `commands."/x"`.
    pub(crate) path: String,
    pub(crate) handler: Text,
    pub(crate) tool: Option<Spot<bool>>,
    pub(crate) tool_name: Option<Spot<String>>,
    pub(crate) writes: Option<Spot<bool>>,
    pub(crate) claims: Option<Spot<Vec<Spot<String>>>>,
    /// In the order written.
    pub(crate) options: Vec<WrittenOption>,
}

/// `[commands."/x".options.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenOption {
    pub(crate) name: Spot<String>,
    /// The table's header without brackets.
    pub(crate) path: String,
    pub(crate) description: Text,
    pub(crate) autocomplete: Option<Spot<bool>>,
    /// The word behind `type`.
    pub(crate) kind: Option<Spot<String>>,
    pub(crate) required: Option<Spot<bool>>,
    pub(crate) min: Option<Spot<Figure>>,
    pub(crate) max: Option<Spot<Figure>>,
    pub(crate) min_length: Option<Spot<i64>>,
    pub(crate) max_length: Option<Spot<i64>>,
    pub(crate) choices: Option<Spot<Vec<WrittenChoice>>>,
}

/// A number as written: whole or not matters for a whole-number option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    Whole(i64),
    Real(f64),
}

/// `{ name = "Celsius", value = "c" }`, or the one text that is both.
#[derive(Debug)]
pub(crate) struct WrittenChoice {
    pub(crate) span: Range<usize>,
    pub(crate) name: Option<String>,
    pub(crate) value: Option<String>,
}

/// Reads a manifest. Problems of its shape go to `found`; the rest is read all the same.
pub(crate) fn read(file: &Arc<File>, found: &mut Diagnostics) -> WrittenManifest {
    let mut root = written::read(file, CODES, found);
    let mut manifest = WrittenManifest::default();
    if let Some(mut module) = root.section("module", found) {
        manifest.header = module.span();
        manifest.name = text("name", &mut module, found);
        manifest.summary = text("summary", &mut module, found);
        manifest.services = module.strings("services", found).map(|services| services.value).unwrap_or_default();
        module.finish(&["name", "summary", "services"], found);
    }
    if let Some(mut commands) = root.section("commands", found) {
        for key in commands.keys() {
            manifest.commands.extend(command(&mut commands, key, found));
        }
    }
    root.finish(&["module", "commands"], found);
    manifest
}

fn command(commands: &mut Section, key: Spot<String>, found: &mut Diagnostics) -> Option<WrittenCommand> {
    let (_, Spot { value, span }) = commands.take(&key.value)?;
    let value = match value {
        Value::Table(table) => WrittenCommandValue::Table(Box::new(body(table, found))),
        Value::String(handler) => WrittenCommandValue::BareHandler(Spot { value: handler, span }),
        other => {
            found.push(commands.wrong_type(&key.value, "a table with `description` and `handler`", &other, &span));
            WrittenCommandValue::Unreadable
        }
    };
    Some(WrittenCommand { key, value })
}

fn body(mut table: Section, found: &mut Diagnostics) -> WrittenBody {
    let body = WrittenBody {
        description: text("description", &mut table, found),
        leaf: leaf(&mut table, found),
        ephemeral: table.boolean("ephemeral", found),
        operators_only: table.boolean("operators_only", found),
        subcommands: {
            let tables = table.sections("subcommands", found);
            tables.into_iter().map(|(name, table)| subcommand(name, table, found)).collect()
        },
    };
    table.finish(&[&LEAF_KEYS[..], &["ephemeral", "operators_only", "subcommands"]].concat(), found);
    body
}

fn subcommand(name: Spot<String>, mut table: Section, found: &mut Diagnostics) -> WrittenSubcommand {
    let description = text("description", &mut table, found);
    let leaf = leaf(&mut table, found);
    table.finish(&LEAF_KEYS, found);
    WrittenSubcommand { name, description, leaf }
}

fn leaf(table: &mut Section, found: &mut Diagnostics) -> WrittenLeaf {
    WrittenLeaf {
        path: table.path().to_owned(),
        handler: text("handler", table, found),
        tool: table.boolean("tool", found),
        tool_name: table.string("tool_name", found),
        writes: table.boolean("writes", found),
        claims: table.strings("claims", found),
        options: {
            let tables = table.sections("options", found);
            tables.into_iter().map(|(name, table)| option(name, table, found)).collect()
        },
    }
}

fn option(name: Spot<String>, mut table: Section, found: &mut Diagnostics) -> WrittenOption {
    let option = WrittenOption {
        name,
        path: table.path().to_owned(),
        description: text("description", &mut table, found),
        autocomplete: table.boolean("autocomplete", found),
        kind: table.string("type", found),
        required: table.boolean("required", found),
        min: figure("min", &mut table, found),
        max: figure("max", &mut table, found),
        min_length: table.integer("min_length", found),
        max_length: table.integer("max_length", found),
        choices: choices(&mut table, found),
    };
    let known =
        ["description", "autocomplete", "type", "required", "min", "max", "min_length", "max_length", "choices"];
    table.finish(&known, found);
    option
}

fn text(key: &str, table: &mut Section, found: &mut Diagnostics) -> Text {
    if !table.has(key) {
        return Text::Missing;
    }
    table.string(key, found).map_or(Text::Unreadable, Text::Given)
}

fn figure(key: &str, table: &mut Section, found: &mut Diagnostics) -> Option<Spot<Figure>> {
    let (_, Spot { value, span }) = table.take(key)?;
    match value {
        Value::Integer(number) => Some(Spot { value: Figure::Whole(number), span }),
        Value::Number(number) => Some(Spot { value: Figure::Real(number), span }),
        other => {
            found.push(table.wrong_type(key, "a number", &other, &span));
            None
        }
    }
}

fn choices(table: &mut Section, found: &mut Diagnostics) -> Option<Spot<Vec<WrittenChoice>>> {
    let (_, Spot { value, span }) = table.take("choices")?;
    let wanted = "a list of texts or of `{ name = \"…\", value = \"…\" }`";
    let items = match value {
        Value::Array(items) => items,
        other => {
            found.push(table.wrong_type("choices", wanted, &other, &span));
            return None;
        }
    };
    let mut choices = Vec::with_capacity(items.len());
    for Spot { value, span } in items {
        match value {
            Value::String(text) => choices.push(WrittenChoice { span, name: Some(text.clone()), value: Some(text) }),
            Value::Table(mut pair) => {
                let name = pair.string("name", found).map(|name| name.value);
                let value = pair.string("value", found).map(|value| value.value);
                pair.finish(&["name", "value"], found);
                choices.push(WrittenChoice { span, name, value });
            }
            other => found.push(table.wrong_type("choices", wanted, &other, &span)),
        }
    }
    Some(Spot { value: choices, span })
}
