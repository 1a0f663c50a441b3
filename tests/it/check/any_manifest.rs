//! What holds for any manifest at all: it is checked without a panic, and what passes is within the limits.

use candor::contract::{Checked, CommandKind, OptionKind, limits};
use candor::diagnostic::json;
use proptest::prelude::*;

use super::{check_one, shown};

/// Discord's limits as they stand in a command that passed.
fn assert_within_limits(checked: &Checked) {
    let commands: Vec<_> = checked.accepted.iter().flat_map(|module| &module.commands).collect();
    assert!(commands.len() <= 100);
    for command in commands {
        assert!(is_named(&command.name) && is_described(&command.description), "{command:?}");
        assert!(limits::command_size(command) <= 8000, "{command:?}");
        if let CommandKind::Parent(subcommands) = &command.kind {
            assert!((1..=25).contains(&subcommands.len()), "{command:?}");
            for subcommand in subcommands {
                assert!(is_named(&subcommand.name) && is_described(&subcommand.description));
            }
        }
        for (path, leaf) in command.leaves() {
            if let Some(tool) = &leaf.tool {
                assert!(is_tool_name(&tool.name) && tool.claims.iter().all(|claim| is_claim(claim)), "{tool:?}");
                assert!(tool.claims.len() <= 20, "{tool:?}");
            }
            assert!(leaf.options.len() <= 25, "{path}");
            assert!(leaf.options.is_sorted_by_key(|option| !option.required), "{path}");
            for option in &leaf.options {
                assert!(is_named(&option.name) && is_described(&option.description), "{option:?}");
                assert!(kind_is_within_limits(&option.kind), "{option:?}");
            }
        }
    }
}

fn is_named(name: &str) -> bool {
    (1..=32).contains(&name.chars().count())
        && !name.contains(|letter: char| letter.is_uppercase() || " /".contains(letter))
}

fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        && !["cannot_do", "no_function", "out_of_domain", "stop"].contains(&name)
}

fn is_claim(claim: &str) -> bool {
    (1..=60).contains(&claim.chars().count()) && claim.trim() == claim && claim.to_lowercase() == claim
}

fn is_described(description: &str) -> bool {
    (1..=100).contains(&description.chars().count()) && !description.trim().is_empty()
}

fn kind_is_within_limits(kind: &OptionKind) -> bool {
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let (min, max) = (min_length.unwrap_or(0), max_length.unwrap_or(6000));
            min <= max
                && (1..=6000).contains(&max)
                && choices.len() <= 25
                && choices.iter().all(|choice| {
                    (1..=100).contains(&choice.name.chars().count())
                        && (1..=100).contains(&choice.value.chars().count())
                })
        }
        OptionKind::Integer { min, max } => {
            let (min, max) = (min.expect("stated"), max.expect("stated"));
            min <= max && limits::INTEGER.contains(&min) && limits::INTEGER.contains(&max)
        }
        OptionKind::Number { min, max } => {
            let (min, max) = (min.expect("stated"), max.expect("stated"));
            min <= max && limits::NUMBER.contains(&min) && limits::NUMBER.contains(&max)
        }
        OptionKind::Boolean => true,
    }
}

/// Whatever was found points into its file and can be shown.
fn assert_can_be_told(checked: &Checked) {
    for diagnostic in checked.diagnostics.iter() {
        let place = &diagnostic.place;
        assert!(place.file.text.get(place.span.clone()).is_some(), "{diagnostic:?}");
    }
    let shown = shown(checked);
    assert!(checked.diagnostics.iter().all(|diagnostic| shown.contains(diagnostic.code.name())));
    let told = json::render(&checked.diagnostics);
    assert_eq!(told.as_array().expect("a list").len(), checked.diagnostics.iter().count());
}

