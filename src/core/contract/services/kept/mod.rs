//! The stored data of people, and the ledger of receipts. Both services are for built-in commands only.

mod privacy;
mod receipts;

pub use privacy::{Erased, KeptKind, KeptOfPerson, OwnPrivacy, PersonalKind, Privacy};
pub use receipts::{MessageEnd, MessageOfReceipt, RECEIPTS_LISTED_MAX, ReceiptBook, ReceiptList};
