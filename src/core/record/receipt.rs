//! Receipts: the record of one execution, hash-chained to the one before.
//!
//! A [`Receipt`] is created only where a run ends, in `execution`. Its constructor is visible only inside the core,
//! where a test checks its callers. Another crate gets a receipt only by really running a permitted handler. The same
//! test checks that outside tests only the executor does that.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::inbound::{EventId, Place, UserId};
use crate::record::counting::counted;
use crate::record::receipt_id::ReceiptId;

/// The record of one execution. It can be shared but not copied: there is one for each run.
#[derive(Debug, PartialEq)]
pub struct Receipt {
    id: ReceiptId,
    facts: Facts,
    digest: Digest,
    kept: bool,
}

impl Receipt {
    /// Records a run that just ended. `content` is the handler's whole output; only its digest is kept.
    pub(crate) fn mint(id: ReceiptId, mut facts: Facts, content: &str) -> Arc<Self> {
        // Stores cannot hold a NUL in a text, and the digests are over the stored text.
        let source = facts.source.as_mut().map(|source| &mut source.name);
        let model = facts.model.as_mut().map(|call| &mut call.model);
        for text in [&mut facts.command, &mut facts.arguments].into_iter().chain(source).chain(model) {
            if text.contains('\0') {
                *text = text.replace('\0', "\u{fffd}");
            }
        }
        Arc::new(Self { id, facts, digest: Digest::of(&[content.as_bytes()]), kept: true })
    }

