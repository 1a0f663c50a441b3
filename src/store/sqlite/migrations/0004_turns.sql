-- Every receipt that is older than this column was called for by a person.
ALTER TABLE receipts ADD COLUMN origin TEXT NOT NULL DEFAULT 'person';

-- What happened in each chat turn. AUTOINCREMENT, so that the number of a removed turn is never given out again.
CREATE TABLE turns (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    user INTEGER NOT NULL,
    place TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL,
    recovered INTEGER NOT NULL DEFAULT 0 CHECK (recovered IN (0, 1))
) STRICT;

CREATE INDEX turns_by_person ON turns (user, place, number);

-- Which messages show a turn's reply.
CREATE TABLE turn_messages (
    message INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL REFERENCES turns (number) ON DELETE CASCADE
) STRICT;

-- Else every removed turn would be looked for in the whole table.
CREATE INDEX turn_messages_by_turn ON turn_messages (turn);
