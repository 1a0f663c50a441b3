//! The record of one execution, and the chain that ties each record to the one before.
//!
//! A [`Receipt`] is only made where a run ends, in `execution`: its constructor is visible inside the core, where a test
//! holds that nobody else calls it. No other crate can say that a command ran.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::inbound::{Place, UserId};
use crate::record::receipt_id::ReceiptId;

/// The record of one execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    id: ReceiptId,
    facts: Facts,
    digest: Digest,
    kept: bool,
}

impl Receipt {
    /// Records what the executor just saw. `content` is what the handler said, whole; only its digest is kept.
    pub(crate) fn mint(id: ReceiptId, facts: Facts, content: &str) -> Self {
        Self { id, facts, digest: Digest::of(&[content.as_bytes()]), kept: true }
    }

    /// A receipt for tests of the core, where no executor is.
    #[cfg(test)]
    pub(crate) fn sample(number: u64, command: &str, arguments: &str, outcome: Outcome, origin: Origin) -> Self {
        let facts = Facts {
            command: command.to_owned(),
            arguments: arguments.to_owned(),
            caller: UserId(7),
            place: Place::Console,
            started: UNIX_EPOCH,
            took: Duration::from_millis(1),
            outcome,
            origin,
            source: None,
        };
        Self::mint(ReceiptId::from_number(number), facts, "")
    }

    /// The ledger could not take it: it must not be shown as if `/receipt` would find it.
    pub(crate) fn was_not_kept(&mut self) {
        self.kept = false;
    }

    /// Whether the ledger has it.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Its short name, shown to people.
    pub fn id(&self) -> ReceiptId {
        self.id
    }

    /// What happened.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The SHA-256 of what the handler said.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The hash that ties this receipt to the one before it in the ledger.
    pub fn link(&self, previous: Digest) -> Digest {
        LedgerEntry { id: self.id, facts: self.facts.clone(), digest: self.digest }.link(previous)
    }
}

/// What a receipt says.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The command with its subcommand, as people write it: `/tasks add`.
    pub command: String,
    /// The arguments as JSON text, at most [`ARGUMENTS_LENGTH_MAX`] characters.
    pub arguments: String,
    /// Who asked.
    pub caller: UserId,
    /// Where.
    pub place: Place,
    /// When the handler was called.
    pub started: SystemTime,
    /// How long it ran.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// Who called for it.
    pub origin: Origin,
    /// What the content was read from.
    pub source: Option<Source>,
}

/// Where a reply's content was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or service, as the operator names it.
    pub name: String,
    /// When the content was true, by its own account.
    pub as_of: Option<SystemTime>,
}

/// Longer arguments are cut in a receipt, so that the ledger stays small. Characters.
pub const ARGUMENTS_LENGTH_MAX: usize = 1_000;

/// Who called for an execution. It always ran with the caller's authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller, by the command itself.
    Person,
    /// A chat model, in the caller's turn.
    Model,
    /// The host, from what a chat model only pretended to have done.
    Recovered,
    /// The host, to keep an answer of the caller up to date.
    Refresh,
}

impl Origin {
    /// The stable name, used in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Model => "model",
            Self::Recovered => "recovered",
            Self::Refresh => "refreshed",
        }
    }

    /// The origin of that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Person, Self::Model, Self::Recovered, Self::Refresh].into_iter().find(|origin| origin.name() == name)
    }
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The handler returned a reply.
    Done,
    /// The handler refused in words meant for the person.
    Refused,
    /// The handler failed or panicked.
    Failed,
    /// The handler did not return before its deadline. What it did is not known.
    TimedOut,
}

impl Outcome {
    /// The stable name, used in the ledger and in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TimedOut => "timed-out",
        }
    }

    /// The outcome of that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Done, Self::Refused, Self::Failed, Self::TimedOut].into_iter().find(|outcome| outcome.name() == name)
    }
}

/// A receipt read back from the ledger. It tells what a receipt said; it is not one, and no reply can
/// be rendered from it as if a command had just run.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Its short name.
    pub id: ReceiptId,
    /// What happened.
    pub facts: Facts,
    /// The SHA-256 of what the handler said.
    pub digest: Digest,
}

impl LedgerEntry {
    /// The hash over this entry and the one before it. Any later change to either shows.
    pub fn link(&self, previous: Digest) -> Digest {
        let facts = &self.facts;
        let source = facts.source.as_ref().map(|source| {
            let as_of = source.as_of.map(|at| milliseconds(at).to_be_bytes());
            Digest::of(&[source.name.as_bytes(), as_of.as_ref().map_or(&[], |bytes| &bytes[..])])
        });
        // Entries older than origins have none in their hash, and all of those were called for by persons.
        let origin = match facts.origin {
            Origin::Person => None,
            Origin::Model | Origin::Recovered | Origin::Refresh => Some(facts.origin.name().as_bytes()),
        };
        let (id, caller, place) = (self.id.to_string(), facts.caller.0.to_be_bytes(), facts.place.key());
        let (started, took) = (milliseconds(facts.started).to_be_bytes(), microseconds(facts.took).to_be_bytes());
        let mut parts = vec![
            &previous.0[..],
            id.as_bytes(),
            facts.command.as_bytes(),
            facts.arguments.as_bytes(),
            &caller,
            place.as_bytes(),
            &started,
            &took,
            facts.outcome.name().as_bytes(),
            source.as_ref().map_or(&[], |source| &source.0[..]),
            &self.digest.0,
        ];
        parts.extend(origin);
        Digest::of(&parts)
    }
}

/// Milliseconds since 1970, as the ledger keeps times. A time that does not fit becomes the nearest that does.
pub fn milliseconds(at: SystemTime) -> i64 {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// Microseconds, as the ledger keeps durations. One that does not fit becomes the longest that does.
pub fn microseconds(took: Duration) -> i64 {
    i64::try_from(took.as_micros()).unwrap_or(i64::MAX)
}

/// A SHA-256 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// What the first entry of a ledger is linked to.
    pub const START: Self = Self([0; 32]);

    /// The hash over parts, each with its length in front, so that no two lists of parts run together.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
