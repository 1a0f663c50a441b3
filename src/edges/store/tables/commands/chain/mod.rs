//! The chain of receipts as a whole: followed, listed and shortened.
//!
//! A receipt's link is a hash over the receipt and the link before it. Where receipts were removed, a checkpoint stands
//! in their place: it holds the link before the gap and that of the last receipt in it, with a code that only this
//! store's key makes. Nothing is removed that does not fit its place in the chain: what was changed stays as evidence.

mod follow;
mod item;
mod list;
mod remove;

pub use follow::Chain;
pub use item::ChainBreak;
pub use list::{ReceiptFilter, StoredReceipt};
pub use remove::ReceiptKind;
