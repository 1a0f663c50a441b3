//! Manifest sections of modules without Rust code: replies, probes and `[run]`.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned, TomlValue};

/// The table `[run]`.
#[derive(Debug, Default)]
pub(crate) struct WrittenRun {
    pub(crate) span: Range<usize>,
    pub(crate) program: Option<Spanned<String>>,
    pub(crate) arguments: Vec<Spanned<String>>,
    pub(crate) url: Option<Spanned<String>>,
    pub(crate) bearer_file: Option<Spanned<String>>,
    pub(crate) oauth: Option<WrittenOAuth>,
    pub(crate) insecure: Option<Spanned<bool>>,
    pub(crate) env: Vec<Spanned<String>>,
    pub(crate) reads: Vec<Spanned<String>>,
    pub(crate) ports: Vec<Spanned<i64>>,
    pub(crate) sandbox: Option<Spanned<String>>,
    pub(crate) tools: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) prefix: Option<Spanned<String>>,
    pub(crate) model: Option<Spanned<bool>>,
    pub(crate) chat_only: Option<Spanned<bool>>,
    pub(crate) writes: Option<Spanned<bool>>,
    pub(crate) removes: Option<Spanned<bool>>,
    pub(crate) limits: Vec<(&'static str, Spanned<i64>)>,
}

/// `[run.oauth]`: how the bot signs in to a server.
#[derive(Debug)]
pub(crate) struct WrittenOAuth {
    pub(crate) span: Range<usize>,
    pub(crate) grant: Option<Spanned<String>>,
    pub(crate) client_id: Option<Spanned<String>>,
    pub(crate) client_secret_file: Option<Spanned<String>>,
    pub(crate) scopes: Vec<Spanned<String>>,
}

const LIMITS: [&str; 10] = [
    "start_s",
    "time_s",
    "cpu_s",
    "memory_mib",
    "file_mib",
    "folder_mib",
    "open_files",
    "processes",
    "output_kib",
    "at_once",
];

/// The answer of a text module's command: a text, or a table.
#[derive(Debug, Default)]
pub(crate) struct WrittenReply {
    /// One of them is chosen at each call.
    pub(crate) texts: Vec<Spanned<String>>,
    pub(crate) title: Option<Spanned<String>>,
    pub(crate) colour: Option<Spanned<String>>,
    pub(crate) picture: Option<Spanned<String>>,
    /// The reply in other languages, each with its key.
    pub(crate) localized: Vec<(Spanned<String>, WrittenReply)>,
}

impl WrittenReply {
    pub(super) fn words_mut(&mut self) -> Vec<&mut Spanned<String>> {
        let others = self.localized.iter_mut().flat_map(|(_, reply)| reply.words_mut());
        self.texts.iter_mut().chain(&mut self.title).chain(others).collect()
    }
}

pub(super) fn run(mut table: Section, found: &mut Diagnostics) -> WrittenRun {
    let listed = |texts: Option<Spanned<Vec<Spanned<String>>>>| texts.map(|texts| texts.value).unwrap_or_default();
    let run = WrittenRun {
        span: table.span(),
        program: table.string("program", found),
        arguments: listed(table.strings("arguments", found)),
        url: table.string("url", found),
        bearer_file: table.string("bearer_file", found),
        oauth: table.section("oauth", found).map(|table| oauth(table, found)),
        insecure: table.boolean("insecure", found),
        env: listed(table.strings("env", found)),
        reads: listed(table.strings("reads", found)),
        ports: table.integers("ports", found).map(|ports| ports.value).unwrap_or_default(),
        sandbox: table.string("sandbox", found),
        tools: table.strings("tools", found),
        prefix: table.string("prefix", found),
        model: table.boolean("model", found),
        chat_only: table.boolean("chat_only", found),
        writes: table.boolean("writes", found),
        removes: table.boolean("removes", found),
        limits: LIMITS.into_iter().filter_map(|key| Some((key, table.integer(key, found)?))).collect(),
    };
    table.finish(found);
    run
}

fn oauth(mut table: Section, found: &mut Diagnostics) -> WrittenOAuth {
    let oauth = WrittenOAuth {
        span: table.span(),
        grant: table.string("grant", found),
        client_id: table.string("client_id", found),
        client_secret_file: table.string("client_secret_file", found),
        scopes: table.strings("scopes", found).map(|scopes| scopes.value).unwrap_or_default(),
    };
    table.finish(found);
    oauth
}

pub(super) fn reply(key: &str, table: &mut Section, found: &mut Diagnostics) -> Option<Spanned<WrittenReply>> {
    reply_at(key, table, localized, found)
}

type TakeLocalized = fn(&mut Section, &mut Diagnostics) -> Vec<(Spanned<String>, WrittenReply)>;

fn reply_at(
    key: &str,
    table: &mut Section,
    localized: TakeLocalized,
    found: &mut Diagnostics,
) -> Option<Spanned<WrittenReply>> {
    let (_, Spanned { value, span }) = table.take(key)?;
    let value = match value {
        TomlValue::String(text) => {
            WrittenReply { texts: vec![Spanned { value: text, span: span.clone() }], ..WrittenReply::default() }
        }
        TomlValue::Table(table) => reply_table(table, localized, found),
        other => {
            found.push(table.wrong_type(key, "a text, or a table with `text`", &other, &span));
            return None;
        }
    };
    Some(Spanned { value, span })
}

fn reply_table(mut table: Section, localized: TakeLocalized, found: &mut Diagnostics) -> WrittenReply {
    let one = table.string("text", found);
    let several = table.strings("any", found).map(|texts| texts.value).unwrap_or_default();
    let reply = WrittenReply {
        texts: one.into_iter().chain(several).collect(),
        title: table.string("title", found),
        colour: table.string("colour", found),
        picture: table.string("picture", found),
        localized: localized(&mut table, found),
    };
    table.finish(found);
    reply
}

/// Takes a reply in another language. It has no further languages.
fn localized(table: &mut Section, found: &mut Diagnostics) -> Vec<(Spanned<String>, WrittenReply)> {
    let Some(mut languages) = table.section("localized", found) else { return Vec::new() };
    let keys = languages.keys().into_iter();
    let mut read = |key: &str| reply_at(key, &mut languages, |_, _| Vec::new(), found);
    keys.filter_map(|key| read(&key.value).map(|reply| (key, reply.value))).collect()
}

pub(super) fn probe(table: &mut Section, found: &mut Diagnostics) -> Option<Spanned<Map<String, Value>>> {
    let mut inner = table.section("probe", found)?;
    let span = inner.span();
    let mut options = Map::new();
    for key in inner.keys() {
        let Some((_, Spanned { value, span })) = inner.take(&key.value) else { continue };
        let value = match value {
            TomlValue::String(text) => Value::from(text),
            TomlValue::Integer(number) => Value::from(number),
            TomlValue::Number(number) => Value::from(number),
            TomlValue::Boolean(truth) => Value::from(truth),
            other => {
                found.push(inner.wrong_type(&key.value, "a text, a number, true or false", &other, &span));
                continue;
            }
        };
        options.insert(key.value, value);
    }
    Some(Spanned { value: options, span })
}
