//! The real binary: its arguments, its console, its start and its documents.

mod arguments;
mod backup;
mod console;
mod doctor;
mod metrics;
mod permissions;
mod privacy;
mod readme;
mod receipts;
mod startup;
mod sync;
mod try_command;
