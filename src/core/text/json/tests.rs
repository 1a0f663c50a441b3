//! Loose JSON: what models write, and how sure its reading is.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::loose::{Form, Loose, loose_arguments, loose_value};

#[test]
fn what_models_write_is_read_and_how_sure_the_reading_is() {
    let cases = [
        (r#"{"a": 1, "b": [true, null, "x\n\u00e9"]}"#, json!({"a": 1, "b": [true, null, "x\né"]}), Form::Json),
        (r#"{"a": "}"} and more"#, json!({"a": "}"}), Form::Json),
        (r#"{"a": 1,}"#, json!({"a": 1}), Form::Unique),
        ("{'a': 'it\\'s', 'b': True, c: None}", json!({"a": "it's", "b": true, "c": null}), Form::Unique),
        (r#"{"a": [{"b": 1}"#, json!({"a": [{"b": 1}]}), Form::Unique),
        (r#"{"a": [{"b": 1}}"#, json!({"a": [{"b": 1}]}), Form::Unique),
        ("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"}), Form::Unique),
        ("{success: true, note: it's saved}", json!({"success": true, "note": "it's saved"}), Form::Guess),
        (r#"{"a": 1, "a": 2}"#, json!({"a": 2}), Form::Guess),
        (r#"{"a": "cut o"#, json!({"a": "cut o"}), Form::Guess),
        (r#"{"a": 1, "b"#, json!({"a": 1}), Form::Guess),
        ("{a:<|\"|>it's, \"b\"<|\"|>,c:1}", json!({"a": "it's, \"b\"", "c": 1}), Form::Unique),
        ("{}", json!({}), Form::Json),
    ];
    for (text, value, form) in cases {
        let read = loose_value(text).unwrap_or_else(|| panic!("{text} is not read"));
        assert_eq!((read.value, read.form), (value, form), "{text}");
    }
}

#[test]
fn the_arguments_of_a_call_are_read() {
    let cases = [
        ("() and more", json!({}), Form::Unique),
        ("(a=1, b='it\\'s', c=True) and more", json!({"a": 1, "b": "it's", "c": true}), Form::Unique),
        ("(a\\_b: [1, {\"c\": None}],)", json!({"a_b": [1, {"c": null}]}), Form::Unique),
        ("(a=\"\"\"say \"hi\" now\"\"\")", json!({"a": "say \"hi\" now"}), Form::Unique),
        ("(\"milk\")", json!({"": "milk"}), Form::Unique),
        ("(3)", json!({"": 3}), Form::Unique),
        ("(milk)", json!({"": "milk"}), Form::Guess),
        ("(1, 2)", json!({"": 2}), Form::Guess),
        ("(1, a=2)", json!({"": 1, "a": 2}), Form::Guess),
        ("(a=1, a=2)", json!({"a": 2}), Form::Guess),
        ("(a=\"mi", json!({"a": "mi"}), Form::Guess),
    ];
    for (text, value, form) in cases {
        let read = loose_arguments(text).unwrap_or_else(|| panic!("{text} is not read"));
        assert_eq!((read.value, read.form), (value, form), "{text}");
    }
    for text in ["", "a", "(a b)c", "(f(x))", "(a==1)", "(a=\"b\" c)"] {
        assert_eq!(loose_arguments(text).filter(|read| read.form < Form::Guess), None, "{text}");
    }
    assert!(loose_arguments("(a=").is_some_and(|read| read.is_cut));
}

#[test]
fn words_in_brackets_are_no_value() {
    for text in ["[status] is fine", "{x} and {y}", "{a b: c}", "{{name}}", "(x)", "", "[a](https://b)"] {
        assert_eq!(loose_value(text), None, "{text}");
    }
}

#[test]
fn too_deep_nesting_is_not_read() {
    assert_eq!(loose_value(&"[".repeat(100_000)), None);
    assert_eq!(loose_value(&"{\"a\":".repeat(100_000)), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_read_as_json(keys in prop::collection::vec("\\PC{0,8}", 0..5), n in any::<i64>(), text in "\\PC{0,20}") {
        let object: Map<_, _> = keys.into_iter().map(|key| (key, json!([n, {"t": text}]))).collect();
        let value = Value::Object(object);
        let written = value.to_string();
        let read = loose_value(&written);
        prop_assert_eq!(read, Some(Loose { value, length: written.len(), form: Form::Json, is_cut: false }));
    }

    #[test]
    fn nothing_is_read_past_the_end(text in "[{\\[\"':,}\\]a1 \\\\n]{0,40}") {
        if let Some(read) = loose_value(&text) {
            prop_assert!(text.is_char_boundary(read.length) && read.length <= text.len());
        }
    }
}