    /// A receipt for tests of the core that have no executor.
    #[cfg(test)]
    pub(crate) fn sample(number: u64, command: &str, arguments: &str, outcome: Outcome, origin: Origin) -> Arc<Self> {
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
            code: None,
            model: None,
        };
        Self::mint(ReceiptId::from_number(number), facts, "")
    }

    /// Returns the receipt marked as not stored, so that it is not shown as if `/receipt` could find it.
    pub(crate) fn not_kept(&self) -> Arc<Self> {
        Arc::new(Self { id: self.id, facts: self.facts.clone(), digest: self.digest, kept: false })
    }

    pub fn is_kept(&self) -> bool {
        self.kept
    }

    pub fn id(&self) -> ReceiptId {
        self.id
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the SHA-256 of the handler's output. A reader could check guesses of the output against it, so the store
    /// holds a salted digest of it instead.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the hash that ties this receipt to the one before it in the ledger. `arguments` and `answer` are the
    /// salted digests of its arguments and its answer.
    pub fn link(&self, previous: Digest, arguments: Digest, answer: Digest) -> Digest {
        let facts = self.facts.clone();
        LedgerEntry { id: self.id, facts, has_arguments: true, digest: answer }.link(previous, Some(arguments))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The command with its subcommand, as people write it: `/tasks add`.
    pub command: String,
    /// The arguments as JSON text, at most [`ARGUMENTS_LENGTH_MAX`] characters.
    pub arguments: String,
    pub caller: UserId,
    pub place: Place,
    /// When the handler was called.
    pub started: SystemTime,
    pub took: Duration,
    pub outcome: Outcome,
    pub origin: Origin,
    pub source: Option<Source>,
    /// `None` in receipts of older versions, and of commands at the command line.
    pub code: Option<CodeName>,
    /// The model that called the command, if one did.
    pub model: Option<ModelCall>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or service, by the operator's name for it.
    pub name: String,
    /// The time at which the content was true, according to the source.
    pub as_of: Option<SystemTime>,
}

/// The code of a module as it was checked: its name, its version, and the SHA-256 of its files or of the bot's program.
/// As text: `tasks 0.2.0 sha256:…`, or `weather sha256:…` without a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeName(Arc<str>);

impl CodeName {
    pub fn new(module: &str, version: Option<&str>, digest: Digest) -> Self {
        let version = version.map_or(String::new(), |version| format!(" {version}"));
        Self(format!("{module}{version} sha256:{digest}").into())
    }

    /// Reads a name as [`new`](Self::new) writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (named, digest) = text.rsplit_once(" sha256:")?;
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        let is_named = named.split(' ').count() <= 2 && named.split(' ').all(is_word);
        (is_digest && is_named).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The chat model that called a command for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// The model's name in the settings.
    pub model: String,
    /// The person's press of *Confirm*: the id of Discord's interaction. `None` if the call needed no consent.
    pub confirm: Option<EventId>,
}

impl ModelCall {
    /// Returns the digest of both for the chain.
    fn digest(&self) -> Digest {
        let confirm = self.confirm.map(|press| press.0.to_be_bytes());
        Digest::of(&[self.model.as_bytes(), confirm.as_ref().map_or(&[], |press| &press[..])])
    }
}

/// The maximum length of arguments in a receipt, in characters. Longer ones are cut, so that the ledger stays small.
pub const ARGUMENTS_LENGTH_MAX: usize = 1_000;

counted! {
    /// The origin of a call. It always runs with the caller's authority.
    Origin {
        /// The caller, directly.
        Person = "person",
        /// A chat model, in the caller's turn.
        Model = "model",
        /// The host, because a chat model only pretended to make the call. Only in old receipts.
        Recovered = "recovered",
        /// The host, to refresh one of the caller's live answers.
        Refresh = "refreshed",
        /// The host, at a time that a module requested when the caller called it.
        Due = "due",
        /// The host, because of an event on Discord. The caller is the user whom the event is about.
        Event = "event",
        /// The host, at a time from a module's manifest. Module and place are those of the command.
        Schedule = "schedule",
    }
}

counted! {
    /// The outcome of a run.
    Outcome {
        /// The run changed something: the host saw the change, or allowed a program or a server to make it.
        ///
        /// Receipts from before [`Answered`](Self::Answered) and [`Asked`](Self::Asked) have it for every reply.
        Done = "done",
        /// The handler returned a reply and changed nothing.
        Answered = "answered",
        /// The handler asked a question and changed nothing.
        Asked = "asked",
        /// The handler refused with a message for the caller.
        Refused = "refused",
        /// The handler failed or panicked.
        Failed = "failed",
        /// The handler did not return before its deadline. Its effects outside the store are unknown.
        TimedOut = "timed-out",
        /// The bot ended in the middle of the run, and nothing was changed.
        Interrupted = "interrupted",
        /// The effect is not known: the bot ended in the middle of the run, or the store did not answer.
        Unknown = "unknown",
    }
}

impl Outcome {
    /// Returns whether the handler returned a reply, not a refusal or a fault.
    pub fn is_reply(self) -> bool {
        match self {
            Self::Done | Self::Answered | Self::Asked => true,
            Self::Refused | Self::Failed | Self::TimedOut | Self::Interrupted | Self::Unknown => false,
        }
    }
}

/// A receipt read back from the ledger. It is not a [`Receipt`], so a reply cannot be rendered from it as if a command
/// had just run.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    pub id: ReceiptId,
    pub facts: Facts,
    /// False if the arguments were removed from the ledger. Then `facts.arguments` is empty.
    pub has_arguments: bool,
    /// The salted SHA-256 of the handler's output. Old receipts have no salt.
    pub digest: Digest,
}

impl LedgerEntry {
    /// Returns the hash over this entry and the one before it, which reveals any later change to either. `arguments` is
    /// the salted digest of the arguments, so that they can be removed and the hash still holds. Older entries have the
    /// arguments themselves in their hash.
    pub fn link(&self, previous: Digest, arguments: Option<Digest>) -> Digest {
        let facts = &self.facts;
        let source = facts.source.as_ref().map(|source| {
            let as_of = source.as_of.map(|at| milliseconds(at).to_be_bytes());
            Digest::of(&[source.name.as_bytes(), as_of.as_ref().map_or(&[], |bytes| &bytes[..])])
        });
        let names_code = facts.code.is_some() || facts.model.is_some();
        // Entries from before origins were recorded have none in their hash. All of them were called by people.
        let has_origin = names_code || facts.origin != Origin::Person;
        let model = facts.model.as_ref().map(ModelCall::digest);
        let id = self.id.to_string();
        let caller = facts.caller.0.to_be_bytes();
        let place = facts.place.key();
        let started = milliseconds(facts.started).to_be_bytes();
        let took = microseconds(facts.took).to_be_bytes();
        // The first part distinguishes the kinds: in the oldest entries it is the 32 bytes of `previous`.
        let mut parts = match (names_code, arguments) {
            (true, _) => vec![&b"candor receipt 3"[..]],
            (false, Some(_)) => vec![&b"candor receipt 2"[..]],
            (false, None) => Vec::new(),
        };
        parts.extend([
            &previous.0[..],
            id.as_bytes(),
            facts.command.as_bytes(),
            arguments.as_ref().map_or(facts.arguments.as_bytes(), |digest| &digest.0[..]),
            &caller,
            place.as_bytes(),
            &started,
            &took,
            facts.outcome.name().as_bytes(),
            source.as_ref().map_or(&[], |source| &source.0[..]),
            &self.digest.0,
        ]);
        parts.extend(has_origin.then(|| facts.origin.name().as_bytes()));
        if names_code {
            parts.push(facts.code.as_ref().map_or(&[], |code| code.as_str().as_bytes()));
            parts.push(model.as_ref().map_or(&[], |model| &model.0));
        }
        Digest::of(&parts)
    }
}

