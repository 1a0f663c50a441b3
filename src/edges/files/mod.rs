//! The operator's small text files: settings and module folders.

pub mod module_folder;
pub mod settings_file;
pub mod text_file;
