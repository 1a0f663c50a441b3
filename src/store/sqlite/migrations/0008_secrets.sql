-- Random bytes that this bot made for itself. Whoever reads them can press other people's buttons in their name.
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
