//! What the host has stored beside commands and chat.

mod due_calls;
mod leases;
mod logins;
mod outbox;
mod refusals;
mod registrations;

use super::{NOW, Trial, on_every_engine};
