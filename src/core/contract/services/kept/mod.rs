//! What the bot keeps of its people, and the ledger of what ran. Both are for the built-in commands alone.

mod privacy;
mod receipts;

pub use privacy::{Erased, KeptKind, KeptOfPerson, OwnPrivacy, PersonalKind, Privacy};
pub use receipts::{MessageEnd, MessageOfReceipt, RECEIPTS_LISTED_MAX, ReceiptBook, ReceiptList};
