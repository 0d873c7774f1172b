-- A scalar query or a LATERAL with OFFSET 0 stands where EXISTS or a plain join might one day be planned as a
-- hash of a whole table: each look-up stays one by index.

-- name: find_documents
-- What is there of some documents, before any work is done: $1 json [{n, space, digest}].
SELECT w.n, d.id AS document, v.id AS version, v.text_hash, v.context_hash, v.metadata_hash, v.observed_text,
       (SELECT count(*) FROM {record}.document_passage l WHERE l.version = v.id) AS passages,
       (SELECT count(*) FROM {record}.document_passage l
        WHERE l.version = v.id AND (SELECT p.extractor FROM {record}.passage p WHERE p.id = l.passage)
            IS NULL) AS pending
FROM json_to_recordset($1::text::json) AS w(n integer, space text, digest bytea)
CROSS JOIN LATERAL (SELECT id FROM {record}.space s WHERE s.name = w.space OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT id FROM {record}.document d WHERE d.space = s.id AND d.digest = w.digest OFFSET 0) AS d
JOIN {record}.document_version v ON v.document = d.id AND upper_inf(v.recorded)

-- name: find_passages
-- Which passages have structure already: $1 json [{n, space, text_hash, context_hash, event}].
SELECT w.n, p.id, p.extractor, (SELECT v.id FROM {passage_vector} v WHERE v.id = p.id) IS NOT NULL AS embedded
FROM json_to_recordset($1::text::json) AS w(n integer, space text, text_hash bytea, context_hash bytea, event tstzrange)
CROSS JOIN LATERAL (SELECT id FROM {record}.space s WHERE s.name = w.space OFFSET 0) AS s
CROSS JOIN LATERAL (
    SELECT id, extractor FROM {record}.passage p
    WHERE p.space = s.id AND p.text_hash = w.text_hash AND p.context_hash = w.context_hash
      AND p.event IS NOT DISTINCT FROM w.event OFFSET 0) AS p

-- name: find_known_names
-- Names the realm knows among those a text may hold, one spelling a key: $1 json [{n, space, key}].
SELECT DISTINCT ON (w.n, n.key) w.n, n.name
FROM json_to_recordset($1::text::json) AS w(n integer, space text, key text)
CROSS JOIN LATERAL (SELECT id FROM {record}.space s WHERE s.name = w.space OFFSET 0) AS s
CROSS JOIN LATERAL (
    SELECT entity, key, name FROM {record}.entity_name n WHERE n.key = w.key AND upper_inf(n.recorded) OFFSET 0) AS n
JOIN {record}.entity e ON e.id = n.entity AND e.space = s.id
ORDER BY w.n, n.key, length(n.name) DESC, n.name

-- name: put_documents
-- Make spaces and documents that are new, under the lock: $1 json [{n, space, digest, key}].
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS w(n integer, space text, digest bytea, key text)
), new_space AS (
    INSERT INTO {record}.space (name)
    SELECT DISTINCT space FROM wanted WHERE (SELECT s.id FROM {record}.space s WHERE s.name = wanted.space) IS NULL
    ORDER BY space
    RETURNING id, name
), every_space AS (
    SELECT id, name FROM new_space
    UNION ALL SELECT id, name FROM {record}.space WHERE name = ANY (ARRAY(SELECT space FROM wanted))
), new_document AS (
    INSERT INTO {record}.document (space, digest, key)
    SELECT s.id, w.digest, w.key FROM wanted w JOIN every_space s ON s.name = w.space
    WHERE (SELECT d.id FROM {record}.document d WHERE d.space = s.id AND d.digest = w.digest) IS NULL
    ORDER BY w.n
    RETURNING id, space, digest
), every_document AS (
    SELECT id, space, digest FROM new_document
    UNION ALL
    SELECT d.id, d.space, d.digest FROM wanted w JOIN every_space s ON s.name = w.space
    CROSS JOIN LATERAL (
        SELECT * FROM {record}.document d WHERE d.space = s.id AND d.digest = w.digest OFFSET 0) AS d
)
SELECT w.n, s.id AS space, d.id AS document, v.text_hash, v.context_hash, v.observed_text
FROM wanted w JOIN every_space s ON s.name = w.space JOIN every_document d ON d.space = s.id AND d.digest = w.digest
LEFT JOIN LATERAL (
    SELECT * FROM {record}.document_version v WHERE v.document = d.id AND upper_inf(v.recorded) OFFSET 0) AS v ON true

