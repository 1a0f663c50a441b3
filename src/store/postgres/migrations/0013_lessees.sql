-- Which process goes on with what is open. None: the one that did has ended, or was of an earlier version.
ALTER TABLE intents ADD COLUMN lessee BIGINT;
ALTER TABLE open_replies ADD COLUMN lessee BIGINT;
