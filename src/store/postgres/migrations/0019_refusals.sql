-- How many requests Discord refused in the minute that ended then.
CREATE TABLE refusals (
    ends_ms BIGINT PRIMARY KEY,
    n BIGINT NOT NULL
);
