//! A setting as written in a manifest.

use serde_json::Value;

use crate::contract::manifest::option::{Figure, figure};
use crate::contract::manifest::text::{Text, text};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// `[settings.<name>]`
#[derive(Debug)]
pub(crate) struct WrittenSetting {
    pub(crate) name: Spanned<String>,
    pub(crate) kind: Option<Spanned<String>>,
    pub(crate) description: Text,
    pub(crate) required: Option<Spanned<bool>>,
    /// The inner `None` is a value that JSON cannot express.
    pub(crate) default: Option<Spanned<Option<Value>>>,
    pub(crate) min: Option<Spanned<Figure>>,
    pub(crate) max: Option<Spanned<Figure>>,
    pub(crate) choices: Option<Spanned<Vec<Spanned<String>>>>,
    /// The environment variable that carries it to a program or server.
    pub(crate) env: Option<Spanned<String>>,
    pub(crate) per_server: Option<Spanned<bool>>,
}

pub(super) fn setting(name: Spanned<String>, mut table: Section, found: &mut Diagnostics) -> WrittenSetting {
    let setting = WrittenSetting {
        name,
        kind: table.string("type", found),
        description: text("description", &mut table, found),
        required: table.boolean("required", found),
        default: table.take("default").map(|(_, Spanned { value, span })| Spanned { value: value.into_json(), span }),
        min: figure("min", &mut table, found),
        max: figure("max", &mut table, found),
        choices: table.strings("choices", found),
        env: table.string("env", found),
        per_server: table.boolean("per_server", found),
    };
    table.finish(found);
    setting
}
