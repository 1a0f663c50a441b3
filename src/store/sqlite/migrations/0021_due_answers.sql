-- The receipt of a later call that was made. Its answer is kept under that until it is sent.
ALTER TABLE due_calls ADD COLUMN receipt INTEGER;
