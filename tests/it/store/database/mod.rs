//! Which databases are opened, which are refused, and what several processes share.

mod opening;
mod processes;
mod server;
