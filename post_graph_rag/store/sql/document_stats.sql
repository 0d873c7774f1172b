-- name: document_stats
-- What the live documents of spaces $1 carry, those of digests $2 or, where that is null, all of them.
WITH wanted AS MATERIALIZED (
    SELECT d.id, d.key, d.space, v.id AS version
    FROM (
        SELECT d.id, d.key, d.space FROM {record}.document d WHERE d.space = ANY ($1::int[]) AND $2::bytea[] IS NULL
        UNION ALL
        SELECT d.id, d.key, d.space
        FROM (SELECT DISTINCT digest FROM unnest($2::bytea[]) AS w(digest)) AS w CROSS JOIN unnest($1::int[]) AS s(id)
        CROSS JOIN LATERAL (
            SELECT * FROM {record}.document k WHERE k.space = s.id AND k.digest = w.digest OFFSET 0) AS d
    ) AS d
    CROSS JOIN LATERAL (
        SELECT id FROM {record}.document_version v WHERE v.document = d.id AND upper_inf(v.recorded) OFFSET 0) AS v
), link AS MATERIALIZED (
    SELECT w.id AS document, l.passage, p.tokens, p.extractor IS NULL AS pending
    FROM wanted w
    CROSS JOIN LATERAL (
        SELECT passage FROM {record}.document_passage l WHERE l.version = w.version AND upper_inf(l.recorded) OFFSET 0
    ) AS l
    CROSS JOIN LATERAL (SELECT tokens, extractor FROM {record}.passage p WHERE p.id = l.passage OFFSET 0) AS p
), held AS MATERIALIZED (
    SELECT DISTINCT document, passage FROM link
), told AS MATERIALIZED (
    SELECT DISTINCT h.document, e.canonical AS entity
    FROM held h
    CROSS JOIN LATERAL (
        SELECT entity FROM {record}.mention m WHERE m.passage = h.passage AND upper_inf(m.recorded) OFFSET 0) AS m
    CROSS JOIN LATERAL (SELECT canonical FROM {record}.entity e WHERE e.id = m.entity OFFSET 0) AS e
), stated AS MATERIALIZED (
    SELECT DISTINCT h.document, v.relation
    FROM held h CROSS JOIN LATERAL (
        SELECT relation FROM {record}.relation_evidence v
        WHERE v.passage = h.passage AND upper_inf(v.recorded) OFFSET 0) AS v
), entities AS (
    -- The first passage that another document holds ends the look for one.
    SELECT t.document, count(*) AS every, count(*) FILTER (WHERE (
               SELECT true
               FROM (SELECT t.entity AS id UNION ALL SELECT m.id FROM {record}.entity m
                     WHERE m.canonical = t.entity AND m.canonical <> m.id) AS member
               CROSS JOIN LATERAL (SELECT passage FROM {record}.mention x
                                   WHERE x.entity = member.id AND upper_inf(x.recorded) OFFSET 0) AS x
               CROSS JOIN LATERAL (SELECT version FROM {record}.document_passage l
                                   WHERE l.passage = x.passage AND upper_inf(l.recorded) OFFSET 0) AS l
               CROSS JOIN LATERAL (
                   SELECT document FROM {record}.document_version v WHERE v.id = l.version OFFSET 0) AS v
               WHERE v.document <> t.document LIMIT 1) IS NULL) AS own
    FROM told t GROUP BY t.document
), relations AS (
    SELECT t.document, count(*) AS every, count(*) FILTER (WHERE (
               SELECT true
               FROM (SELECT passage FROM {record}.relation_evidence x
                     WHERE x.relation = t.relation AND upper_inf(x.recorded) OFFSET 0) AS x
               CROSS JOIN LATERAL (SELECT version FROM {record}.document_passage l
                                   WHERE l.passage = x.passage AND upper_inf(l.recorded) OFFSET 0) AS l
               CROSS JOIN LATERAL (
                   SELECT document FROM {record}.document_version v WHERE v.id = l.version OFFSET 0) AS v
               WHERE v.document <> t.document LIMIT 1) IS NULL) AS own
    FROM stated t GROUP BY t.document
), sizes AS (
    SELECT document, count(*) AS passages, sum(tokens)::bigint AS tokens, count(*) FILTER (WHERE pending) AS pending
    FROM link GROUP BY document
)
SELECT w.key, (SELECT name FROM {record}.space WHERE id = w.space) AS space, s.passages, s.tokens, s.pending,
       e.every AS entities, e.own AS own_entities, r.every AS relations, r.own AS own_relations,
       v.versions, v.first_recorded, v.last_recorded
