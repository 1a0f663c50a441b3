-- Which metrics the figures of samples are of, in their order: a JSON list of dotted keys.
CREATE TABLE sample_layouts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    keys TEXT NOT NULL UNIQUE
) STRICT;

-- What the metrics file said at a moment. Without a layout it said nothing that held: it was stale, missing or not
-- usable. Figures are numbers of 64 bits, little-endian: 64 of them every 30 s are 10 MB in the 7 days that are kept.
CREATE TABLE samples (
    at_ms INTEGER PRIMARY KEY,
    layout INTEGER REFERENCES sample_layouts (number),
    figures BLOB,
    CHECK ((layout IS NULL) = (figures IS NULL))
) STRICT;

-- Else a layout that nothing uses any more would be looked for in the whole table.
CREATE INDEX samples_by_layout ON samples (layout) WHERE layout IS NOT NULL;

-- The live message of each channel that has one, and the interaction that asked for it.
CREATE TABLE live_messages (
    channel INTEGER PRIMARY KEY,
    message INTEGER NOT NULL,
    place TEXT NOT NULL,
    event INTEGER NOT NULL,
    user INTEGER NOT NULL,
    language TEXT NOT NULL,
    member TEXT,
    path TEXT NOT NULL,
    arguments TEXT NOT NULL,
    sent_ms INTEGER NOT NULL
) STRICT;
