-- derived: since when a relation is known at all, and since when nothing of it is current that was before. A belief of before the
-- one, or after the other, needs no look-up of periods to be answered. Null: not known.
ALTER TABLE {record}.relation ADD COLUMN born timestamptz, ADD COLUMN gone timestamptz;

UPDATE {record}.relation r SET born = p.born
FROM (SELECT relation, min(lower(recorded)) AS born FROM {record}.relation_period GROUP BY relation) AS p
WHERE p.relation = r.id;

-- From now on held and since tell of the only open period of a relation also where something closed it.
UPDATE {record}.relation r SET held = p.valid, since = lower(p.recorded)
FROM {record}.relation_period p
WHERE p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NOT NULL AND NOT p.retracted
  AND NOT EXISTS (SELECT FROM {record}.relation_period o
                  WHERE o.relation = r.id AND upper_inf(o.recorded) AND o.id <> p.id);
