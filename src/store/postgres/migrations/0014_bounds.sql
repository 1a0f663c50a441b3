-- As in the SQLite file, step 22.
-- `/receipt` pages through these entries alone, without a look at the receipts that it does not show.
DROP INDEX receipts_by_caller;
CREATE INDEX receipts_by_caller ON receipts (caller, place, position, command, origin)
    WHERE origin <> 'refreshed';
-- All receipts of a person, in every place: shown, exported and erased.
CREATE INDEX receipts_by_person ON receipts (caller, position);

-- Whose answer it is; else all would be looked through for those of one person.
ALTER TABLE kept_answers ADD COLUMN caller BIGINT;
UPDATE kept_answers SET caller = (SELECT caller FROM receipts WHERE receipts.number = kept_answers.number);
CREATE INDEX kept_answers_by_person ON kept_answers (caller, number);

-- Who used the bot in direct messages and the console, also when no receipt says so any more: what is kept in such a
-- place is a person's own if nobody else was there.
CREATE TABLE direct_places (
    place TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    PRIMARY KEY (place, "user")
);
CREATE INDEX direct_places_by_person ON direct_places ("user");
INSERT INTO direct_places (place, "user")
SELECT place, caller FROM receipts WHERE place NOT LIKE 'guild:%'
UNION SELECT place, "user" FROM exchanges WHERE place NOT LIKE 'guild:%'
UNION SELECT place, "user" FROM turns WHERE place NOT LIKE 'guild:%'
UNION SELECT place, "user" FROM chosen_models WHERE place NOT LIKE 'guild:%';

-- What is one person's is found without reading everybody's.
CREATE INDEX exchanges_by_person ON exchanges ("user", position);
CREATE INDEX turns_in_order ON turns ("user", number);
CREATE INDEX live_messages_by_person ON live_messages ("user");
CREATE INDEX intents_by_person ON intents (caller);
CREATE INDEX spending_by_subject ON spending (subject, day_ms);

-- When it was last used: it goes once nobody has used it for long.
ALTER TABLE conversations ADD COLUMN used_ms BIGINT NOT NULL DEFAULT 0;
UPDATE conversations SET used_ms = CAST(extract(epoch FROM now()) * 1000 AS BIGINT);
CREATE INDEX conversations_by_time ON conversations (used_ms);
CREATE INDEX conversations_by_person ON conversations ("user");
ALTER TABLE chosen_models ADD COLUMN used_ms BIGINT NOT NULL DEFAULT 0;
UPDATE chosen_models SET used_ms = CAST(extract(epoch FROM now()) * 1000 AS BIGINT);
CREATE INDEX chosen_models_by_time ON chosen_models (used_ms);
CREATE INDEX chosen_models_by_person ON chosen_models ("user", place);
ALTER TABLE registrations ADD COLUMN used_ms BIGINT NOT NULL DEFAULT 0;
UPDATE registrations SET used_ms = CAST(extract(epoch FROM now()) * 1000 AS BIGINT);
CREATE INDEX registrations_by_time ON registrations (used_ms);

-- Whose records these are, if they are one person's.
ALTER TABLE record_scopes ADD COLUMN "user" BIGINT;
UPDATE record_scopes SET "user" = CAST(substring(scope FROM '/user:([0-9]{1,19})$') AS BIGINT)
WHERE scope ~ '/user:[0-9]{1,19}$';
ALTER TABLE record_scopes ADD COLUMN used_ms BIGINT NOT NULL DEFAULT 0;
UPDATE record_scopes SET used_ms = CAST(extract(epoch FROM now()) * 1000 AS BIGINT);
CREATE INDEX record_scopes_by_time ON record_scopes (used_ms);
CREATE INDEX record_scopes_by_person ON record_scopes ("user") WHERE "user" IS NOT NULL;
CREATE INDEX record_scopes_by_scope ON record_scopes (scope);
