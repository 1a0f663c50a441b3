//! `/settings show`: each setting with its value and source, and the controls to change it.

use serde_json::{Map, Value};

use crate::builtin::builtins::Bot;
use crate::builtin::settings::changes::undo_button;
use crate::builtin::settings::sheet::Kept;
use crate::builtin::settings::words::{shown, shown_text};
use crate::rules::{Guilds, SettingOfModule};
use candor_core::contract::{Call, CommandError, NoArguments};
use candor_core::guild::{Fixed, GuildSetting, GuildValue, Unset};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, say};
use candor_core::reply::{Control, ControlStyle, Field, Picked, PreparedCall, Reply, age_in};
use candor_core::text::{in_code_span, in_code_spans, one_line};

/// Discord's limits for a select menu: the number of choices, and the length of a choice.
const CHOICES_MAX: usize = 25;
const CHOICE_LENGTH_MAX: usize = 100;

/// The limits for settings of modules and for each value, in characters: a field at Discord holds 1,024.
const OF_MODULES_MAX: usize = 900;
const VALUE_LENGTH_MAX: usize = 40;

pub(in crate::builtin) async fn show(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let bot = Bot::of(&call)?;
    let book = bot.guilds();
    let kept = Kept::read(&call).await?;
    let may_set = |setting: &GuildSetting| book.may_set(*setting, kept.guild).is_ok();
    let mut reply = Reply::text(match GuildSetting::ALL.iter().any(may_set) {
        true => say!(language, "settings-how"),
        false => say!(language, "settings-nothing-allowed"),
    });
    if let Place::Guild { channel, .. } = call.place {
        let here = book.in_channel(channel);
        if !here.is_empty() {
            let settings = in_code_spans(here.iter().map(|setting| setting.name()));
            reply.add_line(&say!(language, "settings-in-channel", settings = settings));
        }
    }
    if let Some(last) = kept.sheet.changes().last() {
        reply.add_line(&say!(
            language,
            "settings-last-change",
            setting = last.setting.name(),
            age = age_in(last.by.at, call.now, language),
            receipt = last.by.receipt.to_string(),
            number = last.number,
        ));
    }
    let fields = GuildSetting::ALL.into_iter().map(|setting| field(setting, &kept, book, language));
    reply.fields = fields.collect();
    reply.controls = controls(&kept, book, language);
    Ok(reply.titled(say!(language, "settings-title")))
}

fn field(setting: GuildSetting, kept: &Kept, book: &Guilds, language: Language) -> Field {
    let name = format!("{} ({})", about(setting, language), setting.name());
    let fixed = book.may_set(setting, kept.guild).err();
    if setting == GuildSetting::ModuleSettings {
        return Field { name, value: of_modules(kept, book, fixed, language) };
    }
    let (value, source) = match kept.sheet.values().get(setting).filter(|_| fixed.is_none()) {
        Some(value) => {
            let source = vanished(value, kept, book, language);
            let source = source.unwrap_or_else(|| say!(language, "settings-source-server"));
            (shown(Some(value), language), source)
        }
        None => {
            let Unset { value, is_operators } = book.unset(setting, kept.guild);
            let value = match value {
                Some(value) => shown_text(setting, &value),
                None if is_operators => say!(language, "settings-not-shown"),
                None => say!(language, "settings-none"),
            };
            let source = match (is_operators, fixed) {
                (true, _) => say!(language, "settings-source-operator"),
                (false, Some(Fixed::NotAllowed | Fixed::ByOperator)) => say!(language, "settings-source-closed"),
                (false, None) => say!(language, "settings-source-default"),
            };
            (value, source)
        }
    };
    let mut value = format!("{value}\n{source}");
    let is_set = kept.sheet.values().get(setting).is_some();
    if setting == GuildSetting::Commands && is_set {
        value = format!("{value}\n{}", say!(language, "settings-still-offered"));
    }
    let operators = book.unset(setting, kept.guild).value.filter(|_| setting == GuildSetting::Cooldowns && is_set);
    if let Some(operators) = operators {
        let cooldowns = shown_text(setting, &operators);
        value = format!("{value}\n{}", say!(language, "settings-cooldowns-operators", cooldowns = cooldowns));
    }
    Field { name, value }
}

fn of_modules(kept: &Kept, book: &Guilds, fixed: Option<Fixed>, language: Language) -> String {
    let all = book.module_settings();
    if all.is_empty() {
        return say!(language, "settings-module-settings-none");
    }
    let line = |setting: &SettingOfModule| {
        let name = setting.name();
        let kind = &setting.spec.kind;
        let here = kept.sheet.values().module_settings().and_then(|written| written.get(&name));
        let here = here.filter(|_| fixed.is_none() && !setting.is_operators);
        let fits = here.is_some_and(|text| setting.spec.read(text).is_some());
        let source = match here {
            _ if setting.is_operators => say!(language, "settings-source-operator"),
            Some(_) if fits => say!(language, "settings-source-server"),
            Some(_) => say!(language, "settings-of-module-unfit", takes = kind.text(language)),
            None => say!(language, "settings-source-default"),
        };
        let value = match here.filter(|_| fits).or(setting.value.as_deref()) {
            Some(text) => in_code_span(&one_line(text, VALUE_LENGTH_MAX)),
            None => say!(language, "settings-unset"),
        };
        format!("`{name}`: {value} · {source}")
    };
    let mut lines = Vec::new();
    let mut length = 0;
    for (n, line) in all.iter().map(line).enumerate() {
        length += line.chars().count() + 1;
        if OF_MODULES_MAX < length {
            lines.push(say!(language, "settings-of-modules-more", n = all.len() - n));
            break;
        }
        lines.push(line);
    }
    if fixed.is_some() {
        lines.push(say!(language, "settings-source-closed"));
    }
    lines.join("\n")
}

