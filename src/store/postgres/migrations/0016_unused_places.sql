-- When a person last used the bot there: once nothing is kept there and nobody has used it for long, it is forgotten who
-- did.
ALTER TABLE direct_places ADD COLUMN used_ms BIGINT NOT NULL DEFAULT 0;
UPDATE direct_places SET used_ms = (extract(epoch FROM now()) * 1000)::BIGINT;
CREATE INDEX direct_places_by_time ON direct_places (used_ms);
