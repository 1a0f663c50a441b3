#!/usr/bin/env python3
"""Verifies a proof of Candor's receipts with nothing but Python 3.10 or later.

    python3 docs/verify_proof.py FILE PUBLIC_KEY_HEX

It prints `valid: N receipts` (exit code 0), or the first wrong field and the reason (exit code 1). The exit code is 2
if the command line is wrong or the file cannot be read. `proofs.md` beside this file describes the format.
"""

import functools
import hashlib
import json
import re
import sys

FORMAT = "candor-proof-1"
SIZE_MAX = 64 * 1024 * 1024
RECEIPTS_MAX = 50_000

OUTCOMES = ["done", "answered", "asked", "refused", "failed", "timed-out", "interrupted", "unknown"]
ORIGINS = ["person", "model", "recovered", "refreshed", "due", "event", "schedule"]


class NotValid(Exception):
    """The first field of a proof that is wrong, and the reason."""


def expect(is_good, field, why):
    if not is_good:
        raise NotValid(f"`{field or 'file'}`: {why}")


# The shape of the file. A dict is an object with its fields in order, a list is a list of one shape, a tuple is a
# shape or null, a range is a whole number, None is any text, and an int is that many bytes in hexadecimal digits.

U64 = range(0, 2**64)
I64 = range(-(2**63), 2**63)
HEAD = {"store": 32, "position": U64, "at_ms": I64, "previous": 32, "group": 32, "link": 32}
SOURCE = {"name": None, "as_of_ms": (I64,)}
RECEIPT = {"previous": 32, "id": None, "command": None, "arguments": (None,), "salt": (16,), "arguments_digest": (32,)}
RECEIPT |= {"caller": None, "place": None, "started_ms": I64, "took_us": I64, "outcome": None, "origin": None}
MODEL = {"name": None, "confirm": (None,)}
RECEIPT |= {"source": (SOURCE,), "answer_digest": 32, "code": (None,), "model": (MODEL,)}
PROOF = {
    "format": None,
    "keys": [{"key": 32, "by": 32, "at_ms": I64, "signature": 64}],
    "heads": [{"signed": {"head": HEAD, "key": 32, "signature": 64}, "links": [32]}],
    "receipts": [RECEIPT],
}


def in_shape(value, shape, at=""):
    """Checks a value and returns it with the fields of its objects in order. `at` is its path in the file."""
    if isinstance(shape, tuple):
        return None if value is None else in_shape(value, shape[0], at)
    if isinstance(shape, dict):
        expect(isinstance(value, dict), at, "is not an object")
        for name in shape:
            expect(name in value, at, f"has no field `{name}`")
        expect(len(value) == len(shape), at, "has a field that the format does not have")
        return {name: in_shape(value[name], inner, f"{at}.{name}".lstrip(".")) for name, inner in shape.items()}
    if isinstance(shape, list):
        expect(isinstance(value, list), at, "is not a list")
        return [in_shape(item, shape[0], f"{at}[{i}]") for i, item in enumerate(value)]
    if isinstance(shape, range):
        # Python takes `true` for 1.
        expect(type(value) is int and value in shape, at, "is not a whole number in range")
    else:
        expect(isinstance(value, str), at, "is not a text")
        is_good = shape is None or (len(value) == 2 * shape and re.fullmatch("[0-9a-f]*", value))
        expect(is_good, at, f"is not {shape} bytes in lower-case hexadecimal digits")
    return value


# Ed25519 (RFC 8032). A point is X, Y, Z, T with x = X/Z, y = Y/Z and x*y = T/Z.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def added(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * D * p[3] * q[3] % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def doubled(p):
    x, y, z, _ = p
    a, b = x * x % P, y * y % P
    e, f, g, h = a + b - (x + y) * (x + y), 2 * z * z + a - b, a - b, a + b
    return e * f % P, g * h % P, f * g % P, e * h % P


