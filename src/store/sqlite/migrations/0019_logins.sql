-- Logins at Discord of which no session came yet: refused, or being made.
CREATE TABLE logins (
    at_ms INTEGER PRIMARY KEY
) STRICT;
