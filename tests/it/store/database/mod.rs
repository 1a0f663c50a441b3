//! Which databases are opened, which are refused, and what several processes share.

mod alone;
mod opening;
mod plans;
mod processes;
mod server;
