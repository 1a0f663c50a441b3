//! The offered set: the exact tools that one request names. A call outside it never runs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::contract::limits::OPTIONS_MAX;
use crate::contract::{
    Command, CommandKind, CommandPath, Leaf, OptionKind, OptionSpec, ToolSpec, text_form, tool_name,
};
use crate::inbound::Place;
use crate::registry::Catalog;

/// The way out that is always offered with tools: to say that something cannot be done.
pub const CANNOT_DO: &str = "cannot_do";

/// How long the values of a call may be, together, where a person is shown it. Characters.
const WRITTEN_MAX: usize = 1_200;

/// A command as the model may call it.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// The name the model calls it by.
    pub name: String,
    /// The command behind it.
    pub path: CommandPath,
    /// What it does.
    pub description: String,
    /// The JSON Schema of what it takes.
    pub schema: Value,
    /// Whether it changes something: then a person confirms each call.
    pub writes: bool,
    /// Words by which a reply claims that it ran.
    pub claims: Vec<String>,
}

impl OfferedTool {
    /// A call of it as a person would write it, each value cut so that all of them can be seen.
    pub fn written(&self, arguments: &Map<String, Value>) -> String {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let value_max = (WRITTEN_MAX / arguments.len().max(1)).max(WRITTEN_MAX / OPTIONS_MAX);
        text_form::written(&self.path, properties.into_iter().flat_map(Map::keys), arguments, value_max)
    }

    /// The tool that a command is, offered or not. `None` if there is no such command for this caller, or no model
    /// may call it.
    pub fn of(catalog: &Catalog, path: &CommandPath) -> Option<Self> {
        let command = catalog.commands().find(|command| command.name == path.command())?;
        let (_, leaf) = command.leaves().into_iter().find(|(found, _)| found == path)?;
        Some(tool(path.clone(), leaf_description(command, path), leaf.tool.as_ref()?, leaf))
    }
}

/// The tools of one request, and why other names are not among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferedSet {
    tools: Vec<OfferedTool>,
    withheld: BTreeMap<String, Withheld>,
}

/// Why a command that this caller may use is not offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Its module does not offer it to models.
    NotATool,
    /// It changes something, and the operator did not allow it: `[chat] write_tools`.
    WriteNotAllowed,
    /// Its answers are for one person, and others read along here.
    Private,
    /// Its module failed the start-up check.
    Unavailable,
}

impl Withheld {
    /// The reason, in words for the model.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotATool => "it is a command for people only",
            Self::WriteNotAllowed => "it changes something, and the operator did not allow it for models",
            Self::Private => "its answers are private, and this is a public place",
            Self::Unavailable => "its module failed the start-up check",
        }
    }
}

impl OfferedSet {
    /// No tools.
    pub fn none() -> Self {
        Self::default()
    }

    /// What a model may call for this caller in this place. `allowed_writes` names commands by their path,
    /// `/tasks add`.
    pub fn of(catalog: &Catalog, place: Place, allowed_writes: &BTreeSet<String>) -> Self {
        let mut offered = Self::default();
        for command in catalog.commands() {
            for (path, leaf) in command.leaves() {
                let description = leaf_description(command, &path);
                let Some(spec) = &leaf.tool else {
                    offered.withheld.insert(tool_name(&path), Withheld::NotATool);
                    continue;
                };
                let is_public = matches!(place, Place::Guild { .. });
                if spec.writes && !allowed_writes.contains(&path.to_string()) {
                    offered.withheld.insert(spec.name.clone(), Withheld::WriteNotAllowed);
                } else if command.ephemeral && !spec.writes && is_public {
                    offered.withheld.insert(spec.name.clone(), Withheld::Private);
                } else {
                    offered.tools.push(tool(path, description, spec, leaf));
                }
            }
        }
        offered
    }

    /// The tools, in the order of the registry.
    pub fn tools(&self) -> &[OfferedTool] {
        &self.tools
    }

    /// The tool of exactly that name.
    pub fn get(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Why the command of that name is not offered, if there is one.
    pub fn withheld(&self, name: &str) -> Option<Withheld> {
        self.withheld.get(name).copied()
    }

    /// Every name that may be called, the way out included; nothing if there are no tools.
    pub fn names(&self) -> Vec<&str> {
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        names.chain((!self.is_empty()).then_some(CANNOT_DO)).collect()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

fn tool(path: CommandPath, description: String, spec: &ToolSpec, leaf: &Leaf) -> OfferedTool {
    OfferedTool {
        name: spec.name.clone(),
        path,
        description,
        schema: schema(&leaf.options),
        writes: spec.writes,
        claims: spec.claims.clone(),
    }
}

fn leaf_description(command: &Command, path: &CommandPath) -> String {
    let subcommand = match &command.kind {
        CommandKind::Leaf(_) => None,
        CommandKind::Parent(subcommands) => {
            subcommands.iter().find(|subcommand| Some(subcommand.name.as_str()) == path.subcommand())
        }
    };
    subcommand.map_or_else(|| command.description.clone(), |subcommand| subcommand.description.clone())
}

/// The JSON Schema of what a command takes, as it is in force: the handler's signature, narrowed by the manifest.
fn schema(options: &[OptionSpec]) -> Value {
    let properties: Map<_, _> = options.iter().map(|option| (option.name.clone(), property(option))).collect();
    let required: Vec<_> = options.iter().filter(|option| option.required).map(|option| &option.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property(option: &OptionSpec) -> Value {
    let mut property = Map::new();
    let kind = match &option.kind {
        OptionKind::String { min_length, max_length, choices } => {
            set(&mut property, "minLength", *min_length);
            set(&mut property, "maxLength", *max_length);
            let values: Vec<_> = choices.iter().map(|choice| choice.value.as_str()).collect();
            set(&mut property, "enum", (!values.is_empty()).then_some(values));
            "string"
        }
        OptionKind::Integer { min, max } => {
            set(&mut property, "minimum", *min);
            set(&mut property, "maximum", *max);
            "integer"
        }
        OptionKind::Number { min, max } => {
            set(&mut property, "minimum", *min);
            set(&mut property, "maximum", *max);
            "number"
        }
        OptionKind::Boolean => "boolean",
    };
    property.insert("type".to_owned(), kind.into());
    property.insert("description".to_owned(), option.description.as_str().into());
    Value::Object(property)
}

fn set<T: Into<Value>>(property: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        property.insert(key.to_owned(), value.into());
    }
}
