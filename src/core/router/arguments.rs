//! Checks an interaction's arguments against the command's options.

use serde_json::{Map, Value};

use crate::contract::{Leaf, fits_in};
use crate::language::{Language, say};
use crate::text::excerpt;

/// Checks that received arguments fit: all known, none missing, each of its type and within its bounds.
pub(crate) fn check_arguments(leaf: &Leaf, arguments: &Map<String, Value>, language: Language) -> Result<(), String> {
    for (name, value) in arguments {
        let option = leaf.option(name).ok_or_else(|| say!(language, "argument-not-taken", typed = excerpt(name)))?;
        fits_in(&option.kind, value, language).map_err(|problem| format!("`{name}` {problem}"))?;
    }
    match leaf.options.iter().find(|option| option.required && !arguments.contains_key(&option.name)) {
        Some(missing) => Err(say!(language, "argument-missing", option = missing.name.as_str())),
        None => Ok(()),
    }
}
