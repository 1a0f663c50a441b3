//! What stands just within a limit is taken, and what stands just beyond it is refused.

use super::{check_one, codes, module, with_handler};
use candor_core::contract::limits;
use candor_core::diagnostic::Code;

/// The codes found in a text module with this at its command `/x`.
fn found(of_command: &str) -> Vec<Code> {
    found_in(&format!("[commands.\"/x\"]\ndescription = \"x\"\nreply = \"x\"\n{of_command}"))
}

fn found_in(rest: &str) -> Vec<Code> {
    codes(&check_one("limits", &text_module(rest)).diagnostics)
}

fn text_module(rest: &str) -> String {
    module("limits", "text", rest)
}

/// `n` options, each with a description of this length and this beside it.
fn options(n: usize, length: usize, more: &str) -> String {
    let words = "d".repeat(length);
    (0..n).map(|n| format!("[commands.\"/x\".options.o{n}]\ndescription = \"{words}\"\n{more}")).collect()
}

/// `n` choices whose names and values have this length.
fn choices(n: usize, length: usize) -> String {
    let one = |n: usize| format!("{n:x<length$}");
    format!("choices = [{}]\n", (0..n).map(|n| format!("\"{}\"", one(n))).collect::<Vec<_>>().join(", "))
}

/// What has something of this size.
type At<'a> = &'a dyn Fn(usize) -> String;

