//! What holds for any manifest at all: it is checked without a panic, and what passes is within the limits.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{check_one, shown};
use candor_core::contract::{Checked, Choice, Command, CommandKind, Localized, OptionKind, limits};
use candor_core::diagnostic::json;
use candor_core::inbound::CommandType;

/// Discord's limits as they stand in a command that passed.
fn assert_within_limits(checked: &Checked) {
    let commands: Vec<_> = checked.accepted.iter().flat_map(|module| &module.commands).collect();
    let count = |command_type| commands.iter().filter(|command| command.command_type == command_type).count();
    assert!(count(CommandType::Slash) <= 100);
    assert!(count(CommandType::UserMenu) <= 15 && count(CommandType::MessageMenu) <= 15);
    for command in commands {
        assert!(limits::command_size(command) <= 8000, "{command:?}");
        let is_set = |list: &Option<usize>| list.is_none_or(|length| 0 < length);
        assert!(is_set(&command.contexts.as_ref().map(Vec::len)) && is_set(&command.installs.as_ref().map(Vec::len)));
        let cooldowns = &command.policy.cooldowns;
        for cooldown in [cooldowns.user, cooldowns.channel, cooldowns.guild, cooldowns.global].into_iter().flatten() {
            assert!((1..=86_400).contains(&cooldown.as_secs()), "{command:?}");
        }
        match command.command_type {
            CommandType::Slash => assert_slash_within_limits(command),
            CommandType::UserMenu => assert_entry_within_limits(command, &OptionKind::User),
            CommandType::MessageMenu => assert_entry_within_limits(command, &OptionKind::Message),
        }
    }
}

fn assert_entry_within_limits(entry: &Command, target: &OptionKind) {
    let is_entry = |name: &str| (1..=32).contains(&name.chars().count()) && name.trim() == name;
    assert!(is_entry(&entry.name) && entry.description.is_empty(), "{entry:?}");
    assert!(entry.localized.descriptions.is_empty() && entry.localized.names.values().all(|name| is_entry(name)));
    assert!(entry.localized.names.keys().all(|locale| limits::LOCALES.contains(&locale.as_str())));
    let CommandKind::Leaf(leaf) = &entry.kind else { panic!("{entry:?}") };
    let [only] = leaf.options.as_slice() else { panic!("{entry:?}") };
    assert!(only.kind == *target && only.required && leaf.tool.is_none(), "{entry:?}");
}

fn assert_slash_within_limits(command: &Command) {
    assert_words(&command.name, &command.description, &command.localized);
    if let CommandKind::Parent { subcommands, groups } = &command.kind {
        assert!((1..=25).contains(&(subcommands.len() + groups.len())), "{command:?}");
        let of_subcommands = subcommands.iter().map(|known| (known.name.as_str(), &known.localized));
        assert_apart(of_subcommands.chain(groups.iter().map(|known| (known.name.as_str(), &known.localized))));
        for group in groups {
            assert_words(&group.name, &group.description, &group.localized);
            assert!((1..=25).contains(&group.subcommands.len()), "{command:?}");
            assert_apart(group.subcommands.iter().map(|known| (known.name.as_str(), &known.localized)));
        }
        for subcommand in subcommands.iter().chain(groups.iter().flat_map(|group| &group.subcommands)) {
            assert_words(&subcommand.name, &subcommand.description, &subcommand.localized);
        }
    }
    for leaf in command.leaves() {
        let path = leaf.path();
        if let Some(tool) = &leaf.tool {
            assert!(is_tool_name(&tool.name), "{tool:?}");
            let told = tool.description.as_ref().map(|description| description.chars().count());
            assert!(told.is_none_or(|length| (1..=300).contains(&length)), "{tool:?}");
            assert!(!leaf.options.iter().any(|option| option.required && option.kind.is_entity()), "{path}");
        }
        assert!(leaf.options.len() <= 25, "{path}");
        assert!(leaf.options.is_sorted_by_key(|option| !option.is_demanded()), "{path}");
        assert!(leaf.options.iter().filter(|option| option.modal).count() <= 5, "{path}");
        assert_apart(leaf.options.iter().map(|option| (option.name.as_str(), &option.localized)));
        for option in &leaf.options {
            assert_words(&option.name, &option.description, &option.localized);
            assert!(kind_is_within_limits(&option.kind), "{option:?}");
            let is_plain_text = matches!(&option.kind, OptionKind::String { choices, .. } if choices.is_empty());
            assert!(!option.modal || is_plain_text, "{option:?}");
            assert!(!option.autocomplete || !has_choices(&option.kind), "{option:?}");
        }
    }
}

/// A name and a description, in every language.
fn assert_words(name: &str, description: &str, localized: &Localized) {
    assert!(is_named(name) && is_described(description), "{name}: {description}");
    assert!(localized.names.values().all(|name| is_named(name)), "{localized:?}");
    assert!(localized.descriptions.values().all(|words| is_described(words)), "{localized:?}");
    let mut locales = localized.names.keys().chain(localized.descriptions.keys());
    assert!(locales.all(|locale| limits::LOCALES.contains(&locale.as_str())), "{localized:?}");
}

/// In no language two of one name, whatever that language leaves out.
fn assert_apart<'a>(list: impl Iterator<Item = (&'a str, &'a Localized)>) {
    let list: Vec<_> = list.collect();
    for locale in limits::LOCALES.into_iter().chain(["none"]) {
        let shown =
            |(name, localized): &(&'a str, &'a Localized)| localized.names.get(locale).map_or(*name, String::as_str);
        let names: BTreeSet<_> = list.iter().map(shown).collect();
        assert_eq!(names.len(), list.len(), "{list:?} in {locale}");
    }
}

