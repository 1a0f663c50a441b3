-- Chat replies that are being written. After a crash they would say so for ever.
CREATE TABLE open_replies (
    event INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    question INTEGER NOT NULL,
    -- The ids of the messages that show it, with spaces between them.
    messages TEXT NOT NULL,
    began_ms INTEGER NOT NULL,
    language TEXT NOT NULL
) STRICT;
