//! One line per rule: a body, and the expected code and paths.

use serde_json::json;

use super::*;

/// `ok`, or the code and the invalid paths without their inner codes.
fn verdict(commands: &Value) -> String {
    match check_bulk(commands) {
        Ok(()) => "ok".to_owned(),
        Err(refusal) => {
            let places: Vec<String> =
                refusal.places().iter().map(|place| place.split(' ').next().unwrap_or_default().to_owned()).collect();
            format!("{} {}", refusal.code, places.join(" ")).trim().to_owned()
        }
    }
}

fn with_options(options: Value) -> Value {
    json!([{"name": "x", "description": "d", "options": options}])
}

fn with_option(extra: Value) -> Value {
    let mut option = json!({"name": "o", "description": "d", "type": 3});
    for (key, value) in extra.as_object().into_iter().flatten() {
        option[key] = value.clone();
    }
    with_options(json!([option]))
}

fn many(n: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..n).map(make).collect()
}

fn command(n: usize) -> Value {
    json!({"name": format!("c{n}"), "description": "d"})
}

#[test]
fn whole_commands() {
    let cases = [
        (json!([]), "ok"),
        (json!({}), "50035 body"),
        (json!(["text"]), "50035 0"),
        (json!([{"name": "ping", "description": "d"}]), "ok"),
        (json!([{"description": "d"}]), "50035 0.name"),
        (json!([{"name": "ping"}]), "50035 0.description"),
        (json!([{"name": "ping", "description": ""}]), "50035 0.description"),
        (json!([{"name": "Ping", "description": "d"}]), "50035 0.name"),
        (json!([{"name": "a b", "description": "d"}]), "50035 0.name"),
        (json!([{"name": "x".repeat(32), "description": "é".repeat(100)}]), "ok"),
        (json!([{"name": "x".repeat(33), "description": "d".repeat(101)}]), "50035 0.description 0.name"),
        (json!([{"name": "A menu", "type": 2}, {"name": "A menu", "type": 3}]), "ok"),
        (json!([{"name": "A menu", "type": 2, "description": "d"}]), "50035 0.description"),
        (json!([{"name": "x", "type": 9, "description": "d"}]), "50035 0.type"),
        (json!([command(1), command(2), command(1)]), "50035 2"),
        (
            json!([{"name": "x", "description": "d", "name_localizations": {"de": "y", "xx": "z"}}]),
            "50035 0.name_localizations.xx",
        ),
        (
            json!([{"name": "x", "description": "d", "name_localizations": {"de": "Y"}}]),
            "50035 0.name_localizations.de",
        ),
        (json!([{"name": "x", "description": "d", "contexts": [0, 3]}]), "50035 0.contexts.1"),
        (json!([{"name": "x", "description": "d", "integration_types": [2]}]), "50035 0.integration_types.0"),
        (json!([{"name": "x", "description": "d", "default_member_permissions": "8"}]), "ok"),
        (
            json!([{"name": "x", "description": "d", "default_member_permissions": "all"}]),
            "50035 0.default_member_permissions",
        ),
        (json!([{"name": "x", "description": "d", "contexts": []}]), "50035 0.contexts"),
        (json!([{"name": "x", "description": "d", "contexts": [1, 1]}]), "50035 0.contexts"),
        (json!([{"name": "x", "description": "d", "integration_types": []}]), "50035 0.integration_types"),
        (json!([{"name": "x", "description": "d", "nsfw": true}]), "ok"),
        (json!([{"name": "x", "description": "d", "nsfw": "yes"}]), "50035 0.nsfw"),
        (json!([{"name": "x", "type": 4, "handler": 3}]), "50035 0.handler"),
        (many(100, command), "ok"),
        (many(101, command), "30032"),
        (many(131, command), "50035 body"),
        (many(16, |n| json!({"name": format!("menu {n}"), "type": 2})), "30032"),
        (many(15, |n| json!({"name": format!("menu {n}"), "type": 3})), "ok"),
        (many(16, |n| json!({"name": format!("menu {n}"), "type": 3})), "30032"),
    ];
    for (body, expected) in cases {
        assert_eq!(verdict(&body), expected, "{body}");
    }
}

