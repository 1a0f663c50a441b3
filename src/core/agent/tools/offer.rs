//! The offered set: exactly the tools of one request. A call outside it never runs.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::schema::{read_as, schema, shown, types};
use super::tool_text::{ToolNames, UNNAMED};
use crate::contract::limits::OPTIONS_MAX;
use crate::contract::{Command, Leaf, Press, RequiredOption, ToolSpec, press, text_form, tool_name};
use crate::inbound::{CommandPath, Place};
use crate::registry::Catalog;

/// The name of a tool that is always offered along with others: the model calls it to say that something cannot be
/// done. The host answers it, and nothing runs. Only the text protocol lists it: with native tools, words are always an
/// answer.
pub const CANNOT_DO: &str = "cannot_do";

/// The maximum length of all arguments of a call, as shown to a person, in characters.
const TYPED_LENGTH_MAX: usize = 1_200;

/// A command as offered to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// The name by which the model calls it.
    pub name: String,
    pub path: CommandPath,
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// The shortened schema for the model. Calls that do not fit the whole schema are corrected.
    pub shown: Value,
    /// Whether it changes something. Then a person confirms each call.
    pub writes: bool,
    pub removes: bool,
    /// Whether it is a tool for the model only. A person cannot run it and is not offered it.
    pub chat_only: bool,
    /// The arguments whose values are stored only as digests.
    pub private: Vec<String>,
    pub required: Vec<RequiredOption>,
}

impl OfferedTool {
    /// Formats a call as a person would type it, with each value cut so that all of them fit.
    pub fn as_typed(&self, arguments: &Map<String, Value>) -> String {
        let value_max = (TYPED_LENGTH_MAX / arguments.len().max(1)).max(TYPED_LENGTH_MAX / OPTIONS_MAX);
        self.typed(arguments, value_max)
    }

    /// Formats the uncut call, if `as_typed` cuts it.
    pub fn whole_if_cut(&self, arguments: &Map<String, Value>) -> Option<String> {
        Some(self.typed(arguments, usize::MAX)).filter(|whole| *whole != self.as_typed(arguments))
    }

    fn typed(&self, arguments: &Map<String, Value>, value_max: usize) -> String {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        text_form::as_typed(&self.path, properties.into_iter().flat_map(Map::keys), arguments, value_max)
    }

    /// Converts arguments to the types of the schema if that is unambiguous. It drops an optional `null`, parses a text
    /// into a number, a boolean, a list or an object, and prints a number as text. It names a value without a name if
    /// only one argument is possible.
    pub(crate) fn coerced(&self, mut arguments: Map<String, Value>) -> Map<String, Value> {
        if let (1, Some(value)) = (arguments.len(), arguments.get(UNNAMED).cloned()) {
            match (value, self.only_argument()) {
                // `status({"metric": "cpu"})`.
                (Value::Object(named), _) => arguments = named,
                (value, Some(name)) => arguments = Map::from_iter([(name.to_owned(), value)]),
                (_, None) => {}
            }
        }
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let required = self.schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut coerced = Map::new();
        for (key, value) in arguments {
            let wanted = properties.and_then(|properties| properties.get(&key)).map(types).unwrap_or_default();
            let is_needed = wanted.is_empty() || wanted.contains(&"null") || required.iter().any(|name| *name == key);
            if value.is_null() && !is_needed {
                continue;
            }
            let read = match &value {
                // In tags, values have no quotation marks that distinguish a text from `null`.
                Value::String(text) if text == "null" && wanted.contains(&"null") => Some(Value::Null),
                Value::String(text) if !wanted.contains(&"string") => read_as(text, &wanted),
                Value::Number(number) if wanted == ["string"] => Some(Value::String(number.to_string())),
                _ => None,
            };
            coerced.insert(key, read.unwrap_or(value));
        }
        coerced
    }

    /// Returns the arguments that this tool knows and whose values fit.
    pub(crate) fn fitting(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let fits = |key: &str, value: &Value| {
            let schema = self.property(key).and_then(|schema| jsonschema::validator_for(schema).ok());
            schema.is_some_and(|schema| schema.is_valid(value))
        };
        self.coerced(arguments).into_iter().filter(|(key, value)| fits(key, value)).collect()
    }

