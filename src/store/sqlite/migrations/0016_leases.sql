-- What one process at a time does for all, by name, and until when: a live message, the samples of the metrics.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    lessee INTEGER NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
