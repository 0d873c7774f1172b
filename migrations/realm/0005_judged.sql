-- Up to which belief time a model has compared facts with those they may contradict; null: never.
ALTER TABLE {record}.clock ADD COLUMN judged timestamptz;
