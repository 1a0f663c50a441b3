//! Modals as the JSON that Discord gets.

use std::time::UNIX_EPOCH;

use serde_json::{json, to_value};

use super::*;
use crate::custom_id::CustomIds;
use candor_core::inbound::{CommandPath, UserId};
use candor_engine::SigningKey;

const ALICE: UserId = UserId(7);

fn ids() -> CustomIds {
    CustomIds::new(SigningKey::new([7; 32]))
}

fn text(name: &str, description: &str, max_length: Option<u16>, required: bool) -> OptionSpec {
    let kind = OptionKind::String { min_length: Some(1), max_length, choices: Vec::new() };
    OptionSpec::new(name, description, kind, required)
}

fn leaf(options: Vec<OptionSpec>) -> Leaf {
    Leaf::new("unused", options, None)
}

fn write() -> Leaf {
    leaf(vec![
        text("path", "The file's path", Some(200), true),
        text("note", "A remark that nobody can do without, so it is a rather long one, is it not?", Some(100), false),
        text("content", "The whole content", Some(4_000), true),
        OptionSpec::new("count", "How often", OptionKind::Integer { min: None, max: None, choices: vec![] }, false),
    ])
}

fn asked(leaf: &Leaf, given: Value) -> Result<(Value, Purpose), DoesNotFit> {
    let Value::Object(arguments) = given else { panic!("no object") };
    let path = CommandPath::new("files", Some("write"));
    let request = ModalRequest { path, arguments, missing: vec!["content".to_owned()] };
    let modal = to_value(super::modal(&request, leaf, ids().for_person(ALICE, UNIX_EPOCH), ("de", None))?).unwrap();
    let purpose = ids().open(modal["custom_id"].as_str().unwrap(), ALICE, UNIX_EPOCH).unwrap();
    Ok((modal, purpose))
}

fn inputs(modal: &Value) -> Vec<&Value> {
    modal["components"].as_array().unwrap().iter().map(|row| &row["components"][0]).collect()
}

#[test]
fn a_modal_asks_for_what_is_missing_and_carries_the_rest() {
    let (modal, purpose) = asked(&write(), json!({"path": "a.txt", "count": 2})).unwrap();
    assert_eq!(modal["title"], "/files write");
    let expected = json!({
        "type": 4, "custom_id": "content", "style": 2, "label": "The whole content", "min_length": 1,
        "max_length": 4_000, "required": true,
    });
    assert_eq!(inputs(&modal), [&expected]);
    let Value::Object(arguments) = json!({"path": "a.txt", "count": 2}) else { unreachable!() };
    assert_eq!(purpose, Purpose::Submit { path: CommandPath::new("files", Some("write")), arguments, control: None });
}

#[test]
fn text_that_does_not_fit_its_id_stands_in_the_modal() {
    let given = json!({"path": "p".repeat(150), "note": "short", "count": 2});
    let (modal, purpose) = asked(&write(), given).unwrap();
    let shown: Vec<_> = inputs(&modal).iter().map(|input| (&input["custom_id"], input["value"].as_str())).collect();
    assert_eq!(shown, [(&json!("path"), Some(&*"p".repeat(150))), (&json!("content"), None)]);
    let Purpose::Submit { arguments, .. } = purpose else { panic!("{purpose:?}") };
    assert_eq!(Value::Object(arguments), json!({"note": "short", "count": 2}));

    let given = json!({"path": "p".repeat(150), "note": "n".repeat(90)});
    let (modal, _) = asked(&write(), given).unwrap();
    let note = inputs(&modal)[1].clone();
    assert_eq!((&note["label"], &note["style"], &note["required"]), (&json!("note"), &json!(1), &json!(false)));
    assert!(note["placeholder"].as_str().unwrap().starts_with("A remark that"));
}

#[test]
fn what_fits_neither_opens_no_modal() {
    let many = |n: usize| (0..n).map(|n| text(&format!("text{n}"), "Text", Some(200), false));
    let given = |n: usize| Value::Object((0..n).map(|n| (format!("text{n}"), Value::from("x".repeat(100)))).collect());
    let mut options = vec![text("content", "The whole content", Some(4_000), true)];
    options.extend(many(5));
    let leaf = leaf(options);
    assert!(asked(&leaf, given(4)).is_ok(), "four texts and what is asked for are five inputs");
    assert_eq!(asked(&leaf, given(5)).map(|_| ()), Err(DoesNotFit));
    // A modal can ask for text only.
    let number = "n".repeat(60);
    let only = OptionSpec::new(&*number, "N", OptionKind::Boolean, false);
    let leaf = super::tests::leaf(vec![text("content", "The whole content", None, true), only]);
    assert_eq!(asked(&leaf, json!({number: true})).map(|_| ()), Err(DoesNotFit));
}
