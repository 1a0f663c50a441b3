"""Verifies exported receipts with libraries that nobody here wrote.

    target/receipt-formats/bin/python tests/receipt_formats/verify.py agent-receipts|dsse FILE PUBLIC_KEY_HEX

It prints `valid: N` (exit code 0), or `not valid:` and the reason (exit code 1).
"""

import json
import sys

from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from obsigna import did
from obsigna.receipt import AgentReceipt, hash_raw_receipt, hash_receipt, public_key_to_pem, verify_chain, verify_raw
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey


def agent_receipts(lines, key):
    pem = public_key_to_pem(bytes.fromhex(key))
    receipts = [AgentReceipt.model_validate_json(line) for line in lines]
    chain = verify_chain(receipts, pem, require_terminal=True)
    assert chain.valid, chain.error or f"receipt {chain.broken_at}"
    assert not chain.warnings, chain.warnings
    for line, receipt in zip(lines, receipts):
        # The library's model must know each field: else it would verify other bytes than those of the file.
        assert verify_raw(line, pem) and hash_raw_receipt(line) == hash_receipt(receipt), receipt.id
        document = did.resolve(receipt.issuer.id)
        assert document.id == did.from_public_key(bytes.fromhex(key)), document.id
        assert receipt.proof.verificationMethod in document.assertion_method, receipt.proof.verificationMethod


def dsse(lines, key):
    public = SSlibKey(key, "ed25519", "ed25519", {"public": key})
    for line in lines:
        envelope = Envelope.from_dict(json.loads(line))
        envelope.verify([public], 1)
        assert envelope.payload_type == "application/vnd.in-toto+json", envelope.payload_type
        statement = json_format.Parse(envelope.payload, statement_pb2.Statement())
        Statement.copy_from_pb(statement).validate()


def main(format_, file, key):
    with open(file, encoding="utf-8") as opened:
        lines = opened.read().splitlines()
    try:
        {"agent-receipts": agent_receipts, "dsse": dsse}[format_](lines, key)
    except Exception as problem:  # Each library has its own.
        print(f"not valid: {type(problem).__name__}: {problem}")
        return 1
    print(f"valid: {len(lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
