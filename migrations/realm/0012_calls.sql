-- For what a call of a model was made: the document that was read, or the question that was asked. Both are hashes, of
-- space and key or of the question's text. Null: for several documents at once, or unknown.
ALTER TABLE {record}.ledger ADD COLUMN document bytea, ADD COLUMN question bytea;
CREATE INDEX ledger_document ON {record}.ledger (document);
