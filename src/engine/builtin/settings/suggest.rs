//! Suggestions for names and values of settings.

use crate::builtin::builtins::Bot;
use crate::rules::{Guilds, SettingOfModule};
use candor_core::contract::{Call, SettingKind, Suggestion};
use candor_core::guild::{GuildModuleChannels, GuildModuleSettings, GuildSetting, GuildValue, KnownNames, Rules};
use candor_core::inbound::{ChannelId, Place};
use candor_core::language::Language;

pub(in crate::builtin) async fn names(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.trim().to_lowercase();
    let Ok(bot) = Bot::of(&call) else { return Vec::new() };
    let settable = settable(&bot).into_iter().map(|setting| setting.name().to_owned());
    settable.filter(|name| name.contains(&typed)).map(Suggestion::from).collect()
}

/// Suggests values of all settings that may be changed here, each after the name of its setting. Discord does not send
/// the other chosen options when it asks for an option's values.
pub(in crate::builtin) async fn values(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.trim().to_lowercase();
    let Ok(bot) = Bot::of(&call) else { return Vec::new() };
    let of_setting = |setting: GuildSetting| {
        possible(setting, bot.guilds(), &call)
            .into_iter()
            .map(move |value| Suggestion { label: format!("{setting}: {value}"), value: value.into() })
    };
    let all = settable(&bot).into_iter().flat_map(of_setting);
    all.filter(|suggestion| suggestion.label.to_lowercase().contains(&typed)).collect()
}

fn settable(bot: &Bot<'_>) -> Vec<GuildSetting> {
    let Place::Guild { guild, .. } = bot.call.place else { return Vec::new() };
    GuildSetting::ALL.into_iter().filter(|&setting| bot.guilds().may_set(setting, guild).is_ok()).collect()
}

/// Returns the values of a setting that can be listed.
fn possible(setting: GuildSetting, book: &Guilds, call: &Call) -> Vec<String> {
    match (setting, call.place) {
        (GuildSetting::Chat | GuildSetting::WriteTools, _) => vec!["on".to_owned(), "off".to_owned()],
        (GuildSetting::ChatChannels, Place::Guild { channel, .. }) => vec![format!("<#{channel}>")],
        (GuildSetting::ChatChannels | GuildSetting::ChatRoles | GuildSetting::Persona, _) => Vec::new(),
        (GuildSetting::Cooldowns, _) => {
            let commands = book.commands();
            let known = KnownNames { commands: &commands, ..KnownNames::NOTHING };
            let fits = |value: &String| GuildValue::parse(setting, value, known).is_ok();
            commands.iter().map(|name| format!("{name} 30s")).filter(fits).collect()
        }
        (GuildSetting::ModuleSettings, _) => {
            let open = book.module_settings().into_iter().filter(|setting| !setting.is_operators);
            open.flat_map(|setting| in_full(&setting)).collect()
        }
        (GuildSetting::ModuleChannels, Place::Guild { channel, .. }) => {
            book.senders().into_iter().map(|module| with_channel(module, channel, &call.rules)).collect()
        }
        (GuildSetting::ModuleChannels, _) => Vec::new(),
        (GuildSetting::Model, _) => book.models(),
        (GuildSetting::Language, _) => Language::all().map(|language| language.to_string()).collect(),
        (GuildSetting::Commands, _) => book.commands().into_iter().collect(),
    }
}

/// Returns the module's channels here plus this one, in written form.
fn with_channel(module: String, channel: ChannelId, rules: &Rules) -> String {
    let mut channels = rules.channels_of_module(&module).unwrap_or_default();
    channels.insert(channel);
    GuildModuleChannels::written([(module, channels)]).to_string()
}

/// Returns the possible values of a module's setting in written form: each of its choices, else its current value to
/// edit.
fn in_full(setting: &SettingOfModule) -> Vec<String> {
    let values = match &setting.spec.kind {
        SettingKind::Text { choices } if !choices.is_empty() => choices.clone(),
        SettingKind::Boolean => [true, false].map(|value| value.to_string()).into(),
        SettingKind::Text { .. } | SettingKind::Integer { .. } | SettingKind::Number { .. } | SettingKind::Secret => {
            vec![setting.value.clone().unwrap_or_default()]
        }
    };
    let written = |value| GuildModuleSettings::written([(setting.name(), value)]).to_string();
    values.into_iter().map(written).collect()
}
