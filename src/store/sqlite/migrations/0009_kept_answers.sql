-- Answers that could not reach the person in time, by the number of their receipt. Kept for a while: see answers.rs.
CREATE TABLE kept_answers (
    number INTEGER PRIMARY KEY,
    content TEXT NOT NULL,
    kept_ms INTEGER NOT NULL
) STRICT;
