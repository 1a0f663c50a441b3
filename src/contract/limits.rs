//! Discord's limits for slash commands, before Discord is asked, and those of the chat model's tools.
//!
//! Sources: Discord's documentation, "Application Commands" (structures, naming, limits) as of August 2026.
//! Lengths are in characters, that is Unicode code points.

use std::ops::RangeInclusive;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::contract::spec::{Command, CommandKind, Leaf, OptionKind};

/// Slash commands of one bot in one scope. More end in error 30032.
pub const COMMANDS_MAX: usize = 100;
/// Subcommands of one command.
pub const SUBCOMMANDS_MAX: usize = 25;
/// Options of one command or subcommand.
pub const OPTIONS_MAX: usize = 25;
/// Choices of one option.
pub const CHOICES_MAX: usize = 25;
/// Suggestions that are shown while a person types.
pub const SUGGESTIONS_MAX: usize = 25;
/// What a suggestion shows, and its value if that is text.
pub const SUGGESTION_LENGTH_MAX: usize = 100;
/// Names of commands, subcommands and options.
pub const NAME_LENGTH_MAX: usize = 32;
/// Descriptions of commands, subcommands and options.
pub const DESCRIPTION_LENGTH_MAX: usize = 100;
/// The name of a choice.
pub const CHOICE_NAME_LENGTH_MAX: usize = 100;
/// The value of a choice. The API specification says 6000, the documentation 100: the narrower one holds.
pub const CHOICE_VALUE_LENGTH_MAX: usize = 100;
/// What `min_length` of a text may be.
pub const MIN_LENGTH: RangeInclusive<i64> = 0..=6000;
/// What `max_length` of a text may be.
pub const MAX_LENGTH: RangeInclusive<i64> = 1..=6000;
/// Whole numbers, as JSON holds them exactly: ±(2^53 - 1).
pub const INTEGER: RangeInclusive<i64> = -9_007_199_254_740_991..=9_007_199_254_740_991;
/// Numbers: ±2^53.
pub const NUMBER: RangeInclusive<f64> = -9_007_199_254_740_992.0..=9_007_199_254_740_992.0;
/// Names, descriptions and choice values of a command with everything in it. It was 4000 until 2024.
pub const COMMAND_SIZE_MAX: usize = 8000;

/// Names of the chat model's tools. See the documentation of OpenAI's function calling, whose rules other servers share.
pub const TOOL_NAME_LENGTH_MAX: usize = 64;
/// Names that mean something else where a model calls tools: the way out that is always offered, and words by which
/// models end their calls.
pub const TOOL_NAMES_RESERVED: [&str; 4] = ["cannot_do", "no_function", "out_of_domain", "stop"];
/// Claims of one tool. Our own limit: a reply is searched for each.
pub const CLAIMS_MAX: usize = 20;
/// A claim. Our own limit.
pub const CLAIM_LENGTH_MAX: usize = 60;

/// Whether a character may stand in a tool's name.
pub fn is_tool_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-".contains(character)
}

/// Whether Discord takes this as the name of a command, subcommand or option: its pattern is
/// `^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$`, and a letter that has a lower case must be in it.
pub fn is_name(name: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&name.chars().count())
        && name.chars().all(|letter| is_name_character(letter) && is_lowercase(letter))
}

/// Whether a character may stand in a name, upper case included.
pub fn is_name_character(character: char) -> bool {
    matches!(character, '-' | '_' | '\'')
        || is_devanagari_or_thai(character)
        || matches!(character.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// Whether Discord takes this as a description. It trims white space before it counts.
pub fn is_description(description: &str) -> bool {
    (1..=DESCRIPTION_LENGTH_MAX).contains(&description.trim().chars().count())
}

/// What Discord counts against [`COMMAND_SIZE_MAX`]: every name, description and choice value.
pub fn command_size(command: &Command) -> usize {
    let own = length(&command.name) + length(&command.description);
    let inner: usize = match &command.kind {
        CommandKind::Leaf(leaf) => leaf_size(leaf),
        CommandKind::Parent(subcommands) => subcommands
            .iter()
            .map(|subcommand| length(&subcommand.name) + length(&subcommand.description) + leaf_size(&subcommand.leaf))
            .sum(),
    };
    own + inner
}

fn leaf_size(leaf: &Leaf) -> usize {
    leaf.options
        .iter()
        .map(|option| length(&option.name) + length(&option.description) + choices_size(&option.kind))
        .sum()
}

fn choices_size(kind: &OptionKind) -> usize {
    match kind {
        OptionKind::String { choices, .. } => {
            choices.iter().map(|choice| length(&choice.name) + length(&choice.value)).sum()
        }
        OptionKind::Integer { .. } | OptionKind::Number { .. } | OptionKind::Boolean => 0,
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn is_lowercase(character: char) -> bool {
    character.to_lowercase().eq([character])
}

/// Unicode's `Scripts.txt`, version 16: vowel signs of these scripts are marks, neither letters nor numbers,
/// yet words cannot be written without them.
fn is_devanagari_or_thai(character: char) -> bool {
    matches!(character,
        '\u{900}'..='\u{950}' | '\u{955}'..='\u{963}' | '\u{966}'..='\u{97f}'
        | '\u{a8e0}'..='\u{a8ff}' | '\u{11b00}'..='\u{11b09}'
        | '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e5b}')
}

#[cfg(test)]
mod tests {
    use super::{is_description, is_name};

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
