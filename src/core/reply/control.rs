//! Components under an answer: buttons and select menus that run a command.
//!
//! A component is a prepared call. Using it takes the same way as choosing the command in the picker: router, access,
//! executor, receipt. It belongs to the caller of the answer, unless it is for everyone, and expires.

use serde_json::{Map, Value};

use crate::inbound::CommandPath;
use crate::reply::emoji::Emoji;

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
    /// Shows a command in words, with a button that runs it: nobody runs a command of another module by a label that a
    /// module outside of the process wrote.
    Ask {
        /// The label: 1 to 80 characters.
        label: String,
        /// The style.
        style: ControlStyle,
        /// The command, by the name in force, and its arguments.
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
    /// A menu in which Discord lists the channels or roles of the guild. It runs a command with those that were chosen, 1 to
    /// 25, as mentions that are separated by spaces: `<#1> <#2>`. Only in guilds.
    Pick {
        /// The text while nothing is chosen: 1 to 150 characters.
        placeholder: String,
        /// What is listed.
        from: Picked,
        /// The option that receives what was chosen.
        option: String,
        /// The command it runs.
        call: PreparedCall,
    },
}

/// What a picker lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// Channels of every kind, with threads and categories.
    Channels,
    /// Roles.
    Roles,
}

impl Control {
    /// The command that using it runs, if it runs one.
    pub fn call(&self) -> Option<&PreparedCall> {
        match self {
            Self::Button { call, .. } => call.as_ref(),
            Self::Ask { .. } => None,
            Self::Select { call, .. } | Self::Pick { call, .. } => Some(call),
        }
    }

    /// The same, to be changed.
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
    /// arguments, separated by spaces (`tasks list page:2` has 17; a text with a space in it, or a list, has all arguments
    /// written as JSON), and for a select menu or a picker also its option's name and a space. A component that does not fit is omitted, with a warning in the log.
    pub arguments: Map<String, Value>,
    /// Whether the answer replaces the message that the component is under.
    pub in_place: bool,
    /// Whether it runs once at most: who presses again is told that it was used. A button in the style of
    /// [`Danger`](ControlStyle::Danger) is so in any case. If nothing ran, or the command refused, it can be pressed
    /// again.
    pub once: bool,
    /// Whether everybody who sees it may use it, and not only the caller of the answer. It runs for whoever presses:
    /// with their rights, their cooldown and their receipt. So what it does must be right for anybody who may call the
    /// command.
    pub for_everyone: bool,
}
