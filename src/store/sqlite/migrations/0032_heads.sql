-- Signed heads of the chain of receipts: the position and link of the last receipt are those of the last link. A head
-- covers the receipts behind the head before it, also those that were removed since.
CREATE TABLE heads (
    position INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    links BLOB NOT NULL CHECK (length(links) > 0 AND length(links) % 32 = 0),
    key BLOB NOT NULL CHECK (length(key) = 32),
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

-- The public keys that signed heads, in their order. A key signs the next one, and the next one signs it, unless the
-- first was lost.
CREATE TABLE receipt_keys (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
    at_ms INTEGER NOT NULL,
    by_previous BLOB CHECK (length(by_previous) = 64),
    of_previous BLOB CHECK (length(of_previous) = 64)
) STRICT;

-- Checkpoints are signed like heads. The code of older ones was made with a key in the store.
ALTER TABLE checkpoints ADD COLUMN key BLOB CHECK (length(key) = 32);
ALTER TABLE checkpoints ADD COLUMN signature BLOB CHECK (length(signature) = 64);

-- Those of the operator's commands, whose names have no slash.
CREATE INDEX receipts_of_operator ON receipts (position) WHERE substr(command, 1, 1) <> '/';