-- name: put_passages
-- Insert passages that are new; say of each what structure it has and whether a live document holds it.
-- $1 json [{n, space, text_hash, context_hash, event, text, tokens, extractor, failure}].
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS w(n integer, space integer, text_hash bytea, context_hash bytea,
        event tstzrange, text text, tokens integer, extractor text, failure text)
), known AS (
    SELECT w.n, p.id, p.extractor,
           (SELECT true FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded) LIMIT 1)
           IS NOT NULL AS live
    FROM wanted w CROSS JOIN LATERAL (
        SELECT k.id, k.extractor FROM {record}.passage k WHERE k.space = w.space AND k.text_hash = w.text_hash
           AND k.context_hash = w.context_hash AND k.event IS NOT DISTINCT FROM w.event OFFSET 0) AS p
), added AS (
    INSERT INTO {record}.passage (space, text_hash, context_hash, event, text, tokens, extractor, failure)
    SELECT space, text_hash, context_hash, event, text, tokens, extractor, failure FROM wanted
    WHERE n NOT IN (SELECT n FROM known) ORDER BY n
    RETURNING id, space, text_hash, context_hash, event
)
SELECT n, id, false AS added, extractor, live FROM known
UNION ALL
SELECT w.n, a.id, true, NULL, false FROM wanted w JOIN added a ON a.space = w.space AND a.text_hash = w.text_hash
    AND a.context_hash = w.context_hash AND a.event IS NOT DISTINCT FROM w.event

-- name: mark_passages
-- Passages got structure, or failed again: $1 json [{id, extractor, failure}].
UPDATE {record}.passage p SET extractor = coalesce(w.extractor, p.extractor), failure = w.failure
FROM json_to_recordset($1::text::json) AS w(id bigint, extractor text, failure text) WHERE p.id = w.id

-- name: settle_pending
-- The same for passages that were pending when their extraction began. What somebody else completed meanwhile stays as
-- it is, and what no live document holds any more must not say anything.
UPDATE {record}.passage p SET extractor = w.extractor, failure = w.failure
FROM json_to_recordset($1::text::json) AS w(id bigint, extractor text, failure text)
WHERE p.id = w.id AND p.extractor IS NULL
  AND (SELECT true FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded) LIMIT 1)
RETURNING p.id

-- name: exchange_versions
-- Open the new versions with their passages and close the old ones; answers the passages no live document holds now.
-- $1 json [{document, text_hash, context_hash, metadata_hash, title, source, context, metadata, observed,
--           observed_text, links: [[passage, ordinal, starts, ends], …]}]; $2 the stamp. Links that are null stay.
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS w(document bigint, text_hash bytea, context_hash bytea,
        metadata_hash bytea, title text, source text, context jsonb, metadata jsonb, observed tstzrange,
        observed_text text, links jsonb)
), closed AS (
    UPDATE {record}.document_version v SET recorded = tstzrange(lower(v.recorded), $2)
    WHERE v.document = ANY (ARRAY(SELECT document FROM wanted)) AND upper_inf(v.recorded)
    RETURNING v.id, v.document
), unlinked AS (
    UPDATE {record}.document_passage l SET recorded = tstzrange(lower(l.recorded), $2)
    FROM closed c WHERE l.version = c.id
    RETURNING l.passage
), opened AS (
    -- The count makes this wait for the closing, so that the unique index never sees two live versions.
    INSERT INTO {record}.document_version (document, text_hash, context_hash, metadata_hash, title, source, context,
                                           metadata, observed, observed_text, recorded)
    SELECT document, text_hash, context_hash, metadata_hash, title, source, context, metadata, observed,
           observed_text, tstzrange($2, NULL)
    FROM wanted WHERE (SELECT count(*) FROM closed) >= 0
    RETURNING id, document
), linked AS (
    INSERT INTO {record}.document_passage (version, passage, ordinal, starts, ends, recorded)
    SELECT o.id, (l ->> 0)::bigint, (l ->> 1)::integer, (l ->> 2)::integer, (l ->> 3)::integer, tstzrange($2, NULL)
    FROM wanted w JOIN opened o USING (document)
    CROSS JOIN jsonb_array_elements(coalesce(nullif(w.links, 'null'), '[]')) AS l
    WHERE jsonb_typeof(w.links) = 'array'
    UNION ALL
    SELECT o.id, l.passage, l.ordinal, l.starts, l.ends, tstzrange($2, NULL)
    FROM wanted w JOIN opened o USING (document) JOIN closed c USING (document)
    JOIN {record}.document_passage l ON l.version = c.id
    WHERE jsonb_typeof(w.links) IS DISTINCT FROM 'array'
    RETURNING passage
)
SELECT DISTINCT u.passage FROM unlinked u
WHERE u.passage NOT IN (SELECT passage FROM linked)
  AND (SELECT true FROM {record}.document_passage l WHERE l.passage = u.passage AND upper_inf(l.recorded)
       AND l.version NOT IN (SELECT id FROM closed) LIMIT 1) IS NULL
