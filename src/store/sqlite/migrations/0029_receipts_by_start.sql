-- `/receipt` lists what began last first, and reads these entries alone.
DROP INDEX receipts_by_caller;
CREATE INDEX receipts_by_caller ON receipts (caller, place, started_ms, number, command, origin)
    WHERE origin <> 'refreshed';
