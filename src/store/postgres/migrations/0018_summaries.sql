-- Which Discord messages asked an exchange: the summary that one of them went into goes when it is deleted.
CREATE TABLE exchange_messages (
    message BIGINT NOT NULL,
    exchange BIGINT NOT NULL REFERENCES exchanges (position) ON DELETE CASCADE,
    -- 1 once it is deleted at Discord.
    gone BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (message, exchange)
);
CREATE INDEX exchange_messages_by_exchange ON exchange_messages (exchange);

-- What a model wrote of the oldest exchanges of a conversation. One that all in a channel share has the person 0.
CREATE TABLE summaries (
    place TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    text TEXT NOT NULL,
    n_exchanges BIGINT NOT NULL,
    -- The position of the last exchange in it.
    through BIGINT NOT NULL,
    -- When the oldest exchange in it was kept: it goes when that would be too old.
    since_ms BIGINT NOT NULL,
    PRIMARY KEY (place, "user")
);
CREATE INDEX summaries_by_person ON summaries ("user", through);
CREATE INDEX summaries_by_time ON summaries (since_ms);

-- Who spoke in what went into a summary, where all in a channel share the conversation.
CREATE TABLE summary_people (
    place TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    person BIGINT NOT NULL,
    PRIMARY KEY (place, "user", person),
    FOREIGN KEY (place, "user") REFERENCES summaries (place, "user") ON DELETE CASCADE
);
CREATE INDEX summary_people_by_person ON summary_people (person);

-- The Discord messages that went into a summary, also those of exchanges that are not kept any more.
CREATE TABLE summary_messages (
    message BIGINT NOT NULL,
    place TEXT NOT NULL,
    "user" BIGINT NOT NULL,
    PRIMARY KEY (message, place, "user"),
    FOREIGN KEY (place, "user") REFERENCES summaries (place, "user") ON DELETE CASCADE
);
CREATE INDEX summary_messages_by_summary ON summary_messages (place, "user");
