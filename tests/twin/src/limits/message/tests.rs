//! One line per rule: a message, and the expected code and paths.

use serde_json::json;

use super::*;
use crate::limits::{check_message, check_modal};

/// Too many, and all with the same custom id.
const SIX_INPUTS: &str = "50035 components components.1.components.0.custom_id components.2.components.0.custom_id \
     components.3.components.0.custom_id components.4.components.0.custom_id components.5.components.0.custom_id";

fn told(result: Result<(), Refusal>) -> String {
    match result {
        Ok(()) => "ok".to_owned(),
        Err(refusal) => {
            let places: Vec<String> =
                refusal.places().iter().map(|place| place.split(' ').next().unwrap_or_default().to_owned()).collect();
            format!("{} {}", refusal.code, places.join(" ")).trim().to_owned()
        }
    }
}

fn embed(extra: Value) -> Value {
    json!({"embeds": [extra]})
}

fn row(components: Value) -> Value {
    json!({"content": "x", "components": [{"type": 1, "components": components}]})
}

fn button(id: &str) -> Value {
    json!({"type": 2, "style": 1, "label": "b", "custom_id": id})
}

fn buttons(n: usize) -> Value {
    (0..n).map(|n| button(&n.to_string())).collect()
}

#[test]
fn texts_and_embeds() {
    let field = json!({"name": "n", "value": "v"});
    let cases = [
        (json!({"content": "😀".repeat(2000)}), "ok"),
        (json!({"content": "a".repeat(2001)}), "50035 content"),
        (json!({"content": ""}), "50006"),
        (json!({"content": " \n"}), "50006"),
        (json!({}), "50006"),
        (json!({"content": 5}), "50035 content"),
        (json!([]), "50035 body"),
        (json!({"content": "a", "nonce": "n".repeat(26)}), "50035 nonce"),
        (embed(json!({"title": "t"})), "ok"),
        (embed(json!({})), "50035 embeds.0.description"),
        (embed(json!({"title": "t".repeat(256), "description": "d".repeat(4096)})), "ok"),
        (embed(json!({"title": "t".repeat(257)})), "50035 embeds.0.title"),
        (embed(json!({"description": "d".repeat(4097)})), "50035 embeds.0.description"),
        (embed(json!({"fields": vec![field.clone(); 25]})), "ok"),
        (embed(json!({"fields": vec![field; 26]})), "50035 embeds.0.fields"),
        (embed(json!({"fields": [{"name": "n".repeat(257), "value": "v"}]})), "50035 embeds.0.fields.0.name"),
        (embed(json!({"fields": [{"name": "n", "value": "v".repeat(1025)}]})), "50035 embeds.0.fields.0.value"),
        (embed(json!({"fields": [{"name": "n", "value": ""}]})), "50035 embeds.0.fields.0.value"),
        (embed(json!({"footer": {"text": "f".repeat(2049)}})), "50035 embeds.0.footer.text"),
        (embed(json!({"author": {"name": "a".repeat(257)}})), "50035 embeds.0.author.name"),
        (embed(json!({"title": "t", "color": 0xFF_FF_FF})), "ok"),
        (embed(json!({"title": "t", "color": 0x1_00_00_00})), "50035 embeds.0.color"),
        (json!({"embeds": vec![json!({"title": "t"}); 10]}), "ok"),
        (json!({"embeds": vec![json!({"title": "t"}); 11]}), "50035 embeds"),
        (json!({"embeds": vec![json!({"description": "d".repeat(3000)}); 2]}), "ok"),
        (json!({"embeds": vec![json!({"description": "d".repeat(3001)}); 2]}), "50035 embeds"),
        (json!({"content": "a", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}), "50035 allowed_mentions"),
        (json!({"content": "a", "allowed_mentions": {"parse": []}}), "ok"),
        (json!({"content": "a", "allowed_mentions": {"parse": ["here"]}}), "50035 allowed_mentions.parse.0"),
    ];
    for (body, expected) in cases {
        assert_eq!(told(check_message(&body)), expected, "{body}");
    }
}

