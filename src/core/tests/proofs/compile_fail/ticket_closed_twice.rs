//! A ticket is closed once: closing it takes it.

use std::time::Duration;

use candor_core::execution::{Closed, End, Ticket};

fn close_twice(ticket: Ticket, first: End, second: End) -> [Closed; 2] {
    [ticket.close(first, Duration::ZERO), ticket.close(second, Duration::ZERO)]
}

fn main() {}
