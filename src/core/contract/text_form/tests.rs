//! Tests of reading and writing arguments as text.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{TextFormError, parse, usage};
use crate::contract::{Choice, Leaf, OptionKind, OptionSpec};
use crate::inbound::CommandPath;
use crate::language::Language;

fn leaf(options: Vec<OptionSpec>) -> Leaf {
    Leaf::new("unused", options, None)
}

fn option(name: &str, kind: OptionKind, required: bool) -> OptionSpec {
    OptionSpec::new(name.to_owned(), "An option".to_owned(), kind, required)
}

fn text(max_length: Option<u16>, choices: &[&str]) -> OptionKind {
    let choice = |&value: &&str| Choice::new(value.to_uppercase(), value.to_owned());
    OptionKind::String { min_length: None, max_length, choices: choices.iter().map(choice).collect() }
}

/// An option of every kind.
fn plan() -> Leaf {
    leaf(vec![
        option("title", text(Some(30), &[]), true),
        option("kind", text(None, &["once", "every day"]), false),
        option("count", OptionKind::Integer { min: Some(1), max: Some(9), choices: Vec::new() }, false),
        option("share", OptionKind::Number { min: None, max: Some(1.0), choices: Vec::new() }, false),
        option("title-case", OptionKind::Boolean, false),
    ])
}

fn metric() -> Leaf {
    leaf(vec![option("metric", text(None, &[]), false)])
}

