-- Which buttons under a turn's reply were used: changes that were offered, by their place, and going on with it.
CREATE TABLE used_buttons (
    turn BIGINT NOT NULL REFERENCES turns (number) ON DELETE CASCADE,
    button TEXT NOT NULL,
    PRIMARY KEY (turn, button)
);

-- Of an older reply it is not known which of its changes was taken, so that none of them can be taken again.
INSERT INTO used_buttons (turn, button)
SELECT turns.number, offers.button
FROM turns
CROSS JOIN (
    SELECT 'offer 0' AS button UNION ALL SELECT 'offer 1' UNION ALL SELECT 'offer 2' UNION ALL SELECT 'offer 3'
) AS offers
WHERE turns.recovered = 1;

ALTER TABLE turns DROP COLUMN recovered;
