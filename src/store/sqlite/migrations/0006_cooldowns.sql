-- Until when what has to wait has to: `user:7 /tasks add`. The event that took it may take it again.
CREATE TABLE cooldowns (
    key TEXT PRIMARY KEY,
    until_ms INTEGER NOT NULL,
    event INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX cooldowns_by_end ON cooldowns (until_ms);