#[test]
fn components() {
    let select = |n: usize| -> Value {
        let options: Value = (0..n).map(|n| json!({"label": "l", "value": n.to_string()})).collect();
        json!([{"type": 3, "custom_id": "s", "options": options}])
    };
    let text = json!({"type": 10, "content": "t"});
    let cases = [
        (row(buttons(5)), "ok"),
        (row(buttons(6)), "50035 components.0.components"),
        (row(json!([button("a"), button("a")])), "50035 components.0.components.1.custom_id"),
        (row(json!([button(&"i".repeat(101))])), "50035 components.0.components.0.custom_id"),
        (
            row(json!([{"type": 2, "style": 1, "label": "l".repeat(81), "custom_id": "a"}])),
            "50035 components.0.components.0.label",
        ),
        (row(json!([{"type": 2, "style": 1, "label": "l"}])), "50035 components.0.components.0.custom_id"),
        (row(json!([{"type": 2, "style": 5, "label": "l"}])), "50035 components.0.components.0.url"),
        (row(select(25)), "ok"),
        (row(select(26)), "50035 components.0.components.0.options"),
        (row(select(0)), "50035 components.0.components.0.options"),
        (row(json!([])), "50035 components.0.components"),
        (row(json!([button("a"), select(1)[0]])), "50035 components.0.components"),
        (row(json!([{"type": 2, "style": 1, "custom_id": "a"}])), "50035 components.0.components.0"),
        (
            row(json!([{"type": 2, "style": 5, "label": "l", "url": "https://a.b", "custom_id": "a"}])),
            "50035 components.0.components.0",
        ),
        (row(json!([{"type": 4, "style": 1, "label": "l", "custom_id": "a"}])), "50035 components.0.components.0.type"),
        (
            row(json!([{"type": 5, "custom_id": "s", "min_values": 3, "max_values": 2}])),
            "50035 components.0.components.0.max_values",
        ),
        (row(json!([{"type": 5, "custom_id": "s", "max_values": 26}])), "50035 components.0.components.0.max_values"),
        (json!({"content": "x", "components": [button("a")]}), "50035 components.0.type"),
        (json!({"flags": 1 << 15, "components": [text]}), "ok"),
        (json!({"flags": 1 << 15, "components": vec![text.clone(); 41]}), "50035 components"),
        (json!({"flags": 1 << 15, "components": [text], "content": "x"}), "50035 content"),
    ];
    for (body, expected) in cases {
        let refused = told(check_message(&body));
        assert_eq!(refused, expected, "{body}");
    }
}

#[test]
fn choices_and_modals() {
    let choice = json!({"name": "n", "value": "v"});
    let choices = [
        (json!({"choices": []}), "ok"),
        (json!({}), "50035 choices"),
        (json!({"choices": vec![choice.clone(); 25]}), "ok"),
        (json!({"choices": vec![choice; 26]}), "50035 choices"),
        (json!({"choices": [{"name": "n".repeat(101), "value": 1}]}), "50035 choices.0.name"),
        (json!({"choices": [{"name": "n", "value": "v".repeat(101)}]}), "50035 choices.0.value"),
    ];
    for (body, expected) in choices {
        let mut problems = Problems::default();
        check_choices(&mut problems, &Path::default(), &body);
        assert_eq!(told(problems.finish()), expected, "{body}");
    }
    let with = |key: &str, value: Value| {
        let mut input = json!({"type": 4, "custom_id": "i", "label": "l", "style": 1});
        input[key] = value;
        json!({"title": "t", "custom_id": "m", "components": [{"type": 1, "components": [input]}]})
    };
    let label = |text: &str| {
        let input = json!({"type": 4, "custom_id": "i", "style": 2});
        json!({"title": "t", "custom_id": "m", "components": [{"type": 18, "label": text, "component": input}]})
    };
    let input = json!({"type": 1, "components": [{"type": 4, "custom_id": "i", "label": "l", "style": 1}]});
    let modals = [
        (json!({"title": "t", "custom_id": "m", "components": [input]}), "ok"),
        (json!({"title": "t".repeat(46), "custom_id": "m", "components": [input]}), "50035 title"),
        (json!({"title": "t", "custom_id": "m", "components": []}), "50035 components"),
        (json!({"title": "t", "custom_id": "", "components": [input]}), "50035 custom_id"),
        (json!({"title": "t", "custom_id": "m", "components": vec![input; 6]}), SIX_INPUTS),
        (
            json!({"title": "t", "custom_id": "m", "components": [{"type": 1, "components": [button("b")]}]}),
            "50035 components.0.components.0.type",
        ),
        (with("label", json!("l".repeat(46))), "50035 components.0.components.0.label"),
        (with("label", Value::Null), "50035 components.0.components.0.label"),
        (with("style", json!(3)), "50035 components.0.components.0.style"),
        (with("value", json!("v".repeat(4001))), "50035 components.0.components.0.value"),
        (with("placeholder", json!("p".repeat(101))), "50035 components.0.components.0.placeholder"),
        (with("max_length", json!(4001)), "50035 components.0.components.0.max_length"),
        (label("l"), "ok"),
        (label(&"l".repeat(46)), "50035 components.0.label"),
    ];
    for (body, expected) in modals {
        let mut problems = Problems::default();
        check_modal(&mut problems, &Path::default(), &body);
        assert_eq!(told(problems.finish()), expected, "{body}");
    }
}
