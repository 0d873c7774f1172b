-- name: take_stamp
-- The write lock of the realm and the belief time of this commit in one: the row stays locked until it ends.
-- No row when the realm is not the one that was opened.
UPDATE {record}.clock SET stamp = greatest(clock_timestamp(), stamp + interval '1 microsecond')
WHERE epoch = {epoch} RETURNING stamp

-- name: hold_writes
SELECT stamp FROM {record}.clock WHERE epoch = {epoch} FOR UPDATE
