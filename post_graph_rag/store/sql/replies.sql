-- name: find_replies
SELECT key, model, text FROM {record}.reply WHERE key = ANY ($1::bytea[])

-- name: put_replies
-- Replies and their lines in the ledger, in one write: $2 json [{key, role, model, passage, names, text, prompt_tokens,
-- output_tokens, cached_tokens, milliseconds, document}], of one key the last counts. $1: do not wait for the disk. A
-- commit that uses a reply waits, and with it goes everything written before, so what is used is never lost; without
-- that the call is only paid again.
WITH quick AS (
    SELECT CASE WHEN $1 THEN set_config('synchronous_commit', 'off', true) END
), given AS (
    SELECT * FROM json_to_recordset($2::text::json) AS w(n integer, key bytea, role text, model text, passage bytea,
        names text[], text text, prompt_tokens integer, output_tokens integer, cached_tokens integer,
        milliseconds integer, document bytea)
), kept AS (
    INSERT INTO {record}.reply (key, role, model, passage, names, text)
    SELECT DISTINCT ON (key) key, role, model, passage, names, text FROM given ORDER BY key, n DESC
    ON CONFLICT (key) DO UPDATE SET model = excluded.model, names = excluded.names, text = excluded.text,
        created_at = excluded.created_at
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds, document)
SELECT role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds, document
FROM given CROSS JOIN quick ORDER BY n

-- name: find_vectors
-- As float4 arrays: a caller's connection may lack the codec.
SELECT key, embedding::real[] AS embedding FROM {record}.stored_vector WHERE key = ANY ($1::bytea[])

-- name: put_vectors
-- $1 as above, $2 keys, $3 hashes of the texts, $4 vectors as text, $5.. the ledger's line.
WITH quick AS (
    SELECT CASE WHEN $1 THEN set_config('synchronous_commit', 'off', true) END
), kept AS (
    INSERT INTO {record}.stored_vector (key, source, embedding)
    SELECT key, source, embedding::{vector}
    FROM unnest($2::bytea[], $3::bytea[], $4::text[]) AS w(key, source, embedding) ORDER BY key
    ON CONFLICT (key) DO NOTHING
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
SELECT 'embedding', $5, $6, 0, 0, $7 FROM quick

-- name: prune_by_age
-- Replies and vectors stored $1 seconds ago or before, and lines of the ledger written $2 seconds ago or before. Those
-- that another process is taking away are left to it.
WITH replies AS (
    DELETE FROM {record}.reply WHERE key = ANY (ARRAY(
        SELECT key FROM {record}.reply WHERE created_at < clock_timestamp() - make_interval(secs => $1::float8)
        FOR UPDATE SKIP LOCKED)) RETURNING 1
), vectors AS (
    DELETE FROM {record}.stored_vector WHERE key = ANY (ARRAY(
        SELECT key FROM {record}.stored_vector WHERE created_at < clock_timestamp() - make_interval(secs => $1::float8)
        FOR UPDATE SKIP LOCKED)) RETURNING 1
), lines AS (
    DELETE FROM {record}.ledger WHERE id = ANY (ARRAY(
        SELECT id FROM {record}.ledger WHERE at < clock_timestamp() - make_interval(secs => $2::float8)
        FOR UPDATE SKIP LOCKED))
)
SELECT (SELECT count(*) FROM replies) + (SELECT count(*) FROM vectors)

-- name: stored_bytes
-- No less than what replies and vectors take: their files, with what is dead in them.
SELECT pg_total_relation_size('{record}.reply') + pg_total_relation_size('{record}.stored_vector')

-- name: prune_by_size
-- The oldest replies and vectors beyond $1 bytes, but none that was stored in the last $2 seconds. 150: what a row
-- takes beside its text or vector, with its place in the indexes.
WITH stored AS MATERIALIZED (
    SELECT key, created_at, 150 + pg_column_size(text) + pg_column_size(names) AS bytes FROM {record}.reply
    UNION ALL SELECT key, created_at, 150 + pg_column_size(embedding) FROM {record}.stored_vector
), doomed AS MATERIALIZED (
    SELECT key, created_at FROM (
        SELECT key, created_at, sum(bytes) OVER (ORDER BY created_at DESC, key) AS total FROM stored) AS s
    WHERE total > $1 AND created_at < clock_timestamp() - make_interval(secs => $2::float8)
), replies AS (
    DELETE FROM {record}.reply WHERE key = ANY (ARRAY(
        SELECT r.key FROM doomed d CROSS JOIN LATERAL (
            SELECT key FROM {record}.reply k WHERE k.key = d.key FOR UPDATE SKIP LOCKED) AS r)) RETURNING 1
), vectors AS (
    DELETE FROM {record}.stored_vector WHERE key = ANY (ARRAY(
        SELECT v.key FROM doomed d CROSS JOIN LATERAL (
            SELECT key FROM {record}.stored_vector k WHERE k.key = d.key FOR UPDATE SKIP LOCKED) AS v)) RETURNING 1
)
SELECT (SELECT count(*) FROM replies) + (SELECT count(*) FROM vectors)
