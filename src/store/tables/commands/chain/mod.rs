//! Signs, verifies, proves, lists and shortens the chain of receipts.
//!
//! A receipt's link is a hash over the receipt and the link before it. A checkpoint replaces removed receipts. It holds
//! the link before the gap, that of the last removed receipt, and a code made with this store's key. An item that does
//! not fit its place is never removed: it stays as evidence of a change. A head signs the links of the receipts that one
//! commit appended, with a key that is not in the store.

mod compare;
mod follow;
mod heads;
mod item;
mod keys;
mod list;
mod operator;
mod prove;
mod publish;
mod remove;
mod sign;
mod trust;

pub use compare::HeadFinding;
pub use follow::Chain;
pub use item::ChainBreak;
pub use keys::SigningError;
pub use list::{ReceiptFilter, StoredReceipt};
pub use prove::{ProofRange, ProveError};
pub use remove::ReceiptKind;
