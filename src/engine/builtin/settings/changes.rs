//! `/settings set`, `clear` and `undo`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::builtin::builtins::Bot;
use crate::builtin::settings::sheet::{Kept, by};
use crate::builtin::settings::words::{fixed, meanwhile, named, shown};
use crate::rules::{Guilds, SettingOfModule};
use candor_core::contract::{Call, CommandError};
use candor_core::guild::{GuildModuleSettings, GuildSetting, GuildValue, KnownNames, Unfit};
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, say};
use candor_core::reply::{Control, ControlStyle, PreparedCall, Reply, age_in};
use candor_core::text::in_code_span;

/// What `/settings set` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct SetArguments {
    /// The setting
    name: String,
    /// The new value; a form asks for it if it is missing
    value: String,
    /// The number of the last change that you know of
    at: Option<u64>,
}

/// What `/settings clear` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct ClearArguments {
    /// The setting
    name: String,
    /// The number of the last change that you know of
    at: Option<u64>,
}

/// What `/settings undo` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct UndoArguments {
    /// The number of the change: if it is not the last one any more, everything stays as it is
    at: Option<u64>,
}

pub(in crate::builtin) async fn set(arguments: SetArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let setting = named(&arguments.name, language)?;
    let bot = Bot::of(&call)?;
    let book = bot.guilds();
    let models = book.models();
    let commands = book.commands();
    let of_modules = book.module_settings();
    let settings = of_modules.iter().map(SettingOfModule::name).collect();
    let value = |kept: &Kept| {
        book.may_set(setting, kept.guild).map_err(|why| fixed(why, setting, language))?;
        let before = kept.sheet.values().module_channels().cloned().unwrap_or_default();
        // Channels of a module that is gone can still be removed.
        let senders = book.senders().into_iter().chain(before.modules().map(str::to_owned)).collect();
        let known = KnownNames { models: &models, commands: &commands, settings: &settings, senders: &senders };
        let refused = |unfit: Unfit| {
            let what = unfit.text(language);
            CommandError::tell(say!(language, "settings-unfit", setting = setting.name(), what = what))
        };
        let value = GuildValue::parse(setting, &arguments.value, known).map_err(refused)?;
        match value {
            GuildValue::ModuleSettings(written) => {
                not_operators(&GuildValue::ModuleSettings(written.clone()), setting, book, language)?;
                all_fit(&written, &of_modules, language)?;
                let before = kept.sheet.values().module_settings().cloned().unwrap_or_default();
                let all = written.over(&before);
                Ok((!all.is_empty()).then_some(GuildValue::ModuleSettings(all)))
            }
            GuildValue::ModuleChannels(written) => {
                let all = written.over(&before).map_err(refused)?;
                Ok((!all.is_empty()).then_some(GuildValue::ModuleChannels(all)))
            }
            value => {
                not_operators(&value, setting, book, language)?;
                Ok(Some(value))
            }
        }
    };
    change(setting, value, arguments.at, &bot).await
}

pub(in crate::builtin) async fn clear(arguments: ClearArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let setting = named(&arguments.name, language)?;
    let bot = Bot::of(&call)?;
    let book = bot.guilds();
    let nothing = |kept: &Kept| {
        book.may_set(setting, kept.guild).map_err(|why| fixed(why, setting, language))?;
        Ok(None)
    };
    change(setting, nothing, arguments.at, &bot).await
}

/// Fails if the operator has set a part of the value.
fn not_operators(
    value: &GuildValue,
    setting: GuildSetting,
    book: &Guilds,
    language: Language,
) -> Result<(), CommandError> {
    let Some(what) = book.fixed_in(value) else { return Ok(()) };
    let what = in_code_span(&what);
    Err(CommandError::tell(say!(language, "settings-by-operator-in-part", setting = setting.name(), what = what)))
}

/// Fails if a module's setting does not accept its written value. An empty text removes a setting and always fits.
fn all_fit(
    written: &GuildModuleSettings,
    of_modules: &[SettingOfModule],
    language: Language,
) -> Result<(), CommandError> {
    for (name, text) in written.iter().filter(|(_, text)| !text.is_empty()) {
        let of = of_modules.iter().find(|setting| setting.name() == name);
        if let Some(SettingOfModule { spec, .. }) = of.filter(|setting| setting.spec.read(text).is_none()) {
            let takes = spec.kind.text(language);
            return Err(CommandError::tell(say!(language, "settings-module-unfit", setting = name, takes = takes)));
        }
    }
    Ok(())
}

