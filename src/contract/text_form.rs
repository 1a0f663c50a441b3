//! How a command is written as text: `/tasks add title: buy milk`.

use serde_json::{Map, Value};

use crate::contract::spec::{CommandPath, Leaf};

/// Why arguments do not parse, in words for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFormError(pub String);

/// Reads the arguments of a command.
pub fn parse(leaf: &Leaf, text: &str) -> Result<Map<String, Value>, TextFormError> {
    let _inputs = (leaf, text);
    Err(TextFormError(String::new()))
}

/// How a command is written: `/tasks add title: <text>`.
pub fn usage(path: &CommandPath, leaf: &Leaf) -> String {
    let _inputs = (path, leaf);
    String::new()
}