/// Returns milliseconds since 1970, as stored in the ledger. Times out of range become the nearest value in range.
pub fn milliseconds(at: SystemTime) -> i64 {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// Returns microseconds, as stored in the ledger. Durations out of range become the longest in range.
pub fn microseconds(took: Duration) -> i64 {
    i64::try_from(took.as_micros()).unwrap_or(i64::MAX)
}

/// Returns the digest of arguments for the chain. Without the salt, short arguments could be guessed from it. The salt
/// is removed together with the arguments.
pub fn arguments_digest(salt: &[u8], arguments: &str) -> Digest {
    Digest::of(&[salt, arguments.as_bytes()])
}

/// Returns the digest of an answer for the chain, over the answer's own digest. Without the salt, short answers could
/// be guessed. The salt is that of the arguments and is removed with them.
pub fn answer_digest(salt: &[u8], answer: Digest) -> Digest {
    Digest::of(&[b"answer", salt, &answer.0])
}

/// A SHA-256 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The predecessor of a ledger's first entry.
    pub const START: Self = Self([0; 32]);

    /// Hashes parts, each prefixed by its length, so that different lists of parts cannot be confused.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Hashes a file's content, as `sha256sum` does.
    pub fn of_file(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::counting::Counted;

    fn names<T: Counted>() -> Vec<(usize, &'static str)> {
        <T as Counted>::ALL.iter().map(|&one| (one.index(), one.name())).collect()
    }

    /// The ledger and the metrics keep them.
    #[test]
    fn names_stay_as_they_are_and_are_read_back() {
        let origins = ["person", "model", "recovered", "refreshed", "due", "event", "schedule"];
        let outcomes = ["done", "answered", "asked", "refused", "failed", "timed-out", "interrupted", "unknown"];
        assert_eq!(names::<Origin>(), origins.into_iter().enumerate().collect::<Vec<_>>());
        assert_eq!(names::<Outcome>(), outcomes.into_iter().enumerate().collect::<Vec<_>>());
        assert_eq!(origins.map(Origin::named), Origin::ALL.map(Some));
        assert_eq!(outcomes.map(Outcome::named), Outcome::ALL.map(Some));
        assert_eq!((Origin::named("Person"), Outcome::named("")), (None, None));
    }

    #[test]
    fn times_are_kept_in_whole_units_and_the_nearest_that_there_is() {
        let at = |ms| UNIX_EPOCH + Duration::from_millis(ms);
        assert_eq!([0, 1, 86_400_000].map(|ms| milliseconds(at(ms))), [0, 1, 86_400_000]);
        assert_eq!(milliseconds(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert_eq!([0, 1_500, 2_000_000_000].map(|ns| microseconds(Duration::from_nanos(ns))), [0, 1, 2_000_000]);
        assert_eq!(microseconds(Duration::MAX), i64::MAX);
    }

    #[test]
    fn a_receipt_that_could_not_be_stored_says_so_and_is_the_same_otherwise() {
        let kept = Receipt::sample(1, "/tasks add", "{}", Outcome::Done, Origin::Person);
        let not_kept = kept.not_kept();
        assert_eq!((kept.is_kept(), not_kept.is_kept()), (true, false));
        assert_eq!((not_kept.id(), not_kept.facts(), not_kept.digest()), (kept.id(), kept.facts(), kept.digest()));
    }

    #[test]
    fn the_link_of_an_entry_tells_every_change_of_it() {
        let facts = Facts {
            command: "/tasks add".to_owned(),
            arguments: "{}".to_owned(),
            caller: UserId(7),
            place: Place::Console,
            started: UNIX_EPOCH,
            took: Duration::from_millis(1),
            outcome: Outcome::Done,
            origin: Origin::Person,
            source: None,
            code: None,
            model: None,
        };
        let source = |as_of| Some(Source { name: "metrics.json".to_owned(), as_of });
        let code = |module, version| Some(CodeName::new(module, version, Digest([9; 32])));
        let model = |name: &str, confirm| Some(ModelCall { model: name.to_owned(), confirm });
        let changed = [
            facts.clone(),
            Facts { command: "/tasks done".to_owned(), ..facts.clone() },
            Facts { caller: UserId(8), ..facts.clone() },
            Facts { started: UNIX_EPOCH + Duration::from_millis(1), ..facts.clone() },
            Facts { took: Duration::from_millis(2), ..facts.clone() },
            Facts { outcome: Outcome::Failed, ..facts.clone() },
            Facts { origin: Origin::Model, ..facts.clone() },
            Facts { origin: Origin::Due, ..facts.clone() },
            Facts { origin: Origin::Event, ..facts.clone() },
            Facts { origin: Origin::Schedule, ..facts.clone() },
            Facts { source: source(None), ..facts.clone() },
            Facts { source: source(Some(UNIX_EPOCH + Duration::from_secs(1))), ..facts.clone() },
            Facts { code: code("tasks", None), ..facts.clone() },
            Facts { code: code("tasks", Some("1")), ..facts.clone() },
            Facts { code: code("tasks", None), origin: Origin::Model, ..facts.clone() },
            Facts { model: model("m", None), ..facts.clone() },
            Facts { model: model("", None), ..facts.clone() },
            Facts { model: model("m", Some(EventId(1))), ..facts.clone() },
            Facts { code: code("tasks", None), model: model("m", None), ..facts.clone() },
        ];
        let id = ReceiptId::from_number(1);
        let salted = |n| Digest([n; 32]);
        let entry = |facts: &Facts| LedgerEntry { id, facts: facts.clone(), has_arguments: true, digest: salted(1) };
        let mut links: Vec<_> = changed.iter().map(|facts| entry(facts).link(Digest::START, Some(salted(2)))).collect();
        links.extend([
            entry(&facts).link(salted(3), Some(salted(2))),
            entry(&facts).link(Digest::START, Some(salted(3))),
            entry(&facts).link(Digest::START, None),
            entry(&Facts { arguments: "[]".to_owned(), ..facts.clone() }).link(Digest::START, None),
        ]);
        let distinct: std::collections::HashSet<_> = links.iter().map(ToString::to_string).collect();
        assert_eq!(distinct.len(), links.len());
        // With a salted digest the arguments themselves are not in it.
        let without = Facts { arguments: String::new(), ..facts };
        assert_eq!(entry(&without).link(Digest::START, Some(salted(2))), links[0]);
    }

    #[test]
    fn a_name_is_read_as_it_is_written_and_nothing_else_is_one() {
        let digest = Digest([0xab; 32]);
        let names = [CodeName::new("tasks", Some("0.2.0"), digest), CodeName::new("weather", None, digest)];
        for name in &names {
            assert_eq!(CodeName::parse(name.as_str()).as_ref(), Some(name));
        }
        assert_eq!(names[1].as_str(), format!("weather sha256:{}", "ab".repeat(32)));

        let sum = "ab".repeat(32);
        for wrong in [
            String::new(),
            format!("sha256:{sum}"),
            format!(" sha256:{sum}"),
            format!("a  sha256:{sum}"),
            format!("a b c sha256:{sum}"),
            format!("a\n sha256:{sum}"),
            format!("tasks sha256:{}", "AB".repeat(32)),
            format!("tasks sha256:{sum}0"),
            format!("tasks sha256:{sum} "),
        ] {
            assert_eq!(CodeName::parse(&wrong), None, "{wrong}");
        }
    }
}
