//! Which databases are opened, which are refused, and what several processes share.

mod alone;
mod opening;
mod processes;
mod server;
