//! Unknown and incomplete command names: what is suggested instead.

use std::cell::Cell;

use super::fixture::{catalog, interaction, message, shown, typed};
use crate::inbound::{CallMethod, Inbound};
use crate::registry::{LazyNames, NameLookup as _};
use crate::router::{Route, classify};

#[test]
fn a_command_without_its_subcommand_says_what_there_is() {
    let usage = |text: &str| match typed(text) {
        Route::Malformed(malformed) => malformed.usage,
        other => panic!("{other:?}"),
    };
    assert_eq!(usage("/club"), ["/club list", "/club member add|drop|badge"]);
    assert_eq!(
        usage("/club member"),
        [
            "/club member add person: <user> [fee: 5|10]",
            "/club member drop whom: <user or role>",
            "/club member badge picture: <file>",
        ]
    );
}

#[test]
fn a_word_behind_a_command_that_is_a_command_of_its_own_may_be_meant() {
    let near = |text: &str, operator| match classify(&Inbound::Message(message(text)), &catalog(operator)) {
        Route::Malformed(malformed) => malformed.near,
        other => panic!("{other:?}"),
    };
    assert_eq!(near("/help status", false).as_deref(), Some("/status"));
    assert_eq!(near("/tasks list Status now", false), None, "it is written otherwise");
    assert_eq!(near("/help me", false), None);
    assert_eq!(near("/help help", false), None);
    // Nobody is told of what they may not use, nor of what the model alone may call.
    let restart = ["/help restart", "/help search"].map(|text| near(text, false));
    assert_eq!(restart, [None, None]);
    assert_eq!(near("/help restart", true).as_deref(), Some("/restart"));
}

#[test]
fn near_names_are_those_the_caller_may_use() {
    let near = |text: &str, operator| shown(&classify(&Inbound::Message(message(text)), &catalog(operator)));
    assert_eq!(near("/restar", true), "unknown /restar near [/restart]");
    assert_eq!(near("/restar", false), "unknown /restar near []");
    assert_eq!(near("/secrets x", true), "no subcommand /secrets x of [/secrets show, /secrets turn]");
    assert_eq!(near("/secrets x", false), "no subcommand /secrets x of []");
}

#[test]
fn an_unknown_command_knows_how_it_was_asked_for() {
    let asked = |route: Route| match route {
        Route::UnknownCommand(unknown) => Some(unknown.method),
        _ => None,
    };
    assert_eq!(asked(typed("/x")), Some(CallMethod::Typed));
    assert_eq!(asked(typed("/tasks x")), Some(CallMethod::Typed));
    assert_eq!(asked(classify(&interaction(&["x"], Default::default()), &catalog(false))), Some(CallMethod::Picked));
    assert_eq!(
        asked(classify(&interaction(&["tasks"], Default::default()), &catalog(false))),
        Some(CallMethod::Picked)
    );
}

#[test]
fn the_callers_catalog_is_made_only_where_a_name_is_unknown_and_then_once() {
    let all = catalog(false);
    let registry = all.registry();
    let cases = [
        ("/status", 0),
        ("/tasks add title: milk", 0),
        ("hello", 0),
        ("", 0),
        ("/club", 1),
        ("/staus", 1),
        ("/tasks nothing", 1),
        ("`/status`", 0),
        ("thanks!\n/status", 0),
        ("ls:\n/staus\n/tasks\n/tasks nothing", 0),
    ];
    for (text, expected) in cases {
        let n_made = Cell::new(0);
        let names = LazyNames::new(registry, || {
            n_made.set(n_made.get() + 1);
            all.clone()
        });
        assert_eq!(classify(&Inbound::Message(message(text)), &names), typed(text));
        assert_eq!(n_made.get(), expected, "{text}");
    }
}
