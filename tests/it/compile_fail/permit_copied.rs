//! One permit is one run.

use candor_core::access::Permit;

fn copy(permit: &Permit) -> Permit {
    permit.clone()
}

fn main() {}
