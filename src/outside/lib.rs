//! Programs and MCP servers of modules: code that is not the bot's own, started, contained and not trusted.
//!
//! [`programs`] runs a program inside its limits, [`mcp`] speaks to an MCP server, and [`start_all`] starts those of
//! every module from the checked copy of its folder.

pub mod mcp;
pub mod programs;
mod starting;
mod tool_server;

pub use starting::{Disk, own_binary, remove_unused, server_address, start_all, tokens_file};
