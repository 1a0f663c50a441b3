-- A question and its answer are one row: neither is ever kept without the other.
CREATE TABLE exchanges (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    place TEXT NOT NULL,
    user INTEGER NOT NULL,
    said TEXT NOT NULL,
    answered TEXT NOT NULL,
    said_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX exchanges_by_conversation ON exchanges (place, user, position);

CREATE TABLE chosen_models (
    place TEXT NOT NULL,
    user INTEGER NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY (place, user)
) STRICT, WITHOUT ROWID;
