//! The file that proves receipts to somebody who has neither the bot nor its store.

use std::collections::HashMap;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::inbound::{EventId, Place, UserId};
use crate::record::proof::bytes::Bytes;
use crate::record::proof::head::{Endorsement, Head, SignedHead, trusted_keys};
use crate::record::proof::key::PublicKey;
use crate::record::receipt::{
    CodeName, Digest, Facts, LedgerEntry, ModelCall, Origin, Outcome, Source, arguments_digest,
};
use crate::record::receipt::{microseconds, milliseconds};
use crate::record::receipt_id::ReceiptId;

/// The format's name, the first field of a file.
pub const PROOF_FORMAT: &str = "candor-proof-1";

/// The largest file that is read, in bytes.
pub const PROOF_SIZE_MAX: usize = 64 * 1024 * 1024;

/// The most receipts of a file.
pub const PROOF_RECEIPTS_MAX: usize = 50_000;

/// Receipts with everything that shows who signed them. As text it has one form: one line of JSON, its fields in this
/// order, without spaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub format: String,
    /// Endorsements, which link other keys of the same bot to the trusted one.
    pub keys: Vec<Endorsement>,
    /// By position.
    pub heads: Vec<ProvenHead>,
    /// In the order of the chain.
    pub receipts: Vec<ProvenReceipt>,
}

