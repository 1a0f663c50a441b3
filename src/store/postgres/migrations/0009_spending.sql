-- What chat used on a day of UTC: for each person (`person:7`), guild (`guild:5`) and the whole bot (`bot`).
CREATE TABLE spending (
    day_ms BIGINT NOT NULL,
    subject TEXT NOT NULL,
    -- As the model's server counted them, and estimated where it counts none.
    tokens BIGINT NOT NULL,
    estimated_tokens BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    PRIMARY KEY (day_ms, subject)
);
