//! Secrets: keys of the store and encryption with them, and the files of the operator that hold one.

mod file;
mod key_file;
mod keys;
mod receipt_key;

pub use file::{advice, warn_if_shared};
pub use key_file::{KeyError, is_visible, read_key};
pub use keys::{KEY_LENGTH, Sealer, Secrets, SigningKey, salt};
pub use receipt_key::{
    ReceiptKeyError, ensure_receipt_key, former_receipt_key, former_receipt_keys, leaked_receipt_key, next_receipt_key,
    read_receipt_key,
};
