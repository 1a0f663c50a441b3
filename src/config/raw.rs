//! The settings file as written.

use std::sync::Arc;

use crate::config::Settings;
use crate::diagnostic::{Diagnostics, File};

/// Reads the settings file, or says everything that is wrong with it.
pub fn read(file: &Arc<File>) -> Result<Settings, Diagnostics> {
    let _inputs = file;
    Err(Diagnostics::default())
}
