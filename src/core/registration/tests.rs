//! Comparison by meaning, with examples and properties.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::inbound::GuildId;

fn terms(scope: Scope) -> Terms {
    Terms { scope, installs: vec![0] }
}

fn wanted(payloads: &[Value]) -> Vec<WantedCommand> {
    payloads
        .iter()
        .map(|payload| WantedCommand { payload: payload.clone(), places: ManifestLines::default() })
        .collect()
}

fn planned(payloads: &[Value], standing: &[Value]) -> SyncPlan {
    plan(&wanted(payloads), standing, &BTreeMap::new(), &terms(Scope::Global))
}

/// The plan as words.
fn told(plan: &SyncPlan) -> Vec<String> {
    plan.steps.iter().map(|step| format!("{} {}", step.action.word(), step.key)).collect()
}

/// A command as Discord returns it: with its own fields, and with defaults filled in.
fn echo(payload: &Value, id: u64) -> Value {
    let mut told = json!({
        "id": id.to_string(), "application_id": "9", "version": "3", "type": 1, "description": "", "nsfw": false,
        "name_localizations": null, "description_localizations": null, "default_member_permissions": null,
        "dm_permission": true, "contexts": null, "integration_types": [0],
    });
    for (key, value) in payload.as_object().unwrap() {
        told[key] = value.clone();
    }
    if let Some(bits) = told["default_member_permissions"].as_u64() {
        told["default_member_permissions"] = json!(bits.to_string());
    }
    told
}

/// What Discord would have after executing a plan.
fn applied(plan: &SyncPlan, standing: &[Value]) -> Vec<Value> {
    let mut after = standing.to_vec();
    let has = |command: &Value, id: &u64| command["id"] == json!(id.to_string());
    for (step, new) in plan.steps.iter().zip(1_000..) {
        match &step.action {
            SyncAction::Create { payload } => after.push(echo(payload, new)),
            SyncAction::Update { id, body, .. } => {
                let command = after.iter_mut().find(|command| has(command, id)).unwrap();
                body.as_object().unwrap().iter().for_each(|(key, value)| command[key] = value.clone());
            }
            SyncAction::Remove { id } => after.retain(|command| !has(command, id)),
            SyncAction::Unchanged { .. } | SyncAction::Kept { .. } => {}
        }
    }
    after
}

#[test]
fn what_discord_adds_is_no_difference() {
    let payload = json!({"type": 1, "name": "status", "description": "Show", "options": [
        {"type": 3, "name": "metric", "description": "One", "required": false, "autocomplete": true},
        {"type": 4, "name": "n", "description": "N", "min_value": 0, "choices": []}]});
    let standing = json!({"id": "1", "application_id": "2", "version": "3", "type": 1, "name": "status",
        "description": "Show", "dm_permission": true, "nsfw": false, "contexts": [2, 0, 1], "integration_types": [0],
        "default_member_permissions": null, "options": [
            {"type": 3, "name": "metric", "name_localizations": null, "description": "One", "autocomplete": true},
            {"type": 4, "name": "n", "description": "N", "min_value": 0.0}]});
    assert_eq!(told(&planned(&[payload], &[standing])), ["unchanged /status"]);
    let menu = json!({"type": 3, "name": "Clean"});
    assert_eq!(
        told(&planned(std::slice::from_ref(&menu), &[echo(&menu, 7)])),
        ["unchanged Clean (message context-menu command)"]
    );
    // A slash command with the same name is a different command.
    let slash = echo(&json!({"name": "Clean"}), 7);
    assert_eq!(told(&planned(&[menu], &[slash])), ["create Clean (message context-menu command)", "remove /Clean"]);
}

