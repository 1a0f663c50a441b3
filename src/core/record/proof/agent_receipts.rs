//! The receipts of a proof as Agent Receipts 0.5.0: W3C Verifiable Credentials in a chain of their own.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use time::format_description::well_known::Rfc3339;

use crate::inbound::UserId;
use crate::record::proof::file::Proof;
use crate::record::proof::key::{PublicKey, ReceiptKey};
use crate::record::receipt::{Digest, LedgerEntry, Outcome, milliseconds};
use crate::text::{is_in_calendar, utc_text};

/// Returns the receipts of a proof as JSON lines, signed at this time. The last one ends their chain. `None` if a time
/// is beyond the calendar.
pub fn agent_receipts(proof: &Proof, key: &ReceiptKey, at: SystemTime) -> Option<String> {
    let issuer = did_key(key.public());
    let method = format!("{issuer}#{}", issuer.trim_start_matches("did:key:"));
    let at_ms = milliseconds(at);
    let issued = date_time(UNIX_EPOCH + Duration::from_millis(at_ms.unsigned_abs()))?;
    let links: Vec<_> = proof.receipts.iter().map(|receipt| receipt.link("").ok()).collect::<Option<_>>()?;
    let chain = chain_id(proof.heads.first()?.signed.head.store, at_ms, &links);
    let mut lines = String::new();
    let mut previous = None;
    for (i, (receipt, link)) in proof.receipts.iter().zip(&links).enumerate() {
        let entry = receipt.entry("").ok()?;
        let body = without_nulls(json!({
            "@context": ["https://www.w3.org/ns/credentials/v2", "https://agentreceipts.ai/context/v2"],
            "id": format!("urn:receipt:{}", uuid(&[chain.as_bytes(), &link.0])),
            "type": ["VerifiableCredential", "AgentReceipt"],
            "version": "0.5.0",
            "issuer": { "id": issuer, "name": "Candor" },
            "issuanceDate": issued,
            "credentialSubject": {
                "principal": principal(entry.facts.caller, &issuer),
                "action": action(&entry, *link)?,
                "outcome": outcome(entry.facts.outcome),
                "chain": {
                    "chain_id": chain,
                    "sequence": i + 1,
                    "previous_receipt_hash": previous,
                    "terminal": (i + 1 == links.len()).then_some(true),
                },
                "correlation_id": entry.id.to_string(),
            },
        }));
        previous = Some(sha256(&canonical(&body)?));
        lines += &canonical(&signed(body, &method, &issued, key)?)?;
        lines.push('\n');
    }
    Some(lines)
}

/// Each export is a chain of its own, because the hashes in it cover the time of the export.
fn chain_id(store: Digest, at_ms: i64, links: &[Digest]) -> String {
    let at = at_ms.to_be_bytes();
    let mut parts: Vec<&[u8]> = vec![b"candor agent receipts 1", &store.0, &at];
    parts.extend(links.iter().map(|link| &link.0[..]));
    uuid(&parts)
}

/// The console, and a guild whose scheduled command runs, are no person: the bot acts for its own operator.
fn principal(caller: UserId, issuer: &str) -> Value {
    if caller == UserId::NOBODY {
        return json!({ "id": issuer });
    }
    json!({ "id": format!("https://discord.com/users/{}", caller.0), "type": "HumanPrincipal" })
}

/// A command is not in the format's list of actions. Its risk is the one of that list for others.
fn action(entry: &LedgerEntry, link: Digest) -> Option<Value> {
    Some(json!({
        "id": format!("act_{}", uuid(&[&link.0])),
        "type": "unknown",
        "risk_level": "medium",
        "target": { "system": entry.facts.command },
        "parameters_hash": parameters_hash(entry),
        "timestamp": date_time(entry.facts.started)?,
    }))
}

/// `None` if the arguments were erased, or were cut because they were too long.
fn parameters_hash(entry: &LedgerEntry) -> Option<String> {
    let arguments: Value = serde_json::from_str(&entry.facts.arguments).ok()?;
    canonical(&arguments).map(|text| sha256(&text))
}

fn outcome(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Done | Outcome::Answered => json!({ "status": "success" }),
        // The result is still to come, or did not arrive.
        Outcome::Asked | Outcome::Unknown => json!({ "status": "pending" }),
        Outcome::Refused | Outcome::Failed | Outcome::TimedOut | Outcome::Interrupted => {
            json!({ "status": "failure", "error": outcome.name() })
        }
    }
}

/// Adds the proof of a receipt. The signature does not cover the proof itself.
fn signed(mut body: Value, method: &str, created: &str, key: &ReceiptKey) -> Option<Value> {
    let signature = key.sign_bytes(canonical(&body)?.as_bytes())?;
    body["proof"] = json!({
        "type": "Ed25519Signature2020",
        "created": created,
        "verificationMethod": method,
        "proofPurpose": "assertionMethod",
        "proofValue": format!("u{}", URL_SAFE_NO_PAD.encode(signature.0)),
    });
    Some(body)
}

