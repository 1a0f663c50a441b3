-- What is known of the commands at Discord, by application and scope. The scope is a server's id, or 0 for global.
CREATE TABLE registrations (
    application INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    fingerprint TEXT,
    day INTEGER NOT NULL DEFAULT 0,
    creates INTEGER NOT NULL DEFAULT 0,
    no_creates_until_ms INTEGER,
    not_before_ms INTEGER,
    PRIMARY KEY (application, scope)
) STRICT;
