//! An option as written in a manifest, with its choices.

use std::fmt;
use std::ops::Range;

use crate::contract::manifest::Text;
use crate::contract::manifest::terms::{self, WrittenCooldowns};
use crate::contract::manifest::text::{self, WrittenLocalized, text};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};

/// `[commands."/x".options.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenOption {
    pub(crate) name: Spanned<String>,
    pub(crate) path: String,
    pub(crate) description: Text,
    pub(crate) autocomplete: Option<Spanned<bool>>,
    pub(crate) kind: Option<Spanned<String>>,
    pub(crate) required: Option<Spanned<bool>>,
    pub(crate) min: Option<Spanned<Figure>>,
    pub(crate) max: Option<Spanned<Figure>>,
    pub(crate) min_length: Option<Spanned<i64>>,
    pub(crate) max_length: Option<Spanned<i64>>,
    pub(crate) choices: Option<Spanned<Vec<WrittenChoice>>>,
    pub(crate) channel_types: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) form: Option<Spanned<bool>>,
    pub(crate) private: Option<Spanned<bool>>,
    pub(crate) cooldowns: WrittenCooldowns,
    pub(crate) localized: Vec<WrittenLocalized>,
}

/// A number as written. Integer options need to know whether it is an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    Whole(i64),
    Real(f64),
}

impl Figure {
    pub(crate) fn real(self) -> f64 {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "what does not fit 53 bits is refused as beyond Discord's bounds"
            )]
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
        }
    }
}

/// `{ name = "Celsius", value = "c" }`, or one text or number that is both name and value.
#[derive(Debug)]
pub(crate) struct WrittenChoice {
    pub(crate) span: Range<usize>,
    pub(crate) name: Option<String>,
    pub(crate) value: Option<ChoiceValue>,
    pub(crate) localized: Vec<WrittenLocalized>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChoiceValue {
    Text(String),
    Figure(Figure),
}

pub(super) fn option(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenOption {
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
        channel_types: table.strings("channel_types", found),
        form: table.boolean("form", found),
        private: table.boolean("private", found),
        cooldowns: table.section("cooldown_s", found).map(|inner| terms::cooldowns(inner, found)).unwrap_or_default(),
        localized: text::of_both(&mut table, found),
    };
    table.finish(found);
    option
}

pub(super) fn figure(key: &str, table: &mut Section, found: &mut Diagnostics) -> Option<Spanned<Figure>> {
    let (_, Spanned { value, span }) = table.take(key)?;
    match figure_of(&value) {
        Some(value) => Some(Spanned { value, span }),
        None => {
            found.push(table.wrong_type(key, "a number", &value, &span));
            None
        }
    }
}

fn figure_of(value: &TomlValue) -> Option<Figure> {
    match value {
        TomlValue::Integer(number) => Some(Figure::Whole(*number)),
        TomlValue::Number(number) => Some(Figure::Real(*number)),
        TomlValue::String(_)
        | TomlValue::Boolean(_)
        | TomlValue::Array(_)
        | TomlValue::Table(_)
        | TomlValue::Other(_) => None,
    }
}

fn choices(table: &mut Section, found: &mut Diagnostics) -> Option<Spanned<Vec<WrittenChoice>>> {
    let (_, Spanned { value, span }) = table.take("choices")?;
    let wanted = "a list of texts, of numbers or of `{ name = \"…\", value = \"…\" }`";
    let items = match value {
        TomlValue::Array(items) => items,
        other => {
            found.push(table.wrong_type("choices", wanted, &other, &span));
            return None;
        }
    };
    let mut choices = Vec::with_capacity(items.len());
    for Spanned { value, span } in items {
        match (figure_of(&value), value) {
            (_, TomlValue::Table(pair)) => choices.push(choice(pair, span, found)),
            (_, TomlValue::String(text)) => choices.push(WrittenChoice {
                span,
                name: Some(text.clone()),
                value: Some(ChoiceValue::Text(text)),
                localized: Vec::new(),
            }),
            (Some(figure), _) => choices.push(WrittenChoice {
                span,
                name: Some(figure.to_string()),
                value: Some(ChoiceValue::Figure(figure)),
                localized: Vec::new(),
            }),
            (None, other) => found.push(table.wrong_type("choices", wanted, &other, &span)),
        }
    }
    Some(Spanned { value: choices, span })
}

fn choice(mut pair: Section, span: Range<usize>, found: &mut Diagnostics) -> WrittenChoice {
    let name = pair.string("name", found).map(|name| name.value);
    let value = pair.take("value").and_then(|(_, Spanned { value, span })| match (figure_of(&value), value) {
        (_, TomlValue::String(text)) => Some(ChoiceValue::Text(text)),
        (Some(figure), _) => Some(ChoiceValue::Figure(figure)),
        (None, other) => {
            found.push(pair.wrong_type("value", "text in quotes or a number", &other, &span));
            None
        }
    });
    let localized = text::of_names(&mut pair, found);
    pair.finish(found);
    WrittenChoice { span, name, value, localized }
}
