//! What a person can press under an answer: each control runs a command when it is used.
//!
//! A control is a prepared call. Using it goes the same way as choosing the command in the picker: router, guard,
//! executor, receipt. It belongs to the person who was answered, and expires.

use serde_json::{Map, Value};

use crate::inbound::CommandPath;

/// A button or a list under an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Runs a command.
    Button {
        /// What it says: 1 to 80 characters.
        label: String,
        /// How it looks.
        style: ControlStyle,
        /// What it runs; `None` is a button that cannot be pressed.
        call: Option<PreparedCall>,
    },
    /// Lets the person choose a value, and runs a command with it.
    Select {
        /// What it says while nothing is chosen: 1 to 150 characters.
        placeholder: String,
        /// The option that the chosen value is given for.
        option: String,
        /// What can be chosen: 1 to 25 labels of 1 to 100 characters, each with its value, likewise.
        choices: Vec<(String, String)>,
        /// What it runs.
        call: PreparedCall,
    },
}

/// How a button looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlStyle {
    /// The one thing to do.
    Primary,
    /// One of several.
    Secondary,
    /// What cannot be undone.
    Danger,
}

/// A command with arguments, ready to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedCall {
    /// Which command.
    pub path: CommandPath,
    /// What it is given. Path and arguments together have to fit a custom id of Discord: 47 bytes for the names of the
    /// path with a space between them and the arguments as JSON (`tasks list{"page":2}` has 20), and of a list its
    /// option's name and a space with them. A control that does not fit is left out, with a warning in the log.
    pub arguments: Map<String, Value>,
    /// Whether the answer takes the place of the message that the control is under.
    pub in_place: bool,
}
