-- The code that ran, by module, version and digest; the chat model that called it; and the interaction in which the
-- person confirmed that. Null in older receipts.
ALTER TABLE receipts ADD COLUMN code TEXT;
ALTER TABLE receipts ADD COLUMN model TEXT;
ALTER TABLE receipts ADD COLUMN confirm BIGINT;

ALTER TABLE intents ADD COLUMN code TEXT;
ALTER TABLE intents ADD COLUMN model TEXT;
ALTER TABLE intents ADD COLUMN confirm BIGINT;
