//! `/settings set`, `clear` and `undo`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::host::builtin::settings::kept::{Kept, by};
use crate::host::builtin::settings::words::{self, fixed, meanwhile, named, shown};
use candor_core::contract::{Call, CommandError, GuildBook};
use candor_core::guild::{GuildSetting, GuildValue, Known, Picker};
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, say};
use candor_core::reply::{Control, ControlStyle, PreparedCall, Reply, age_in};
use candor_core::text::in_code_span;

/// What `/settings set` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::host::builtin) struct SetArguments {
    /// The setting
    name: String,
    /// The new value; a form asks for it if it is missing
    value: String,
    /// The number of the last change that you know of
    at: Option<u64>,
}

/// What `/settings clear` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::host::builtin) struct ClearArguments {
    /// The setting
    name: String,
    /// The number of the last change that you know of
    at: Option<u64>,
}

/// What `/settings undo` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::host::builtin) struct UndoArguments {
    /// The number of the change: if it is not the last one any more, everything stays as it is
    at: Option<u64>,
}

pub(in crate::host::builtin) async fn set(arguments: SetArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let setting = named(&arguments.name, language)?;
    let book = call.services.guild()?;
    let (models, commands) = (book.models(), book.commands());
    let value = |kept: &Kept| {
        book.may_set(setting, kept.guild).map_err(|why| fixed(why, setting, language))?;
        let known = Known { models: &models, commands: &commands };
        GuildValue::parse(setting, &arguments.value, known).map(Some).map_err(|unfit| {
            let what = unfit.text(language);
            CommandError::tell(say!(language, "settings-unfit", setting = setting.name(), what = what))
        })
    };
    change(setting, value, arguments.at, &call).await
}

pub(in crate::host::builtin) async fn clear(arguments: ClearArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let setting = named(&arguments.name, language)?;
    let book = call.services.guild()?;
    let nothing = |kept: &Kept| {
        book.may_set(setting, kept.guild).map_err(|why| fixed(why, setting, language))?;
        Ok(None)
    };
    change(setting, nothing, arguments.at, &call).await
}

async fn change(
    setting: GuildSetting,
    value: impl FnOnce(&Kept) -> Result<Option<GuildValue>, CommandError>,
    seen: Option<u64>,
    call: &Call,
) -> Result<Reply, CommandError> {
    let (book, mut kept) = (call.services.guild()?, Kept::read(call).await?);
    let value = value(&kept)?;
    if let Some(what) = value.as_ref().and_then(|value| book.fixed_in(value)) {
        let what = in_code_span(&what);
        let text = say!(call.caller.language, "settings-by-operator-in-part", setting = setting.name(), what = what);
        return Err(CommandError::tell(text));
    }
    let (language, before) = (call.caller.language, kept.sheet.values().get(setting).cloned());
    if before == value {
        let now = shown(value.as_ref(), language);
        return Ok(Reply::text(say!(language, "settings-same", setting = setting.name(), now = now)));
    }
    if let Some(change) = kept.unseen(call, Some(setting), seen).await? {
        return Err(meanwhile(change, before.as_ref(), kept.sheet.number(), call));
    }
    kept.sheet.set(setting, value, by(call)?);
    kept.store(call).await?;
    changed(&kept, setting, before.as_ref(), call)
}

pub(in crate::host::builtin) async fn undo(arguments: UndoArguments, call: Call) -> Result<Reply, CommandError> {
    let (language, mut kept) = (call.caller.language, Kept::read(&call).await?);
    let book = call.services.guild()?;
    let may_set = |setting| book.may_set(setting, kept.guild).is_ok();
    if let Some(at) = arguments.at.filter(|&at| kept.sheet.is_undone(at)) {
        return Err(CommandError::tell(say!(language, "settings-undone-already", at = at)));
    }
    let Some(last) = kept.sheet.undoable(may_set) else {
        return Err(CommandError::tell(say!(language, "settings-undo-nothing")));
    };
    let (setting, number) = (last.setting, last.number);
    let other = match arguments.at {
        Some(at) => (at != number).then_some(last),
        None => kept.unseen(&call, None, None).await?,
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
    changed(&kept, setting, before.as_ref(), &call)
}

/// What is set now and was before, with a button for the change that is undone next.
fn changed(
    kept: &Kept,
    setting: GuildSetting,
    before: Option<&GuildValue>,
    call: &Call,
) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let (now, before) = (shown(kept.sheet.values().get(setting), language), shown(before, language));
    let text = say!(language, "settings-changed", setting = setting.name(), now = now, before = before);
    let mut reply = Reply::text(text);
    if setting == GuildSetting::Commands {
        // It follows once this is stored. What keeps it from following is known already.
        let picker = match call.services.guild()?.picker(kept.guild) {
            Picker::InStep => Picker::Follows,
            known => known,
        };
        reply.add_line(&words::picker(picker, language));
    }
    let controls = undo_button(kept, call.services.guild()?, language).map(|button| vec![button]);
    Ok(Reply { controls: controls.into_iter().collect(), ..reply })
}

/// The button that undoes the change that is undone next, which it names, and no other.
pub(super) fn undo_button(kept: &Kept, book: &dyn GuildBook, language: Language) -> Option<Control> {
    let next = kept.sheet.undoable(|setting| book.may_set(setting, kept.guild).is_ok())?;
    let (number, setting) = (next.number, next.setting.name());
    let call = PreparedCall {
        path: CommandPath::new("settings", Some("undo")),
        arguments: Map::from_iter([("at".to_owned(), Value::from(number))]),
        in_place: false,
        once: true,
        for_everyone: false,
    };
    Some(Control::Button {
        label: say!(language, "settings-undo-button", setting = setting, number = number),
        style: ControlStyle::Secondary,
        call: Some(call),
    })
}
