-- Who said what in an exchange of a conversation that all in a channel share: its row has the person 0 and no words.
CREATE TABLE shared_words (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    exchange INTEGER NOT NULL REFERENCES exchanges (position) ON DELETE CASCADE,
    "user" INTEGER NOT NULL,
    name TEXT NOT NULL,
    said TEXT NOT NULL
) STRICT;
CREATE INDEX shared_words_by_exchange ON shared_words (exchange, position);
CREATE INDEX shared_words_by_person ON shared_words ("user", position);

-- What everybody said in a place since some turn.
CREATE INDEX turns_by_place ON turns (place, number);