/// Returns the note that the guild's model is no longer offered, and which model replaces it.
fn vanished(value: &GuildValue, kept: &Kept, book: &Guilds, language: Language) -> Option<String> {
    let GuildValue::Model(model) = value else { return None };
    let used = book.unset(GuildSetting::Model, kept.guild).value.filter(|_| !book.models().contains(model))?;
    Some(say!(language, "settings-source-vanished", used = shown_text(GuildSetting::Model, &used)))
}

fn about(setting: GuildSetting, language: Language) -> String {
    match setting {
        GuildSetting::Chat => say!(language, "settings-chat"),
        GuildSetting::ChatChannels => say!(language, "settings-chat-channels"),
        GuildSetting::ChatRoles => say!(language, "settings-chat-roles"),
        GuildSetting::WriteTools => say!(language, "settings-write-tools"),
        GuildSetting::Persona => say!(language, "settings-persona"),
        GuildSetting::Model => say!(language, "settings-model"),
        GuildSetting::Language => say!(language, "settings-language"),
        GuildSetting::Commands => say!(language, "settings-commands"),
        GuildSetting::Cooldowns => say!(language, "settings-cooldowns"),
        GuildSetting::ModuleSettings => say!(language, "settings-module-settings"),
        GuildSetting::ModuleChannels => say!(language, "settings-module-channels"),
    }
}

/// Returns menus, pickers and buttons for the settings that may be changed. Each carries the number of the last change
/// that its person saw.
fn controls(kept: &Kept, book: &Guilds, language: Language) -> Vec<Vec<Control>> {
    let may_set = |setting| book.may_set(setting, kept.guild).is_ok();
    let set = |setting: GuildSetting| PreparedCall {
        path: CommandPath::new("settings", Some("set")),
        arguments: Map::from_iter([
            ("name".to_owned(), Value::from(setting.name())),
            ("at".to_owned(), Value::from(kept.sheet.number())),
        ]),
        in_place: false,
        once: false,
        for_everyone: false,
    };
    let select = |setting: GuildSetting, choices: Vec<(String, String)>| {
        let fits = (1..=CHOICES_MAX).contains(&choices.len()) && may_set(setting);
        fits.then(|| {
            vec![Control::Select {
                placeholder: about(setting, language),
                option: "value".to_owned(),
                choices,
                call: set(setting),
            }]
        })
    };
    let pick = |setting: GuildSetting, from: Picked| {
        let placeholder = about(setting, language);
        may_set(setting)
            .then(|| vec![Control::Pick { placeholder, from, option: "value".to_owned(), call: set(setting) }])
    };
    let models = book.models().into_iter().filter(|model| model.chars().count() <= CHOICE_LENGTH_MAX);
    let languages = Language::all().map(|known| (known.to_string(), known.to_string()));
    // Without a value, a form asks for it.
    let button = |setting: GuildSetting, label: String, value: Option<&str>| {
        let mut call = set(setting);
        call.arguments.extend(value.map(|value| ("value".to_owned(), Value::from(value))));
        may_set(setting).then_some(Control::Button {
            label,
            emoji: None,
            style: ControlStyle::Secondary,
            call: Some(call),
        })
    };
    let is_off = kept.sheet.values().get(GuildSetting::Chat) == Some(&GuildValue::Chat(false));
    let (switch, to) = match is_off {
        true => (say!(language, "settings-chat-on"), "on"),
        false => (say!(language, "settings-chat-off"), "off"),
    };
    let buttons = [
        button(GuildSetting::Chat, switch, Some(to)),
        button(GuildSetting::Persona, say!(language, "settings-persona-button"), None),
        button(GuildSetting::Cooldowns, say!(language, "settings-cooldowns-button"), None),
        button(GuildSetting::ModuleSettings, say!(language, "settings-module-settings-button"), None)
            .filter(|_| book.module_settings().iter().any(|setting| !setting.is_operators)),
    ];
    let buttons: Vec<_> = buttons.into_iter().flatten().chain(undo_button(kept, book, language)).collect();
    // Together with the row of buttons, this is the maximum number of rows in a Discord message.
    let menus = [
        pick(GuildSetting::ChatChannels, Picked::Channels),
        pick(GuildSetting::ChatRoles, Picked::Roles),
        select(GuildSetting::Model, models.map(|model| (model.clone(), model)).collect()),
        select(GuildSetting::Language, languages.collect()),
    ];
    menus.into_iter().flatten().chain((!buttons.is_empty()).then_some(buttons)).collect()
}
