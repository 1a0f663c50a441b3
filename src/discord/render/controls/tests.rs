//! Controls as the JSON that Discord gets.

use std::time::UNIX_EPOCH;

use serde_json::{Map, Value, json, to_value};

use super::*;
use crate::custom_id::CustomIds;
use candor_core::inbound::{CommandPath, UserId};
use candor_core::reply::{PreparedCall, Reply};
use candor_core::testing::answered;
use candor_engine::SigningKey;

fn call(text: &str) -> PreparedCall {
    let arguments = Map::from_iter([("t".to_owned(), Value::from(text))]);
    PreparedCall {
        path: CommandPath::new("tasks", Some("list")),
        arguments,
        in_place: true,
        once: false,
        for_everyone: false,
    }
}

fn button(label: &str, call: Option<PreparedCall>) -> Control {
    Control::Button { label: label.to_owned(), emoji: None, style: ControlStyle::Secondary, call }
}

fn select(choices: Vec<(String, String)>) -> Control {
    let placeholder = "p".repeat(200);
    Control::Select { placeholder, option: "kind".to_owned(), choices, call: call("x") }
}

fn pick(from: Picked, call: PreparedCall) -> Control {
    Control::Pick { placeholder: "p".repeat(200), from, option: "value".to_owned(), call }
}

fn choice(index: usize) -> (String, String) {
    (format!("label {index}"), format!("value {index}"))
}

/// The components below an answer with these controls.
fn shown(controls: Vec<Vec<Control>>) -> Value {
    let ids = CustomIds::new(SigningKey::new([7; 32]));
    let answer = answered(7, "tasks list", Reply { controls, ..Reply::default() });
    to_value(rows(&answer, ids.for_person(UserId(7), UNIX_EPOCH))).unwrap()
}

#[test]
fn buttons_stand_in_rows_and_each_has_an_id_of_its_own() {
    let rows = shown(vec![
        vec![button("Previous", None), button("Next", Some(call("a")))],
        vec![button("Next", Some(call("a"))), button(&"l".repeat(90), None)],
    ]);
    let buttons: Vec<_> =
        rows.as_array().unwrap().iter().flat_map(|row| row["components"].as_array().unwrap()).collect();
    let looks: Vec<_> = buttons.iter().map(|button| (button["disabled"] == json!(true), &button["style"])).collect();
    assert_eq!(looks, [(true, &json!(2)), (false, &json!(2)), (false, &json!(2)), (true, &json!(2))]);
    assert_eq!(buttons[3]["label"].as_str().unwrap().chars().count(), 80);
    let ids: std::collections::BTreeSet<_> =
        buttons.iter().map(|button| button["custom_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| (1..=100).contains(&id.len())));
}

#[test]
fn an_emoji_stands_on_its_button_and_can_be_taken_off() {
    let emoji = |is_animated| Some(Emoji { id: 123_456_789_012_345_678, name: "blob".to_owned(), is_animated });
    let button = |emoji| Control::Button { label: "yes".to_owned(), emoji, style: ControlStyle::Secondary, call: None };
    let controls = vec![vec![button(emoji(false)), button(emoji(true)), button(None)]];
    let rows = shown(controls.clone());
    let expected = |animated: bool| json!({ "animated": animated, "id": "123456789012345678", "name": "blob" });
    let buttons = &rows[0]["components"];
    assert_eq!((&buttons[0]["emoji"], &buttons[1]["emoji"]), (&expected(false), &expected(true)));
    assert_eq!((&buttons[0]["label"], buttons[2].get("emoji")), (&json!("yes"), None));

    let answer = answered(7, "poll ask", Reply { controls, ..Reply::default() });
    let plain = answer.without_emoji().unwrap();
    assert_eq!(plain.shown().controls, [[button(None), button(None), button(None)]]);
    assert_eq!((plain.without_emoji(), &plain.reply), (None, &answer.reply));
}

#[test]
fn a_list_has_its_choices_and_a_row_to_itself() {
    let rows = shown(vec![vec![select((0..25).map(choice).collect())]]);
    let list = &rows[0]["components"][0];
    assert_eq!((&list["type"], &list["options"][24]["value"]), (&json!(3), &json!("value 24")));
    assert_eq!(list["placeholder"].as_str().unwrap().chars().count(), 150);
}

#[test]
fn a_picker_lists_channels_or_roles_and_takes_several() {
    let rows = shown(vec![vec![pick(Picked::Channels, call("x"))], vec![pick(Picked::Roles, call("x"))]]);
    for (row, kind) in rows.as_array().unwrap().iter().zip([8, 6]) {
        let menu = &row["components"][0];
        assert_eq!((&menu["type"], &menu["min_values"], &menu["max_values"]), (&json!(kind), &json!(1), &json!(25)));
        assert_eq!(menu["placeholder"].as_str().unwrap().chars().count(), 150);
        assert_eq!((menu.get("options"), menu.get("channel_types")), (None, None), "{menu}");
    }
}

#[test]
fn what_discord_would_refuse_is_left_out_and_the_rest_stands() {
    let good = || button("Next", Some(call("a")));
    let list = || select(vec![choice(1)]);
    let cases = [
        (vec![vec![good(), button("Too much", Some(call(&"x".repeat(60))))]], vec![1]),
        (vec![vec![button(" ", Some(call("a")))], vec![good()]], vec![1]),
        (vec![vec![]], vec![]),
        (vec![(0..7).map(|_| good()).collect()], vec![5]),
        ((0..7).map(|_| vec![good()]).collect(), vec![1, 1, 1, 1, 1]),
        (vec![vec![good(), list()]], vec![1]),
        (vec![vec![list(), list()]], vec![]),
        (vec![vec![good(), pick(Picked::Roles, call("x"))]], vec![1]),
        (vec![vec![pick(Picked::Roles, call(&"x".repeat(60)))]], vec![]),
        (vec![vec![select(vec![])]], vec![]),
        (vec![vec![select((0..26).map(choice).collect())]], vec![]),
        (vec![vec![select(vec![choice(1), choice(1)])]], vec![]),
        (vec![vec![select(vec![("l".to_owned(), "v".repeat(101))])]], vec![]),
    ];
    for (index, (controls, expected)) in cases.into_iter().enumerate() {
        let rows = shown(controls);
        let counts: Vec<_> =
            rows.as_array().unwrap().iter().map(|row| row["components"].as_array().unwrap().len()).collect();
        assert_eq!(counts, expected, "case {index}");
    }
}
