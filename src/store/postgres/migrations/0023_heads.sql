-- Signed heads of the chain of receipts: the position and link of the last receipt are those of the last link. A head
-- covers the receipts behind the head before it, also those that were removed since.
CREATE TABLE heads (
    position BIGINT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    previous BYTEA NOT NULL CHECK (length(previous) = 32),
    links BYTEA NOT NULL CHECK (length(links) > 0 AND length(links) % 32 = 0),
    key BYTEA NOT NULL CHECK (length(key) = 32),
    signature BYTEA NOT NULL CHECK (length(signature) = 64)
);

-- The public keys that signed heads, in their order. A key signs the next one, and the next one signs it, unless the
-- first was lost.
CREATE TABLE receipt_keys (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key BYTEA NOT NULL UNIQUE CHECK (length(key) = 32),
    at_ms BIGINT NOT NULL,
    by_previous BYTEA CHECK (length(by_previous) = 64),
    of_previous BYTEA CHECK (length(of_previous) = 64)
);

-- Checkpoints are signed like heads. The code of older ones was made with a key in the store.
ALTER TABLE checkpoints ADD COLUMN key BYTEA CHECK (length(key) = 32);
ALTER TABLE checkpoints ADD COLUMN signature BYTEA CHECK (length(signature) = 64);

-- Those of the operator's commands, whose names have no slash.
CREATE INDEX receipts_of_operator ON receipts (position) WHERE substr(command, 1, 1) <> '/';
