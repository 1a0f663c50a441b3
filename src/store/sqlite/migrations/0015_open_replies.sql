-- Chat replies that are being written. After a crash they would say so for ever.
CREATE TABLE open_replies (
    event INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    question INTEGER NOT NULL,
    -- For each message that shows it, the end of its nonce, and then its id: `g0 123 g1`.
    messages TEXT NOT NULL,
    began_ms INTEGER NOT NULL,
    language TEXT NOT NULL
) STRICT;
