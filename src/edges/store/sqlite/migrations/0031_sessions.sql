-- Gateway sessions of the shards, which the next process resumes. is_left: their process has ended.
CREATE TABLE sessions (
    identity TEXT NOT NULL,
    shard INTEGER NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    sequence INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    saved_ms INTEGER NOT NULL,
    is_left INTEGER NOT NULL,
    PRIMARY KEY (identity, shard)
) STRICT;