/// Lines that a manifest may be made of, good and bad.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "name",
        "summary",
        "services",
        "description",
        "handler",
        "tool",
        "tool_name",
        "writes",
        "claims",
        "autocomplete",
        "type",
        "required",
        "min",
        "max",
        "min_length",
        "max_length",
        "choices",
        "ephemeral",
        "\"/x\"",
        "\"\"",
        "a.b",
    ]);
    let value = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (-3i64..20).prop_map(|number| number.to_string()),
        prop::sample::select(vec![
            "true",
            "false",
            "nan",
            "-inf",
            "1e300",
            "0.5",
            "\"integer\"",
            "\"string\"",
            "\"forecast\"",
            "\"search\"",
            "\"celsius\"",
            "[\"celsius\"]",
            "[\"shown\", \"Told\"]",
            "\"stop\"",
            "[{ name = \"A\", value = \"celsius\" }]",
            "[]",
            "{}",
            "[1, \"x\"]",
            "2026-01-01",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,110}".prop_map(|text| format!("{text:?}")),
    ];
    let header = prop::sample::select(vec![
        "module",
        "commands",
        "commands.x",
        "commands.\"/x\"",
        "commands.\"/x\".options.city",
        "commands.\"/x\".options.days",
        "commands.\"/x\".options.unit",
        "commands.\"/x\".options.query",
        "commands.\"/x\".subcommands.a",
        "commands.\"/x\".subcommands.a.options.days",
        "commands.\"/help\"",
    ]);
    prop_oneof![
        6 => (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        3 => header.prop_map(|header| format!("[{header}]")),
        1 => "\\PC{0,40}",
    ]
}

/// Manifests that are nearly right, so that many of them pass.
fn near_miss() -> impl Strategy<Value = String> {
    let slash = prop::sample::select(vec!["/", "/", "/", "/", ""]);
    let name = prop_oneof![4 => "[a-z]{1,4}", 1 => "[a-zA-Z_ü/' ]{1,4}", 1 => "[a-z]{31,34}"];
    let description = || prop_oneof![4 => "[ -~]{1,8}", 1 => " {0,2}", 1 => "[a-z]{98,102}"];
    let entry = |key: &'static str, values: BoxedStrategy<i64>| {
        prop::option::weighted(0.5, values)
            .prop_map(move |value| value.map(|value| format!("{key} = {value}\n")).unwrap_or_default())
    };
    let length = || prop_oneof![-1i64..6, 5998i64..6003].boxed();
    let number = || (1i64..16).boxed();
    let days = (prop::bool::ANY, entry("min", number()), entry("max", number()));
    let city = (prop::bool::ANY, description(), entry("min_length", length()), entry("max_length", length()));
    (slash, name, description(), days, city, prop::bool::ANY).prop_map(
        |(slash, name, description, days, city, days_first)| {
            let path = format!("commands.{:?}", format!("{slash}{name}"));
            let (listed, min, max) = days;
            let days = if listed { format!("[{path}.options.days]\n{min}{max}") } else { String::new() };
            let (listed, wording, min, max) = city;
            let city = format!("[{path}.options.city]\ndescription = {wording:?}\n{min}{max}");
            let city = if listed { city } else { String::new() };
            let options = if days_first { days + &city } else { city + &days };
            format!(
                "[module]\nname = \"forecast\"\nsummary = \"x\"\n\
                 [{path}]\ndescription = {description:?}\nhandler = \"forecast\"\n{options}"
            )
        },
    )
}

proptest! {
    #[test]
    fn any_text_is_checked_and_what_passes_is_within_the_limits(
        text in prop_oneof![
            1 => "(?s).{0,200}",
            3 => prop::collection::vec(line(), 0..16).prop_map(|lines| lines.join("\n")),
            3 => near_miss(),
        ],
        folder in prop::sample::select(vec!["forecast", "search", "weather", "elsewhere"]),
    ) {
        for folder in [folder, "forecast"] {
            let checked = check_one(folder, &text);
            assert_within_limits(&checked);
            assert_can_be_told(&checked);
            let rejected = !checked.rejected.is_empty();
            prop_assert_eq!(rejected, checked.diagnostics.has_errors());
        }
    }
}
