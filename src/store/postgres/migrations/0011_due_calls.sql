-- Calls that modules asked for at a later time, such as reminders. Each goes once it is made.
CREATE TABLE due_calls (
    -- Of the sequence `due_calls`: no number comes twice.
    id BIGINT PRIMARY KEY,
    module TEXT NOT NULL,
    scope TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    place TEXT NOT NULL,
    due_ms BIGINT NOT NULL,
    -- When it is to be tried: when it is due, or when the process that took it is taken to have ended.
    next_ms BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    -- The command, its arguments, and the caller as they were: JSON.
    asked TEXT NOT NULL
);
CREATE INDEX due_calls_by_time ON due_calls (next_ms);
CREATE INDEX due_calls_by_person ON due_calls ("user", module);