/// A head with the links of its group, the last of which is the head's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvenHead {
    pub signed: SignedHead,
    pub links: Vec<Digest>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvenReceipt {
    /// The link of the receipt before it.
    previous: Digest,
    id: String,
    command: String,
    /// `None` once they were erased.
    arguments: Option<String>,
    /// Erased with them.
    salt: Option<Bytes<16>>,
    /// `None` in receipts of very old versions, whose link is over the arguments themselves.
    arguments_digest: Option<Digest>,
    /// A Discord id as text, which every JSON reader keeps exactly; `0` is the console.
    caller: String,
    place: String,
    started_ms: i64,
    took_us: i64,
    outcome: String,
    origin: String,
    source: Option<ProvenSource>,
    answer_digest: Digest,
    /// `None` in receipts of older versions.
    code: Option<String>,
    model: Option<ProvenModel>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvenSource {
    name: String,
    as_of_ms: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvenModel {
    name: String,
    /// A Discord id as text.
    confirm: Option<String>,
}

/// The first field of a proof that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {problem}")]
pub struct ProofError {
    /// The path of the field, such as `receipts[3].outcome`.
    pub field: String,
    pub problem: String,
}

fn wrong<T>(field: impl Into<String>, problem: impl Into<String>) -> Result<T, ProofError> {
    Err(ProofError { field: field.into(), problem: problem.into() })
}

impl ProvenReceipt {
    /// Takes the fields that a proof contains. `arguments` is the stored digest of the arguments, `salt` the salt in it.
    pub fn new(previous: Digest, entry: &LedgerEntry, salt: Option<[u8; 16]>, arguments: Option<Digest>) -> Self {
        let facts = &entry.facts;
        let source = facts.source.as_ref();
        Self {
            previous,
            id: entry.id.to_string(),
            command: facts.command.clone(),
            arguments: entry.has_arguments.then(|| facts.arguments.clone()),
            salt: salt.map(Bytes),
            arguments_digest: arguments,
            caller: facts.caller.0.to_string(),
            place: facts.place.key(),
            started_ms: milliseconds(facts.started),
            took_us: microseconds(facts.took),
            outcome: facts.outcome.name().to_owned(),
            origin: facts.origin.name().to_owned(),
            source: source
                .map(|source| ProvenSource { name: source.name.clone(), as_of_ms: source.as_of.map(milliseconds) }),
            answer_digest: entry.digest,
            code: facts.code.as_ref().map(ToString::to_string),
            model: facts.model.as_ref().map(|call| ProvenModel {
                name: call.model.clone(),
                confirm: call.confirm.map(|press| press.0.to_string()),
            }),
        }
    }

    /// Returns the receipt, read from its fields. `at` is its path in the file.
    pub fn entry(&self, at: &str) -> Result<LedgerEntry, ProofError> {
        let field =
            |name: &str, problem: &str| ProofError { field: format!("{at}.{name}"), problem: problem.to_owned() };
        let time = |ms: i64| UNIX_EPOCH.checked_add(Duration::from_millis(u64::try_from(ms).ok()?));
        let id = ReceiptId::parse(&self.id).filter(|id| id.to_string() == self.id);
        let number = |text: &str| text.parse().ok().filter(|id: &u64| id.to_string() == text);
        let caller = number(&self.caller);
        let took = u64::try_from(self.took_us).map_err(|_| field("took_us", "is negative"))?;
        let source = match &self.source {
            None => None,
            Some(ProvenSource { name, as_of_ms: None }) => Some(Source { name: name.clone(), as_of: None }),
            Some(ProvenSource { name, as_of_ms: Some(ms) }) => {
                let as_of = time(*ms).ok_or_else(|| field("source.as_of_ms", "is not a time"))?;
                Some(Source { name: name.clone(), as_of: Some(as_of) })
            }
        };
        let code = match self.code.as_deref().map(CodeName::parse) {
            None => None,
            Some(Some(code)) => Some(code),
            Some(None) => return Err(field("code", "is not a name of code")),
        };
        let model = match &self.model {
            None => None,
            Some(ProvenModel { name, confirm: None }) => Some(ModelCall { model: name.clone(), confirm: None }),
            Some(ProvenModel { name, confirm: Some(press) }) => {
                let press = number(press).ok_or_else(|| field("model.confirm", "is not an id"))?;
                Some(ModelCall { model: name.clone(), confirm: Some(EventId(press)) })
            }
        };
        let facts = Facts {
            command: self.command.clone(),
            arguments: self.arguments.clone().unwrap_or_default(),
            caller: UserId(caller.ok_or_else(|| field("caller", "is not an id"))?),
            place: Place::from_key(&self.place).ok_or_else(|| field("place", "is not a place"))?,
            started: time(self.started_ms).ok_or_else(|| field("started_ms", "is not a time"))?,
            took: Duration::from_micros(took),
            outcome: Outcome::named(&self.outcome).ok_or_else(|| field("outcome", "is not an outcome"))?,
            origin: Origin::named(&self.origin).ok_or_else(|| field("origin", "is not an origin"))?,
            source,
            code,
            model,
        };
        let id = id.ok_or_else(|| field("id", "is not the id of a receipt"))?;
        Ok(LedgerEntry { id, facts, has_arguments: self.arguments.is_some(), digest: self.answer_digest })
    }

    /// Returns the receipt's link, if its arguments fit their digest.
    pub(super) fn link(&self, at: &str) -> Result<Digest, ProofError> {
        let entry = self.entry(at)?;
        match (self.arguments_digest, &self.salt, &self.arguments) {
            // Such receipts are older than names of code.
            (None, None, Some(_)) if self.code.is_none() && self.model.is_none() => {}
            (Some(_), None, None) => {}
            (Some(digest), Some(salt), Some(arguments)) if digest == arguments_digest(&salt.0, arguments) => {}
            (Some(_), Some(_), Some(_)) => return wrong(format!("{at}.arguments"), "do not fit `arguments_digest`"),
            _ => return wrong(format!("{at}.arguments"), "need both their salt and their digest"),
        }
        Ok(entry.link(self.previous, self.arguments_digest))
    }
}

impl Proof {
    pub fn to_text(&self) -> String {
        format!("{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads a proof, and checks that a trusted key, or one that it vouches for, has signed each of its receipts.
    /// Reports the first field that is wrong.
    pub fn verify(text: &str, trusted: PublicKey) -> Result<Self, ProofError> {
        if PROOF_SIZE_MAX < text.len() {
            return wrong("file", format!("is longer than {} MiB", PROOF_SIZE_MAX / (1024 * 1024)));
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let proof: Self = match serde_path_to_error::deserialize(&mut reader) {
            Ok(proof) => proof,
            Err(problem) => return wrong(problem.path().to_string(), problem.inner().to_string()),
        };
        if proof.format != PROOF_FORMAT {
            return wrong("format", format!("is not `{PROOF_FORMAT}`"));
        }
        if proof.to_text() != text {
            return wrong(
                "file",
                "is not written as the bot writes it: one line, fields in order, no spaces, nothing behind",
            );
        }
        if PROOF_RECEIPTS_MAX < proof.receipts.len() {
            return wrong("receipts", format!("are more than {PROOF_RECEIPTS_MAX}"));
        }
        if proof.receipts.is_empty() {
            return wrong("receipts", "are missing, so nothing is proven");
        }
        for (i, key) in proof.keys.iter().enumerate() {
            if !key.is_signed() {
                return wrong(format!("keys[{i}].signature"), "is not of the key in `by`");
            }
        }
        proof.verify_heads(trusted)?;
        proof.verify_receipts()?;
        Ok(proof)
    }

    fn verify_heads(&self, trusted: PublicKey) -> Result<(), ProofError> {
        let trusted = trusted_keys(trusted, &self.keys);
        let mut position = 0;
        for (i, ProvenHead { signed, links }) in self.heads.iter().enumerate() {
            let field = |name: &str| format!("heads[{i}].{name}");
            let Head { store, group, link, .. } = signed.head;
            if !trusted.contains(&signed.key) {
                return wrong(
                    field("signed.key"),
                    format!("is {}, which the given key does not vouch for", signed.key),
                );
            }
            if !signed.is_signed() {
                return wrong(field("signed.signature"), "does not fit the head");
            }
            if Head::group_of(links) != group || links.last() != Some(&link) {
                return wrong(field("links"), "are not those that were signed");
            }
            if self.heads.first().is_some_and(|first| first.signed.head.store != store) {
                return wrong(field("signed.head.store"), "differs from the store of the first head");
            }
            if signed.head.position <= position {
                return wrong(field("signed.head.position"), "is not greater than in the head before it");
            }
            position = signed.head.position;
        }
        Ok(())
    }

    fn verify_receipts(&self) -> Result<(), ProofError> {
        // The place of each link: the index of its head, and its own index there.
        let mut places = HashMap::new();
        for (head, ProvenHead { links, .. }) in self.heads.iter().enumerate() {
            places.extend(links.iter().enumerate().map(|(i, link)| (link.0, (head, i))));
        }
        let mut last = None;
        let mut next_head = 0;
        for (i, receipt) in self.receipts.iter().enumerate() {
            let at = format!("receipts[{i}]");
            let Some(&place) = places.get(&receipt.link(&at)?.0) else {
                return wrong(at, "is not what was signed: one of its fields was changed, or its head is not here");
            };
            if last.is_some_and(|last| place <= last) {
                return wrong(at, "does not come after the receipt before it in the chain");
            }
            if next_head < place.0 {
                return wrong(format!("heads[{next_head}]"), "has no receipt here");
            }
            next_head = place.0 + 1;
            last = Some(place);
        }
        if next_head < self.heads.len() {
            return wrong(format!("heads[{next_head}]"), "has no receipt here");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::record::ReceiptKey;
    use crate::record::receipt::answer_digest;

    fn key(seed: u8) -> ReceiptKey {
        ReceiptKey::from_seed(&[seed; 32]).unwrap()
    }

    fn entry(n: u64) -> LedgerEntry {
        let facts = Facts {
            command: "/tasks add".to_owned(),
            arguments: format!("{{\"title\":\"milk \\u00e9 {n}\"}}"),
            caller: UserId(1_122_334_455_667_788_990),
            place: Place::Console,
            started: UNIX_EPOCH + Duration::from_millis(1_800_000_000_000 + n),
            took: Duration::from_micros(1_500),
            outcome: Outcome::Done,
            origin: if n.is_multiple_of(2) { Origin::Person } else { Origin::Model },
            source: n.is_multiple_of(3).then(|| Source { name: "data/\"x\"\n".to_owned(), as_of: Some(UNIX_EPOCH) }),
            code: (2 <= n).then(|| CodeName::new("tasks", (n == 3).then_some("1.2"), Digest([7; 32]))),
            model: matches!(n, 3 | 5).then(|| ModelCall {
                model: "qwen3:4b".to_owned(),
                confirm: (n == 5).then_some(EventId(1_122_334_455_667_788_991)),
            }),
        };
        LedgerEntry {
            id: ReceiptId::from_number(1 + n),
            facts,
            has_arguments: !n.is_multiple_of(4),
            digest: Digest([u8::try_from(n).unwrap(); 32]),
        }
    }

    /// A proof of seven receipts under three heads. The third head is signed by the next key.
    fn proof() -> Proof {
        let mut receipts = Vec::new();
        let mut links = Vec::new();
        let mut previous = Digest::START;
        for n in 0..7_u64 {
            let mut entry = entry(n);
            let salt = [u8::try_from(n).unwrap(); 16];
            let arguments = arguments_digest(&salt, &entry.facts.arguments);
            if !entry.has_arguments {
                entry.facts.arguments.clear();
            }
            let salt = entry.has_arguments.then_some(salt);
            receipts.push(ProvenReceipt::new(previous, &entry, salt, Some(arguments)));
            previous = entry.link(previous, Some(arguments));
            links.push(previous);
        }
        let mut heads: Vec<ProvenHead> = Vec::new();
        for (range, seed) in [(0..3, 1), (3..4, 1), (4..7, 2)] {
            let position = range.end as u64;
            let links = links[range].to_vec();
            let head = Head {
                store: Digest([9; 32]),
                position,
                at_ms: 1_800_000_000_000,
                previous: heads.last().map_or(Digest::START, |head| head.signed.digest()),
                group: Head::group_of(&links),
                link: *links.last().unwrap(),
            };
            heads.push(ProvenHead { signed: head.signed(&key(seed)).unwrap(), links });
        }
        let keys = vec![
            Endorsement::of(key(2).public(), &key(1), 5).unwrap(),
            Endorsement::of(key(1).public(), &key(2), 5).unwrap(),
        ];
        Proof { format: PROOF_FORMAT.to_owned(), keys, heads, receipts }
    }

    fn verified(proof: &Proof) -> Result<usize, String> {
        let verified = Proof::verify(&proof.to_text(), key(1).public());
        verified.map(|proof| proof.receipts.len()).map_err(|problem| problem.to_string())
    }

    /// The example of `docs/proofs.md`.
    #[test]
    fn the_format_is_the_documented_one() {
        let facts = Facts {
            command: "/tasks add".to_owned(),
            arguments: "{\"text\":\"milk\"}".to_owned(),
            caller: UserId(7),
            place: Place::from_key("guild:5/6").unwrap(),
            started: UNIX_EPOCH + Duration::from_secs(1),
            took: Duration::from_millis(2),
            outcome: Outcome::Done,
            origin: Origin::Model,
            source: None,
            code: Some(CodeName::new("tasks", Some("0.2.0"), Digest([4; 32]))),
            model: Some(ModelCall { model: "qwen3:4b".to_owned(), confirm: Some(EventId(9)) }),
        };
        let salt = [2; 16];
        let arguments = arguments_digest(&salt, &facts.arguments);
        let digest = answer_digest(&salt, Digest::of(&[b"Added."]));
        let entry = LedgerEntry { id: ReceiptId::from_number(1), facts, has_arguments: true, digest };
        let link = entry.link(Digest::START, Some(arguments));
        let group = Head::group_of(&[link]);
        let store = Digest([3; 32]);
        let head = Head { store, position: 1, at_ms: 3000, previous: Digest::START, group, link };
        let signed = head.signed(&key(1)).unwrap();
        let proof = Proof {
            format: PROOF_FORMAT.to_owned(),
            keys: Vec::new(),
            heads: vec![ProvenHead { signed, links: vec![link] }],
            receipts: vec![ProvenReceipt::new(Digest::START, &entry, Some(salt), Some(arguments))],
        };
        let text = proof.to_text();
        let page = include_str!("../../../../docs/proofs.md");
        let shown = [
            Digest::of(&[b"ab", b"c"]).to_string(),
            key(1).public().to_string(),
            key(1).public().fingerprint(),
            arguments.to_string(),
            digest.to_string(),
            link.to_string(),
            group.to_string(),
            hex::encode(&signed.signature.0[..32]),
            hex::encode(&signed.signature.0[32..]),
            signed.digest().to_string(),
            hex::encode(Sha256::digest(&text)),
        ];
        for shown in shown {
            assert!(page.contains(&shown), "{shown} is not on the page");
        }
        assert_eq!(Proof::verify(&text, key(1).public()), Ok(proof));
    }

    #[test]
    fn a_proof_holds_for_each_key_of_the_bot_and_for_no_other() {
        let text = proof().to_text();
        for seed in [1, 2] {
            assert_eq!(Proof::verify(&text, key(seed).public()), Ok(proof()));
        }
        let other = Proof::verify(&text, key(3).public()).unwrap_err();
        assert_eq!(other.field, "heads[0].signed.key");
        let without = Proof { keys: Vec::new(), ..proof() };
        assert!(verified(&without).unwrap_err().starts_with("`heads[2].signed.key`"));
    }

    #[test]
    fn a_part_of_it_is_a_proof_too() {
        let whole = proof();
        for i in 0..7 {
            let head = whole.heads.iter().find(|head| i < head.signed.head.position).unwrap().clone();
            let receipts = vec![whole.receipts[usize::try_from(i).unwrap()].clone()];
            assert_eq!(verified(&Proof { heads: vec![head], receipts, ..whole.clone() }), Ok(1));
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_its_first_field() {
        type Change = fn(&mut Proof);
        let cases: [(Change, &str); 16] = [
            (|proof| proof.format.push('2'), "`format`"),
            (|proof| proof.receipts.clear(), "`receipts`"),
            (|proof| proof.keys[1].at_ms = 6, "`keys[1].signature`"),
            (|proof| proof.heads[1].signed.head.at_ms = 6, "`heads[1].signed.signature`"),
            (|proof| proof.heads[0].links.truncate(1), "`heads[0].links`"),
            (|proof| proof.heads.swap(0, 1), "`heads[1].signed.head.position`"),
            (|proof| drop(proof.heads.remove(1)), "`receipts[3]`"),
            (|proof| drop(proof.receipts.remove(3)), "`heads[1]`"),
            (|proof| proof.receipts.swap(1, 2), "`receipts[2]`"),
            (|proof| proof.receipts.push(proof.receipts[6].clone()), "`receipts[7]`"),
            (|proof| proof.receipts[2].outcome = "failed".to_owned(), "`receipts[2]`"),
            (|proof| proof.receipts[2].outcome = "fine".to_owned(), "`receipts[2].outcome`"),
            (|proof| proof.receipts[2].caller = "07".to_owned(), "`receipts[2].caller`"),
            (|proof| proof.receipts[2].started_ms = -1, "`receipts[2].started_ms`"),
            (|proof| proof.receipts[1].arguments = Some("{}".to_owned()), "`receipts[1].arguments`"),
            (|proof| proof.receipts[1].salt = None, "`receipts[1].arguments`"),
        ];
        for (change, field) in cases {
            let mut changed = proof();
            change(&mut changed);
            let problem = verified(&changed).unwrap_err();
            assert!(problem.starts_with(field), "{problem}, not {field}");
        }
    }

    #[test]
    fn what_is_no_proof_is_refused_without_a_panic() {
        let text = proof().to_text();
        let trusted = key(1).public();
        let unknown = text.replacen("\"keys\"", "\"more\":1,\"keys\"", 1);
        let cases = [
            "",
            "null",
            "[]",
            "{}",
            text.split_at(text.len() / 2).0,
            &format!(" {text}"),
            &format!("{text}{text}"),
            &unknown,
        ];
        for text in cases {
            assert!(Proof::verify(text, trusted).is_err(), "{text:?}");
        }
        let problem = Proof::verify(&text.replacen("\"done\"", "7", 1), trusted).unwrap_err();
        assert_eq!(problem.field, "receipts[0].outcome");
        let long = " ".repeat(PROOF_SIZE_MAX + 1);
        assert_eq!(Proof::verify(&long, trusted).unwrap_err().field, "file");
    }

    /// Every single-bit change of a proof is refused: 10,000 of them.
    #[test]
    fn no_bit_of_a_proof_can_be_changed() {
        let text = proof().to_text();
        let n_bits = text.len() * 8;
        // Steps of a prime number that does not divide the number of bits come to each bit once.
        let step = 7_919;
        assert!(!n_bits.is_multiple_of(step));
        for n in 0..10_000.min(n_bits) {
            let bit = n * step % n_bits;
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            assert!(Proof::verify(&changed, key(1).public()).is_err(), "bit {bit} of {n_bits}");
        }
    }
}
