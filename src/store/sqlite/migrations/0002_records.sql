-- The last number given out in each scope of each module. A row stays when all its records are gone, so
-- that no number comes back.
CREATE TABLE record_scopes (
    module TEXT NOT NULL,
    scope TEXT NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (module, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE records (
    module TEXT NOT NULL,
    scope TEXT NOT NULL,
    id INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (module, scope, id),
    FOREIGN KEY (module, scope) REFERENCES record_scopes (module, scope)
) STRICT, WITHOUT ROWID;