#[test]
fn every_field_that_means_something_is_a_difference_and_is_taken_back_when_it_is_no_longer_said() {
    let plain = json!({"type": 1, "name": "x", "description": "d"});
    let cases = [
        ("name_localizations", json!({"de": "y"}), Value::Null),
        ("description_localizations", json!({"de": "y"}), Value::Null),
        ("default_member_permissions", json!("8"), Value::Null),
        ("default_member_permissions", json!("0"), Value::Null),
        ("nsfw", json!(true), json!(false)),
        ("contexts", json!([0]), Value::Null),
        ("integration_types", json!([0, 1]), Value::Null),
        ("options", json!([{"type": 3, "name": "o", "description": "d"}]), json!([])),
    ];
    for (field, value, reset) in cases {
        let mut said = plain.clone();
        said[field] = value.clone();
        for (payload, standing, sent) in [(&said, &plain, value), (&plain, &said, reset)] {
            let plan = planned(std::slice::from_ref(payload), &[echo(standing, 5)]);
            let SyncAction::Update { id, body, .. } = &plan.steps[0].action else { panic!("{field}: {plan:?}") };
            let mut only = json!({});
            only[field] = sent;
            assert_eq!((*id, body), (5, &only), "only what differs is sent");
        }
    }
}

#[test]
fn in_one_server_nothing_is_said_of_contexts_and_installs() {
    let payload = json!({"type": 1, "name": "x", "description": "d", "contexts": [0], "integration_types": [0, 1]});
    let scope = terms(Scope::Guild(GuildId(4)));
    let made = plan(&wanted(std::slice::from_ref(&payload)), &[], &BTreeMap::new(), &scope);
    let SyncAction::Create { payload: sent } = &made.steps[0].action else { panic!("{made:?}") };
    assert_eq!(*sent, json!({"type": 1, "name": "x", "description": "d"}));
    let standing = [echo(sent, 3)];
    assert_eq!(told(&plan(&wanted(&[payload]), &standing, &BTreeMap::new(), &scope)), ["unchanged /x"]);
}

#[test]
fn new_comes_first_gone_comes_last_and_what_is_not_ours_stays() {
    let command = |name: &str, text: &str| json!({"type": 1, "name": name, "description": text});
    let standing = [
        echo(&command("old", "c"), 1),
        echo(&command("changed", "old"), 2),
        echo(&json!({"type": 4, "name": "launch", "handler": 2}), 3),
        echo(&json!({"type": 9, "name": "odd"}), 4),
        echo(&command("broken", "b"), 5),
        echo(&command("same", "a"), 6),
    ];
    let quarantined = BTreeMap::from([("broken".to_owned(), "weather".to_owned())]);
    let payloads = [command("same", "a"), command("changed", "new"), command("fresh", "b")];
    let made = plan(&wanted(&payloads), &standing, &quarantined, &terms(Scope::Global));
    assert_eq!(
        made.to_string(),
        "  create     /fresh\n  update     /changed\n             description: \"old\" -> \"new\"\n  remove     /old\n  \
         unchanged  /same\n  kept       /broken: its module `weather` failed the check; its permissions stay\n  \
         kept       launch (Entry Point): Discord's own\n  kept       odd (type 9): of a type that this bot does not register\n"
    );
    assert_eq!((made.cost(), made.is_drift()), (1, true));
}

#[test]
fn the_fingerprint_is_of_everything_that_matters_and_of_no_order() {
    let payload = json!({"type": 1, "name": "x", "description": "d"});
    let other = json!({"description": "e", "name": "y"});
    let of = |payloads: &[Value], standing: &[Value], scope| fingerprint(&wanted(payloads), standing, &terms(scope));
    let standing = [echo(&payload, 1), echo(&other, 2)];
    let first = of(&[payload.clone(), other.clone()], &standing, Scope::Global);
    assert_eq!(first.len(), 64);
    let turned = json!({"name": "y", "description": "e"});
    let again = of(&[turned, payload.clone()], &[standing[1].clone(), standing[0].clone()], Scope::Global);
    assert_eq!(first, again);
    let both = [payload.clone(), other.clone()];
    let mut edited = standing.clone();
    edited[0]["description"] = json!("edited by somebody");
    for changed in [
        of(&both, &standing, Scope::Guild(GuildId(1))),
        of(&both[..1], &standing, Scope::Global),
        of(&both, &standing[..1], Scope::Global),
        of(&both, &[echo(&payload, 3), echo(&other, 2)], Scope::Global),
        of(&both, &edited, Scope::Global),
    ] {
        assert_ne!(first, changed);
    }
}

