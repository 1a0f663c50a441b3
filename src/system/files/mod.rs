//! The operator's small text files: settings, module folders and secrets. Also the free space on their disk.

mod disk;
pub mod module_folder;
mod program_file;
pub mod settings_file;
pub mod text_file;

pub use disk::free_bytes;
pub use program_file::program_digest;
