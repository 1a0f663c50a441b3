//! `[model]`: the chat model.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use url::Url;

use super::locations::SettingLocations;
use super::reader::{Reader, set};
use crate::agent::{ChatSettings, ToolSetting};
use crate::diagnostic::spanned::Spanned;
use crate::settings::valid::ModelSettings;

/// The default time until the first token: a slow machine reads a long prompt first, and others may come before.
const FIRST_TOKEN: Duration = Duration::from_secs(60);

/// The default of the longest pause between two tokens.
const STALL: Duration = Duration::from_secs(20);

/// The longest of both, in seconds; a person has long gone by then.
const WAIT_MAX: u64 = 600;

/// The most tokens of one answer; no model writes more.
const MAX_TOKENS_MAX: u32 = 1_000_000;

/// The range of a model's context size, in tokens: below it not even the system prompt fits; above it there is no
/// model.
const CONTEXT_TOKENS: RangeInclusive<usize> = 1_024..=4_000_000;

/// The longest name of a model, in characters: Discord's limit for a choice.
const NAME_LENGTH_MAX: usize = 100;

/// Reads the section: returns how to reach the model, and puts what a conversation must know of it into `chat`. `None`
/// if a required setting is wrong, which is then reported.
pub(super) fn read(
    section: &mut Reader<'_>,
    chat: &mut ChatSettings,
    places: &mut SettingLocations,
) -> Option<ModelSettings> {
    places.key_file = section.file("key_file");
    let base_url = base_url(section, places.key_file.is_some());
    let models = models(section);
    let key_file = places.key_file.as_ref().map(|file| file.value.clone());
    let first_token = section.seconds("first_token_s", WAIT_MAX).unwrap_or(FIRST_TOKEN);
    let stall = section.seconds("stall_s", WAIT_MAX).unwrap_or(STALL);
    section.gone(
        "timeout_s",
        "write `first_token_s`, how long to wait for the first word; `time_s` in [chat.limits] is the time from there on",
    );
    let max_tokens = section.whole("max_tokens", 1..=MAX_TOKENS_MAX);
    set(&mut chat.answer_tokens, max_tokens.and_then(|tokens| usize::try_from(tokens).ok()));
    set(&mut chat.context_tokens, section.whole("context_tokens", CONTEXT_TOKENS));
    set(&mut chat.tools, section.one_of("tools", &ToolSetting::ALL.map(|tools| (tools.name(), tools))));
    Some(ModelSettings { base_url: base_url?, models: models?, key_file, first_token, stall, max_tokens })
}

/// Where the model answers. A key is not sent so that others can read it on the way, unless the operator says that they
/// cannot.
fn base_url(section: &mut Reader<'_>, has_key: bool) -> Option<Url> {
    let insecure = section.boolean("insecure").unwrap_or(false);
    if !section.has("base_url") {
        section
            .missing("base_url", "write where the model answers, such as `base_url = \"http://127.0.0.1:11434/v1\"`");
    }
    let Spanned { value: mut url, span } = section.address("base_url")?;
    if has_key && !insecure {
        section.encrypted("base_url", &url, &span, "the key");
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with("/chat/completions") {
        let help = "leave `/chat/completions` out: it is added to every request";
        section.invalid(&span, "`model.base_url` says too much".to_owned(), help.to_owned());
        return None;
    }
    url.set_path(&format!("{path}/"));
    Some(url)
}

fn models(section: &mut Reader<'_>) -> Option<Vec<String>> {
    if !section.has("models") {
        section.missing(
            "models",
            "write the models people may choose, the default first, such as `models = [\"llama3.2\"]`",
        );
    }
    let models = section.texts("models")?;
    if models.value.is_empty() {
        let help = "write at least one; the first is the default";
        section.invalid(&models.span, "`model.models` names no model".to_owned(), help.to_owned());
    }
    let mut seen = BTreeSet::new();
    for name in &models.value {
        let length = name.value.chars().count();
        if name.value.trim().is_empty() || NAME_LENGTH_MAX < length {
            let message = format!("a model's name has 1 to {NAME_LENGTH_MAX} characters; this has {length}");
            section.invalid(&name.span, message, "write the name as the model's server lists it".to_owned());
        } else if !seen.insert(&name.value) {
            let message = format!("`model.models` names `{}` twice", name.value);
            section.invalid(&name.span, message, "take one of them out".to_owned());
        }
    }
    Some(models.value.into_iter().map(|name| name.value).collect())
}
