-- Runs that began and whose person does not know yet how they ended: those that change something outside of the store,
-- and those whose answer is deferred. One that has an answer is committed; its person has not seen it yet.
CREATE TABLE intents (
    event INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    command TEXT NOT NULL,
    arguments TEXT NOT NULL,
    caller INTEGER NOT NULL,
    language TEXT NOT NULL,
    place TEXT NOT NULL,
    begun_ms INTEGER NOT NULL,
    origin TEXT NOT NULL,
    is_outside INTEGER NOT NULL,
    -- Sealed: with it, anybody could answer in the bot's name for 15 minutes.
    reply_to BLOB,
    answer TEXT
) STRICT;
CREATE INDEX intents_by_time ON intents (begun_ms);
