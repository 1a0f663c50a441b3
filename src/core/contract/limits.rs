//! Discord's limits for commands, checked before registration, and limits for the chat model's tools.
//!
//! Source: Discord's documentation, "Application Commands" (structures, naming, limits) as of August 2026. Lengths are
//! in characters, that is, Unicode code points.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::contract::spec::{Choice, Command, CommandKind, Leaf, Localized, OptionKind, OptionSpec, Subcommand};
use crate::text::first_control;

/// Slash commands per bot and scope. Discord answers more with error 30032.
pub const COMMANDS_MAX: usize = 100;
/// User context-menu commands per bot and scope; the same limit applies to message context-menu commands.
pub const MENU_COMMANDS_MAX: usize = 15;
/// Subcommands and groups per command, and subcommands per group.
pub const SUBCOMMANDS_MAX: usize = 25;
/// Options per command or subcommand.
pub const OPTIONS_MAX: usize = 25;
/// Choices per option.
pub const CHOICES_MAX: usize = 25;
/// Suggestions shown while a user types.
pub const SUGGESTIONS_MAX: usize = 25;
/// The label of a suggestion, and its value if that is text.
pub const SUGGESTION_LENGTH_MAX: usize = 100;
/// Names of commands, subcommands and options.
pub const NAME_LENGTH_MAX: usize = 32;
/// Descriptions of commands, subcommands and options.
pub const DESCRIPTION_LENGTH_MAX: usize = 100;
/// The name of a choice.
pub const CHOICE_NAME_LENGTH_MAX: usize = 100;
/// The value of a choice. Discord's API specification says 6000, its documentation 100. We use the narrower limit.
pub const CHOICE_VALUE_LENGTH_MAX: usize = 100;
/// The range of `min_length` of a text option.
pub const MIN_LENGTH: RangeInclusive<i64> = 0..=6000;
/// The range of `max_length` of a text option.
pub const MAX_LENGTH: RangeInclusive<i64> = 1..=6000;
/// The range of integer options: ±(2^53 - 1), which JSON holds exactly.
pub const INTEGER: RangeInclusive<i64> = -9_007_199_254_740_991..=9_007_199_254_740_991;
/// The range of number options: ±2^53.
pub const NUMBER: RangeInclusive<f64> = -9_007_199_254_740_992.0..=9_007_199_254_740_992.0;
/// The total size of a command: names, descriptions and choice values. For a localized text the longest language
/// counts. The limit was 4000 until 2024.
pub const COMMAND_SIZE_MAX: usize = 8000;
/// Text inputs per modal. See Discord's documentation, modals.
pub const MODAL_OPTIONS_MAX: usize = 5;
/// The longest text that a modal accepts. See Discord's documentation, text inputs.
pub const MODAL_TEXT_LENGTH_MAX: u16 = 4000;
/// The range of a cooldown in seconds, up to a day. Our own limit.
pub const COOLDOWN_S: RangeInclusive<i64> = 1..=86_400;
/// Discord's locales. See its documentation, "Locales". Discord refuses a command with any other locale.
pub const LOCALES: [&str; 32] = [
    "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "hi", "hr", "hu", "id", "it", "ja",
    "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// Names of the chat model's tools. See OpenAI's documentation of function calling; other providers use the same rules.
pub const TOOL_NAME_LENGTH_MAX: usize = 64;
/// Tool names with a special meaning: the built-in tool to decline, and words with which models end their calls.
pub const TOOL_NAMES_RESERVED: [&str; 4] = ["cannot_do", "no_function", "out_of_domain", "stop"];
/// The length of a tool's description for the model. Our own limit, because it is part of every request.
pub const TOOL_DESCRIPTION_LENGTH_MAX: usize = 300;

/// Returns whether a character is allowed in a tool name.
pub fn is_tool_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-".contains(character)
}

/// Returns whether Discord accepts this as the name of a command, subcommand or option. Its pattern is
/// `^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$`, and letters with a lower case must use it.
pub fn is_name(name: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&name.chars().count())
        && name.chars().all(|letter| is_name_character(letter) && is_lowercase(letter))
}

