-- name: find_replies
SELECT key, model, text FROM {record}.reply WHERE key = ANY ($1::bytea[])

-- name: put_reply
-- A reply and its line in the ledger, in one write. $1: do not wait for the disk. A commit that uses the reply waits,
-- and with it goes everything written before, so what is used is never lost; without that the call is only paid again.
WITH quick AS (
    SELECT CASE WHEN $1 THEN set_config('synchronous_commit', 'off', true) END
), kept AS (
    INSERT INTO {record}.reply (key, role, model, passage, names, text) VALUES ($2, $3, $4, $5, $6, $7)
    ON CONFLICT (key) DO UPDATE SET model = excluded.model, names = excluded.names, text = excluded.text,
        created_at = excluded.created_at
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
SELECT $3, $4, $8, $9, $10, $11 FROM quick

-- name: put_ledger
-- $1 as above, $2 role, $3 model, $4 milliseconds of each call.
WITH quick AS (
    SELECT CASE WHEN $1 THEN set_config('synchronous_commit', 'off', true) END
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
SELECT $2, $3, 0, 0, 0, w.milliseconds FROM quick, unnest($4::integer[]) AS w(milliseconds)

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
