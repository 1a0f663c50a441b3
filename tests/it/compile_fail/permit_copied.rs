//! One permit is one run.

use candor::guard::Permit;

fn copy(permit: &Permit) -> Permit {
    permit.clone()
}

fn main() {}
