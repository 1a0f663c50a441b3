-- Chat replies that are being written. After a crash they would say so for ever.
CREATE TABLE open_replies (
    event BIGINT PRIMARY KEY,
    channel BIGINT NOT NULL,
    question BIGINT NOT NULL,
    -- The ids of the messages that show it, with spaces between them.
    messages TEXT NOT NULL,
    began_ms BIGINT NOT NULL,
    language TEXT NOT NULL
);