#[test]
fn a_limit_is_the_last_that_is_taken() {
    let cases: [(&str, At<'_>, usize, Code); 5] = [
        ("options", &|n| options(n, 1, ""), limits::OPTIONS_MAX, Code::TooManyOptions),
        ("choices", &|n| options(1, 1, &choices(n, 9)), limits::CHOICES_MAX, Code::TooManyChoices),
        ("a choice's value", &|n| options(1, 1, &choices(1, n)), limits::CHOICE_VALUE_LENGTH_MAX, Code::ChoiceInvalid),
        (
            "a choice's name",
            &|n| options(1, 1, &format!("choices = [{{ name = \"{}\", value = \"v\" }}]\n", "n".repeat(n))),
            limits::CHOICE_NAME_LENGTH_MAX,
            Code::ChoiceInvalid,
        ),
        (
            "the name of a tool",
            &|n| format!("tool = true\ntool_name = \"{}\"\n", "t".repeat(n)),
            limits::TOOL_NAME_LENGTH_MAX,
            Code::ToolNameInvalid,
        ),
    ];
    for (what, at, max, code) in cases {
        assert_eq!(found(&at(max)), [], "{what}");
        assert_eq!(found(&at(max + 1)), [code], "{what}");
    }
}

#[test]
fn a_command_may_be_as_large_as_discord_takes_and_no_larger() {
    // 25 options, of which the first has 25 choices and the second has two.
    let large = |left: usize| {
        let [first, second] = [(left, 25), (100, 2)].map(|(length, n)| options(1, length, &choices(n, 100)));
        let second = second.replace("options.o0", "options.second");
        let others = options(23, 100, "").replace("options.o", "options.other");
        format!("[commands.\"/x\"]\ndescription = \"x\"\nreply = \"x\"\n{first}{second}{others}")
    };
    let checked = check_one("limits", &text_module(&large(1)));
    let left = 1 + limits::COMMAND_SIZE_MAX - limits::command_size(&checked.accepted[1].commands[0]);
    assert!(left < 100, "{left}");
    assert_eq!(found_in(&large(left)), []);
    assert_eq!(found_in(&large(left + 1)), [Code::CommandTooLarge]);
}

#[test]
fn bounds_may_be_equal_and_not_crossed() {
    let option = |more: &str| found(&options(1, 1, more));
    let setting = |more: &str| {
        found_in(&format!(
            "[settings.n]\ndescription = \"x\"\n{more}[commands.\"/x\"]\ndescription = \"x\"\nreply = \"x\"\n"
        ))
    };
    let cases: [(&str, &[Code], &[Code]); 6] = [
        ("type = \"integer\"\nmin = 3\nmax = 3\n", &[], &[]),
        ("type = \"number\"\nmin = 1.5\nmax = 1.5\n", &[], &[]),
        ("type = \"integer\"\nmin = 4\nmax = 3\n", &[Code::OptionBounds], &[Code::SettingInvalid]),
        ("type = \"number\"\nmin = 1.5\nmax = 1.25\n", &[Code::OptionBounds], &[Code::SettingInvalid]),
        ("type = \"integer\"\nmin = 1\nmax = 9\n", &[], &[]),
        ("type = \"number\"\nmin = 1\nmax = 9\n", &[], &[]),
    ];
    for (more, of_option, of_setting) in cases {
        assert_eq!(option(more), of_option, "{more}");
        assert_eq!(setting(more), of_setting, "{more}");
    }
}

#[test]
fn a_form_asks_for_texts_without_choices_that_it_can_take() {
    let cases: [(&str, &[Code]); 5] = [
        ("required = true\nform = true\n", &[]),
        ("required = true\nform = true\nmin_length = 4000\n", &[]),
        ("required = true\nform = true\nmin_length = 4001\n", &[Code::FormInvalid]),
        ("required = true\nform = true\nchoices = [\"a\"]\n", &[Code::FormInvalid]),
        ("form = true\n", &[Code::FormInvalid]),
    ];
    for (more, expected) in cases {
        assert_eq!(found(&options(1, 1, more)), expected, "{more}");
    }
}

#[test]
fn an_option_may_have_the_bounds_of_its_handler_and_narrower_ones() {
    let text =
        |bounds: &str| with_handler("forecast", "forecast", &format!("[commands.\"/x\".options.days]\n{bounds}"));
    // The handler takes 1 to 14.
    for (bounds, expected) in [
        ("min = 1\nmax = 14\n", &[][..]),
        ("min = 2\nmax = 13\n", &[]),
        ("min = 0\n", &[Code::HandlerSignatureMismatch]),
        ("max = 15\n", &[Code::HandlerSignatureMismatch]),
    ] {
        assert_eq!(codes(&check_one("forecast", &text(bounds)).diagnostics), expected, "{bounds}");
    }
}

#[test]
fn members_have_at_least_one_permission() {
    let found = |list: &str| found(&format!("contexts = [\"guild\"]\ndefault_member_permissions = {list}\n"));
    assert_eq!(found("[\"manage_messages\"]"), []);
    assert_eq!(found("\"admins\""), []);
    assert_eq!(found("[]"), [Code::ManifestValueInvalid]);
}

#[test]
fn numbers_to_choose_from_are_within_the_bounds_and_each_there_once() {
    let cases: [(&str, &[Code]); 4] = [
        ("max = 2\nchoices = [1.5, 2]\n", &[]),
        ("max = 2\nchoices = [1.5, 2.5]\n", &[Code::ChoiceInvalid]),
        ("choices = [1.5, 1.5]\n", &[Code::ChoiceInvalid]),
        ("choices = [{ name = \"\", value = 1.5 }]\n", &[Code::ChoiceInvalid]),
    ];
    for (more, expected) in cases {
        assert_eq!(found(&options(1, 1, &format!("type = \"number\"\n{more}"))), expected, "{more}");
    }
}

#[test]
fn why_a_name_is_refused_is_said_by_the_first_reason() {
    let labels = |of_command: &str| {
        let checked = check_one("limits", &text_module(&format!("{of_command}\nreply = \"x\"\n")));
        checked.diagnostics.iter().map(|found| found.place.label.clone()).collect::<Vec<_>>()
    };
    let command = |name: &str| labels(&format!("[commands.\"/{name}\"]\ndescription = \"x\""));
    let menu = |name: &str| labels(&format!("[menus.\"{name}\"]\ntype = \"user\""));
    let one_less = "n".repeat(limits::NAME_LENGTH_MAX - 1);
    let long = format!("{one_less}n");
    let none: [&str; 0] = [];
    for (found, expected) in [
        (command(&long), &none[..]),
        (command(&format!("{long}n")), &["33 characters, and Discord accepts 32"]),
        (command(&format!("{one_less}N")), &["a name is in lower case"]),
        (menu(&long), &none),
        (menu(&format!("{long}n")), &["33 characters, and Discord accepts 32"]),
        (menu(&format!("{one_less} ")), &["it begins or ends with white space"]),
        (menu("a\\nb"), &["it is not one line of plain text"]),
    ] {
        assert_eq!(found, expected);
    }
}
