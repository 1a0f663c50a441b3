-- Messages that modules send to channels. Of one that is over, what became of it stays with its receipt, without words.
CREATE TABLE outbox (
    -- Of the sequence `outbox`: no number comes twice.
    id BIGINT PRIMARY KEY,
    module TEXT NOT NULL,
    channel BIGINT NOT NULL,
    receipt BIGINT NOT NULL,
    "user" BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    -- When it is to be tried: at once, after a pause, or when the process that took it is taken to have ended. None: it
    -- is over.
    next_ms BIGINT,
    tries BIGINT NOT NULL,
    -- What it shows: JSON. None: it is over.
    content TEXT,
    -- `sent` or `given-up`. None: it waits.
    ended TEXT
);
CREATE INDEX outbox_by_time ON outbox (next_ms) WHERE next_ms IS NOT NULL;
CREATE INDEX outbox_by_channel ON outbox (module, channel, id) WHERE next_ms IS NOT NULL;
CREATE INDEX outbox_by_receipt ON outbox (receipt, id);
CREATE INDEX outbox_by_person ON outbox ("user", id);
