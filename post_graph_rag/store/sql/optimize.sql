-- name: try_lock_optimize
-- One at a time for a realm: a second one would build the same index again.
SELECT set_config('lock_timeout', $2, true), pg_try_advisory_xact_lock(hashtextextended($1 || ' optimize', 0)) AS mine

-- name: roomy_index_build
-- An HNSW index that does not fit into this memory is built many times slower. $1: schema; $2: tables to build for: the
-- graph of one takes about as much again as its vectors; of this only what is needed is taken. No helpers: theirs is
-- shared memory, of which a container may have little.
SELECT set_config('max_parallel_maintenance_workers', '0', true),
       set_config('maintenance_work_mem', greatest(
           pg_size_bytes(current_setting('maintenance_work_mem')), 512 * 1024 * 1024,
           least(2 * 1024 * 1024 * 1024::bigint, 2 * (
               SELECT coalesce(max(pg_table_size(c.oid)), 0)
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = $1 AND c.relname = ANY ($2::text[])
           ))) / 1024 || 'kB', true)

-- name: vector_counts
SELECT 'passage' AS kind, count(*) AS vectors FROM {passage_vector} WHERE current
UNION ALL SELECT 'entity', count(*) FROM {entity_vector} WHERE current
UNION ALL SELECT 'relation', count(*) FROM {relation_vector} WHERE current

-- name: tails
-- How many vectors of each kind wait to be put into their HNSW index.
SELECT 'passage' AS kind, count(*) AS vectors FROM {passage_vector} WHERE current AND tail
UNION ALL SELECT 'entity', count(*) FROM {entity_vector} WHERE current AND tail
UNION ALL SELECT 'relation', count(*) FROM {relation_vector} WHERE current AND tail

-- name: merge_tail
-- Put $2 vectors of kind $1 that wait into their index; gives how many. What somebody else is writing is passed over:
-- this never waits, so it can be no part of a deadlock.
WITH passages AS (
    UPDATE {passage_vector} v SET tail = false
    WHERE v.id = ANY (ARRAY(SELECT id FROM {passage_vector} WHERE $1 = 'passage' AND current AND tail
                            LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING v.id
), entities AS (
    UPDATE {entity_vector} v SET tail = false
    WHERE v.id = ANY (ARRAY(SELECT id FROM {entity_vector} WHERE $1 = 'entity' AND current AND tail
                            LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING v.id
), relations AS (
    UPDATE {relation_vector} v SET tail = false
    WHERE v.id = ANY (ARRAY(SELECT id FROM {relation_vector} WHERE $1 = 'relation' AND current AND tail
                            LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING v.id
)
SELECT (SELECT count(*) FROM passages) + (SELECT count(*) FROM entities) + (SELECT count(*) FROM relations)

-- name: vector_tables
-- The vector tables $2 that are there: type and width of their vectors, and whether an index is there and usable. One
-- that holds the tail too would be written to with each vector.
SELECT c.relname AS name, t.typname AS type, a.atttypmod AS width, i.indexrelid IS NOT NULL AS indexed,
       i.indexrelid IS NULL OR i.indisvalid AND coalesce(pg_get_expr(i.indpred, c.oid), '') ~ 'NOT tail' AS valid
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding'
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_class x ON x.relnamespace = n.oid AND x.relname = c.relname || '_hnsw'
LEFT JOIN pg_index i ON i.indexrelid = x.oid
WHERE n.nspname = $1 AND c.relname = ANY ($2::text[])

-- name: exchange_index
DO $$
BEGIN
    IF to_regclass('{record}.{fresh}') IS NOT NULL THEN
        DROP INDEX IF EXISTS {record}.{index};
        ALTER INDEX {record}.{fresh} RENAME TO {index};
    END IF;
END $$

-- name: realm_tables
SELECT format('%I.%I', n.nspname, c.relname) AS name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ($1, $2) AND c.relkind = 'r' ORDER BY 1
