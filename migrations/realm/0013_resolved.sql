-- Up to which belief time entities were compared with those they may be one with; null: never.
ALTER TABLE {record}.clock ADD COLUMN resolved timestamptz;