    /// Returns the arguments of a call for a button. A person sees the arguments of a change before it runs, so its
    /// texts stay even if they do not fit.
    pub(crate) fn offered(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let fitting = self.fitting(arguments.clone());
        let is_shown = |key: &str, value: &Value| self.writes && value.is_string() && self.property(key).is_some();
        let shown = arguments.into_iter().filter(|(key, value)| is_shown(key, value) && !fitting.contains_key(key));
        shown.chain(fitting.clone()).collect()
    }

    /// Decides the effect of pressing a button for its command with these arguments.
    pub(crate) fn press(&self, given: &Map<String, Value>) -> Press {
        press(&self.required, given)
    }

    pub(crate) fn property(&self, name: &str) -> Option<&Value> {
        self.schema.get("properties")?.get(name)
    }

    /// Returns the argument for a value without a name: the only required one, or the only one shown.
    fn only_argument(&self) -> Option<&str> {
        let required = self.schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match required {
            [only] => only.as_str(),
            [] => {
                let mut shown = self.shown.get("properties")?.as_object()?.keys();
                shown.next().filter(|_| shown.next().is_none()).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns the tool of a command, offered or not. `None` if this caller has no such command, or if no model may
    /// call it.
    pub fn of(catalog: &Catalog, path: &CommandPath) -> Option<Self> {
        let command = catalog.callable().find(|command| command.name == path.command())?;
        let leaf = command.leaf(path)?;
        Some(of_command(command, leaf, leaf.tool.as_ref()?))
    }
}

/// The tools of one request, and the reasons why other names are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferedSet {
    tools: Vec<OfferedTool>,
    withheld: Vec<(OfferedTool, Withheld)>,
    /// The names of commands that are not tools.
    others: BTreeSet<String>,
}

/// The reason why a command that this caller may use is not offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Its module does not offer it to models.
    NotATool,
    /// It writes, and the operator did not allow it: `[chat] write_tools`.
    WriteNotAllowed,
    /// The operator offers other commands here: `[chat.places]`.
    NotHere,
    /// Its answers are for one person, and other people can read here.
    Private,
    /// Its module failed the start-up check.
    Unavailable,
}

impl Withheld {
    /// Returns the reason in words for the model.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotATool => "it is a command for people only",
            Self::WriteNotAllowed => "it changes or removes something, and the operator did not allow it for models",
            Self::NotHere => "the operator does not offer it to models in this place",
            Self::Private => "its answers are private, and this is a public place",
            Self::Unavailable => "its module failed the start-up check",
        }
    }
}

impl OfferedSet {
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a set with one tool that has no arguments and no command.
    pub(crate) fn of_one(name: &str, description: &str) -> Self {
        let tool = OfferedTool {
            name: name.to_owned(),
            path: CommandPath::new(name, None),
            description: description.to_owned(),
            schema: schema(&[]),
            shown: shown(&schema(&[]), true, |_| true),
            writes: false,
            removes: false,
            chat_only: false,
            private: Vec::new(),
            required: Vec::new(),
        };
        Self { tools: vec![tool], ..Self::default() }
    }

    #[cfg(test)]
    pub(crate) fn of_tools(tools: Vec<OfferedTool>) -> Self {
        Self { tools, ..Self::default() }
    }

    /// Returns a model's tools for this caller and place. `write_tools` names the commands that may write, such as
    /// `/tasks add`. `None` allows all except those that remove something.
    pub fn of(catalog: &Catalog, place: Place, write_tools: Option<&BTreeSet<String>>) -> Self {
        let mut offered = Self::default();
        for command in catalog.callable() {
            for leaf in command.leaves() {
                let Some(spec) = &leaf.tool else {
                    offered.others.insert(tool_name(&leaf.path));
                    continue;
                };
                let is_public = matches!(place, Place::Guild { .. });
                let tool = of_command(command, leaf, spec);
                let may_write = || write_tools.map_or(!leaf.removes, |named| named.contains(&leaf.path.to_string()));
                if spec.writes && !may_write() {
                    offered.withheld.push((tool, Withheld::WriteNotAllowed));
                } else if command.ephemeral && !spec.writes && is_public {
                    offered.withheld.push((tool, Withheld::Private));
                } else {
                    offered.tools.push(tool);
                }
            }
        }
        offered
    }

