-- "CAND" in ASCII: tells this program's files from everybody else's.
PRAGMA application_id = 1128353348;

-- AUTOINCREMENT, so that a number is never given out again when old claims are removed.
CREATE TABLE claims (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    event INTEGER NOT NULL UNIQUE,
    claimed_ms INTEGER NOT NULL
) STRICT;

-- Numbers are claimed before a handler runs and receipts are kept after it returned, so the order of the
-- chain is the order of positions.
CREATE TABLE receipts (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    number INTEGER NOT NULL UNIQUE,
    command TEXT NOT NULL,
    arguments TEXT NOT NULL,
    caller INTEGER NOT NULL,
    place TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    took_us INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    source_name TEXT,
    source_as_of_ms INTEGER,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    link BLOB NOT NULL CHECK (length(link) = 32)
) STRICT;

CREATE INDEX receipts_by_caller ON receipts (caller, place, position);