@functools.lru_cache(maxsize=1024)
def point(encoded):
    """Decodes a point, as section 5.1.3 of the RFC says. `None` if the bytes are not a point."""
    sign, y = divmod(int.from_bytes(encoded, "little"), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * SQRT_OF_MINUS_1 % P
    if y >= P or x * x % P != square or (x == 0 and sign == 1):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


BASE = point(bytes.fromhex("58" + 31 * "66"))


def has_signed(key, message, signature):
    """Returns whether the signature is R || S with S < L, and S*B - k*A encodes to exactly R."""
    key_point = point(key)
    s = int.from_bytes(signature[32:], "little")
    if key_point is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    x, y, z, t = key_point
    minus_key = (-x % P, y, z, -t % P)
    # Both products at once, bit by bit.
    addends = [None, BASE, minus_key, added(BASE, minus_key)]
    total = (0, 1, 1, 0)
    for bit in range(252, -1, -1):
        total = doubled(total)
        addend = addends[(s >> bit & 1) + 2 * (k >> bit & 1)]
        if addend:
            total = added(total, addend)
    inverse = pow(total[2], -1, P)
    encoded = total[1] * inverse % P + (total[0] * inverse % P & 1) * 2**255
    return encoded.to_bytes(32, "little") == signature[:32]


# Digests and messages.


def digest(*parts):
    """Hashes parts, each behind its length. A part is bytes, a text, or a number of eight bytes, highest first."""
    hashed = hashlib.sha256()
    for part in parts:
        if isinstance(part, int):
            part = (part % 2**64).to_bytes(8, "big")
        part = part.encode() if isinstance(part, str) else part
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.digest()


def is_signed(key, signature, *message):
    return has_signed(bytes.fromhex(key), digest(*message), bytes.fromhex(signature))


def is_decimal(text):
    """Returns whether a text is the one decimal form of a number below 2^64."""
    return re.fullmatch("0|[1-9][0-9]{0,19}", text) is not None and int(text) < 2**64


def is_place(text):
    kind, _, ids = text.partition(":")
    if kind == "guild":
        guild, _, channel = ids.partition("/")
        return is_decimal(guild) and is_decimal(channel)
    return text == "console" or (kind == "dm" and is_decimal(ids))


def is_receipt_id(text):
    """Returns whether a text is the id of a receipt: its number times a factor, in Crockford's base 32."""
    if not re.fullmatch("[0-9A-HJKMNP-TV-Z]{5,12}", text):
        return False
    value = functools.reduce(lambda value, c: 32 * value + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(c), text, 0)
    number = value * pow(0x9E3779B1, -1, 32 ** len(text)) % 32 ** len(text)
    # A number has one id: the shortest.
    return len(text) == 5 or number >= 32 ** (len(text) - 1)


def receipt_link(receipt, at):
    """Checks the fields of a receipt and returns its link."""
    source = receipt["source"]
    as_of = source["as_of_ms"] if source else None
    expect(receipt["took_us"] >= 0, f"{at}.took_us", "is negative")
    expect(as_of is None or as_of >= 0, f"{at}.source.as_of_ms", "is negative")
    expect(is_decimal(receipt["caller"]), f"{at}.caller", "is not an id")
    expect(is_place(receipt["place"]), f"{at}.place", "is not a place")
    expect(receipt["started_ms"] >= 0, f"{at}.started_ms", "is negative")
    expect(receipt["outcome"] in OUTCOMES, f"{at}.outcome", "is not an outcome")
    expect(receipt["origin"] in ORIGINS, f"{at}.origin", "is not an origin")
    expect(is_receipt_id(receipt["id"]), f"{at}.id", "is not the id of a receipt")

    code, model = receipt["code"], receipt["model"]
    is_code = code is None or re.fullmatch("[!-~]+( [!-~]+)? sha256:[0-9a-f]{64}", code)
    expect(is_code, f"{at}.code", "is not a name of code")
    confirm = model["confirm"] if model else None
    expect(confirm is None or is_decimal(confirm), f"{at}.model.confirm", "is not an id")
    names_code = code is not None or model is not None

    # Arguments and salt are there together, or were erased together. Very old receipts have the arguments alone.
    arguments, salt, of_arguments = receipt["arguments"], receipt["salt"], receipt["arguments_digest"]
    present = (arguments is not None, salt is not None, of_arguments is not None)
    is_known = present in [(True, True, True), (False, False, True)]
    is_known = is_known or (present == (True, False, False) and not names_code)
    expect(is_known, f"{at}.arguments", "need both their salt and their digest")
    fits = salt is None or digest(bytes.fromhex(salt), arguments).hex() == of_arguments
    expect(fits, f"{at}.arguments", "do not fit `arguments_digest`")

    parts = ["candor receipt 3"] if names_code else ["candor receipt 2"] if of_arguments else []
    parts += [bytes.fromhex(receipt["previous"]), receipt["id"], receipt["command"]]
    parts += [bytes.fromhex(of_arguments) if of_arguments else arguments]
    parts += [int(receipt["caller"]), receipt["place"], receipt["started_ms"], receipt["took_us"], receipt["outcome"]]
    parts += [digest(source["name"], "" if as_of is None else as_of) if source else ""]
    parts += [bytes.fromhex(receipt["answer_digest"])]
    parts += [receipt["origin"]] if names_code or receipt["origin"] != "person" else []
    if names_code:
        parts += [code or ""]
        parts += [digest(model["name"], "" if confirm is None else int(confirm)) if model else ""]
    return digest(*parts).hex()


# The steps of verification, in the order of `proofs.md`.


def read(content):
    """Reads the file and checks its form."""
    expect(len(content) <= SIZE_MAX, "file", f"is longer than {SIZE_MAX // 2**20} MiB")
    try:
        text = content.decode()
        parsed = json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        raise NotValid("`file`: is not JSON in UTF-8") from None
    proof = in_shape(parsed, PROOF)
    expect(proof["format"] == FORMAT, "format", f"is not `{FORMAT}`")
    # Python escapes the same characters as the bot, in the same way.
    is_one_form = json.dumps(proof, ensure_ascii=False, separators=(",", ":")) + "\n" == text
    expect(is_one_form, "file", "is not in its one form: one line, fields in order, no spaces, nothing behind")
    expect(len(proof["receipts"]) <= RECEIPTS_MAX, "receipts", f"are more than {RECEIPTS_MAX}")
    expect(proof["receipts"], "receipts", "are missing, so nothing is proven")
    return proof


def trusted_keys(endorsements, trusted):
    """Checks the signatures of the endorsements, and returns each key that the trusted one vouches for."""
    endorsed = {}
    for i, one in enumerate(endorsements):
        message = ("candor key 1", bytes.fromhex(one["key"]), bytes.fromhex(one["by"]), one["at_ms"])
        expect(is_signed(one["by"], one["signature"], *message), f"keys[{i}].signature", "is not of the key in `by`")
        endorsed.setdefault(one["by"], []).append(one["key"])
    known = {trusted}
    queue = [trusted]
    while queue:
        new = set(endorsed.get(queue.pop(), [])) - known
        known |= new
        queue += new
    return known


def check_heads(heads, known):
    position = 0
    for i, proven in enumerate(heads):
        at, signed, links = f"heads[{i}]", proven["signed"], [bytes.fromhex(link) for link in proven["links"]]
        head, key = signed["head"], signed["key"]
        store, previous, group, link = [bytes.fromhex(head[name]) for name in ["store", "previous", "group", "link"]]
        message = ("candor head 1", store, head["position"], head["at_ms"], previous, group, link)
        expect(key in known, f"{at}.signed.key", f"is {key}, which the given key does not vouch for")
        expect(is_signed(key, signed["signature"], *message), f"{at}.signed.signature", "does not fit the head")
        are_signed = digest(*links) == group and links[-1:] == [link]
        expect(are_signed, f"{at}.links", "are not those that were signed")
        is_one_store = head["store"] == heads[0]["signed"]["head"]["store"]
        expect(is_one_store, f"{at}.signed.head.store", "differs from the store of the first head")
        is_behind = head["position"] > position
        expect(is_behind, f"{at}.signed.head.position", "is not greater than in the head before it")
        position = head["position"]


def check_receipts(receipts, heads):
    """Checks that each receipt is under a head, in the order of the chain, and that each head has a receipt."""
    places = {link: (h, i) for h, head in enumerate(heads) for i, link in enumerate(head["links"])}
    last = (-1, -1)
    for i, receipt in enumerate(receipts):
        at = f"receipts[{i}]"
        place = places.get(receipt_link(receipt, at))
        expect(place, at, "is not what was signed: one of its fields was changed, or its head is not here")
        expect(place > last, at, "does not come after the receipt before it in the chain")
        expect(place[0] <= last[0] + 1, f"heads[{last[0] + 1}]", "has no receipt here")
        last = place
    expect(last[0] + 1 == len(heads), f"heads[{last[0] + 1}]", "has no receipt here")


def verify(content, trusted):
    """Verifies the bytes of a proof against a public key, and returns the number of its receipts."""
    proof = read(content)
    check_heads(proof["heads"], trusted_keys(proof["keys"], trusted))
    check_receipts(proof["receipts"], proof["heads"])
    return len(proof["receipts"])


def main(arguments):
    key = arguments[1].strip() if len(arguments) == 2 else ""
    if not re.fullmatch("[0-9a-f]{64}", key):
        print("usage: verify_proof.py FILE PUBLIC_KEY (64 lower-case hexadecimal digits)", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb") as file:
            content = file.read(SIZE_MAX + 1)
    except OSError as problem:
        print(f"`{arguments[0]}` cannot be read: {problem.strerror}", file=sys.stderr)
        return 2
    try:
        n_receipts = verify(content, key)
    except NotValid as problem:
        print(f"not valid: {problem}")
        return 1
    print(f"valid: {n_receipts} receipts")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
