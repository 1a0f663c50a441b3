//! The tables of the host's other data: calls that are due, leases, live messages, logins.

pub(super) mod due_calls;
mod leases;
mod live_messages;
mod logins;
