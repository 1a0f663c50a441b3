//! `[model]` and `[models.NAME]`: the providers of chat models.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use url::Url;

use super::locations::SettingLocations;
use super::reader::{SectionReader, set};
use crate::agent::{ImageSetting, ToolSetting};
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics};
use crate::settings::model_api::ModelApi;
use crate::settings::valid::ModelSettings;

/// The longest wait for the first token and between two, in seconds; a person has long gone by then.
const WAIT_MAX: u64 = 600;

/// The most tokens of one answer; no model writes more.
const MAX_TOKENS_MAX: u32 = 1_000_000;

/// The range of a model's context size, in tokens: below it not even the system prompt fits; no model has more.
const CONTEXT_TOKENS: RangeInclusive<usize> = 1_024..=4_000_000;

/// The longest name of a model, in characters: Discord's limit for a choice.
const NAME_LENGTH_MAX: usize = 100;

/// The longest name of a provider, in characters.
const SERVER_NAME_LENGTH_MAX: usize = 32;

/// The most providers: an operator writes them manually.
const SERVERS_MAX: usize = 16;

/// Headers that the bot or its HTTP client writes.
const HEADERS_OF_HOST: [&str; 5] = ["authorization", "content-length", "content-type", "host", "transfer-encoding"];

/// Fields of the body that the bot writes.
const FIELDS_OF_HOST: [&str; 8] =
    ["max_tokens", "messages", "model", "n", "stream", "stream_options", "tool_choice", "tools"];

/// Reads `[model]`, or one of `[models.NAME]`. Reports a missing or invalid required setting and returns `None`.
pub(super) fn read(
    section: &mut SectionReader<'_>,
    name: Option<&str>,
    places: &mut SettingLocations,
) -> Option<ModelSettings> {
    let key_file = section.file("key_file");
    places.key_files.extend(key_file.clone().map(|file| (section.path_of("key_file"), file)));
    let api = section.one_of("api", &ModelApi::ALL.map(|api| (api.name(), api))).unwrap_or_default();
    let base_url = base_url(section, key_file.is_some());
    let models = models(section, name);
    let first_token = section.seconds("first_token_s", WAIT_MAX);
    let stall = section.seconds("stall_s", WAIT_MAX);
    section.gone(
        "timeout_s",
        "write `first_token_s`, how long to wait for the first word; `time_s` in [chat.limits] is the time from there on",
    );
    let max_tokens = section.whole("max_tokens", 1..=MAX_TOKENS_MAX);
    let context_tokens = section.whole("context_tokens", CONTEXT_TOKENS);
    let tools = section.one_of("tools", &ToolSetting::ALL.map(|tools| (tools.name(), tools)));
    let images = section.boolean_or("images", ImageSetting::AUTO).map(ImageSetting::from);
    let key_header = key_header(section);
    let headers = headers(section);
    let body = body(section, api);
    let proxy = section.address("proxy").map(|proxy| proxy.value);
    let mut server = ModelSettings::at(base_url?, models?);
    set(&mut server.first_token, first_token);
    set(&mut server.stall, stall);
    set(&mut server.context_tokens, context_tokens);
    set(&mut server.tools, tools);
    set(&mut server.images, images);
    Some(ModelSettings {
        name: name.map(str::to_owned),
        api,
        key_file: key_file.map(|file| file.value),
        key_header,
        headers,
        body,
        proxy,
        max_tokens,
        ..server
    })
}

/// Reads `[models]`, whose tables are named after providers.
pub(super) fn read_named(
    mut table: Section,
    servers: &mut Vec<ModelSettings>,
    places: &mut SettingLocations,
    found: &mut Diagnostics,
) {
    if servers.is_empty() {
        let message = "`[models]` needs `[model]`, the server of the default model".to_owned();
        let help = "name one of the servers `[model]`".to_owned();
        found.push(table.problem(Code::ConfigValueInvalid, &table.span(), message, help));
    }
    for at in table.keys() {
        let Some((at, value)) = table.take(&at.value) else { continue };
        let mut problem = |message: String, help: &str| {
            found.push(table.problem(Code::ConfigValueInvalid, &at.span, message, help.to_owned()));
        };
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let TomlValue::Table(section) = value.value else {
            let help = "write `[models.NAME]` on a line of its own, and its settings below";
            problem(format!("`[models]` holds a table for each server, and `{}` is not one", at.value), help);
            continue;
        };
        if at.value.is_empty() || SERVER_NAME_LENGTH_MAX < at.value.len() || !at.value.chars().all(is_name) {
            let help = "use lower-case letters, digits, `-` and `_`: it is put before the names of the models";
            problem(format!("a server's name has 1 to {SERVER_NAME_LENGTH_MAX} characters of a to z"), help);
        }
        if SERVERS_MAX <= servers.len() {
            return problem(format!("there are more than {SERVERS_MAX} servers"), "take some out");
        }
        let mut section = SectionReader::new(section, found);
        let server = read(&mut section, Some(&at.value), places);
        if let Some(twice) = server
            .iter()
            .flat_map(ModelSettings::offered)
            .find_map(|model| servers.iter().flat_map(ModelSettings::offered).find(|other| other.name == model.name))
        {
            let message = format!("two servers have a model that people choose as `{}`", twice.name);
            section.invalid(&at.span, message, "give this server another name".to_owned());
        }
        section.finish();
        servers.extend(server);
    }
}

