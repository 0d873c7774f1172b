-- name: put_postings
-- Words of passages (kind 1), names (2) and relations (3): one array element a thing; $5 its terms and $6 how often
-- each stands in it, a line each. What kinds $7 with ids $8 had before goes first.
WITH gone AS (
    DELETE FROM {record}.posting p USING unnest($7::smallint[], $8::bigint[]) AS w(kind, id)
    WHERE p.kind = w.kind AND p.id = w.id
)
INSERT INTO {record}.posting (kind, space, id, length, term, frequency, current)
SELECT w.kind, w.space, w.id, w.length, t.term, t.frequency::smallint, true
FROM unnest($1::smallint[], $2::integer[], $3::bigint[], $4::integer[], $5::text[], $6::text[])
     AS w(kind, space, id, length, terms, frequencies)
CROSS JOIN LATERAL unnest(string_to_array(w.terms, chr(10)), string_to_array(w.frequencies, chr(10)))
    AS t(term, frequency)
ORDER BY w.kind, t.term COLLATE "C" -- neighbours in the index of terms come one after the other

-- name: passage_waits
-- Whether a vector that comes has to wait in the tail: where there is an HNSW index, which would cost milliseconds a
-- row.
(SELECT to_regclass('{record}.passage_vector_{generation}_hnsw') IS NOT NULL)

-- name: entity_waits
(SELECT to_regclass('{record}.entity_vector_{generation}_hnsw') IS NOT NULL)

-- name: relation_waits
(SELECT to_regclass('{record}.relation_vector_{generation}_hnsw') IS NOT NULL)

-- name: put_passage_vectors
-- $1 ids, $2 spaces, $3 vectors as text.
INSERT INTO {passage_vector} (id, space, current, tail, embedding)
SELECT id, space, true, {passage_waits}, embedding::{vector}
FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS w(id, space, embedding)
ON CONFLICT (id) DO NOTHING

-- name: put_entity_vectors
-- As above; $4 the texts they were made from: a profile that has changed since stays pending and keeps the old vector.
WITH made AS (
    SELECT w.id, w.space, w.embedding
    FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[]) AS w(id, space, embedding, digest)
    JOIN {record}.entity_profile p ON p.entity = w.id AND md5(p.name || chr(10) || p.description) = w.digest
), settled AS (
    UPDATE {record}.entity_profile p SET pending = false FROM made WHERE p.entity = made.id
)
INSERT INTO {entity_vector} (id, space, current, tail, embedding)
SELECT m.id, m.space, e.current, e.current AND {entity_waits}, m.embedding::{vector}
FROM made m JOIN {record}.entity e ON e.id = m.id ORDER BY m.id
ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding, current = excluded.current, tail = excluded.tail

-- name: put_relation_vectors
WITH made AS (
    SELECT w.* FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS w(id, space, embedding)
), settled AS (
    UPDATE {record}.relation r SET pending = false FROM made WHERE r.id = made.id AND r.pending
)
INSERT INTO {relation_vector} (id, space, current, tail, embedding)
SELECT m.id, m.space, r.current, r.current AND {relation_waits}, m.embedding::{vector}
FROM made m JOIN {record}.relation r ON r.id = m.id ORDER BY m.id
ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding, current = excluded.current, tail = excluded.tail

-- name: set_current
-- What can be found now: passages $1 come, passages $2 go; entities $3 come, $4 go; relations $5 come, $6 go;
-- names $7 go.
WITH passages AS (
    UPDATE {passage_vector} v SET current = NOT v.current, tail = NOT v.current AND {passage_waits}
    WHERE v.id = ANY ($1::bigint[] || $2::bigint[]) AND v.current <> (v.id = ANY ($1::bigint[]))
), entities AS (
    UPDATE {entity_vector} v SET current = NOT v.current, tail = NOT v.current AND {entity_waits}
    WHERE v.id = ANY ($3::bigint[] || $4::bigint[]) AND v.current <> (v.id = ANY ($3::bigint[]))
), relations AS (
    UPDATE {relation_vector} v SET current = NOT v.current, tail = NOT v.current AND {relation_waits}
    WHERE v.id = ANY ($5::bigint[] || $6::bigint[]) AND v.current <> (v.id = ANY ($5::bigint[]))
), come AS (
    SELECT 1::smallint AS kind, unnest($1::bigint[]) AS id UNION ALL SELECT 3, unnest($5::bigint[])
), back AS (
    DELETE FROM {record}.stale_word w USING come c WHERE w.kind = c.kind AND w.id = c.id
), gone AS (
    -- A flag is part of two index entries of each word: to take it down here would be most of a deletion's time.
    INSERT INTO {record}.stale_word (kind, id)
    SELECT 1, unnest($2::bigint[]) UNION SELECT 2, unnest($7::bigint[]) UNION SELECT 3, unnest($6::bigint[])
    ON CONFLICT DO NOTHING
)
UPDATE {record}.posting p SET current = true FROM come c WHERE p.kind = c.kind AND p.id = c.id AND NOT p.current

