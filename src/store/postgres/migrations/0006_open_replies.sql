-- Chat replies that are being written. After a crash they would say so for ever.
CREATE TABLE open_replies (
    event BIGINT PRIMARY KEY,
    channel BIGINT NOT NULL,
    question BIGINT NOT NULL,
    -- For each message that shows it, the end of its nonce, and then its id: `g0 123 g1`.
    messages TEXT NOT NULL,
    began_ms BIGINT NOT NULL,
    language TEXT NOT NULL
);
