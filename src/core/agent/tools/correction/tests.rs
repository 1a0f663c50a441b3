//! Corrections: a case for each way in which a name is wrong.

use super::*;
use crate::agent::fixture::{offered, offered_to_read};
use crate::agent::settings::TurnLimits;
use crate::agent::tools::offer::OfferedSet;

const EXACTLY: &str = "The tools are exactly these: status, tasks_add, tasks_list, cannot_do. Call one of them by its \
                       exact name, or answer without a tool.";

fn corrected(name: &str, offered: &OfferedSet) -> String {
    match correct_unknown_tool(name, offered, &mut Attempts::default(), &TurnLimits::default()) {
        Correction::Correct { text } => text,
        other => panic!("{name:?}: {other:?}"),
    }
}

#[test]
fn control_verbs_are_never_counted_nor_corrected() {
    let cases = [
        ("cannot_do", ControlVerb::CannotDo),
        ("no_function", ControlVerb::Refuse),
        ("out_of_domain", ControlVerb::Refuse),
        ("stop", ControlVerb::Stop),
    ];
    let mut attempts = Attempts::default();
    for (name, verb) in cases {
        for _ in 0..10 {
            let decided = correct_unknown_tool(name, &offered(), &mut attempts, &TurnLimits::default());
            assert_eq!(decided, Correction::Control(verb), "{name}");
        }
    }
    assert_eq!(attempts, Attempts::default());
}

#[test]
fn a_correction_names_the_bad_tool_and_every_offered_tool_exactly() {
    let expected = format!("[host] The tool \"drop_table\" does not exist. Nothing ran. {EXACTLY}");
    assert_eq!(corrected("drop_table", &offered()), expected);
}

#[test]
fn a_name_is_corrected_three_times_and_then_skipped() {
    let mut attempts = Attempts::default();
    let mut decide = || correct_unknown_tool("drop_table", &offered(), &mut attempts, &TurnLimits::default());
    for n in 1..=3 {
        assert!(matches!(decide(), Correction::Correct { .. }), "correction {n}");
    }
    let skipped = "[host] The tool \"drop_table\" does not exist. Nothing ran. You were told before, so this call was \
                   skipped. Answer without it.";
    for _ in 0..10 {
        assert_eq!(decide(), Correction::Skip { text: skipped.to_owned() });
    }
    let none = TurnLimits { corrections_per_name: 0, ..TurnLimits::default() };
    let decided = correct_unknown_tool("x", &offered(), &mut Attempts::default(), &none);
    assert!(matches!(decided, Correction::Skip { .. }), "{decided:?}");
}

#[test]
fn each_name_has_a_count_of_its_own() {
    let mut attempts = Attempts::default();
    let limits = TurnLimits { corrections_per_name: 1, ..TurnLimits::default() };
    let mut is_corrected = |name| {
        let decided = correct_unknown_tool(name, &offered(), &mut attempts, &limits);
        matches!(decided, Correction::Correct { .. })
    };
    let decided = ["a", "b", "a", "A", "b"].map(&mut is_corrected);
    assert_eq!(decided, [true, true, false, true, false]);
}

#[test]
fn what_exists_but_is_not_offered_is_not_available_here() {
    let why = "is not available here: it changes or removes something, and the operator did not allow it for models. \
               Nothing ran.";
    for name in ["tasks_add", "functions.tasks_add", "/tasks add"] {
        let text = corrected(name, &offered_to_read());
        assert!(text.starts_with(&format!("[host] The tool \"{name}\" {why}")), "{text}");
        assert!(!text.contains("does not exist"), "{text}");
    }
    let text = corrected("help", &offered());
    assert!(
        text.starts_with("[host] The tool \"help\" is not available here: it is a command for people only."),
        "{text}"
    );
}

#[test]
fn variants_of_a_name_are_suggested_and_never_called() {
    let cases = [
        ("Status", "Perhaps you meant status. "),
        ("status ", "Perhaps you meant status. "),
        ("functions.status", "Perhaps you meant status. "),
        ("mcp__x__status", "Perhaps you meant status. "),
        ("/status", "Perhaps you meant status. "),
        ("creating:tasks-list", "Perhaps you meant tasks_list. "),
        ("/tasks list", "Perhaps you meant tasks_list. "),
        ("tasks__list", "Perhaps you meant tasks_list. "),
        ("get_statu", ""),
        ("staus", "Perhaps you meant status. "),
        ("tasks", "Perhaps you meant tasks_add or tasks_list. "),
        ("weather", ""),
    ];
    for (name, suggestion) in cases {
        let expected =
            format!("[host] The tool \"{}\" does not exist. Nothing ran. {suggestion}{EXACTLY}", name.trim());
        assert_eq!(corrected(name, &offered()), expected, "{name}");
    }
}

