-- Arguments can be taken out of a receipt: its link is over their salted digest. Older receipts have no digest, and their
-- links are over the arguments themselves. SQLite takes no NOT NULL from a column, so the table is made anew.
CREATE TABLE receipts_anew (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    number INTEGER NOT NULL UNIQUE,
    command TEXT NOT NULL,
    arguments TEXT,
    arguments_salt BLOB,
    arguments_digest BLOB CHECK (length(arguments_digest) = 32),
    caller INTEGER NOT NULL,
    place TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    took_us INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    origin TEXT NOT NULL,
    source_name TEXT,
    source_as_of_ms INTEGER,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    link BLOB NOT NULL CHECK (length(link) = 32),
    CHECK (arguments IS NOT NULL OR arguments_digest IS NOT NULL)
) STRICT;

INSERT INTO receipts_anew (position, number, command, arguments, caller, place, started_ms, took_us, outcome, origin,
    source_name, source_as_of_ms, digest, link)
SELECT position, number, command, arguments, caller, place, started_ms, took_us, outcome, origin,
    source_name, source_as_of_ms, digest, link FROM receipts ORDER BY position;

-- A position is never given out again.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'receipts_anew', seq FROM sqlite_sequence
WHERE name = 'receipts' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'receipts_anew');
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'receipts')
WHERE name = 'receipts_anew' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'receipts');
DROP TABLE receipts;
ALTER TABLE receipts_anew RENAME TO receipts;

-- `/receipt` shows no refreshes, and they are removed sooner than the others: each kind has its own index.
CREATE INDEX receipts_by_caller ON receipts (caller, place, position) WHERE origin <> 'refreshed';
CREATE INDEX receipts_by_time ON receipts (started_ms) WHERE origin <> 'refreshed';
CREATE INDEX refreshes_by_time ON receipts (started_ms) WHERE origin = 'refreshed';

-- Where receipts were removed from the chain: the last position of the gap, the link before it, the link of its last
-- receipt, how many there were, when they were removed, and a code over all of it that only this bot can make.
-- AUTOINCREMENT, so that whoever follows the chain notices each removal by a new number.
CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL UNIQUE,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    link BLOB NOT NULL CHECK (length(link) = 32),
    n_receipts INTEGER NOT NULL,
    removed_ms INTEGER NOT NULL,
    code BLOB NOT NULL
) STRICT;

-- What is old is found without reading what is young.
CREATE INDEX exchanges_by_time ON exchanges (said_ms);
CREATE INDEX turns_by_time ON turns (at_ms);
CREATE INDEX kept_answers_by_time ON kept_answers (kept_ms);
