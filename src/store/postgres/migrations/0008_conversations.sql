-- Which stretch of a conversation is under way: from its first turn to when it is cleared or erased. A turn that began in
-- an earlier one keeps nothing.
CREATE TABLE conversations (
    place TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    -- Never the same again.
    generation BIGINT NOT NULL,
    PRIMARY KEY (place, "user")
);
INSERT INTO conversations (place, "user", generation) SELECT DISTINCT place, "user", 0 FROM exchanges;
