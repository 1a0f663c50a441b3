//! Components under an answer: buttons and select menus that run a command.
//!
//! A component is a prepared call. It takes the same path as a command chosen in the picker: router, access, executor,
//! receipt. It belongs to the caller of the answer, unless it is for everyone, and expires.

use serde_json::{Map, Value};

use crate::inbound::CommandPath;

/// The most letters of an emoji's name.
const EMOJI_NAME_MAX: usize = 32;

/// A button, a select menu or a picker.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Runs a command.
    Button {
        /// The label: 1 to 80 characters.
        label: String,
        /// The emoji before the label.
        emoji: Option<Emoji>,
        /// The style.
        style: ControlStyle,
        /// The command it runs; `None` for a disabled button.
        call: Option<PreparedCall>,
    },
    /// Shows a command in words, with a button that runs it. Without it, a label written by a module outside of the
    /// process could hide which command of another module runs.
    Ask {
        /// The label: 1 to 80 characters.
        label: String,
        /// The style.
        style: ControlStyle,
        /// The command, by its name in force, and its arguments.
        call: PreparedCall,
    },
    /// A select menu, which runs a command with the chosen value.
    Select {
        /// The text while nothing is chosen: 1 to 150 characters.
        placeholder: String,
        /// The option that receives the chosen value.
        option: String,
        /// The choices: 1 to 25, each with label and value of 1 to 100 characters.
        choices: Vec<(String, String)>,
        /// The command it runs.
        call: PreparedCall,
    },
    /// A select menu in which Discord lists the channels or roles of the guild. It runs a command with the 1 to 25
    /// selected, as mentions separated by spaces: `<#1> <#2>`. Only in guilds.
    Pick {
        /// The text while nothing is chosen: 1 to 150 characters.
        placeholder: String,
        /// The kind of listed entries.
        from: Picked,
        /// The option that receives the selection.
        option: String,
        /// The command it runs.
        call: PreparedCall,
    },
}

/// The kind of entries in a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// Channels of every kind, with threads and categories.
    Channels,
    /// Roles.
    Roles,
}

impl Control {
    /// Returns the command that its use runs, if any.
    pub fn call(&self) -> Option<&PreparedCall> {
        match self {
            Self::Button { call, .. } => call.as_ref(),
            Self::Ask { .. } => None,
            Self::Select { call, .. } | Self::Pick { call, .. } => Some(call),
        }
    }

    /// Returns the label of a button and the command that it runs, at once or after a question. `None` for select menus
    /// and disabled buttons.
    pub fn button(&self) -> Option<(&str, &PreparedCall)> {
        match self {
            Self::Button { label, call: Some(call), .. } | Self::Ask { label, call, .. } => Some((label, call)),
            Self::Button { call: None, .. } | Self::Select { .. } | Self::Pick { .. } => None,
        }
    }

    /// Returns the command for changes.
    pub fn call_mut(&mut self) -> Option<&mut PreparedCall> {
        match self {
            Self::Button { call, .. } => call.as_mut(),
            Self::Ask { .. } => None,
            Self::Select { call, .. } | Self::Pick { call, .. } => Some(call),
        }
    }
}

/// The style of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlStyle {
    /// The main action.
    Primary,
    /// One of several actions.
    Secondary,
    /// An action that cannot be undone.
    Danger,
}

/// A command with arguments, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedCall {
    /// The command.
    pub path: CommandPath,
    /// Its arguments. Path and arguments must fit into a Discord custom id: 47 bytes for the path's names and the
    /// arguments, separated by spaces (`tasks list page:2` has 17). All arguments are written as JSON if one is a list
    /// or a text with a space. A select menu or picker also needs its option's name and a space. A component that does
    /// not fit is omitted, with a warning in the log.
    pub arguments: Map<String, Value>,
    /// Whether the answer replaces the message that the component is under.
    pub in_place: bool,
    /// Whether it runs at most once: a second press is answered with a notice that it was used. A button in the style
    /// of [`Danger`](ControlStyle::Danger) always runs at most once. If nothing ran, or the command refused, it can be
    /// pressed again.
    pub once: bool,
    /// Whether everyone who sees it may use it, not only the caller of the answer. It runs for the person who presses
    /// it, with their rights, cooldown and receipt. So its effect must be right for every permitted caller of the
    /// command.
    pub for_everyone: bool,
}

/// A guild's custom emoji, which people write as `<:name:id>`, or `<a:name:id>` if it is animated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emoji {
    /// Its id.
    pub id: u64,
    /// The name: ASCII letters, digits and `_`.
    pub name: String,
    /// Whether it is animated.
    pub is_animated: bool,
}

impl Emoji {
    /// Returns the first emoji of a text, with the text before and after it.
    pub fn find(text: &str) -> Option<(&str, Self, &str)> {
        text.match_indices('<').find_map(|(at, _)| {
            let (before, here) = text.split_at(at);
            let (mark, behind) = here.strip_prefix('<')?.split_once('>')?;
            Some((before, Self::of_mark(mark)?, behind))
        })
    }

    /// Parses `:name:id` or `a:name:id`.
    fn of_mark(mark: &str) -> Option<Self> {
        let (kind, rest) = mark.split_once(':')?;
        let (name, id) = rest.split_once(':')?;
        let is_name =
            (1..=EMOJI_NAME_MAX).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let is_id = id.bytes().all(|digit| digit.is_ascii_digit());
        let id = id.parse().ok().filter(|id| is_id && 0 < *id)?;
        let emoji = Self { id, name: name.to_owned(), is_animated: kind == "a" };
        (is_name && ["", "a"].contains(&kind)).then_some(emoji)
    }
}

#[cfg(test)]
mod tests {
    use super::Emoji;

    #[test]
    fn an_emoji_is_found_where_it_stands() {
        let found = |text: &str| {
            let (before, emoji, behind) = Emoji::find(text)?;
            Some(format!("{before}|{} {} {}|{behind}", emoji.name, emoji.id, emoji.is_animated))
        };
        for (text, expected) in [
            ("<:blob:123456789012345678> yes", Some("|blob 123456789012345678 false| yes")),
            ("no <a:wave_2:5>!", Some("no |wave_2 5 true|!")),
            ("1 < 2 <@7> <:a:1><:b:2>", Some("1 < 2 <@7> |a 1 false|<:b:2>")),
            ("<b:x:1>", None),
            ("<:x y:1>", None),
            ("<::1>", None),
            ("<:x:+1>", None),
            ("<:x:0>", None),
            ("<:x:99999999999999999999>", None),
            ("<:x:1", None),
        ] {
            assert_eq!(found(text).as_deref(), expected, "{text}");
        }
    }
}
