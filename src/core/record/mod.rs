//! Records of what happened: receipts, chat turns, counters and readiness.

mod counters;
pub(crate) mod private;
mod readiness;
pub(crate) mod receipt;
pub(crate) mod receipt_id;
pub(crate) mod turn;

pub use counters::{
    Counted, Counters, Denial, GuardFinding, Level, NotPlain, Tally, Timing, ToolCallEnd, TurnEnd, UnknownInteraction,
    Unsent,
};
pub use readiness::{Latch, Readiness};
pub use receipt::{
    ARGUMENTS_LENGTH_MAX, Digest, Facts, LedgerEntry, Origin, Outcome, Receipt, Source, microseconds, milliseconds,
};
pub use receipt_id::ReceiptId;
pub use turn::{
    CallRecord, GivenPiece, KeptTurn, OfferedRun, ReplyButton, StrippedKind, StrippedText, TurnId, TurnRecord,
};
