-- Whether a call of a model came to nothing: its line has no tokens but those that the endpoint told all the same.
ALTER TABLE {record}.ledger ADD COLUMN failed boolean NOT NULL DEFAULT false;
