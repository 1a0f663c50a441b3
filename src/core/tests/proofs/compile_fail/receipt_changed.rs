//! A receipt cannot be changed after it was made.

use candor_core::record::{Outcome, Receipt};

fn change(receipt: &mut Receipt) {
    receipt.facts.outcome = Outcome::Done;
}

fn main() {}
