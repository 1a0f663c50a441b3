//! Proofs that a receipt is in the chain: signed heads, the keys that sign them, and the file that holds a proof.
//!
//! Each commit that appends receipts signs a [`Head`]: the position and the link of its last receipt, and a digest of
//! the links of all receipts since the head before. A receipt is proven by its own fields, which give its link, by the
//! links of its group, and by the signature over them. A proof needs no other receipt, and stays valid when
//! receipts are removed later. `docs/proofs.md` describes the format for other programs, and the two formats of others in
//! which the receipts of a proof can be exported.

mod agent_receipts;
mod bytes;
mod dsse;
mod file;
mod head;
mod key;

pub use agent_receipts::agent_receipts;
pub use bytes::Bytes;
pub use dsse::dsse_envelopes;
pub use file::{PROOF_FORMAT, PROOF_RECEIPTS_MAX, PROOF_SIZE_MAX, Proof, ProofError, ProvenHead, ProvenReceipt};
pub use head::{Endorsement, Head, Removal, Restore, SignedHead, Withdrawal, trusted_keys};
pub use key::{NotAKey, PublicKey, ReceiptKey, SEED_LENGTH, Signature};
