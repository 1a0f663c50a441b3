-- The last number that was reserved under a name. Numbers are reserved in blocks, and what a block has left is lost when
-- its process ends: they are unique and grow, with gaps.
CREATE TABLE sequences (
    name TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The numbers of receipts were those of claims.
INSERT INTO sequences (name, last)
SELECT 'receipts', max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'claims'), 0),
    coalesce((SELECT max(number) FROM receipts), 0)
);

CREATE TABLE claimed (
    event INTEGER PRIMARY KEY,
    claimed_ms INTEGER NOT NULL
) STRICT;

INSERT INTO claimed (event, claimed_ms) SELECT event, claimed_ms FROM claims;
DROP TABLE claims;
ALTER TABLE claimed RENAME TO claims;
