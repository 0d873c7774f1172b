-- name: unresolved_entities
-- The entities that became current since they were last compared with others, and the stamp up to which these are all.
-- exact: how many vectors a search for the nearest has to compare, 0 where an index finds them. No row when the realm
-- is not the one that was opened.
SELECT c.stamp, ARRAY(
    SELECT e.id
    FROM (SELECT DISTINCT p.entity FROM {record}.entity_presence p
          WHERE lower(p.recorded) > coalesce(c.resolved, '-infinity') AND upper_inf(p.recorded)) AS came
    CROSS JOIN LATERAL (
        SELECT k.id, k.space, k.key, k.sense FROM {record}.entity k
        WHERE k.id = came.entity AND k.current OFFSET 0) AS e
    ORDER BY e.space, e.key, e.sense
) AS entities,
CASE WHEN EXISTS (
    SELECT FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid JOIN pg_am a ON a.oid = k.relam
    WHERE i.indrelid = to_regclass('{entity_vector}') AND a.amname = 'hnsw' AND i.indisvalid
) THEN 0 ELSE coalesce((SELECT max(id) FROM {record}.entity), 0) END AS exact
FROM {record}.clock c WHERE c.epoch = {epoch}

-- name: alike_entities
-- Entities beside which those of $1 are looked at: they share a word of a name that at most $2 names have, or are among
-- the $4 nearest by vector, which is asked for those of $3. A word that more names have is given up after as many rows,
-- so the cost of one entity does not grow with the realm. Both with what they are called.
WITH words AS (
    SELECT w.id, near.canonical AS other
    FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT k.space FROM {record}.entity k WHERE k.id = w.id AND k.current OFFSET 0) AS e
    CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.entity_name k WHERE k.entity = w.id AND upper_inf(k.recorded) LIMIT 3) AS n
    CROSS JOIN LATERAL (SELECT p.term FROM {record}.posting p WHERE p.kind = 2 AND p.id = n.id LIMIT 12) AS t
    CROSS JOIN LATERAL (
        SELECT array_agg(few.id) AS ids
        FROM (SELECT p.id FROM {record}.posting p
              WHERE p.kind = 2 AND p.term = t.term AND p.current AND p.space = e.space LIMIT $2::integer + 1) AS few
    ) AS found
    CROSS JOIN LATERAL unnest(found.ids) AS u(id)
    CROSS JOIN LATERAL (SELECT k.entity FROM {record}.entity_name k WHERE k.id = u.id OFFSET 0) AS named
    CROSS JOIN LATERAL (SELECT k.canonical FROM {record}.entity k WHERE k.id = named.entity OFFSET 0) AS near
    WHERE cardinality(found.ids) <= $2::integer
), vectors AS (
    -- "+ 0" keeps the index on spaces from being used in place of the one on vectors, which may be there.
    SELECT w.id, near.id AS other
    FROM unnest($3::bigint[]) AS w(id)
    CROSS JOIN LATERAL (
        SELECT v.embedding, v.space FROM {entity_vector} v WHERE v.id = w.id AND v.current OFFSET 0) AS mine
    CROSS JOIN LATERAL (
        (SELECT v.id FROM {entity_vector} v WHERE v.current AND NOT v.tail AND v.space + 0 = mine.space
         ORDER BY v.embedding <=> mine.embedding LIMIT $4::integer)
        UNION ALL
        (SELECT v.id FROM {entity_vector} v WHERE v.current AND v.tail AND v.space = mine.space
         ORDER BY (v.embedding <=> mine.embedding) + 0 LIMIT $4::integer)
    ) AS near
)
SELECT f.one, p.name, array_agg(f.other) AS others, array_agg(q.name) AS names
FROM (SELECT DISTINCT id AS one, other FROM (TABLE words UNION ALL TABLE vectors) AS found WHERE id <> other) AS f
CROSS JOIN LATERAL (SELECT k.name FROM {record}.entity_profile k WHERE k.entity = f.one OFFSET 0) AS p
CROSS JOIN LATERAL (SELECT k.name FROM {record}.entity_profile k WHERE k.entity = f.other OFFSET 0) AS q
GROUP BY f.one, p.name

-- name: called_entities
-- What those of entities $1 are called that stand for themselves, and by how many mentions; of many some are counted.
SELECT e.id, e.key, p.name, p.type, p.description, (
           SELECT count(*) FROM (
               SELECT FROM {record}.mention m WHERE m.entity = e.id AND upper_inf(m.recorded)
               LIMIT 100) AS few) AS mentions
