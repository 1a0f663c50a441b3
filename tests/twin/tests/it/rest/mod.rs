//! The REST routes over plain HTTP.

mod commands;
mod files;
mod page;
mod replies;
