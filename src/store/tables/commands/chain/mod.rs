//! Verifies, lists and shortens the chain of receipts.
//!
//! A receipt's link is a hash over the receipt and the link before it. A checkpoint replaces removed receipts. It holds
//! the link before the gap, that of the last removed receipt, and a code made with this store's key. An item that does
//! not fit its place is never removed: it stays as evidence of a change.

mod follow;
mod item;
mod list;
mod remove;

pub use follow::Chain;
pub use item::ChainBreak;
pub use list::{ReceiptFilter, StoredReceipt};
pub use remove::ReceiptKind;
