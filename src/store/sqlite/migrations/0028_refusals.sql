-- How many requests Discord refused in the minute that ended then.
CREATE TABLE refusals (
    ends_ms INTEGER PRIMARY KEY,
    n INTEGER NOT NULL
) STRICT;
