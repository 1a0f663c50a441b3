//! Checks a received value against its option.

use std::fmt;

use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::entity;
use crate::contract::spec::{Choice, OptionKind};
use crate::language::{Language, say};
use crate::text::in_code_spans;

/// Checks a JSON value against an option's type, bounds and choices. The error is in English, for module authors and
/// models.
pub fn fits(kind: &OptionKind, value: &Value) -> Result<(), String> {
    fits_in(kind, value, Language::ENGLISH)
}

/// Checks a value as [`fits`] does, with the error in the caller's language.
pub fn fits_in(kind: &OptionKind, value: &Value, language: Language) -> Result<(), String> {
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let text = value.as_str().ok_or_else(|| say!(language, "misfit-text"))?;
            let length = text.chars().count();
            if let Some(min) = min_length.filter(|&min| length < usize::from(min)) {
                return Err(say!(language, "misfit-too-short", min = min));
            }
            if let Some(max) = max_length.filter(|&max| usize::from(max) < length) {
                return Err(say!(language, "misfit-too-long", max = max, length = length));
            }
            one_of(text, choices, language)
        }
        OptionKind::Integer { min, max, choices } => {
            let Some(number) = value.as_i64() else {
                return Err(match beyond(value) {
                    Some(Beyond::Below) => {
                        say!(language, "misfit-too-small", min = min.unwrap_or(i64::MIN).to_string())
                    }
                    Some(Beyond::Above) => {
                        say!(language, "misfit-too-large", max = max.unwrap_or(i64::MAX).to_string())
                    }
                    None => say!(language, "misfit-integer"),
                });
            };
            within(&number, min.as_ref(), max.as_ref(), language)?;
            one_of(&number, choices, language)
        }
        OptionKind::Number { min, max, choices } => {
            let number = value.as_f64().ok_or_else(|| say!(language, "misfit-number"))?;
            within(&number, min.as_ref(), max.as_ref(), language)?;
            one_of(&number, choices, language)
        }
        OptionKind::Boolean => value.as_bool().map(drop).ok_or_else(|| say!(language, "misfit-boolean")),
        OptionKind::User => entity::<entity::User>(value, "user", || say!(language, "misfit-user")).map(drop),
        OptionKind::Role => entity::<entity::Role>(value, "role", || say!(language, "misfit-role")).map(drop),
        OptionKind::Mentionable => {
            entity::Mentionable::deserialize(value).map(drop).map_err(|_| say!(language, "misfit-mentionable"))
        }
        OptionKind::Attachment => {
            entity::<entity::Attachment>(value, "attachment", || say!(language, "misfit-file")).map(drop)
        }
        OptionKind::Message => {
            entity::<entity::MessageRef>(value, "message", || say!(language, "misfit-message")).map(drop)
        }
        OptionKind::Channel { types } => {
            let channel = entity::<entity::Channel>(value, "channel", || say!(language, "misfit-channel"))?;
            match channel.kind {
                Some(kind) if !types.is_empty() && !types.contains(&kind) => Err(say!(language, "misfit-channel-kind")),
                // A typed mention does not include the channel type.
                None if !types.is_empty() => Err(say!(language, "misfit-channel-typed")),
                _ => Ok(()),
            }
        }
    }
}

/// The side on which an integer exceeds 64 bits.
enum Beyond {
    Below,
    Above,
}

/// Returns whether the value is an integer of more than 64 bits, as a number or as typed text.
fn beyond(value: &Value) -> Option<Beyond> {
    let text = match value {
        Value::Number(number) => &number.to_string(),
        other => other.as_str()?,
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number that fits 64 bits was given as text, which is a different error.
    let is_beyond = is_whole && text.parse::<i64>().is_err();
    is_beyond.then_some(if text.starts_with('-') { Beyond::Below } else { Beyond::Above })
}

/// Decodes an entity. Entities look alike (a role also has an id and a name), so a stated type must match.
fn entity<T: DeserializeOwned>(value: &Value, word: &str, problem: impl Fn() -> String) -> Result<T, String> {
    let is_other = value.get(entity::TYPE).is_some_and(|stated| stated != word);
    T::deserialize(value).ok().filter(|_| !is_other).ok_or_else(problem)
}

fn one_of<T, V>(value: &T, choices: &[Choice<V>], language: Language) -> Result<(), String>
where
    T: ?Sized,
    V: PartialEq<T> + fmt::Display,
{
    if choices.is_empty() || choices.iter().any(|choice| choice.value == *value) {
        return Ok(());
    }
    let known = in_code_spans(choices.iter().map(|choice| &choice.value));
    Err(say!(language, "misfit-choice", known = known))
}

fn within<N: PartialOrd + fmt::Display>(
    number: &N,
    min: Option<&N>,
    max: Option<&N>,
    language: Language,
) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if number < min => Err(say!(language, "misfit-too-small", min = min.to_string())),
        (_, Some(max)) if max < number => Err(say!(language, "misfit-too-large", max = max.to_string())),
        _ => Ok(()),
    }
}
