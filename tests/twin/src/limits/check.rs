//! Checks of whole bodies, without a server.

use serde_json::Value;

use crate::limits::command;
use crate::limits::file::BodyContext;
use crate::limits::message::{Uploads, check_body, require_content};
use crate::rest::errors::{Path, Problems, Refusal};

/// Checks the array of commands of a bulk overwrite, without a server.
pub fn check_commands(commands: &Value) -> Result<(), Refusal> {
    command::check_bulk(commands)
}

/// Checks one command, without a server.
pub fn check_command(command: &Value) -> Result<(), Refusal> {
    let mut problems = Problems::default();
    command::check(&mut problems, &Path::default(), command);
    problems.finish()
}

/// Checks the body of a message without files, without a server.
pub fn check_message(message: &Value) -> Result<(), Refusal> {
    let mut problems = Problems::default();
    check_body(&mut problems, &Path::default(), message, &BodyContext::NEW);
    problems.finish()?;
    require_content(message, Uploads::None)
}
