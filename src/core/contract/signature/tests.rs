//! Which types a handler may take, and how the others are reported.

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{Parameter, Signature, Unsupported};
use crate::contract::code::{NativeModule, NoArguments};
use crate::contract::entity;
use crate::contract::spec::{Choice, OptionKind};
use crate::reply::Reply;

const LARGEST: i64 = 9_007_199_254_740_991;

fn signature<A: DeserializeOwned + JsonSchema + Send + 'static>() -> Signature {
    let module = NativeModule::new("test", "").handler("test", |_: A, _| async { Ok(Reply::default()) });
    Signature::read(&module.handlers[0].signature)
}

fn text(choices: &[&str]) -> OptionKind {
    let choice = |value: &&str| Choice::new((*value).to_owned(), (*value).to_owned());
    OptionKind::String { min_length: None, max_length: None, choices: choices.iter().map(choice).collect() }
}

fn integer(min: i64, max: i64) -> OptionKind {
    OptionKind::Integer { min: Some(min), max: Some(max), choices: Vec::new() }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is read")]
struct Supported {
    zone: String,
    /// Wrapped where
    /// the editor wrapped it
    amount: i64,
    #[schemars(length(min = 2, max = 9000))]
    long: Option<String>,
    letter: char,
    small: u8,
    id: u32,
    signed: i32,
    huge: Option<u64>,
    #[schemars(range(min = 1, max = 7))]
    days: u16,
    ratio: Option<f64>,
    #[schemars(range(min = 0.5))]
    factor: f32,
    exact: bool,
    #[serde(default)]
    quiet: bool,
    plain: Plain,
    plain_or_none: Option<Plain>,
    worded: Worded,
    /// The field's own words
    worded_or_none: Option<Worded>,
    only: Option<Only>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    One,
    Two,
}

/// The words of the type
#[derive(Deserialize, JsonSchema)]
enum Worded {
    A,
    /// The second letter
    B,
}

#[derive(Deserialize, JsonSchema)]
enum Only {
    Choice,
}

#[test]
fn fields_are_read_in_their_order() {
    let expected: [(&str, Option<&str>, bool, OptionKind); 18] = [
        ("zone", None, true, text(&[])),
        ("amount", Some("Wrapped where the editor wrapped it"), true, integer(-LARGEST, LARGEST)),
        ("long", None, false, OptionKind::String { min_length: Some(2), max_length: Some(6000), choices: Vec::new() }),
        ("letter", None, true, OptionKind::String { min_length: Some(1), max_length: Some(1), choices: Vec::new() }),
        ("small", None, true, integer(0, 255)),
        ("id", None, true, integer(0, 4_294_967_295)),
        ("signed", None, true, integer(-2_147_483_648, 2_147_483_647)),
        ("huge", None, false, integer(0, LARGEST)),
        ("days", None, true, integer(1, 7)),
        (
            "ratio",
            None,
            false,
            OptionKind::Number { min: Some(-2f64.powi(53)), max: Some(2f64.powi(53)), choices: Vec::new() },
        ),
        ("factor", None, true, OptionKind::Number { min: Some(0.5), max: Some(2f64.powi(53)), choices: Vec::new() }),
        ("exact", None, true, OptionKind::Boolean),
        ("quiet", None, false, OptionKind::Boolean),
        ("plain", None, true, text(&["one", "two"])),
        ("plain_or_none", None, false, text(&["one", "two"])),
        ("worded", Some("The words of the type"), true, text(&["A", "B"])),
        ("worded_or_none", Some("The field's own words"), false, text(&["A", "B"])),
        ("only", None, false, text(&["Choice"])),
    ];
    let expected = expected.map(|(name, description, required, kind)| Parameter {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        kind,
        required,
    });
    let signature = signature::<Supported>();
    assert_eq!(signature.parameters, expected);
    assert_eq!(signature.unsupported, []);
    assert_eq!(super::Signature::default(), self::signature::<NoArguments>());
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is read")]
struct Pointing {
    /// Whom
    person: entity::User,
    person_or_none: Option<entity::User>,
    channel: Option<entity::Channel>,
    role: entity::Role,
    /// Anybody
    tell: Option<entity::Mentionable>,
    file: entity::Attachment,
    message: entity::MessageRef,
}

#[test]
fn what_a_person_points_at_is_an_option_of_its_own_type() {
    let expected = [
        ("person", Some("Whom"), true, OptionKind::User),
        ("person_or_none", None, false, OptionKind::User),
        ("channel", None, false, OptionKind::Channel { types: Vec::new() }),
        ("role", None, true, OptionKind::Role),
        ("tell", Some("Anybody"), false, OptionKind::Mentionable),
        ("file", None, true, OptionKind::Attachment),
        ("message", None, true, OptionKind::Message),
    ];
    let expected = expected.map(|(name, description, required, kind)| Parameter {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        kind,
        required,
    });
    let signature = signature::<Pointing>();
    assert_eq!(signature.parameters, expected);
    assert_eq!(signature.unsupported, []);
}

#[test]
fn numbers_of_which_only_some_are_allowed_have_choices() {
    fn choices<V: ToString + Copy>(values: &[V]) -> Vec<Choice<V>> {
        values.iter().map(|value| Choice::new(value.to_string(), *value)).collect()
    }
    let whole =
        |values: &[i64]| OptionKind::Integer { min: Some(-LARGEST), max: Some(LARGEST), choices: choices(values) };
    let number = |values: &[f64]| OptionKind::Number {
        min: Some(-2f64.powi(53)),
        max: Some(2f64.powi(53)),
        choices: choices(values),
    };
    let cases = [
        (json!({ "type": "integer", "enum": [1, 5] }), Ok(whole(&[1, 5]))),
        (json!({ "type": ["integer", "null"], "enum": [1, 5, null] }), Ok(whole(&[1, 5]))),
        (
            json!({ "oneOf": [{ "type": "integer", "const": 1 }, { "type": "integer", "const": 5 }] }),
            Ok(whole(&[1, 5])),
        ),
        (json!({ "type": "number", "enum": [0.5, 1] }), Ok(number(&[0.5, 1.0]))),
        (
            json!({ "type": "integer", "enum": ["1"] }),
            Err("may be `\"1\"`, which is not a whole number that Discord accepts"),
        ),
        (
            json!({ "type": "integer", "enum": [9_007_199_254_740_992_i64] }),
            Err("may be `9007199254740992`, which is not a whole number that Discord accepts"),
        ),
        (
            json!({ "oneOf": [{ "type": "integer", "const": 1 }, { "type": "string", "const": "a" }] }),
            Err("may be of more than one type"),
        ),
        (
            json!({ "oneOf": [{ "type": "integer", "const": 1 }, { "type": "integer" }] }),
            Err("has variants that are more than a name"),
        ),
        (
            json!({ "type": "object", "x-candor-entity": "user", "minProperties": 1 }),
            Err("is restricted by `minProperties`"),
        ),
        (json!({ "type": "object", "x-candor-entity": "guild" }), Err("points at `\"guild\"`, which is unknown")),
    ];
    for (field, expected) in cases {
        let schema = json_schema!({ "type": "object", "properties": { "level": field } });
        let Signature { parameters, unsupported } = Signature::read(&schema);
        let read = match (parameters.as_slice(), unsupported.as_slice()) {
            ([only], []) => Ok(only.kind.clone()),
            ([], [only]) => Err(only.reason.as_str()),
            other => panic!("{other:?}"),
        };
        assert_eq!(read, expected, "{schema:?}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is read")]
struct Strange {
    fine: String,
    list: Vec<String>,
    inner: Option<NoArguments>,
    anything: serde_json::Value,
    address: std::net::Ipv4Addr,
    #[schemars(regex(pattern = "^x"))]
    pattern: String,
    #[schemars(length(min = 7000))]
    endless: String,
    #[schemars(range(min = 5, max = 4))]
    nothing: i64,
    rich: Rich,
    either: Either,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is read")]
enum Rich {
    Plain,
    With(u8),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is read")]
enum Either {
    Text(String),
    Number(i64),
}

#[test]
fn what_discord_has_no_option_for_is_named() {
    let signature = signature::<Strange>();
    assert_eq!(signature.parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), ["fine"]);
    let unsupported: Vec<_> = signature
        .unsupported
        .iter()
        .map(|unsupported| (unsupported.field.as_deref().unwrap(), unsupported.reason.as_str()))
        .collect();
    let expected = [
        ("list", "is a list"),
        ("inner", "is a structure of its own"),
        ("anything", "may be of more than one type"),
        ("address", "is restricted by `format`"),
        ("pattern", "is restricted by `pattern`"),
        ("endless", "must be longer than the 6000 characters that Discord accepts"),
        ("nothing", "leaves no number that it may be"),
        ("rich", "has variants that are more than a name"),
        ("either", "may be of more than one type"),
    ];
    assert_eq!(unsupported, expected);
}

#[test]
fn arguments_that_are_no_struct_have_no_fields() {
    let whole = |reason: &str| vec![Unsupported { field: None, reason: reason.to_owned() }];
    assert_eq!(signature::<String>().unsupported, whole("is not a struct with named fields"));
    assert_eq!(signature::<serde_json::Value>().unsupported, whole("is not a struct with named fields"));
    assert_eq!(signature::<Rich>().unsupported, whole("is not a struct with named fields"));
}
