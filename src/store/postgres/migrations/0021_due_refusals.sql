-- As in the SQLite file, step 30.
-- How often Discord refused the answer of a later call. Other failures do not count.
ALTER TABLE due_calls ADD COLUMN refusals BIGINT NOT NULL DEFAULT 0;
