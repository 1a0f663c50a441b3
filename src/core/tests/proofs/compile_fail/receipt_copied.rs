//! A receipt is shared and never copied: there is one for each run.

use candor_core::record::Receipt;

fn another(receipt: &Receipt) -> Receipt {
    receipt.clone()
}

fn main() {}
