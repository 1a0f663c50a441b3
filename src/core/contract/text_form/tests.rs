//! Tests of reading and writing arguments as text.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{TextFormError, parse, usage};
use crate::contract::{Choice, Leaf, OptionKind, OptionSpec};
use crate::inbound::CommandPath;
use crate::language::{Language, say};
use crate::text::nearest;

const EN: Language = Language::ENGLISH;

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
        (metric(), "metric: \"note: cpu\"", json!({"metric": "note: cpu"})),
        (metric(), "https://a.b/c is down", json!({"metric": "https://a.b/c is down"})),
        (metric(), "18:00 sharp", json!({"metric": "18:00 sharp"})),
        (metric(), "std::vec", json!({"metric": "std::vec"})),
        (metric(), "note : cpu", json!({"metric": "note : cpu"})),
        (metric(), "mailto:a@b.c", json!({"metric": "mailto:a@b.c"})),
        (metric(), "why:", json!({"metric": "why:"})),
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
        assert_eq!(parse(&leaf, text, EN).map(Value::Object), Ok(expected), "{text:?}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_errors_that_name_the_option() {
    let takes = &say!(EN, "argument-takes", options = "`title`, `kind`, `count`, `share`, `title-case`");
    let cases = [
        (metric(), "metrics: cpu", say!(EN, "argument-slip", typed = "metrics", option = "metric")),
        (metric(), "note: cpu", {
            let (named, kept) = ("metric: cpu", "metric: \"note: cpu\"");
            say!(EN, "argument-misnamed", typed = "note", named = named, kept = kept)
        }),
        (metric(), "what:milk and \"eggs\"", {
            let (named, kept) = ("metric: milk and \"eggs\"", r#"metric: "what:milk and \"eggs\"""#);
            say!(EN, "argument-misnamed", typed = "what", named = named, kept = kept)
        }),
        (leaf(vec![]), "now", say!(EN, "argument-none", typed = "now")),
        (leaf(vec![option("title", text(None, &[]), true)]), "", say!(EN, "argument-missing", option = "title")),
        (plan(), "count: 3", say!(EN, "argument-missing", option = "title")),
        (plan(), "buy milk", say!(EN, "argument-before", typed = "buy milk", takes = takes)),
        (plan(), "titel: x", say!(EN, "argument-unknown", typed = "titel", takes = takes)),
        (plan(), "Title: x", say!(EN, "argument-unknown", typed = "Title", takes = takes)),
        (plan(), "title: x title: y", say!(EN, "argument-twice", option = "title")),
        (plan(), "title: count: 3", say!(EN, "argument-no-value", option = "title")),
        (plan(), "title:", say!(EN, "argument-no-value", option = "title")),
        (plan(), "title: \"x", say!(EN, "argument-unclosed", typed = "x")),
        (plan(), "title: \"x\"y", say!(EN, "argument-behind-quotation", option = "title")),
        (plan(), "title: \"x\" y", say!(EN, "argument-behind", typed = "y", option = "title", takes = takes)),
        (plan(), "title: \"x\" due: y", say!(EN, "argument-unknown", typed = "due", takes = takes)),
        (plan(), "title: x count: ten", format!("`count` {}", say!(EN, "misfit-integer"))),
        (plan(), "title: x count: 10", format!("`count` {}", say!(EN, "misfit-too-large", max = "9"))),
        (
            plan(),
            "title: x count: 99999999999999999999",
            format!("`count` {}", say!(EN, "misfit-too-large", max = "9")),
        ),
        (
            plan(),
            "title: x count: -99999999999999999999",
            format!("`count` {}", say!(EN, "misfit-too-small", min = "1")),
        ),
        (plan(), "title: x share: inf", format!("`share` {}", say!(EN, "misfit-number"))),
        (plan(), "title: x title-case: 1", format!("`title-case` {}", say!(EN, "misfit-boolean"))),
        (
            plan(),
            "title: x kind: often",
            format!("`kind` {}", say!(EN, "misfit-choice", known = "`once`, `every day`")),
        ),
        (plan(), &format!("title: {}", "x".repeat(31)), {
            format!("`title` {}", say!(EN, "misfit-too-long", max = 30, length = 31))
        }),
    ];
    for (leaf, text, expected) in cases {
        assert_eq!(parse(&leaf, text, EN), Err(TextFormError(expected)), "{text:?}");
    }
}

#[test]
fn usage_shows_every_option() {
    let add = CommandPath::new("plan", Some("add"));
    let expected = "/plan add title: <text> [kind: once|every day] [count: <whole number>] [share: <number>] \
                    [title-case: true|false]";
    assert_eq!(usage(&Leaf { path: add, ..plan() }, EN), expected);
    assert_eq!(usage(&Leaf { path: CommandPath::new("status", None), ..metric() }, EN), "/status [metric: <text>]");
    let german = Language::of_locale("de").unwrap();
    assert!(usage(&plan(), german).contains("[count: <ganze Zahl>] [share: <Zahl>]"));
    assert_eq!(usage(&Leaf { path: CommandPath::new("help", None), ..leaf(vec![]) }, EN), "/help");
}

#[test]
fn reading_is_linear() {
    for piece in ["title:", "title: x ", "\"", "\\", "x ", "title: \"x\" "] {
        assert!(parse(&plan(), &piece.repeat(100_000), EN).is_err(), "{piece:?}");
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
        prop_assert_eq!(parse(&plan(), &written(&arguments), EN), Ok(arguments));
    }

    #[test]
    fn any_text_without_the_name_is_the_value_of_a_lone_option(text in any::<String>()) {
        // Text in quotation marks is read without them: that is another form. A word before a colon that is nearly the
        // name, such as `ME`, is taken for a slip.
        prop_assume!(!text.trim().is_empty() && !text.trim_start().starts_with('"'));
        prop_assume!(text.trim().split_once(':').is_none_or(|(word, _)| nearest(word, ["metric"], 1).is_empty()));
        prop_assume!(super::misnamed(text.trim()).is_none());
        let expected = json!({"metric": text.trim()});
        prop_assert_eq!(parse(&metric(), &text, EN).map(Value::Object), Ok(expected));
    }

    #[test]
    fn no_text_panics(text in r#"(title|kind|count|share|title-case|:|"|\\|\s|[0-9]|\PC){0,40}"#) {
        let _read = parse(&plan(), &text, EN);
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
