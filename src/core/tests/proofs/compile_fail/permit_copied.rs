//! A permit is spent by one run: it cannot be copied.

use candor_core::access::Permit;

fn copy(permit: &Permit) -> Permit {
    permit.clone()
}

fn main() {}