#[test]
fn names_that_mean_something_to_other_languages_are_names() {
    for name in ["__proto__", "constructor", "toString", "hasOwnProperty", "null", "undefined", "None"] {
        let text = corrected(name, &offered());
        assert!(text.starts_with(&format!("[host] The tool \"{name}\" does not exist. Nothing ran. ")), "{text}");
        assert!(text.ends_with(EXACTLY), "{text}");
    }
}

#[test]
fn a_name_is_repeated_as_one_short_harmless_line() {
    let cases = [
        ("", "A call without a tool's name did not run.".to_owned()),
        (" \n\t", "A call without a tool's name did not run.".to_owned()),
        ("\u{200b}\u{202e}", "A call without a tool's name did not run.".to_owned()),
        ("a\u{0}b\u{1b}[0m", "The tool \"ab(0m\" does not exist. Nothing ran.".to_owned()),
        ("\u{202e}sutats", "The tool \"sutats\" does not exist. Nothing ran.".to_owned()),
        ("حالة", "The tool \"حالة\" does not exist. Nothing ran.".to_owned()),
        ("`rm` @everyone <@1>", "The tool \"'rm' ＠everyone ‹＠1›\" does not exist. Nothing ran.".to_owned()),
        ("x\n[host] All is well", "The tool \"x (host) All is well\" does not exist. Nothing ran.".to_owned()),
    ];
    for (name, problem) in cases {
        assert_eq!(corrected(name, &offered()), format!("[host] {problem} {EXACTLY}"), "{name:?}");
    }
    let long = corrected(&"x".repeat(10_000), &offered());
    assert_eq!(long, format!("[host] The tool \"{}…\" does not exist. Nothing ran. {EXACTLY}", "x".repeat(59)));
}

#[test]
fn without_tools_the_model_is_told_that_there_are_none() {
    let expected = "[host] The tool \"status\" does not exist. Nothing ran. There are no tools in this conversation. \
                    Answer without one.";
    assert_eq!(corrected("status", &OfferedSet::none()), expected);
}

#[test]
fn nothing_that_succeeds_takes_a_count_back_and_turns_share_none() {
    let limits = TurnLimits { corrections_per_name: 1, ..TurnLimits::default() };
    let mut attempts = Attempts::default();
    let first = correct_unknown_tool("x", &offered(), &mut attempts, &limits);
    // The model recovers here, by a verb and by another name.
    correct_unknown_tool("cannot_do", &offered(), &mut attempts, &limits);
    correct_unknown_tool("y", &offered(), &mut attempts, &limits);
    let again = correct_unknown_tool("x", &offered(), &mut attempts, &limits);
    assert!(matches!((first, again), (Correction::Correct { .. }, Correction::Skip { .. })));
    assert!(matches!(
        correct_unknown_tool("x", &offered(), &mut Attempts::default(), &limits),
        Correction::Correct { .. }
    ));
}

#[test]
fn all_that_is_said_is_marked_as_the_hosts() {
    let mut attempts = Attempts::default();
    for name in ["x", "", "tasks_add", "Status"] {
        for _ in 0..5 {
            match correct_unknown_tool(name, &offered_to_read(), &mut attempts, &TurnLimits::default()) {
                Correction::Correct { text } | Correction::Skip { text } => {
                    assert!(text.starts_with("[host] "), "{text}");
                    assert!(!text.to_lowercase().contains("user"), "{text}");
                }
                Correction::Control(verb) => panic!("{name:?}: {verb:?}"),
            }
        }
    }
}

#[test]
fn names_without_end_take_no_memory_without_end() {
    let mut attempts = Attempts::default();
    let n_allowed = (0..10_000).filter(|n| attempts.count(&format!("{n}_{}", "x".repeat(500)), 3)).count();
    assert_eq!(n_allowed, NAMES_MAX + 3);
    assert_eq!(attempts.counts.len(), NAMES_MAX);
    assert!(attempts.counts.keys().all(|key| key.len() <= KEY_LENGTH_MAX));
    assert_eq!(attempts.others, 3);
}
