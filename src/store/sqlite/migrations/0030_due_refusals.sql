-- How often Discord refused the answer of a later call. Other failures do not count.
ALTER TABLE due_calls ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
