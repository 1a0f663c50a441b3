//! A module with a program: the checked copy of its folder, its read rights, and the program that answers its commands.

pub mod copy;
mod exec;
mod rights;

pub use copy::CheckedCopy;
pub use exec::{ModuleFolders, Prepared, Turns, prepared, start_module};
pub use rights::{AskedReads, Forbidden, is_granted, own_secret, token_files};
