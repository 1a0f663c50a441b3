//! The tables of the host's other data: due calls, messages to channels, leases, live messages, logins, refused
//! requests, and the users of places.

pub(super) mod due_calls;
mod leases;
mod limits;
mod live_messages;
pub(super) mod outbox;
pub(super) mod places;
mod sessions;
