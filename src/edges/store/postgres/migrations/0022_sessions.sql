-- Gateway sessions of the shards, which the next process resumes. is_left: their process has ended.
CREATE TABLE sessions (
    identity TEXT NOT NULL,
    shard BIGINT NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    sequence BIGINT NOT NULL,
    bot BIGINT NOT NULL,
    saved_ms BIGINT NOT NULL,
    is_left BIGINT NOT NULL,
    PRIMARY KEY (identity, shard)
);
