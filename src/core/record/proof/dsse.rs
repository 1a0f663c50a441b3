//! The receipts of a proof as in-toto statements in DSSE envelopes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::record::proof::file::Proof;
use crate::record::proof::key::ReceiptKey;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The type of the predicate: a receipt as in a proof, with its store.
const RECEIPT_TYPE: &str = "urn:candor:receipt:1";

/// Returns the receipts of a proof as JSON lines: one signed envelope with one statement for each.
pub fn dsse_envelopes(proof: &Proof, key: &ReceiptKey) -> Option<String> {
    let store = proof.heads.first()?.signed.head.store;
    let mut lines = String::new();
    for receipt in &proof.receipts {
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{
                "name": receipt.entry("").ok()?.id.to_string(),
                "digest": { "sha256": receipt.link("").ok()? },
            }],
            "predicateType": RECEIPT_TYPE,
            "predicate": { "store": store, "receipt": receipt },
        });
        let payload = statement.to_string();
        let signature = key.sign_bytes(signed_text(&payload).as_bytes())?;
        let envelope = json!({
            "payload": STANDARD.encode(payload),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{ "keyid": key.public(), "sig": STANDARD.encode(signature.0) }],
        });
        lines += &format!("{envelope}\n");
    }
    Some(lines)
}

/// Returns the text that is signed, DSSE's pre-authentication encoding.
fn signed_text(payload: &str) -> String {
    format!("DSSEv1 {} {PAYLOAD_TYPE} {} {payload}", PAYLOAD_TYPE.len(), payload.len())
}
