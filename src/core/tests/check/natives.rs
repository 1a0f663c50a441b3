//! The code behind the fixtures: small modules, each with something that can go right and wrong.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use candor_core::contract::{CommandError, NativeModule, NoArguments, ServiceName, entity};
use candor_core::reply::Reply;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Forecast {
    /// Where
    city: String,
    /// For how many days
    #[schemars(range(min = 1, max = 14))]
    days: Option<u8>,
    /// In which degrees
    unit: Option<Unit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Search {
    /// What to look for
    query: String,
    /// On which shelf
    shelf: Option<String>,
    /// Whether the words must match exactly
    exact: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Pair {
    /// The first text
    first: String,
    /// The second text
    second: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Silent {
    word: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
#[serde(rename_all = "camelCase")]
struct Camel {
    /// Two humps
    two_humps: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Strange {
    /// Words to look for
    tags: Vec<String>,
    /// Where to look
    address: Option<std::net::Ipv4Addr>,
}

/// An option of every other kind.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Welcome {
    /// Whom to welcome
    person: Option<entity::User>,
    /// Where
    channel: Option<entity::Channel>,
    /// As what
    role: Option<entity::Role>,
    /// Whom to tell
    tell: Option<entity::Mentionable>,
    /// A picture
    picture: Option<entity::Attachment>,
    /// How warmly
    #[schemars(range(min = 1, max = 10))]
    level: Option<u8>,
    /// Which part of the fee
    share: Option<f64>,
    /// What to say
    words: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Member {
    /// Who
    person: entity::User,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Reported {
    message: entity::MessageRef,
}

/// One text more than a modal takes.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the signature counts here")]
struct Pages {
    /// The first
    a: String,
    /// The second
    b: String,
    /// The third
    c: String,
    /// The fourth
    d: String,
    /// The fifth
    e: String,
    /// The sixth
    f: String,
    /// The seventh
    g: Option<String>,
}

/// One option more than Discord takes.
#[derive(Deserialize)]
struct Crowd {}

impl JsonSchema for Crowd {
    fn schema_name() -> Cow<'static, str> {
        "Crowd".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let option =
            |letter: char| (letter.to_string(), json_schema!({ "type": "boolean", "description": "One of many" }));
        json_schema!({ "type": "object", "properties": ('a'..='z').map(option).collect::<BTreeMap<_, _>>() })
    }
}

pub(crate) async fn nothing() -> Result<Reply, CommandError> {
    Ok(Reply::default())
}

/// Settings of a module.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
struct Days {
    days: u8,
}

/// The bot itself, with one command.
pub(crate) fn builtin() -> NativeModule {
    let manifest = r#"
        [module]
        name = "builtin"
        summary = "The bot itself"

        [commands."/help"]
        description = "What this bot can do"
        handler = "help"
    "#;
    NativeModule::new("builtin", manifest).handler("help", |_: NoArguments, _| nothing())
}

/// Modules without a manifest of their own: fixtures bring it.
pub(crate) fn natives() -> Vec<NativeModule> {
    vec![
        NativeModule::new("weather", "").handler("status", |_: NoArguments, _| nothing()),
        NativeModule::new("forecast", "").handler("forecast", |_: Forecast, _| nothing()),
        NativeModule::new("search", "").handler("search", |_: Search, _| nothing()).complete(
            "search",
            "query",
            async |_, _| Vec::new(),
        ),
        NativeModule::new("clock", "")
            .handler("now", |_: NoArguments, _| nothing())
            .handler("zones", |_: NoArguments, _| nothing()),
        NativeModule::new("board", "").handler("board", |_: NoArguments, _| nothing()).needs(ServiceName::Records),
        NativeModule::new("pair", "").handler("pair", |_: Pair, _| nothing()),
        NativeModule::new("crowd", "").handler("crowd", |_: Crowd, _| nothing()),
        NativeModule::new("camel", "").handler("camel", |_: Camel, _| nothing()),
        NativeModule::new("welcome", "").handler("welcome", |_: Welcome, _| nothing()),
        NativeModule::new("members", "")
            .handler("profile", |_: Member, _| nothing())
            .handler("report", |_: Reported, _| nothing()),
        NativeModule::new("tuned", "").handler("tuned", |_: NoArguments, _| nothing()).settings::<Days>(),
        NativeModule::new("loose", "").handler("loose", |_: NoArguments, _| nothing()).settings::<Days>(),
        NativeModule::new("wide", "").handler("wide", |_: NoArguments, _| nothing()).settings::<Days>(),
        NativeModule::new("pages", "").handler("pages", |_: Pages, _| nothing()),
        NativeModule::new("silent", "").handler("silent", |_: Silent, _| nothing()),
        NativeModule::new("strange", "")
            .handler("strange", |_: Strange, _| nothing())
            .handler("whole", |_: serde_json::Value, _| nothing()),
    ]
}