    /// Returns the tools in the order of the registry.
    pub fn tools(&self) -> &[OfferedTool] {
        &self.tools
    }

    pub fn get(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns why the command of that name is not offered, if the name is known.
    pub fn withheld(&self, name: &str) -> Option<Withheld> {
        let withheld = self.withheld.iter().find(|(tool, _)| tool.name == name).map(|(_, why)| *why);
        withheld.or_else(|| self.others.contains(name).then_some(Withheld::NotATool))
    }

    /// Withholds all tools, for a model without tools.
    #[must_use]
    pub fn all_withheld(mut self) -> Self {
        self.withheld.extend(self.tools.drain(..).map(|tool| (tool, Withheld::NotATool)));
        self
    }

    /// Withholds all tools except these commands, given by path.
    #[must_use]
    pub fn only(mut self, allowed: &BTreeSet<String>) -> Self {
        let (offered, others) =
            self.tools.into_iter().partition(|tool: &OfferedTool| allowed.contains(&tool.path.to_string()));
        self.tools = offered;
        self.withheld.extend(Vec::into_iter(others).map(|tool| (tool, Withheld::NotHere)));
        self
    }

    /// Returns all tools that this caller could run, offered or withheld.
    pub fn known(&self) -> impl Iterator<Item = &OfferedTool> {
        self.tools.iter().chain(self.withheld.iter().map(|(tool, _)| tool))
    }

    /// Returns the names of the known tools, to find their calls in a text.
    pub fn known_names(&self) -> ToolNames<'_> {
        self.known().map(|tool| tool.name.as_str()).collect()
    }