/// Reads the header for the key, if it is not `Authorization`.
fn key_header(section: &mut SectionReader<'_>) -> Option<String> {
    let help = "write a name of letters, digits and `-`, such as `api-key`, or take it out";
    section
        .parsed("key_header", "is not the name of a header", help, |name| is_header(name).then(|| name.to_lowercase()))
}

/// Reads additional headers.
fn headers(section: &mut SectionReader<'_>) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    section.table("headers", |mut table, found| {
        for at in table.keys() {
            let Some(text) = table.string(&at.value, found) else { continue };
            let name = at.value.to_lowercase();
            let (problem, help) = if !is_header(&name) || HEADERS_OF_HOST.contains(&name.as_str()) {
                (format!("`{}` cannot be set here", at.value), "take it out; the key belongs in `key_file`")
            } else if !text.value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                (format!("`{}` holds more than visible ASCII", at.value), "write what a header may hold")
            } else {
                headers.insert(name, text.value);
                continue;
            };
            found.push(table.problem(Code::ConfigValueInvalid, &at.span, problem, help.to_owned()));
        }
    });
    headers
}

/// Reads additional body fields, and those with a separate setting.
fn body(section: &mut SectionReader<'_>, api: ModelApi) -> Map<String, Value> {
    let mut body = Map::new();
    section.table("body", |mut table, found| {
        for key in table.keys() {
            let Some((_, value)) = table.take(&key.value) else { continue };
            let (message, help) = match value.value.into_json() {
                _ if FIELDS_OF_HOST.iter().chain(api.own_fields()).any(|field| *field == key.value) => {
                    (format!("`{}` is written by the bot", key.value), "take it out")
                }
                None => (format!("`{}` holds what JSON cannot", key.value), "write text, numbers, lists and tables"),
                Some(json) => {
                    body.insert(key.value, json);
                    continue;
                }
            };
            found.push(table.problem(Code::ConfigValueInvalid, &key.span, message, help.to_owned()));
        }
    });
    for (key, max) in [("temperature", 2.0), ("top_p", 1.0)] {
        if let Some(number) = section.number(key, 0.0..=max) {
            body.insert(key.to_owned(), Value::from(number));
        }
    }
    body
}

/// Returns whether this may be the name of a header (RFC 9110, section 5.6.2), limited to the characters in use.
fn is_header(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Reads the provider's address. A key must not be sent in clear over the network, unless the operator sets `insecure`.
fn base_url(section: &mut SectionReader<'_>, has_key: bool) -> Option<Url> {
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
    if let Some(added) = ModelApi::ALL.map(ModelApi::path).iter().find(|added| path.ends_with(&format!("/{added}"))) {
        let help = format!("leave `/{added}` out: it is added to every request");
        section.invalid(&span, format!("`{}` must not include `/{added}`", section.path_of("base_url")), help);
        return None;
    }
    url.set_path(&format!("{path}/"));
    Some(url)
}

fn models(section: &mut SectionReader<'_>, server: Option<&str>) -> Option<Vec<String>> {
    if !section.has("models") {
        section.missing(
            "models",
            "write the models people may choose, the default first, such as `models = [\"llama3.2\"]`",
        );
    }
    let models = section.texts("models")?;
    if models.value.is_empty() {
        let help = "write at least one; the first is the default";
        section.invalid(&models.span, format!("`{}` names no model", section.path_of("models")), help.to_owned());
    }
    let mut seen = BTreeSet::new();
    for name in &models.value {
        let before = server.map_or(0, |server| server.len() + 1);
        let length = before + name.value.chars().count();
        if name.value.trim().is_empty() || NAME_LENGTH_MAX < length {
            let message = format!("a model's name has 1 to {NAME_LENGTH_MAX} characters; this has {length}");
            section.invalid(&name.span, message, "write the name as the model's server lists it".to_owned());
        } else if !seen.insert(&name.value) {
            let message = format!("`{}` names `{}` twice", section.path_of("models"), name.value);
            section.invalid(&name.span, message, "take one of them out".to_owned());
        }
    }
    Some(models.value.into_iter().map(|name| name.value).collect())
}
