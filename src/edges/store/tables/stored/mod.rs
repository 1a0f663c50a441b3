//! The tables of the host's other data: calls that are due, messages to channels, leases, live messages, logins,
//! refused requests, and who used which place.

pub(super) mod due_calls;
mod leases;
mod live_messages;
mod logins;
pub(super) mod outbox;
pub(super) mod places;
mod refusals;