    /// Returns every name that may be called, including `cannot_do`; empty without tools.
    pub fn names(&self) -> Vec<&str> {
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        names.chain((!self.is_empty()).then_some(CANNOT_DO)).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

fn of_command(command: &Command, leaf: &Leaf, spec: &ToolSpec) -> OfferedTool {
    let described = command.described().find(|(known, _)| known.path == leaf.path);
    let description = described.map_or(command.description.as_str(), |(_, description)| description);
    OfferedTool { chat_only: command.chat_only, ..tool(leaf.path.clone(), description.to_owned(), spec, leaf) }
}

fn tool(path: CommandPath, description: String, spec: &ToolSpec, leaf: &Leaf) -> OfferedTool {
    let schema = schema(&leaf.options);
    // A description for models states the needs of its options.
    let is_described = spec.description.is_some();
    let is_told = |name: &str| spec.options.as_ref().is_none_or(|told| told.iter().any(|known| known == name));
    OfferedTool {
        name: spec.name.clone(),
        path,
        description: spec.description.clone().unwrap_or(description),
        shown: shown(&schema, is_described, is_told),
        schema,
        writes: spec.writes,
        removes: leaf.removes,
        chat_only: false,
        private: leaf.private_options(),
        required: RequiredOption::all(leaf),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::fixture::catalog_of;
    use crate::contract::{Choice, CommandKind, Group, Localized, OptionKind, OptionSpec, Owner, Subcommand};

    #[test]
    fn a_tool_in_a_group_is_offered_without_what_no_model_can_name() {
        let level = OptionKind::Integer {
            min: Some(1),
            max: Some(9),
            choices: vec![Choice::new("Low", 1), Choice::new("High", 9)],
        };
        let text = OptionKind::String { min_length: None, max_length: None, choices: Vec::new() };
        let options = vec![
            OptionSpec { modal: true, ..OptionSpec::new("words", "What to say", text, true) },
            OptionSpec::new("level", "How warmly", level, false),
            OptionSpec::new("person", "Whom", OptionKind::User, false),
            OptionSpec::new("picture", "What to show", OptionKind::Attachment, false),
        ];
        let spec = ToolSpec::new("club_member_greet", false);
        let greet = Leaf::new("unused", options, Some(spec));
        let group = Group {
            name: "member".to_owned(),
            description: "Members".to_owned(),
            subcommands: vec![Subcommand::new("greet", "Greet a member", greet)],
            localized: Localized::default(),
            written_at: None,
        };
        let kind = CommandKind::Parent { subcommands: Vec::new(), groups: vec![group] };
        let catalog = catalog_of(vec![Command::new("club", "The club", Owner::Builtin, kind)]);
        let offered = OfferedSet::of(&catalog, Place::Console, Some(&BTreeSet::new()));
        let [tool] = offered.tools() else { panic!("{offered:?}") };
        assert_eq!(
            (tool.path.to_string().as_str(), tool.description.as_str()),
            ("/club member greet", "Greet a member")
        );
        let expected = json!({
            "type": "object",
            "properties": {
                "words": { "type": "string", "description": "What to say" },
                "level": { "type": "integer", "minimum": 1, "maximum": 9, "enum": [1, 9], "description": "How warmly" },
            },
            "required": ["words"],
            "additionalProperties": false,
        });
        assert_eq!(tool.schema, expected);
        assert_eq!(OfferedTool::of(&catalog, &tool.path).as_ref(), Some(tool));
    }

    #[test]
    fn a_value_without_a_name_is_of_the_one_argument_that_can_be_meant() {
        let text = || OptionKind::String { min_length: None, max_length: None, choices: Vec::new() };
        let option = |name: &str, required| OptionSpec::new(name, "Text", text(), required);
        let cases = [
            (vec![option("a", true), option("b", false)], json!({"a": "x"})),
            (vec![option("a", false)], json!({"a": "x"})),
            (vec![option("a", true), option("b", true)], json!({"": "x"})),
            (vec![option("a", false), option("b", false)], json!({"": "x"})),
            (Vec::new(), json!({"": "x"})),
        ];
        for (options, expected) in cases {
            let spec = ToolSpec::new("greet", false);
            let leaf = Leaf::new("unused", options, Some(spec.clone()));
            let tool = tool(CommandPath::new("greet", None), "Greet".to_owned(), &spec, &leaf);
            let read = tool.coerced(Map::from_iter([(UNNAMED.to_owned(), json!("x"))]));
            assert_eq!(Value::Object(read.clone()), expected);
            let validator = jsonschema::validator_for(&tool.schema).unwrap();
            assert_eq!(validator.is_valid(&Value::Object(read)), expected.get("a").is_some(), "what fits runs");
        }
    }

    #[test]
    fn a_model_is_shown_what_it_needs_and_may_give_more() {
        let text = OptionKind::String { min_length: Some(1), max_length: Some(9), choices: Vec::new() };
        let page = OptionKind::Integer { min: Some(1), max: Some(i64::from(u32::MAX)), choices: Vec::new() };
        let level = OptionKind::Integer { min: Some(2), max: Some(9), choices: Vec::new() };
        let options = vec![
            OptionSpec::new("words", "What to say", text, true),
            OptionSpec::new("page", "Which page", page, false),
            OptionSpec::new("level", "How warmly", level, false),
        ];
        let leaf = |spec: ToolSpec| Leaf::new("unused", options.clone(), Some(spec));
        let plain = ToolSpec::new("greet", false);
        let described = ToolSpec { description: Some("Greet somebody".to_owned()), ..plain.clone() };
        let short = ToolSpec { options: Some(Vec::new()), ..described.clone() };
        let of = |text: &str, page: &str, level: &str| {
            json!({"type": "object", "required": ["words"], "properties": {
                "words": {"type": "string", "description": text},
                "page": {"type": "integer", "description": page},
                "level": {"type": "integer", "description": level, "minimum": 2, "maximum": 9},
            }})
        };
        let bare = json!({"type": "object", "required": ["words"], "properties": {
            "words": {"type": "string"},
            "page": {"type": "integer"},
            "level": {"type": "integer", "minimum": 2, "maximum": 9},
        }});
        let shortest = json!({"type": "object", "required": ["words"], "properties": {"words": {"type": "string"}}});
        let cases = [(plain, of("What to say", "Which page", "How warmly")), (described, bare), (short, shortest)];
        for (spec, expected) in cases {
            let leaf = leaf(spec.clone());
            let tool = tool(CommandPath::new("greet", None), "Greet".to_owned(), &spec, &leaf);
            assert_eq!(tool.shown, expected, "{spec:?}");
            let validator = jsonschema::validator_for(&tool.schema).unwrap();
            assert!(validator.is_valid(&json!({"words": "hello", "page": 2})), "what is not shown may be given");
        }
    }
}
