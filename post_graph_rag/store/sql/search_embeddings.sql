-- name: search_embeddings
-- The vectors of passages $1 and of relations $2; what has none yet is left out.
SELECT 'passage' AS kind, v.id, v.embedding::real[] AS embedding
FROM unnest($1::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
    SELECT v.id, v.embedding FROM {passage_vector} v WHERE v.id = wanted.id OFFSET 0
) v
UNION ALL
SELECT 'relation', v.id, v.embedding::real[]
FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
    SELECT v.id, v.embedding FROM {relation_vector} v WHERE v.id = wanted.id OFFSET 0
) v
