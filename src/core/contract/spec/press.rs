//! The effect of pressing a button for a command. Offering a button and pressing it use the same function.

use serde_json::{Map, Value};

use crate::contract::spec::leaf::Leaf;

/// The most inputs of a modal. See Discord's documentation, "Modal".
pub const MODAL_INPUTS_MAX: usize = 5;

/// The effect of pressing a button for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Press {
    /// The command runs.
    Runs,
    /// A modal asks for these options.
    Asks(Vec<String>),
    /// The command cannot run: a modal cannot ask for all of its missing options.
    Impossible,
}

/// A required option, and whether a modal can ask for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredOption {
    name: String,
    can_be_typed: bool,
}

impl RequiredOption {
    pub(crate) fn all(leaf: &Leaf) -> Vec<Self> {
        let required = leaf.options.iter().filter(|option| option.required);
        required.map(|option| Self { name: option.name.clone(), can_be_typed: !option.kind.is_entity() }).collect()
    }
}

/// Decides the effect of pressing a button with these arguments.
pub(crate) fn press(required: &[RequiredOption], given: &Map<String, Value>) -> Press {
    let missing: Vec<_> = required.iter().filter(|option| !given.contains_key(&option.name)).collect();
    if missing.is_empty() {
        return Press::Runs;
    }
    match missing.len() <= MODAL_INPUTS_MAX && missing.iter().all(|option| option.can_be_typed) {
        true => Press::Asks(missing.into_iter().map(|option| option.name.clone()).collect()),
        false => Press::Impossible,
    }
}

impl Leaf {
    /// Decides the effect of pressing a button for this command with these arguments.
    pub fn press(&self, given: &Map<String, Value>) -> Press {
        press(&RequiredOption::all(self), given)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::{OptionKind, OptionSpec};

    #[test]
    fn a_button_runs_its_command_or_asks_for_what_can_be_typed_or_is_not_offered() {
        let text = OptionKind::String { min_length: None, max_length: None, choices: Vec::new() };
        let number = OptionKind::Integer { min: None, max: None, choices: Vec::new() };
        let option = |name: &str, kind: &OptionKind| OptionSpec::new(name, "An option", kind.clone(), true);
        let leaf = |options: &[OptionSpec]| Leaf::new("unused", options.to_vec(), None);
        let two = leaf(&[option("path", &text), option("count", &number), option("sure", &OptionKind::Boolean)]);
        let six = leaf(&["a", "b", "c", "d", "e", "f"].map(|name| option(name, &text)));
        let file = leaf(&[option("file", &OptionKind::Attachment)]);
        let asks = |names: &[&str]| Press::Asks(names.iter().map(|name| (*name).to_owned()).collect());
        let cases = [
            (&two, json!({}), asks(&["path", "count", "sure"])),
            (&two, json!({"count": 1}), asks(&["path", "sure"])),
            (&two, json!({"path": "a", "count": 1, "sure": true}), Press::Runs),
            (&six, json!({}), Press::Impossible),
            (&six, json!({"c": "x"}), asks(&["a", "b", "d", "e", "f"])),
            (&file, json!({}), Press::Impossible),
        ];
        for (leaf, given, expected) in cases {
            let Value::Object(given) = given else { panic!("no object") };
            assert_eq!(leaf.press(&given), expected, "{given:?}");
        }
    }
}