FROM wanted w
LEFT JOIN sizes s ON s.document = w.id LEFT JOIN entities e ON e.document = w.id
LEFT JOIN relations r ON r.document = w.id
CROSS JOIN LATERAL (
    SELECT count(*) AS versions, min(lower(v.recorded)) AS first_recorded, max(lower(v.recorded)) AS last_recorded
    FROM {record}.document_version v WHERE v.document = w.id) AS v
ORDER BY w.id

-- name: document_graph
-- What the live document of digest $2 in spaces $1 mentions and states: $3 entities at most, most connected first, and
-- $3 of the relations between these. One row; none where there is no such document.
WITH wanted AS MATERIALIZED (
    SELECT d.key, d.space, v.id AS version
    FROM {record}.document d
    CROSS JOIN LATERAL (
        SELECT id FROM {record}.document_version v WHERE v.document = d.id AND upper_inf(v.recorded) OFFSET 0) AS v
    WHERE d.space = ANY ($1::int[]) AND d.digest = $2
), held AS MATERIALIZED (
    SELECT DISTINCT l.passage
    FROM wanted w JOIN {record}.document_passage l ON l.version = w.version AND upper_inf(l.recorded)
), told AS MATERIALIZED (
    SELECT e.canonical AS id, count(DISTINCT h.passage) AS passages
    FROM held h
    CROSS JOIN LATERAL (
        SELECT entity FROM {record}.mention m WHERE m.passage = h.passage AND upper_inf(m.recorded) OFFSET 0) AS m
    CROSS JOIN LATERAL (SELECT canonical FROM {record}.entity e WHERE e.id = m.entity OFFSET 0) AS e
    GROUP BY e.canonical
), stated AS MATERIALIZED (
    SELECT r.*, s.passages
    FROM (
        SELECT v.relation, count(DISTINCT h.passage) AS passages
        FROM held h CROSS JOIN LATERAL (
            SELECT relation FROM {record}.relation_evidence v
            WHERE v.passage = h.passage AND upper_inf(v.recorded) OFFSET 0) AS v
        GROUP BY v.relation
    ) AS s
    CROSS JOIN LATERAL (SELECT * FROM {record}.relation r WHERE r.id = s.relation OFFSET 0) AS r
), degree AS (
    SELECT id, count(*) AS degree FROM (SELECT subject AS id FROM stated UNION ALL SELECT object FROM stated) AS ends
    GROUP BY id
), node AS MATERIALIZED (
    SELECT t.id, t.passages, coalesce(d.degree, 0) AS degree
    FROM told t LEFT JOIN degree d ON d.id = t.id
    ORDER BY coalesce(d.degree, 0) DESC, t.passages DESC, t.id LIMIT $3::int
), edge AS MATERIALIZED (
    SELECT * FROM stated WHERE subject IN (SELECT id FROM node) AND object IN (SELECT id FROM node)
    ORDER BY passages DESC, id LIMIT $3::int
)
SELECT json_build_object(
    'key', w.key, 'space', (SELECT name FROM {record}.space WHERE id = w.space),
    'entities', coalesce((
        SELECT json_agg(json_build_object('id', n.id, 'name', coalesce(f.name, e.key), 'type', coalesce(f.type, ''),
                                          'degree', n.degree, 'passages', n.passages)
                        ORDER BY n.degree DESC, n.passages DESC, n.id)
        FROM node n
        CROSS JOIN LATERAL (SELECT key FROM {record}.entity e WHERE e.id = n.id OFFSET 0) AS e
        LEFT JOIN LATERAL (SELECT * FROM {record}.entity_profile f WHERE f.entity = n.id OFFSET 0) AS f ON true), '[]'),
    'relations', coalesce((
        SELECT json_agg(json_build_object('id', r.id, 'subject', r.subject, 'predicate', r.predicate,
                                          'object', r.object, 'negated', r.negated, 'fact', r.fact,
                                          'passages', r.passages, 'current', r.current)
                        ORDER BY r.passages DESC, r.id)
        FROM edge r), '[]'),
    'truncated', (SELECT count(*) FROM told) > (SELECT count(*) FROM node)
                 OR (SELECT count(*) FROM stated) > (SELECT count(*) FROM edge))::text AS it
FROM wanted w
