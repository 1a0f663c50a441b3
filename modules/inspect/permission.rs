//! `/inspect server permission`: Discord's permissions by the names used in the settings, with their bits.

use std::sync::LazyLock;

use candor_core::contract::limits::SUGGESTIONS_MAX;
use candor_core::contract::{Call, CommandError, Suggestion};
use candor_core::inbound::Permissions;
use candor_core::language::{Texts, say_from};
use candor_core::reply::{Field, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// What `/inspect server permission` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OfPermission {
    /// The number of its bit; type a part of its name to find it
    #[schemars(range(min = 0, max = 63))]
    pub(super) bit: u8,
}

pub(super) async fn show(of: OfPermission, call: Call) -> Result<Reply, CommandError> {
    let OfPermission { bit } = of;
    let language = call.caller.language;
    let Some((name, _)) = known().find(|&(_, known)| known == u32::from(bit)) else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-permission", bit = bit)));
    };
    let fields = [
        (say_from!(TEXTS, language, "name"), format!("`{name}`")),
        (say_from!(TEXTS, language, "bit"), bit.to_string()),
        (say_from!(TEXTS, language, "value"), format!("`{}`", 1_u64 << bit)),
    ];
    let fields = fields.map(|(name, value)| Field { name, value });
    Ok(Reply { fields: fields.into(), ..Reply::default().titled(say_from!(TEXTS, language, "title-permission")) })
}

/// Suggests permissions whose name contains the typed text, or whose bit number begins with it.
pub(super) async fn suggest(typed: String, _: Call) -> Vec<Suggestion> {
    let typed = typed.trim().to_lowercase().replace([' ', '-'], "_");
    let wanted = known().filter(|(name, bit)| name.contains(&typed) || bit.to_string().starts_with(&typed));
    let suggestion = |(name, bit)| Suggestion { label: format!("{name} · bit {bit}"), value: Value::from(bit) };
    wanted.take(SUGGESTIONS_MAX).map(suggestion).collect()
}

fn known() -> impl Iterator<Item = (&'static str, u32)> {
    Permissions::names().filter_map(|name| Some((name, Permissions::from_name(name)?.0.trailing_zeros())))
}
