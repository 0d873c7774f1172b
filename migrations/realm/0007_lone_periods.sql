-- derived: the valid time of a relation that has one open period which nothing closed, and since when it is believed; null
-- for any other. Most relations are such, and then a question about a time needs no look-up of their periods.
ALTER TABLE {record}.relation ADD COLUMN held tstzrange, ADD COLUMN since timestamptz;

UPDATE {record}.relation r SET held = p.valid, since = lower(p.recorded)
FROM {record}.relation_period p
WHERE p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NULL
  AND NOT EXISTS (SELECT FROM {record}.relation_period o
                  WHERE o.relation = r.id AND upper_inf(o.recorded) AND o.id <> p.id);