-- name: sweep_words
-- Take down the flags of $1 things that are not current any more; answers how many things these were.
WITH swept AS (
    DELETE FROM {record}.stale_word WHERE (kind, id) IN (SELECT kind, id FROM {record}.stale_word LIMIT $1)
    RETURNING kind, id
), marked AS (
    UPDATE {record}.posting p SET current = false FROM swept s WHERE p.kind = s.kind AND p.id = s.id AND p.current
)
SELECT count(*) FROM swept

-- name: pending_passages
-- Passages that still lack their structure and that a live document holds, with what their extraction needs.
SELECT DISTINCT ON (p.id) p.id, p.space, p.text, p.text_hash, p.context_hash, v.context::text AS context,
       d.key AS document
FROM {record}.passage p
JOIN {record}.document_passage l ON l.passage = p.id AND upper_inf(l.recorded)
JOIN {record}.document_version v ON v.id = l.version JOIN {record}.document d ON d.id = v.document
WHERE p.extractor IS NULL AND p.id > $1 AND v.context_hash = p.context_hash
ORDER BY p.id LIMIT $2

-- name: pending_entities
SELECT e.id, e.space, p.name, p.description FROM {record}.entity_profile p JOIN {record}.entity e ON e.id = p.entity
WHERE p.pending AND e.current AND p.entity > $1 ORDER BY p.entity LIMIT $2

-- name: pending_relations
SELECT r.id, r.space, s.name AS subject, r.predicate, o.name AS object, r.negated
FROM {record}.relation r JOIN {record}.entity_profile s ON s.entity = r.subject
JOIN {record}.entity_profile o ON o.entity = r.object
WHERE r.pending AND r.current AND r.id > $1 ORDER BY r.id LIMIT $2

-- name: pending_entities_of
-- The same of what the passages of some documents mention: $3 the documents' spaces, $4 their keys.
-- The CASE keeps the look-up of the documents from being done when nothing is pending.
SELECT e.id, e.space, p.name, p.description FROM {record}.entity_profile p JOIN {record}.entity e ON e.id = p.entity
WHERE p.pending AND e.current AND p.entity > $1
  AND CASE WHEN p.pending THEN p.entity IN (
      SELECT x.canonical FROM unnest($3::text[], $4::text[]) AS w(space, key)
      JOIN {record}.space s ON s.name = w.space
      JOIN {record}.document d ON d.space = s.id AND d.digest = sha256(convert_to(w.key, 'UTF8'))
      JOIN {record}.document_version v ON v.document = d.id AND upper_inf(v.recorded)
      JOIN {record}.document_passage l ON l.version = v.id
      JOIN {record}.mention m ON m.passage = l.passage AND upper_inf(m.recorded)
      JOIN {record}.entity x ON x.id = m.entity) END
ORDER BY p.entity LIMIT $2

-- name: pending_relations_of
SELECT r.id, r.space, s.name AS subject, r.predicate, o.name AS object, r.negated
FROM {record}.relation r JOIN {record}.entity_profile s ON s.entity = r.subject
JOIN {record}.entity_profile o ON o.entity = r.object
WHERE r.pending AND r.current AND r.id > $1
  AND CASE WHEN r.pending THEN r.id IN (
      SELECT e.relation FROM unnest($3::text[], $4::text[]) AS w(space, key)
      JOIN {record}.space s ON s.name = w.space
      JOIN {record}.document d ON d.space = s.id AND d.digest = sha256(convert_to(w.key, 'UTF8'))
      JOIN {record}.document_version v ON v.document = d.id AND upper_inf(v.recorded)
      JOIN {record}.document_passage l ON l.version = v.id
      JOIN {record}.relation_evidence e ON e.passage = l.passage AND upper_inf(e.recorded)) END
ORDER BY r.id LIMIT $2

-- name: pending_counts
SELECT (SELECT count(*) FROM {record}.passage p WHERE p.extractor IS NULL AND EXISTS (
            SELECT FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded))) AS passages,
       (SELECT count(*) FROM {record}.entity_profile p JOIN {record}.entity e ON e.id = p.entity
        WHERE p.pending AND e.current)
       + (SELECT count(*) FROM {record}.relation WHERE pending AND current) AS vectors
