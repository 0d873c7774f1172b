-- What came and went since a moment, of the rows that 0002 has no such index for, and lists of one space in order.

CREATE INDEX standing_went ON {record}.standing (upper(recorded)) WHERE NOT upper_inf(recorded);
CREATE INDEX given_name_came ON {record}.given_name (lower(recorded));
CREATE INDEX given_name_went ON {record}.given_name (upper(recorded)) WHERE NOT upper_inf(recorded);
-- "+ 0" keeps a look-up of one document by its id, planned while there are few, from taking this index.
CREATE INDEX document_space ON {record}.document (space, (id + 0));
