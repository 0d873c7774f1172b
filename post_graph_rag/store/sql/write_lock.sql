-- name: take_stamp
-- The write lock of the realm and the belief time of this commit in one: the row stays locked until it ends.
-- No row when the realm is not the one that was opened.
UPDATE {record}.clock SET stamp = greatest(clock_timestamp(), stamp + interval '1 microsecond')
WHERE epoch = {epoch} RETURNING stamp

-- name: hold_writes
SELECT stamp FROM {record}.clock WHERE epoch = {epoch} FOR UPDATE

-- name: hold_unwritten
-- Of entities $1 and relations $2 those that no commit is writing, locked against the next one until this transaction
-- ends. It never waits, so it can be no part of a deadlock.
WITH entities AS (
    SELECT entity FROM {record}.entity_profile WHERE entity = ANY ($1::bigint[]) FOR UPDATE SKIP LOCKED
), relations AS (
    SELECT id FROM {record}.relation WHERE id = ANY ($2::bigint[]) FOR UPDATE SKIP LOCKED
)
SELECT ARRAY(SELECT entity FROM entities) AS entities, ARRAY(SELECT id FROM relations) AS relations
WHERE EXISTS (SELECT FROM {record}.clock WHERE epoch = {epoch})

-- name: hold_rows
-- Entities $1 and relations $2, under the write lock: waits for those that hold some of them as above, and wait for
-- nobody. Before their vectors are touched, or the two would wait for one another.
SELECT (SELECT count(*) FROM (SELECT FROM {record}.entity_profile WHERE entity = ANY ($1::bigint[])
                              ORDER BY entity FOR UPDATE) AS e)
     + (SELECT count(*) FROM (SELECT FROM {record}.relation WHERE id = ANY ($2::bigint[]) ORDER BY id FOR UPDATE) AS r)
