-- Old claims are found without reading the young ones.
CREATE INDEX claims_by_time ON claims (claimed_ms);
