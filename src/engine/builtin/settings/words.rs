//! Texts about settings, values and changes.

use candor_core::contract::{Call, CommandError};
use candor_core::guild::{Fixed, GuildSetting, GuildValue, SheetChange};
use candor_core::language::{Language, say};
use candor_core::reply::age_in;
use candor_core::text::{excerpt, in_code_span, in_code_spans, nearest, one_line};

/// The most of a text that is shown in a line, in characters.
const SHOWN_MAX: usize = 120;

/// The most of mentions that is shown, in characters: a field at Discord holds 1,024, and also shows the source.
const MENTIONS_LENGTH_MAX: usize = 800;

pub(super) fn shown(value: Option<&GuildValue>, language: Language) -> String {
    match value {
        None => say!(language, "settings-none"),
        Some(value) => shown_text(value.setting(), &value.to_string()),
    }
}

/// Formats the text of a value in a line. Mentions stay mentions.
pub(super) fn shown_text(setting: GuildSetting, text: &str) -> String {
    match setting {
        GuildSetting::ChatChannels | GuildSetting::ChatRoles | GuildSetting::ModuleChannels => mentions(text),
        GuildSetting::Chat
        | GuildSetting::WriteTools
        | GuildSetting::Persona
        | GuildSetting::Model
        | GuildSetting::Language
        | GuildSetting::Commands
        | GuildSetting::Cooldowns
        | GuildSetting::ModuleSettings => in_code_span(&one_line(text, SHOWN_MAX)),
    }
}

/// Shortens mentions to a field of an embed, each whole.
fn mentions(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MENTIONS_LENGTH_MAX) else { return text.to_owned() };
    let shown = text.get(..end).and_then(|text| text.rsplit_once(' ')).map_or("", |(whole, _)| whole);
    format!("{shown} …")
}

pub(super) fn named(name: &str, language: Language) -> Result<GuildSetting, CommandError> {
    let name = name.trim().to_lowercase();
    GuildSetting::named(&name).ok_or_else(|| {
        let all = || GuildSetting::ALL.into_iter().map(GuildSetting::name);
        let near = nearest(&name, all(), 1);
        let known = match near.first() {
            Some(near) => in_code_span(near),
            None => in_code_spans(all()),
        };
        CommandError::tell(say!(language, "settings-unknown", name = excerpt(&name), known = known))
    })
}

pub(super) fn fixed(why: Fixed, setting: GuildSetting, language: Language) -> CommandError {
    CommandError::tell(match why {
        Fixed::NotAllowed => say!(language, "settings-not-allowed", setting = setting.name()),
        Fixed::ByOperator => say!(language, "settings-by-operator", setting = setting.name()),
    })
}

/// Returns the refusal of a call that changed nothing, because the setting was changed meanwhile.
pub(super) fn meanwhile(change: &SheetChange, now: Option<&GuildValue>, number: u64, call: &Call) -> CommandError {
    let language = call.caller.language;
    CommandError::tell(say!(
        language,
        "settings-meanwhile",
        setting = change.setting.name(),
        age = age_in(change.by.at, call.now, language),
        receipt = change.by.receipt.to_string(),
        now = shown(now, language),
        at = number,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_shown_whole_or_not_at_all() {
        assert_eq!(mentions("alerts = <#5>"), "alerts = <#5>");
        let many = format!("feed = {}", vec!["<#1100000000000000003>"; 50].join(" "));
        let shown = mentions(&many);
        assert!(
            shown.chars().count() <= MENTIONS_LENGTH_MAX + 2 && shown.ends_with("<#1100000000000000003> …"),
            "{shown}"
        );
    }
}
