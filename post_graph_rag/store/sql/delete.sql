-- name: named_documents
-- Documents of space $1 by the digests $2 of their keys: which are there, and which of them have a live version.
SELECT w.n::integer - 1 AS n, d.id, (
    SELECT true FROM {record}.document_version v WHERE v.document = d.id AND upper_inf(v.recorded)) IS NOT NULL AS live
FROM unnest($2::bytea[]) WITH ORDINALITY AS w(digest, n)
CROSS JOIN LATERAL (SELECT id FROM {record}.space s WHERE s.name = $1 OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT id FROM {record}.document k WHERE k.space = s.id AND k.digest = w.digest OFFSET 0) AS d

-- name: close_documents
-- The live versions of documents $1 end at stamp $2, and what links them to passages; answers the passages that no live
-- document holds any more.
WITH closed AS (
    UPDATE {record}.document_version v SET recorded = tstzrange(lower(v.recorded), $2)
    WHERE v.document = ANY ($1::bigint[]) AND upper_inf(v.recorded)
    RETURNING v.id
), unlinked AS (
    UPDATE {record}.document_passage l SET recorded = tstzrange(lower(l.recorded), $2)
    FROM closed c WHERE l.version = c.id AND upper_inf(l.recorded)
    RETURNING l.passage
)
SELECT DISTINCT u.passage FROM unlinked u
WHERE (SELECT true FROM {record}.document_passage l WHERE l.passage = u.passage AND upper_inf(l.recorded)
       AND l.version NOT IN (SELECT id FROM closed) LIMIT 1) IS NULL

-- name: ended_at
-- How many relations and entities ceased to be current at stamp $1.
SELECT (SELECT count(DISTINCT p.relation) FROM {record}.relation_period p
        WHERE NOT upper_inf(p.recorded) AND upper(p.recorded) = $1 AND p.closed_by IS NULL
          AND NOT (SELECT r.current FROM {record}.relation r WHERE r.id = p.relation)) AS relations,
       (SELECT count(*) FROM {record}.entity_presence p
        WHERE NOT upper_inf(p.recorded) AND upper(p.recorded) = $1) AS entities