#[test]
fn arguments_that_fit_are_read() {
    let done = leaf(vec![option("task", OptionKind::Integer { min: None, max: None, choices: Vec::new() }, true)]);
    let cases = [
        (leaf(vec![]), "  ", json!({})),
        (metric(), "", json!({})),
        (metric(), "cpu", json!({"metric": "cpu"})),
        (metric(), " cpu load: 5 ", json!({"metric": "cpu load: 5"})),
        (metric(), "\"cpu\"", json!({"metric": "cpu"})),
        (metric(), "say \"cpu\"", json!({"metric": "say \"cpu\""})),
        (metric(), "metric: cpu", json!({"metric": "cpu"})),
        (metric(), "metric:cpu", json!({"metric": "cpu"})),
        (metric(), "metric: \"cpu\"", json!({"metric": "cpu"})),
        (metric(), "note: cpu", json!({"metric": "note: cpu"})),
        (done, "3", json!({"task": 3})),
        (plan(), "title: buy milk", json!({"title": "buy milk"})),
        (plan(), "title: see https://a.b at 10:30", json!({"title": "see https://a.b at 10:30"})),
        (plan(), "title: subtitle: x", json!({"title": "subtitle: x"})),
        (plan(), "count: 2\n title: two\nlines", json!({"title": "two\nlines", "count": 2})),
        (plan(), "title: \"count: 3\" count: 4", json!({"title": "count: 3", "count": 4})),
        (plan(), r#"title: "a \"b\" \\ \c""#, json!({"title": r#"a "b" \ \c"#})),
        (plan(), "title: say \"hi\" kind: every day", json!({"title": "say \"hi\"", "kind": "every day"})),
        (plan(), "title: \"\" share: -2.5e-1", json!({"title": "", "share": -0.25})),
        (plan(), "title-case: YES title: x", json!({"title": "x", "title-case": true})),
        (plan(), "title: x title-case: no", json!({"title": "x", "title-case": false})),
    ];
    for (leaf, text, expected) in cases {
        assert_eq!(parse(&leaf, text, Language::ENGLISH).map(Value::Object), Ok(expected), "{text:?}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_errors_that_name_the_option() {
    let takes = "it takes `title`, `kind`, `count`, `share`, `title-case`";
    let cases = [
        (metric(), "metrics: cpu", "it has no `metrics`, but `metric`".to_owned()),
        (leaf(vec![]), "now", "it takes nothing, so `now` cannot stand behind it".to_owned()),
        (leaf(vec![option("title", text(None, &[]), true)]), "", "it needs `title`".to_owned()),
        (plan(), "count: 3", "it needs `title`".to_owned()),
        (plan(), "buy milk", format!("`buy milk` stands before the name of any option; {takes}")),
        (plan(), "titel: x", format!("it has no option `titel`; {takes}")),
        (plan(), "Title: x", format!("it has no option `Title`; {takes}")),
        (plan(), "title: x title: y", "`title` is given twice".to_owned()),
        (plan(), "title: count: 3", "`title` has no value behind it".to_owned()),
        (plan(), "title:", "`title` has no value behind it".to_owned()),
        (plan(), "title: \"x", "the quotation mark before `x` is never closed".to_owned()),
        (plan(), "title: \"x\"y", "there is text right behind the closing quotation mark of `title`".to_owned()),
        (plan(), "title: \"x\" y", format!("`y` stands behind the value of `title`; {takes}")),
        (plan(), "title: \"x\" due: y", format!("it has no option `due`; {takes}")),
        (plan(), "title: x count: ten", "`count` must be a whole number".to_owned()),
        (plan(), "title: x count: 10", "`count` must be at most 9".to_owned()),
        (plan(), "title: x share: inf", "`share` must be a number".to_owned()),
        (plan(), "title: x title-case: 1", "`title-case` must be `true` or `false`".to_owned()),
        (plan(), "title: x kind: often", "`kind` must be one of `once`, `every day`".to_owned()),
        (plan(), &format!("title: {}", "x".repeat(31)), {
            "`title` must have at most 30 characters; this has 31".to_owned()
        }),
    ];
    for (leaf, text, expected) in cases {
        assert_eq!(parse(&leaf, text, Language::ENGLISH), Err(TextFormError(expected)), "{text:?}");
    }
}

#[test]
fn usage_shows_every_option() {
    let add = CommandPath::new("plan", Some("add"));
    let expected = "/plan add title: <text> [kind: once|every day] [count: <whole number>] [share: <number>] \
                    [title-case: true|false]";
    assert_eq!(usage(&Leaf { path: add, ..plan() }), expected);
    assert_eq!(usage(&Leaf { path: CommandPath::new("status", None), ..metric() }), "/status [metric: <text>]");
    assert_eq!(usage(&Leaf { path: CommandPath::new("help", None), ..leaf(vec![]) }), "/help");
}

#[test]
fn reading_is_linear() {
    for piece in ["title:", "title: x ", "\"", "\\", "x ", "title: \"x\" "] {
        assert!(parse(&plan(), &piece.repeat(100_000), Language::ENGLISH).is_err(), "{piece:?}");
    }
}

/// Arguments as a person would type them, with all text quoted.
fn written(arguments: &Map<String, Value>) -> String {
    let pair = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: \"{}\"", text.replace('\\', r"\\").replace('"', r#"\""#)),
        other => format!("{name}: {other}"),
    };
    arguments.iter().map(pair).collect::<Vec<_>>().join(" ")
}

fn fitting() -> impl Strategy<Value = Map<String, Value>> {
    let title = prop_oneof![any::<String>(), r#"(title:|count: 3|"|\\| |x){0,8}"#]
        .prop_map(|title| Value::from(title.chars().take(30).collect::<String>()));
    let kind = prop::option::of(prop_oneof![Just(json!("once")), Just(json!("every day"))]);
    let count = prop::option::of((1_i64..=9).prop_map(Value::from));
    let share = prop::option::of((-1e300..=1.0).prop_map(Value::from));
    let cased = prop::option::of(any::<bool>().prop_map(Value::from));
    (title, kind, count, share, cased).prop_map(|(title, kind, count, share, cased)| {
        let given = [("title", Some(title)), ("kind", kind), ("count", count), ("share", share), ("title-case", cased)];
        given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(arguments in fitting()) {
        prop_assert_eq!(parse(&plan(), &written(&arguments), Language::ENGLISH), Ok(arguments));
    }

    #[test]
    fn any_text_without_the_name_is_the_value_of_a_lone_option(text in any::<String>()) {
        // Text in quotation marks is read without them: that is another form.
        prop_assume!(!text.trim().is_empty() && !text.trim_start().starts_with("metric:") && !text.trim_start().starts_with('"'));
        let expected = json!({"metric": text.trim()});
        prop_assert_eq!(parse(&metric(), &text, Language::ENGLISH).map(Value::Object), Ok(expected));
    }

    #[test]
    fn no_text_panics(text in r#"(title|kind|count|share|title-case|:|"|\\|\s|[0-9]|\PC){0,40}"#) {
        let _read = parse(&plan(), &text, Language::ENGLISH);
    }
}

#[test]
fn a_call_is_written_in_its_own_order_and_no_value_hides_another() {
    let names = ["path", "content"].map(str::to_owned);
    let given = json!({"content": "x".repeat(5_000), "path": "rules.txt"});
    let line = super::as_typed(&CommandPath::new("files", Some("write")), names.iter(), given.as_object().unwrap(), 4);
    assert_eq!(
        line,
        "/files write path: \"rule\"… (cut: it has 9 characters) content: \"xxxx\"… (cut: it has 5000 characters)"
    );
    let short = json!({"content": "a \" b", "path": "a.txt"});
    let line = super::as_typed(&CommandPath::new("files", Some("write")), names.iter(), short.as_object().unwrap(), 99);
    assert_eq!(line, "/files write path: \"a.txt\" content: \"a \\\" b\"");
}