/// Returns whether a character is allowed in a name. Upper case is.
pub fn is_name_character(character: char) -> bool {
    matches!(character, '-' | '_' | '\'')
        || is_devanagari_or_thai(character)
        || matches!(character.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// Returns whether Discord accepts this as the name of a context-menu command. It may contain upper case and spaces.
/// Discord trims white space, so a name with white space at either end would come back changed.
pub fn is_menu_name(name: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&name.chars().count()) && name.trim() == name && first_control(name).is_none()
}

/// Returns whether Discord accepts this as a description. Discord trims white space before it counts.
pub fn is_description(description: &str) -> bool {
    (1..=DESCRIPTION_LENGTH_MAX).contains(&description.trim().chars().count())
}

/// Returns the size that Discord compares with [`COMMAND_SIZE_MAX`]: every name, description and choice value, each in
/// its longest language.
pub fn command_size(command: &Command) -> usize {
    let inner: usize = match &command.kind {
        CommandKind::Leaf(leaf) => leaf_size(leaf),
        CommandKind::Parent { subcommands, groups } => {
            let grouped = groups.iter().map(|group| {
                words_size(&group.name, &group.description, &group.localized) + subcommands_size(&group.subcommands)
            });
            subcommands_size(subcommands) + grouped.sum::<usize>()
        }
    };
    words_size(&command.name, &command.description, &command.localized) + inner
}

fn subcommands_size(subcommands: &[Subcommand]) -> usize {
    let size = |known: &Subcommand| words_size(&known.name, &known.description, &known.localized);
    subcommands.iter().map(|subcommand| size(subcommand) + leaf_size(&subcommand.leaf)).sum()
}

fn leaf_size(leaf: &Leaf) -> usize {
    let size = |option: &OptionSpec| words_size(&option.name, &option.description, &option.localized);
    leaf.options.iter().map(|option| size(option) + choices_size(&option.kind)).sum()
}

fn words_size(name: &str, description: &str, localized: &Localized) -> usize {
    longest(name, &localized.names) + longest(description, &localized.descriptions)
}

fn choices_size(kind: &OptionKind) -> usize {
    let size = |choice: &Choice| longest(&choice.name, &choice.names) + length(&choice.value);
    kind.choices().iter().map(size).sum()
}

fn longest(text: &str, localized: &BTreeMap<String, String>) -> usize {
    localized.values().map(|text| length(text)).fold(length(text), usize::max)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn is_lowercase(character: char) -> bool {
    character.to_lowercase().eq([character])
}

/// Returns whether a character is Devanagari or Thai by Unicode's `Scripts.txt`, version 16. Their vowel signs are
/// marks, neither letters nor numbers, but words need them.
fn is_devanagari_or_thai(character: char) -> bool {
    matches!(character,
        '\u{900}'..='\u{950}' | '\u{955}'..='\u{963}' | '\u{966}'..='\u{97f}'
        | '\u{a8e0}'..='\u{a8ff}' | '\u{11b00}'..='\u{11b09}'
        | '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e5b}')
}

#[cfg(test)]
mod tests {

    use super::*;

    use crate::contract::spec::{Group, Owner};

    #[test]
    fn context_menu_commands_may_have_spaces_and_upper_case() {
        let long = "X".repeat(32);
        for name in ["Report message", "x", "Wer ist das?", &long] {
            assert!(is_menu_name(name), "{name}");
        }
        for name in ["", " ", "Report ", "\tReport", "two\nlines", &format!("{long}x")] {
            assert!(!is_menu_name(name), "{name:?}");
        }
    }

    #[test]
    fn of_a_text_in_several_languages_the_longest_counts() {
        let localized = |name: &str, description: &str| Localized {
            names: [("de".to_owned(), name.to_owned())].into(),
            descriptions: [("fr".to_owned(), description.to_owned())].into(),
        };
        let choices =
            vec![Choice { names: [("de".to_owned(), "Zwölf".to_owned())].into(), ..Choice::new("Ten", 12_i64) }];
        let kind = OptionKind::Integer { min: None, max: None, choices };
        let option = OptionSpec { localized: localized("x", "x"), ..OptionSpec::new("level", "How much", kind, true) };
        let leaf = Leaf::new("unused", vec![option], None);
        let inner = Subcommand { localized: localized("hinzufügen", ""), ..Subcommand::new("add", "Add", leaf) };
        let group = Group {
            name: "user".to_owned(),
            description: "Users".to_owned(),
            subcommands: vec![inner],
            localized: localized("benutzer", "Utilisateurs"),
            written_at: None,
        };
        let kind = CommandKind::Parent { subcommands: Vec::new(), groups: vec![group] };
        let command =
            Command { localized: localized("verein", "?"), ..Command::new("club", "A club", Owner::Builtin, kind) };
        // Command, group, subcommand, option, choice.
        assert_eq!(command_size(&command), (6 + 6) + (8 + 12) + (10 + 3) + (5 + 8) + (5 + 2));
    }

    #[test]
    fn locales_are_those_of_discord_each_once_and_in_order() {
        assert!(LOCALES.is_sorted_by(|a, b| a < b));
        assert!(!LOCALES.contains(&"en"), "Discord knows English by country only");
    }

    #[test]
    fn names_follow_the_pattern_of_discord() {
        let long = "x".repeat(32);
        let good =
            ["status", "add-task", "snake_case", "l'heure", "größe", "7", "статус", "状態", "हिन्दी", "ภาษาไทย", &long];
        for name in good {
            assert!(is_name(name), "{name}");
        }
        let too_long = "x".repeat(33);
        let bad =
            ["", "Status", "add task", "/status", "a.b", "naïve\u{200d}", "e\u{301}", "Ǆ", "ǅ", "😀", "İ", &too_long];
        for name in bad {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn descriptions_have_1_to_100_characters() {
        let cases = [("", false), ("  \n", false), ("x", true), (&"ü".repeat(100), true), (&"ü".repeat(101), false)];
        for (description, expected) in cases {
            assert_eq!(is_description(description), expected, "{description:?}");
        }
    }
}