fn has_choices(kind: &OptionKind) -> bool {
    match kind {
        OptionKind::String { choices, .. } => !choices.is_empty(),
        OptionKind::Integer { choices, .. } => !choices.is_empty(),
        OptionKind::Number { choices, .. } => !choices.is_empty(),
        _ => false,
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

fn is_described(description: &str) -> bool {
    (1..=100).contains(&description.chars().count()) && !description.trim().is_empty()
}

fn kind_is_within_limits(kind: &OptionKind) -> bool {
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let (min, max) = (min_length.unwrap_or(0), max_length.unwrap_or(6000));
            min <= max
                && (1..=6000).contains(&max)
                && choices_are_within_limits(choices)
                && choices.iter().all(|choice| (1..=100).contains(&choice.value.chars().count()))
        }
        OptionKind::Integer { min, max, choices } => {
            let (min, max) = (min.expect("stated"), max.expect("stated"));
            let inside = |number: &i64| limits::INTEGER.contains(number);
            min <= max
                && inside(&min)
                && inside(&max)
                && choices_are_within_limits(choices)
                && choices.iter().all(|choice| (min..=max).contains(&choice.value))
        }
        OptionKind::Number { min, max, choices } => {
            let (min, max) = (min.expect("stated"), max.expect("stated"));
            let inside = |number: &f64| limits::NUMBER.contains(number);
            min <= max
                && inside(&min)
                && inside(&max)
                && choices_are_within_limits(choices)
                && choices.iter().all(|choice| (min..=max).contains(&choice.value))
        }
        OptionKind::Message => false,
        OptionKind::Boolean
        | OptionKind::User
        | OptionKind::Channel { .. }
        | OptionKind::Role
        | OptionKind::Mentionable
        | OptionKind::Attachment => true,
    }
}

fn choices_are_within_limits<V>(choices: &[Choice<V>]) -> bool {
    let names = choices.iter().flat_map(|choice| choice.names.values().chain([&choice.name]));
    choices.len() <= 25 && names.map(|name| name.chars().count()).all(|length| (1..=100).contains(&length))
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
        "tool_description",
        "tool_options",
        "asks",
        "claims",
        "about",
        "figures",
        "results",
        "autocomplete",
        "type",
        "required",
        "min",
        "max",
        "min_length",
        "max_length",
        "choices",
        "ephemeral",
        "nsfw",
        "form",
        "private",
        "contexts",
        "installs",
        "channel_types",
        "default_member_permissions",
        "permissions.users",
        "permissions.cooldown_s.user",
        "cooldown_s.user",
        "localized.de.name",
        "localized.fr.description",
        "localized",
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
            "\"user\"",
            "\"message\"",
            "\"admins\"",
            "[\"guild\"]",
            "[\"text\", \"thread\"]",
            "[\"kick_members\"]",
            "[\"5\"]",
            "[1, 9]",
            "[{ name = \"A\", value = 1, localized.de = { name = \"B\" } }]",
            "\"profile\"",
            "\"welcome\"",
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
        "commands.\"/x\".groups.g",
        "commands.\"/x\".groups.g.subcommands.a",
        "commands.\"/x\".options.channel",
        "commands.\"/x\".options.words",
        "commands.\"/x\".options.level",
        "commands.\"/x\".permissions",
        "menus.\"Show it\"",
        "menus.Report",
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

/// Names in other languages, often of two options at once.
fn near_miss_in_another_language() -> impl Strategy<Value = String> {
    let locale = || prop::sample::select(vec!["de", "de", "fr", "en"]);
    let name = || prop_oneof![4 => "[a-c]{1,2}", 1 => Just("level".to_owned()), 1 => "[a-zA-Zü ]{1,4}"];
    let words = || (prop::bool::ANY, locale(), name());
    let choices = prop::sample::select(vec!["", "choices = [1, 2]", "choices = [1, 11]", "choices = [\"1\"]"]);
    let keys = prop::sample::subsequence(
        vec![
            "nsfw = true",
            "contexts = [\"guild\", \"bot-dm\"]",
            "installs = [\"user\"]",
            "default_member_permissions = \"admins\"",
            "permissions = { roles = [\"5\"], cooldown_s = { guild = 9 } }",
        ],
        0..=5,
    );
    (words(), words(), words(), choices, keys, prop::bool::ANY, prop::bool::ANY).prop_map(
        |(command, level, spoken, choices, keys, form, menu)| {
            let localized = |(given, locale, name): (bool, &str, String)| match given {
                true => format!("localized.{locale} = {{ name = {name:?} }}\n"),
                false => String::new(),
            };
            let (command, level, spoken) = (localized(command), localized(level), localized(spoken));
            let extra = match menu {
                true => format!("[menus.\"Show it\"]\ntype = \"user\"\nhandler = \"welcome\"\n{command}"),
                false => String::new(),
            };
            format!(
                "[module]\nname = \"welcome\"\nsummary = \"x\"\n\
                 [commands.\"/x\"]\ndescription = \"x\"\nhandler = \"welcome\"\n{}\n{command}\
                 [commands.\"/x\".options.words]\nform = {form}\n{spoken}\
                 [commands.\"/x\".options.level]\n{choices}\n{level}{extra}",
                keys.join("\n")
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
            3 => near_miss_in_another_language(),
        ],
        folder in prop::sample::select(vec!["search", "weather", "members", "elsewhere"]),
    ) {
        for folder in [folder, "forecast", "welcome"] {
            let checked = check_one(folder, &text);
            assert_within_limits(&checked);
            assert_can_be_told(&checked);
            let rejected = !checked.rejected.is_empty();
            prop_assert_eq!(rejected, checked.diagnostics.has_errors());
        }
    }
}
