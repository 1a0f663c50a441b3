-- When a person last used the bot there: once nothing is kept there and nobody has used it for long, it is forgotten who
-- did.
ALTER TABLE direct_places ADD COLUMN used_ms INTEGER NOT NULL DEFAULT 0;
UPDATE direct_places SET used_ms = unixepoch() * 1000;
CREATE INDEX direct_places_by_time ON direct_places (used_ms);
