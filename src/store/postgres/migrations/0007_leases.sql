-- What one process at a time does for all, by name, and until when: a live message, the samples of the metrics.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    lessee BIGINT NOT NULL,
    until_ms BIGINT NOT NULL
);