async fn change(
    setting: GuildSetting,
    value: impl FnOnce(&Kept) -> Result<Option<GuildValue>, CommandError>,
    seen: Option<u64>,
    bot: &Bot<'_>,
) -> Result<Reply, CommandError> {
    let call = bot.call;
    let mut kept = Kept::read(call).await?;
    let value = value(&kept)?;
    let language = call.caller.language;
    let before = kept.sheet.values().get(setting).cloned();
    if before == value {
        let now = shown(value.as_ref(), language);
        return Ok(Reply::text(say!(language, "settings-same", setting = setting.name(), now = now)));
    }
    if let Some(change) = kept.unseen(bot, Some(setting), seen).await? {
        return Err(meanwhile(change, before.as_ref(), kept.sheet.number(), call));
    }
    kept.sheet.set(setting, value, by(call)?);
    kept.store(call).await?;
    Ok(changed(&kept, setting, before.as_ref(), bot))
}

pub(in crate::builtin) async fn undo(arguments: UndoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let mut kept = Kept::read(&call).await?;
    let bot = Bot::of(&call)?;
    let book = bot.guilds();
    let may_set = |setting| book.may_set(setting, kept.guild).is_ok();
    if let Some(at) = arguments.at.filter(|&at| kept.sheet.is_undone(at)) {
        return Err(CommandError::tell(say!(language, "settings-undone-already", at = at)));
    }
    let Some(last) = kept.sheet.undoable(may_set) else {
        return Err(CommandError::tell(say!(language, "settings-undo-nothing")));
    };
    let setting = last.setting;
    let number = last.number;
    let other = match arguments.at {
        Some(at) => (at != number).then_some(last),
        None => kept.unseen(&bot, None, None).await?,
    };
    if let Some(other) = other {
        return Err(CommandError::tell(say!(
            language,
            "settings-undo-meanwhile",
            setting = other.setting.name(),
            age = age_in(other.by.at, call.now, language),
            receipt = other.by.receipt.to_string(),
            now = shown(kept.sheet.values().get(other.setting), language),
            last = setting.name(),
            at = number,
        )));
    }
    let before = kept.sheet.values().get(setting).cloned();
    let guild = kept.guild;
    kept.sheet.undo(|setting| book.may_set(setting, guild).is_ok(), by(&call)?);
    kept.store(&call).await?;
    Ok(changed(&kept, setting, before.as_ref(), &bot))
}

/// Returns the old and new value, with a button for the next change to undo.
fn changed(kept: &Kept, setting: GuildSetting, before: Option<&GuildValue>, bot: &Bot<'_>) -> Reply {
    let language = bot.call.caller.language;
    let now = shown(kept.sheet.values().get(setting), language);
    let before = shown(before, language);
    let text = say!(language, "settings-changed", setting = setting.name(), now = now, before = before);
    let mut reply = Reply::text(text);
    if setting == GuildSetting::Commands && kept.sheet.values().get(setting).is_some() {
        reply.add_line(&say!(language, "settings-still-offered"));
    }
    let controls = undo_button(kept, bot.guilds(), language).map(|button| vec![button]);
    Reply { controls: controls.into_iter().collect(), ..reply }
}

/// Returns the button that undoes the next change. The button names that change, and undoes no other.
pub(super) fn undo_button(kept: &Kept, book: &Guilds, language: Language) -> Option<Control> {
    let next = kept.sheet.undoable(|setting| book.may_set(setting, kept.guild).is_ok())?;
    let number = next.number;
    let setting = next.setting.name();
    let call = PreparedCall {
        path: CommandPath::new("settings", Some("undo")),
        arguments: Map::from_iter([("at".to_owned(), Value::from(number))]),
        in_place: false,
        once: true,
        for_everyone: false,
    };
    Some(Control::Button {
        label: say!(language, "settings-undo-button", setting = setting, number = number),
        emoji: None,
        style: ControlStyle::Secondary,
        call: Some(call),
    })
}