#[test]
fn options_and_choices() {
    let optional = |n: usize| json!({"name": format!("o{n}"), "description": "d", "type": 3});
    let choice = |n: usize| json!({"name": format!("c{n}"), "value": format!("v{n}")});
    let cases = [
        (with_options(many(25, optional)), "ok"),
        (with_options(many(26, optional)), "50035 0.options"),
        (with_options(json!([optional(1), optional(1)])), "50035 0.options.1.name"),
        (
            with_options(
                json!([{"name": "a", "description": "d", "type": 3}, {"name": "b", "description": "d", "type": 3, "name_localizations": {"de": "a"}}]),
            ),
            "50035 0.options.1.name",
        ),
        // A translation takes no other option's default name, even where that one has a translation of its own.
        (
            with_options(json!([
                {"name": "a", "description": "d", "type": 3, "name_localizations": {"de": "c"}},
                {"name": "b", "description": "d", "type": 3, "name_localizations": {"de": "a"}},
            ])),
            "50035 0.options.1.name",
        ),
        (
            with_options(json!([
                {"name": "a", "description": "d", "type": 3, "name_localizations": {"de": "c", "fr": "d"}},
                {"name": "b", "description": "d", "type": 3, "name_localizations": {"de": "d", "fr": "d"}},
            ])),
            "50035 0.options.1.name",
        ),
        (with_options(json!([{"name": "a", "description": "d", "type": 3, "name_localizations": {"de": "a"}}])), "ok"),
        (
            with_options(json!([optional(1), {"name": "r", "description": "d", "type": 3, "required": true}])),
            "50035 0.options.1",
        ),
        (with_option(json!({"type": null})), "50035 0.options.0.type"),
        (with_option(json!({"type": 12})), "50035 0.options.0.type"),
        (with_option(json!({"name": "Upper"})), "50035 0.options.0.name"),
        (with_option(json!({"choices": many(25, choice)})), "ok"),
        (with_option(json!({"choices": many(26, choice)})), "50035 0.options.0.choices"),
        (with_option(json!({"choices": [choice(1), choice(1)]})), "50035 0.options.0.choices.1.name"),
        (
            with_option(json!({"choices": [{"name": "x".repeat(101), "value": "v".repeat(101)}]})),
            "50035 0.options.0.choices.0.name 0.options.0.choices.0.value",
        ),
        (with_option(json!({"choices": [{"name": "a", "value": 1}]})), "50035 0.options.0.choices.0.value"),
        (
            with_option(json!({"type": 4, "choices": [{"name": "a", "value": 1.5}]})),
            "50035 0.options.0.choices.0.value",
        ),
        (with_option(json!({"type": 5, "choices": [choice(1)]})), "50035 0.options.0.choices"),
        (with_option(json!({"choices": [choice(1)], "autocomplete": true})), "50035 0.options.0.autocomplete"),
        (with_option(json!({"type": 6, "autocomplete": true})), "50035 0.options.0.autocomplete"),
        (with_option(json!({"autocomplete": true})), "ok"),
        (with_option(json!({"type": 4, "min_value": 1, "max_value": 5})), "ok"),
        (with_option(json!({"type": 4, "min_value": 6, "max_value": 5})), "50035 0.options.0.max_value"),
        (with_option(json!({"type": 4, "max_value": 9_007_199_254_740_991_u64})), "ok"),
        (with_option(json!({"type": 4, "max_value": 9_007_199_254_740_992_u64})), "50035 0.options.0.max_value"),
        (with_option(json!({"type": 10, "min_value": -9_007_199_254_740_992_i64})), "ok"),
        (with_option(json!({"min_value": 1})), "50035 0.options.0.min_value"),
        (with_option(json!({"min_length": 0, "max_length": 6000})), "ok"),
        (with_option(json!({"max_length": 0})), "50035 0.options.0.max_length"),
        (with_option(json!({"min_length": 6001})), "50035 0.options.0.min_length"),
        (with_option(json!({"min_length": 5, "max_length": 4})), "50035 0.options.0.max_length"),
        (with_option(json!({"type": 4, "min_length": 5})), "50035 0.options.0.min_length"),
        (with_option(json!({"required": "yes"})), "50035 0.options.0.required"),
        (with_option(json!({"type": 7, "channel_types": [0, 15]})), "ok"),
        (with_option(json!({"type": 7, "channel_types": [0, 6]})), "50035 0.options.0.channel_types.1"),
        (with_option(json!({"channel_types": [0]})), "50035 0.options.0.channel_types"),
        (with_option(json!({"type": 11, "file_types": many(10, |n| json!(format!(".{n}")))})), "ok"),
        (
            with_option(json!({"type": 11, "file_types": many(11, |n| json!(format!(".{n}")))})),
            "50035 0.options.0.file_types",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(verdict(&body), expected, "{body}");
    }
}

#[test]
fn nesting() {
    let leaf = json!({"name": "l", "description": "d", "type": 3});
    let sub = json!({"name": "s", "description": "d", "type": 1, "options": [leaf]});
    let group = json!({"name": "g", "description": "d", "type": 2, "options": [sub]});
    let cases = [
        (with_options(json!([sub, group])), "ok"),
        (with_options(json!([sub, leaf])), "50035 0.options.1"),
        (with_option(json!({"type": 2, "options": [group]})), "50035 0.options.0.options.0.type"),
        (with_option(json!({"type": 1, "options": [sub]})), "50035 0.options.0.options.0.type"),
        (with_option(json!({"type": 2, "options": [leaf]})), "50035 0.options.0.options.0.type"),
        (with_option(json!({"options": [leaf]})), "50035 0.options.0.options"),
    ];
    for (body, expected) in cases {
        assert_eq!(verdict(&body), expected, "{body}");
    }
}

#[test]
fn total_size() {
    // One name and one description of 1 each, then 25 choices of 100 + 100 in one option of 1 + 1, and a second one.
    let choices = |n: usize| many(n, |n| json!({"name": format!("{n:0100}"), "value": "v".repeat(100)}));
    let option = |name: &str, n| json!({"name": name, "description": "d", "type": 3, "choices": choices(n)});
    assert_eq!(verdict(&with_options(json!([option("a", 25), option("b", 14)]))), "ok");
    assert_eq!(verdict(&with_options(json!([option("a", 25), option("b", 15)]))), "50035 0");
    let mut localized = with_options(json!([option("a", 25), option("b", 14)]));
    let long = json!({"de": "d".repeat(100)});
    for place in [
        "/0/description_localizations",
        "/0/options/0/description_localizations",
        "/0/options/1/description_localizations",
    ] {
        let (parent, key) = place.rsplit_once('/').unwrap_or_default();
        if let Some(owner) = localized.pointer_mut(parent) {
            owner[key] = long.clone();
        }
    }
    assert_eq!(verdict(&localized), "50035 0");
}
