//! The start-up check of modules: every problem at once, and what passed.

use std::sync::Arc;

use crate::contract::module::NativeModule;
use crate::contract::services::ServiceName;
use crate::contract::spec::{Command, Owner};
use crate::diagnostic::{Diagnostics, File};

/// Names that belong to the bot itself.
pub const RESERVED: [&str; 4] = ["help", "clear", "model", "receipt"];

/// A manifest found on disk. It takes the place of the built-in one of the same folder name.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The folder's name.
    pub folder: String,
    /// The file.
    pub file: Arc<File>,
}

/// What the check found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Modules without an error, with their commands.
    pub accepted: Vec<AcceptedModule>,
    /// Modules with errors.
    pub rejected: Vec<RejectedModule>,
    /// Every problem.
    pub diagnostics: Diagnostics,
}

/// A module that passed.
#[derive(Debug)]
pub struct AcceptedModule {
    /// Its name.
    pub owner: Owner,
    /// One line on what it is for.
    pub summary: String,
    /// What it asked for.
    pub services: Vec<ServiceName>,
    /// Its commands.
    pub commands: Vec<Command>,
}

/// A module that did not.
#[derive(Debug)]
pub struct RejectedModule {
    /// Its folder's name.
    pub name: String,
    /// The names its manifest claims, as far as they can be read, without slashes.
    pub commands: Vec<String>,
}

/// Checks modules: the harness's own first, then every other, built in or found on disk.
pub fn check(harness: NativeModule, natives: Vec<NativeModule>, on_disk: Vec<Manifest>) -> Checked {
    let _inputs = (harness, natives, on_disk);
    Checked::default()
}