fn text() -> impl Strategy<Value = String> {
    "[a-c]{1,2}"
}

fn locales() -> impl Strategy<Value = Value> {
    option::of(btree_map("de|fr", text(), 0..3)).prop_map(|locales| json!(locales))
}

fn an_option() -> impl Strategy<Value = Value> {
    let choices = btree_map(text(), 0..3_i64, 0..3)
        .prop_map(|choices| choices.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect());
    (text(), text(), any::<bool>(), option::of(0..4_i64), locales(), choices).prop_map(
        |(name, description, required, min, locales, choices): (_, _, _, _, _, Vec<Value>)| {
            json!({"type": 4, "name": name, "description": description, "required": required, "min_value": min,
                "name_localizations": locales, "choices": choices})
        },
    )
}

fn a_command() -> impl Strategy<Value = Value> {
    let fields = (text(), text(), any::<bool>(), locales(), option::of(0..20_u64), option::of(vec(0..3_u64, 1..3)));
    (fields, vec(an_option(), 0..3), 1..4_u64).prop_map(
        |((name, description, nsfw, locales, permissions, contexts), mut options, kind)| {
            options.sort_by_key(|option| option["name"].to_string());
            options.dedup_by_key(|option| option["name"].clone());
            let mut command = json!({"type": kind, "name": name, "nsfw": nsfw, "name_localizations": locales,
                "default_member_permissions": permissions.map(|bits| bits.to_string()), "contexts": contexts});
            if kind == 1 {
                command["description"] = json!(description);
                command["options"] = json!(options);
            }
            command
        },
    )
}

/// Commands with distinct keys.
fn commands() -> impl Strategy<Value = Vec<Value>> {
    vec(a_command(), 0..6).prop_map(|mut commands| {
        commands.sort_by_key(Key::of);
        commands.dedup_by_key(|command| Key::of(command));
        commands
    })
}

/// The same command with keys reversed and defaults omitted.
fn reworded(command: &Value) -> Value {
    match command {
        Value::Object(fields) => {
            let said = fields.iter().rev().filter(|(_, value)| !value.is_null() && **value != json!(false));
            let reworded: Map<_, _> = said.map(|(key, value)| (key.clone(), reworded(value))).collect();
            Value::Object(reworded)
        }
        Value::Array(items) => items.iter().map(reworded).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn a_plan_that_was_carried_out_leaves_nothing_to_do(payloads in commands(), before in commands()) {
        let mut standing: Vec<_> = before.iter().zip(1..).map(|(command, id)| echo(command, id)).collect();
        standing.push(echo(&json!({"type": 4, "name": "launch", "handler": 2}), 99));
        let first = planned(&payloads, &standing);
        let after = applied(&first, &standing);
        let second = planned(&payloads, &after);
        prop_assert!(!second.is_drift(), "{second}");

        // Ids are kept, and the Entry Point is unchanged.
        prop_assert!(after.contains(standing.last().unwrap()));
        for command in &standing {
            let kept = after.iter().find(|other| Key::of(other) == Key::of(command));
            prop_assert!(kept.is_none_or(|other| other["id"] == command["id"]));
        }
        let ranks: Vec<_> = told(&first).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        let order = ["create", "update", "remove", "unchanged", "kept"];
        prop_assert!(ranks.is_sorted_by_key(|word| order.iter().position(|known| known == word)));
    }

    #[test]
    fn another_way_to_say_the_same_is_unchanged(payloads in commands(), turn in 0..6_usize) {
        let mut standing: Vec<_> = payloads.iter().map(reworded).zip(1..).map(|(it, id)| echo(&it, id)).collect();
        let n = standing.len().max(1);
        standing.rotate_left(turn % n);
        let plan = planned(&payloads, &standing);
        prop_assert!(plan.steps.iter().all(|step| matches!(step.action, SyncAction::Unchanged { .. })), "{plan}");
        prop_assert_eq!(plan.steps.len(), payloads.len());
    }
}
