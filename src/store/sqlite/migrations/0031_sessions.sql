-- Gateway sessions of the shards, which the next process resumes. Without a lessee, their process has ended.
CREATE TABLE sessions (
    identity TEXT NOT NULL,
    shard INTEGER NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    sequence INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    lag_ms INTEGER,
    saved_ms INTEGER NOT NULL,
    lessee INTEGER,
    PRIMARY KEY (identity, shard, id)
) STRICT;
