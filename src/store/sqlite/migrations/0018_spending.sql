-- What chat used on a day of UTC: for each person (`person:7`), guild (`guild:5`) and the whole bot (`bot`).
CREATE TABLE spending (
    day_ms INTEGER NOT NULL,
    subject TEXT NOT NULL,
    -- As the model's server counted them, and estimated where it counts none.
    tokens INTEGER NOT NULL,
    estimated_tokens INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    PRIMARY KEY (day_ms, subject)
) STRICT, WITHOUT ROWID;
