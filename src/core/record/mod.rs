//! Records of what happened: receipts, chat turns, counters and readiness.

pub(crate) mod arguments;
mod counters;
mod counting;
mod figures;
mod measures;
mod proof;
mod readiness;
pub(crate) mod receipt;
pub(crate) mod receipt_id;
mod traffic;
pub(crate) mod turn;

pub use arguments::{Salt, argument_lines};
pub use counters::{
    Counters, Denial, Dropped, GuardFinding, MessageTry, NotPlain, Timing, ToolCallEnd, TurnEnd, UnknownInteraction,
    Unsent,
};
pub use counting::Counted;
pub use figures::{Measured, ProcessFigures, ReloadState, ShardState};
pub use measures::{Durations, Gauge, Grid, Reading, Tally};
pub use proof::{
    Bytes, Endorsement, Head, NotAKey, PROOF_FORMAT, PROOF_RECEIPTS_MAX, PROOF_SIZE_MAX, Proof, ProofError, ProvenHead,
    ProvenReceipt, PublicKey, ReceiptKey, Removal, Restore, SEED_LENGTH, Signature, SignedHead, Withdrawal,
    agent_receipts, dsse_envelopes, trusted_keys,
};
pub use readiness::{Latch, Readiness};
pub use receipt::{
    ARGUMENTS_LENGTH_MAX, CodeName, Digest, Facts, LedgerEntry, ModelCall, Origin, Outcome, Receipt, Source,
    answer_digest, arguments_digest, microseconds, milliseconds,
};
pub use receipt_id::ReceiptId;
pub use traffic::{Arrival, GatewayEvent, LimitScope, RestAnswer, RouteKind, StoreWork};
pub use turn::{
    CallRecord, GivenPiece, InMemory, KeptTurn, OfferedRun, ReplyButton, StrippedKind, StrippedText, TurnId, TurnRecord,
};
