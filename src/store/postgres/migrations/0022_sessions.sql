-- Gateway sessions of the shards, which the next process resumes. Without a lessee, their process has ended.
CREATE TABLE sessions (
    identity TEXT NOT NULL,
    shard BIGINT NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    sequence BIGINT NOT NULL,
    bot BIGINT NOT NULL,
    lag_ms BIGINT,
    saved_ms BIGINT NOT NULL,
    lessee BIGINT,
    PRIMARY KEY (identity, shard, id)
);
