//! What the host has stored beside commands and chat.

mod due_calls;
mod leases;
mod logins;
mod outbox;
mod refusals;
mod registrations;
mod sessions;

use super::{NOW, Trial, on_every_engine};
