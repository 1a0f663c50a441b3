//! A module of a program: the checked copy of its folder, what it may read, and the program that answers its commands.

pub mod copy;
mod exec;
mod rights;

pub use copy::CheckedCopy;
pub use exec::{ModuleFolders, Prepared, Turns};
pub use rights::{AskedReads, Forbidden, own_secret, token_files};
