-- Runs that began and whose person does not know yet how they ended: every run, because several processes may get its
-- event. One that has an answer is committed; its person has not seen it yet.
CREATE TABLE intents (
    event BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    command TEXT NOT NULL,
    arguments TEXT NOT NULL,
    caller BIGINT NOT NULL,
    language TEXT NOT NULL,
    place TEXT NOT NULL,
    begun_ms BIGINT NOT NULL,
    origin TEXT NOT NULL,
    is_outside BIGINT NOT NULL,
    -- Sealed: with it, anybody could answer in the bot's name for 15 minutes.
    reply_to BYTEA,
    answer TEXT
);
CREATE INDEX intents_by_time ON intents (begun_ms);