/// Removes fields that are null, except the only one that may be.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_kept = |(name, value): &(String, Value)| !value.is_null() || name == "previous_receipt_hash";
            fields.into_iter().filter(is_kept).map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Returns the JSON that is hashed and signed (RFC 8785).
fn canonical(value: &Value) -> Option<String> {
    serde_json_canonicalizer::to_string(value).ok()
}

fn sha256(text: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(text.as_bytes())))
}

fn date_time(at: SystemTime) -> Option<String> {
    is_in_calendar(at).then(|| utc_text(at, &Rfc3339))
}

/// Returns a UUID of version 8 (RFC 9562), the version for hashes of one's own.
fn uuid(parts: &[&[u8]]) -> String {
    let mut bytes = Digest::of(parts).0;
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..16]].map(hex::encode).join("-")
}

/// Returns a public key as a DID, which holds the key itself: `did:key:z` and base 58 of 0xED01 and the key.
fn did_key(key: PublicKey) -> String {
    const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    // The last digit first.
    let mut digits: Vec<usize> = Vec::new();
    for byte in [0xED, 0x01].iter().chain(&key.0) {
        let mut carry = usize::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            *digit = carry % 58;
            carry /= 58;
        }
        while 0 < carry {
            digits.push(carry % 58);
            carry /= 58;
        }
    }
    let digits = digits.iter().rev().map(|digit| char::from(ALPHABET[*digit]));
    format!("did:key:z{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::Place;
    use crate::record::proof::bytes::Bytes;
    use crate::record::proof::file::{PROOF_FORMAT, ProvenHead, ProvenReceipt};
    use crate::record::proof::head::Head;
    use crate::record::receipt::{Facts, Origin, arguments_digest};
    use crate::record::receipt_id::ReceiptId;

    /// The vectors and the schema of the specification's project: see the README there.
    macro_rules! vendored {
        ($name:literal) => {
            serde_json::from_str::<Value>(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../tests/receipt_formats/agent_receipts/",
                $name
            )))
            .unwrap()
        };
    }

    fn of_sdks() -> [Value; 3] {
        [vendored!("ts_vectors.json"), vendored!("go_vectors.json"), vendored!("py_vectors.json")]
    }

    fn key(vectors: &Value) -> ReceiptKey {
        ReceiptKey::from_pem(vectors["keys"]["privateKey"].as_str().unwrap()).unwrap()
    }

    /// The receipt without its proof, as it is hashed and signed.
    fn body(receipt: &Value) -> Value {
        let mut body = without_nulls(receipt.clone());
        body.as_object_mut().unwrap().remove("proof");
        body
    }

    fn hash(receipt: &Value) -> String {
        sha256(&canonical(&body(receipt)).unwrap())
    }

    /// Whether this key signs the receipt exactly as it stands. Ed25519 gives one signature only.
    fn is_good(receipt: &Value, key: &ReceiptKey) -> bool {
        let of = |name: &str| receipt["proof"][name].as_str().unwrap();
        signed(body(receipt), of("verificationMethod"), of("created"), key).unwrap() == *receipt
    }

    /// Whether all are good, and each names the hash of the one before it.
    fn is_chain(receipts: &[Value], key: &ReceiptKey) -> bool {
        let names = |i: usize| receipts[i]["credentialSubject"]["chain"]["previous_receipt_hash"].clone();
        let linked = (1..receipts.len()).all(|i| names(i) == json!(hash(&receipts[i - 1])));
        names(0).is_null() && linked && receipts.iter().all(|receipt| is_good(receipt, key))
    }

    /// A proof of one receipt for each outcome, with these arguments for the first ones. The first caller is the console.
    fn proof(arguments: &[Option<&str>]) -> Proof {
        let mut receipts = Vec::new();
        let mut links = Vec::new();
        for (n, outcome) in (0..).zip(Outcome::ALL) {
            let arguments = arguments.get(links.len()).copied().unwrap_or(Some("{}"));
            let facts = Facts {
                command: "/tasks add".to_owned(),
                arguments: arguments.unwrap_or_default().to_owned(),
                caller: UserId(n),
                place: Place::Console,
                started: UNIX_EPOCH + Duration::from_millis(1_800_000_000_000 + n),
                took: Duration::from_micros(1_500),
                outcome,
                origin: Origin::Person,
                source: None,
                code: None,
                model: None,
            };
            let id = ReceiptId::from_number(1 + n);
            let entry = LedgerEntry { id, facts, has_arguments: arguments.is_some(), digest: Digest([9; 32]) };
            let previous = links.last().copied().unwrap_or(Digest::START);
            let salt = arguments.map(|_| [1; 16]);
            let digest = arguments_digest(&[1; 16], arguments.unwrap_or("erased"));
            receipts.push(ProvenReceipt::new(previous, &entry, salt, Some(digest)));
            links.push(entry.link(previous, Some(digest)));
        }
        let group = Head::group_of(&links);
        let link = *links.last().unwrap();
        let head = Head { store: Digest([3; 32]), position: 8, at_ms: 5, previous: Digest::START, group, link };
        let heads = vec![ProvenHead { signed: head.signed(&signer()).unwrap(), links }];
        let proof = Proof { format: PROOF_FORMAT.to_owned(), keys: Vec::new(), heads, receipts };
        Proof::verify(&proof.to_text(), signer().public()).unwrap()
    }

    fn signer() -> ReceiptKey {
        ReceiptKey::from_seed(&[1; 32]).unwrap()
    }

    fn exported(arguments: &[Option<&str>], at_ms: u64) -> Vec<Value> {
        let lines = agent_receipts(&proof(arguments), &signer(), UNIX_EPOCH + Duration::from_millis(at_ms)).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn exported_receipts_fit_the_schema_and_are_a_chain_that_ends() {
        let receipts = exported(&[], 1_900_000_000_123);
        let schema = jsonschema::options().should_validate_formats(true).build(&vendored!("agent-receipt.schema.json"));
        let schema = schema.unwrap();
        for receipt in &receipts {
            assert_eq!(schema.iter_errors(receipt).map(|e| e.to_string()).collect::<Vec<_>>(), [""; 0], "{receipt}");
        }
        assert!(is_chain(&receipts, &signer()));
        let chain = |receipt: &Value, name: &str| receipt["credentialSubject"]["chain"][name].clone();
        for (i, receipt) in receipts.iter().enumerate() {
            let is_last = i + 1 == receipts.len();
            assert_eq!(chain(receipt, "sequence"), json!(i + 1));
            assert_eq!(chain(receipt, "terminal"), if is_last { json!(true) } else { Value::Null });
            assert_eq!(chain(receipt, "chain_id"), chain(&receipts[0], "chain_id"));
        }
        assert_eq!(receipts[0]["issuanceDate"], "2030-03-17T17:46:40.123Z");
        // The same runs later: other receipts and another chain, about the same actions.
        let later = exported(&[], 1_900_000_000_124);
        for (one, other) in receipts.iter().zip(&later) {
            let action = |receipt: &Value| receipt["credentialSubject"]["action"].clone();
            assert_eq!(action(one), action(other));
            assert!(one["id"] != other["id"] && chain(one, "chain_id") != chain(other, "chain_id"));
        }
    }

    #[test]
    fn an_exported_receipt_says_what_was_recorded_and_leaves_out_the_rest() {
        let receipts = exported(&[Some("{\"text\":\"milk\",\"n\":1}"), None, Some("{\"text\":\"mi")], 5);
        let of = |i: usize, name: &str| receipts[i]["credentialSubject"][name].clone();
        let hash = sha256("{\"n\":1,\"text\":\"milk\"}");
        assert_eq!(of(0, "action")["parameters_hash"], json!(hash));
        assert_eq!(of(0, "action")["target"], json!({ "system": "/tasks add" }));
        for i in [1, 2] {
            assert!(of(i, "action").get("parameters_hash").is_none(), "{i}: erased, or cut");
        }
        assert_eq!(of(0, "principal"), json!({ "id": receipts[0]["issuer"]["id"] }), "the console");
        let person = json!({ "id": "https://discord.com/users/1", "type": "HumanPrincipal" });
        assert_eq!(of(1, "principal"), person);
        assert_eq!(of(1, "correlation_id"), json!(ReceiptId::from_number(2).to_string()));
        let outcomes: Vec<_> = (0..receipts.len()).map(|i| of(i, "outcome")).collect();
        let [success, pending] = ["success", "pending"].map(|status| json!({ "status": status }));
        let failure = |error: &str| json!({ "status": "failure", "error": error });
        let failures = ["refused", "failed", "timed-out", "interrupted"].map(failure);
        let expected = [success.clone(), success, pending.clone()].into_iter().chain(failures).chain([pending]);
        assert_eq!(outcomes, expected.collect::<Vec<_>>());
    }

    #[test]
    fn canonical_json_and_its_hashes_are_those_of_the_vectors() {
        let vectors = vendored!("canonicalization_vectors.json");
        let mut n_hashes = 0;
        for vector in vectors["canonicalization_vectors"].as_array().unwrap() {
            let text = canonical(&vector["input"]).unwrap();
            assert_eq!(text, vector["canonical"].as_str().unwrap(), "{}", vector["name"]);
            if let Some(expected) = vector["expectedHash"].as_str() {
                n_hashes += 1;
                assert_eq!(sha256(&text), expected, "{}", vector["name"]);
            }
        }
        for vectors in of_sdks() {
            let of = &vectors["canonicalization"];
            assert_eq!(canonical(&of["simpleInput"]).unwrap(), of["simpleExpected"].as_str().unwrap());
            assert_eq!(canonical(&of["receiptInput"]).unwrap(), of["receiptExpected"].as_str().unwrap());
            let hashing = &vectors["hashing"];
            assert_eq!(sha256(hashing["simpleInput"].as_str().unwrap()), hashing["simpleExpected"].as_str().unwrap());
            assert_eq!(hash(&of["receiptInput"]), hashing["receiptExpected"].as_str().unwrap());
        }
        let redacted = &vendored!("v020_vectors.json")["responseHash"];
        let text = canonical(&redacted["redactedResponse"]).unwrap();
        assert_eq!(sha256(&text), redacted["expectedHash"].as_str().unwrap());
        assert_eq!(n_hashes, 3);
    }

    #[test]
    fn receipts_have_the_hashes_of_the_vectors_and_nulls_are_left_out_except_one() {
        let vectors = vendored!("canonicalization_vectors.json");
        let vectors = vectors["receipt_hash_vectors"].as_array().unwrap();
        let named = |name: &str| vectors.iter().find(|vector| vector["name"] == name).unwrap();
        let mut n_hashes = 0;
        for vector in vectors.iter().filter(|vector| vector["receipt"].is_object()) {
            let expected = vector["expectedHash"].as_str().unwrap();
            let same = expected.strip_prefix("SAME_AS_").map(|name| named(name)["expectedHash"].as_str().unwrap());
            assert_eq!(hash(&vector["receipt"]), same.unwrap_or(expected), "{}", vector["name"]);
            let part = vector["mustContainSubstring"].as_str().unwrap_or_default();
            assert!(canonical(&body(&vector["receipt"])).unwrap().contains(part), "{}", vector["name"]);
            n_hashes += 1;
        }
        assert_eq!(n_hashes, 10);
    }

    #[test]
    fn the_receipts_and_chains_of_each_version_are_signed_as_the_vectors_say() {
        for vectors in of_sdks() {
            let of = &vectors["signing"];
            assert!(is_good(&of["signed"], &key(&vectors)) && body(&of["signed"]) == of["unsigned"]);
        }
        let versions = [
            vendored!("v020_vectors.json"),
            vendored!("v030_vectors.json"),
            vendored!("v040_vectors.json"),
            vendored!("v050_vectors.json"),
        ];
        let mut n_receipts = 0;
        let mut n_chains = 0;
        for vectors in &versions {
            let key = key(vectors);
            for (name, vector) in vectors.as_object().unwrap() {
                if let Some(expected) = vector["expectedReceiptHash"].as_str() {
                    assert_eq!(hash(&vector["receipt"]), expected, "{name}");
                    assert!(is_good(&vector["receipt"], &key), "{name}");
                    n_receipts += 1;
                }
                if let Some(receipts) = vector["receipts"].as_array() {
                    assert!(is_chain(receipts, &key), "{name}");
                    n_chains += 1;
                }
            }
        }
        assert_eq!((n_receipts, n_chains), (8, 2));
        // The seed of RFC 8032, section 7.1, test 2, and the hash that the README of this vector states.
        let seed = hex::decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").unwrap();
        let rotation = vendored!("rotation_event_example.json");
        assert!(is_good(&rotation, &ReceiptKey::from_seed(&seed.try_into().unwrap()).unwrap()));
        let expected = "sha256:6983c9bd6fb24e844b90f7616315a914fdedc5fef8126e11d46149ba2f320457";
        assert_eq!(hash(&rotation), expected);
    }

    #[test]
    fn malformed_receipts_and_chains_are_none_that_this_code_would_sign() {
        let vectors = vendored!("malformed_vectors.json");
        let key = key(&vectors);
        let receipts = vectors["receipts"].as_array().unwrap();
        let chains = vectors["chains"].as_array().unwrap();
        for bad in receipts {
            assert!(!is_good(&bad["receipt"], &key), "{}", bad["name"]);
        }
        for bad in chains {
            assert!(!is_chain(bad["receipts"].as_array().unwrap(), &key), "{}", bad["name"]);
        }
        assert_eq!((receipts.len(), chains.len()), (6, 1));
    }

    #[test]
    fn a_public_key_is_the_did_of_the_vectors() {
        let vectors = vendored!("did_key_vectors.json");
        let vectors = vectors["vectors"].as_array().unwrap();
        for vector in vectors {
            let key = Bytes::parse(vector["public_key_hex"].as_str().unwrap()).unwrap();
            assert_eq!(did_key(key), vector["did"].as_str().unwrap());
        }
        assert_eq!(vectors.len(), 3);
    }
}
