-- name: find_replies
SELECT key, model, text FROM {record}.reply WHERE key = ANY ($1::bytea[])

-- name: put_reply
-- A reply and its line in the ledger, in one write.
WITH kept AS (
    INSERT INTO {record}.reply (key, role, model, passage, names, text) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (key) DO UPDATE SET model = excluded.model, names = excluded.names, text = excluded.text,
        created_at = excluded.created_at
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
VALUES ($2, $3, $7, $8, $9, $10)

-- name: put_ledger
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: find_vectors
-- As float4 arrays: a caller's connection may lack the codec.
SELECT key, embedding::real[] AS embedding FROM {record}.stored_vector WHERE key = ANY ($1::bytea[])

-- name: put_vectors
-- $1 keys, $2 all numbers one after the other, $3 how many a vector has, $4.. the ledger's line.
WITH kept AS (
    INSERT INTO {record}.stored_vector (key, embedding)
    SELECT key, ($2::real[])[(n - 1) * $3::integer + 1 : n * $3::integer]::{vector}
    FROM unnest($1::bytea[]) WITH ORDINALITY AS w(key, n) ORDER BY key
    ON CONFLICT (key) DO NOTHING
)
INSERT INTO {record}.ledger (role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds)
VALUES ('embedding', $4, $5, 0, 0, $6)
