-- Which stretch of a conversation is under way: from its first turn to when it is cleared or erased. A turn that began in
-- an earlier one keeps nothing.
CREATE TABLE conversations (
    place TEXT NOT NULL,
    "user" INTEGER NOT NULL,
    -- Never the same again.
    generation INTEGER NOT NULL,
    PRIMARY KEY (place, "user")
) STRICT, WITHOUT ROWID;
INSERT INTO conversations (place, "user", generation) SELECT DISTINCT place, "user", 0 FROM exchanges;