FROM unnest($1::bigint[]) AS w(id)
CROSS JOIN LATERAL (SELECT k.id, k.key FROM {record}.entity k WHERE k.id = w.id AND k.current OFFSET 0) AS e
CROSS JOIN LATERAL (
    SELECT k.name, k.type, k.description FROM {record}.entity_profile k WHERE k.entity = e.id OFFSET 0) AS p

-- name: pair_evidence
-- What else speaks for the pairs of $1 and $2: how near their vectors are, and how many neighbours they share, of some.
SELECT w.n, coalesce((
           SELECT 1 - (a.embedding <=> b.embedding) FROM {entity_vector} a CROSS JOIN {entity_vector} b
           WHERE a.id = w.one AND b.id = w.other), 0)::real AS similarity,
       (SELECT count(*) FROM (
            SELECT far FROM {neighbours_of_one} AS x INTERSECT SELECT far FROM {neighbours_of_other} AS y) AS common)
           AS shared
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(one, other, n)
ORDER BY w.n

-- name: neighbours_of_one
((SELECT r.object AS far FROM {record}.relation r WHERE r.subject = w.one AND r.current LIMIT 50)
 UNION ALL (SELECT r.subject FROM {record}.relation r WHERE r.object = w.one AND r.current LIMIT 50))

-- name: neighbours_of_other
((SELECT r.object AS far FROM {record}.relation r WHERE r.subject = w.other AND r.current LIMIT 50)
 UNION ALL (SELECT r.subject FROM {record}.relation r WHERE r.object = w.other AND r.current LIMIT 50))

-- name: put_similar_merges
-- Entities $1 are merged into $2 from stamp $3 on, because they are alike. Both must stand for themselves and be
-- current; what somebody took apart stays so, whichever of those that are one by now it was; namesakes are kept apart
-- for their kinds, which likeness does not see; and what passages call a name of another is left to these. Answers the
-- merges made.
INSERT INTO {record}.merge (source, target, cause, recorded)
SELECT s.id, t.id, 'similar', tstzrange($3, NULL)
FROM unnest($1::bigint[], $2::bigint[]) AS w(source, target)
CROSS JOIN LATERAL (
    SELECT k.id, k.space, k.key, k.sense FROM {record}.entity k
    WHERE k.id = w.source AND k.current AND k.canonical = k.id OFFSET 0) AS s
CROSS JOIN LATERAL (
    SELECT k.id, k.space, k.key FROM {record}.entity k
    WHERE k.id = w.target AND k.current AND k.canonical = k.id OFFSET 0) AS t
WHERE s.space = t.space AND s.key <> t.key
  AND (SELECT true FROM {record}.merge m WHERE m.source = s.id AND upper_inf(m.recorded)) IS NULL
  AND {claimed_by_none}
  AND (SELECT true
       FROM (SELECT s.id UNION ALL SELECT k.id FROM {record}.entity k WHERE k.canonical = s.id AND k.canonical <> k.id
             UNION ALL SELECT t.id
             UNION ALL SELECT k.id FROM {record}.entity k WHERE k.canonical = t.id AND k.canonical <> k.id) AS one
       CROSS JOIN LATERAL (
           SELECT x.target FROM {record}.apart x WHERE x.source = one.id AND upper_inf(x.recorded) OFFSET 0) AS x
       CROSS JOIN LATERAL (SELECT k.canonical FROM {record}.entity k WHERE k.id = x.target OFFSET 0) AS other
       WHERE other.canonical IN (s.id, t.id) LIMIT 1) IS NULL
RETURNING source, target

-- name: claimed_by_none
-- Whether no live passage gives the key of entity s as a name of another one of its space, nor, if s is of no known
-- kind, to something that is of one.
(SELECT true FROM {record}.entity_name n CROSS JOIN LATERAL (
     SELECT k.space FROM {record}.entity k WHERE k.id = n.entity OFFSET 0) AS k
 WHERE n.key = s.key AND n.alias AND upper_inf(n.recorded) AND n.entity <> s.id AND k.space = s.space LIMIT 1) IS NULL
AND (s.sense > 0 OR (
    SELECT true FROM {record}.entity k WHERE k.space = s.space AND k.key = s.key AND k.sense > 0
      AND (SELECT true FROM {record}.mention m WHERE m.entity = k.id AND upper_inf(m.recorded) LIMIT 1)
          LIMIT 1) IS NULL)

-- name: note_resolved
UPDATE {record}.clock SET resolved = $1 WHERE epoch = {epoch} AND coalesce(resolved, '-infinity') < $1
