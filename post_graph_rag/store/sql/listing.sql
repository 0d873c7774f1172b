-- Each row is one JSON object whose names are those of the record it becomes; moments of belief are marks.
-- An entity that never stood for itself has no profile: it is called what a passage calls it.

-- name: list_documents
-- Documents of spaces $1 behind id $2, $3 of them at most, each in its latest version; $4: deleted ones too.
SELECT json_build_object(
           'id', d.id, 'key', d.key, 'space', (SELECT name FROM {record}.space WHERE id = d.space), 'title', v.title,
           'source', v.source, 'metadata', v.metadata, 'observed_at', v.observed_text,
           'passages', held.passages, 'pending', held.pending,
           'recorded_at', to_char(lower(v.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           'deleted_at', to_char(upper(v.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text AS it
FROM (
    SELECT d.* FROM unnest($1::int[]) AS s(id) CROSS JOIN LATERAL (
        SELECT d.id, d.key, d.space, v.version
        FROM {record}.document d CROSS JOIN LATERAL (
            SELECT v.id AS version FROM {record}.document_version v
            WHERE v.document = d.id AND ($4::boolean OR upper_inf(v.recorded))
            ORDER BY lower(v.recorded) DESC LIMIT 1) AS v
        WHERE d.space = s.id AND d.id + 0 > $2::bigint ORDER BY d.id + 0 LIMIT $3::int) AS d
    ORDER BY d.id LIMIT $3::int
) AS d
JOIN {record}.document_version v ON v.id = d.version
CROSS JOIN LATERAL (
    SELECT count(*) AS passages, count(*) FILTER (WHERE p.extractor IS NULL) AS pending
    FROM {record}.document_passage l
    CROSS JOIN LATERAL (SELECT extractor FROM {record}.passage p WHERE p.id = l.passage OFFSET 0) AS p
    WHERE l.version = v.id) AS held
ORDER BY d.id

-- name: show_document
-- The document of digest $2 in spaces $1: its versions, oldest first, and the passages of the latest.
SELECT json_build_object(
           'id', d.id, 'key', d.key, 'space', (SELECT name FROM {record}.space WHERE id = d.space),
           'versions', known.versions, 'passages', held.passages)::text AS it
FROM (SELECT id, key, space FROM {record}.document WHERE space = ANY ($1::int[]) AND digest = $2 LIMIT 1) AS d
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'title', v.title, 'source', v.source, 'metadata', v.metadata, 'observed_at', v.observed_text,
               'passages', (SELECT count(*) FROM {record}.document_passage l WHERE l.version = v.id),
               'recorded_from', to_char(lower(v.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
               'recorded_to', to_char(upper(v.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
           ) ORDER BY lower(v.recorded)) AS versions,
           (array_agg(v.id ORDER BY lower(v.recorded) DESC))[1] AS latest
    FROM {record}.document_version v WHERE v.document = d.id) AS known
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
               'id', p.id, 'ordinal', l.ordinal, 'start', l.starts, 'end', l.ends, 'text', p.text, 'tokens', p.tokens,
               'pending', p.extractor IS NULL, 'failure', p.failure) ORDER BY l.ordinal) AS passages
    FROM {record}.document_passage l
    CROSS JOIN LATERAL (SELECT * FROM {record}.passage p WHERE p.id = l.passage OFFSET 0) AS p
    WHERE l.version = known.latest) AS held

-- name: list_entities
-- Entities of spaces $1 that stand for themselves, behind key $2, sense $3 and space $4, $5 of them at most; $6:
-- dormant ones too. Key, sense and space of a row are where the page after it begins.
SELECT json_build_object(
           'id', e.id, 'name', coalesce(f.name, (
               SELECT n.name FROM {record}.entity_name n WHERE n.entity = e.id AND NOT n.alias ORDER BY n.id LIMIT 1
           ), e.key), 'type', coalesce(f.type, ''),
           'description', coalesce(f.description, ''), 'space', (SELECT name FROM {record}.space WHERE id = e.space),
           'dormant', NOT e.current)::text AS it,
       e.key, e.sense, e.space
FROM (
    SELECT e.* FROM unnest($1::int[]) AS s(id) CROSS JOIN LATERAL (
        SELECT e.id, e.key, e.sense, e.space, e.current FROM {record}.entity e
        WHERE e.space = s.id AND e.key >= $2 AND (e.key, e.sense::int, e.space) > ($2, $3::int, $4::int)
          AND (e.current OR $6::boolean AND e.canonical = e.id)
        ORDER BY e.key, e.sense LIMIT $5::int) AS e
    ORDER BY e.key, e.sense, e.space LIMIT $5::int
) AS e
LEFT JOIN LATERAL (SELECT * FROM {record}.entity_profile f WHERE f.entity = e.id OFFSET 0) AS f ON true
ORDER BY e.key, e.sense, e.space

-- name: find_entity
-- The entities that id $2, or a name of key $3 in spaces $1, may mean, each as the one that stands for it: such as
-- something mentions first, and of those such whose own key it is. Only the best are answered.
WITH named AS (
    SELECT e.id, true AS own FROM {record}.entity e WHERE e.id = $2::bigint
    UNION ALL
    SELECT e.id, true FROM unnest($1::int[]) AS s(id)
    CROSS JOIN LATERAL (SELECT e.id FROM {record}.entity e WHERE e.space = s.id AND e.key = $3 OFFSET 0) AS e
    UNION ALL
    SELECT n.entity, false
    FROM (SELECT entity FROM {record}.entity_name WHERE key = $3 AND upper_inf(recorded) OFFSET 0) AS n
    CROSS JOIN LATERAL (SELECT e.space FROM {record}.entity e WHERE e.id = n.entity OFFSET 0) AS e
    WHERE e.space = ANY ($1::int[])
), meant AS (
    SELECT c.id, c.key, rank() OVER (ORDER BY c.current DESC, bool_or(n.own) DESC) AS place
    FROM named n
    CROSS JOIN LATERAL (SELECT e.canonical FROM {record}.entity e WHERE e.id = n.id OFFSET 0) AS s
    CROSS JOIN LATERAL (SELECT e.id, e.key, e.current FROM {record}.entity e WHERE e.id = s.canonical OFFSET 0) AS c
    GROUP BY c.id, c.key, c.current
)
SELECT m.id, coalesce(f.name, m.key) AS name
FROM meant m LEFT JOIN LATERAL (
    SELECT f.name FROM {record}.entity_profile f WHERE f.entity = m.id OFFSET 0) AS f ON true
WHERE m.place = 1 ORDER BY m.id

-- name: show_entity
-- Entity $1, which stands for itself, with what it stands for; $2 passages at most.
WITH member AS MATERIALIZED (
    SELECT $1::bigint AS id
    UNION ALL
    SELECT m.id FROM {record}.entity m WHERE m.canonical = $1::bigint AND m.canonical <> m.id
), called AS (
    SELECT DISTINCT n.name, n.alias FROM member m
    CROSS JOIN LATERAL (
        SELECT name, alias FROM {record}.entity_name n WHERE n.entity = m.id AND upper_inf(n.recorded) OFFSET 0) AS n
), mentioned AS MATERIALIZED (
    SELECT DISTINCT x.passage FROM member m
    CROSS JOIN LATERAL (
        SELECT passage FROM {record}.mention x WHERE x.entity = m.id AND upper_inf(x.recorded) OFFSET 0) AS x
)
SELECT json_build_object(
    'entity', json_build_object(
        'id', e.id, 'name', coalesce(f.name, (
            SELECT n.name FROM {record}.entity_name n WHERE n.entity = e.id AND NOT n.alias ORDER BY n.id LIMIT 1
        ), e.key), 'type', coalesce(f.type, ''),
        'description', coalesce(f.description, ''), 'space', (SELECT name FROM {record}.space WHERE id = e.space),
        'dormant', NOT e.current),
    'names', coalesce((SELECT json_agg(name ORDER BY name) FROM called WHERE NOT alias), '[]'),
    'aliases', coalesce((SELECT json_agg(name ORDER BY name) FROM called WHERE alias), '[]'),
    'merged', coalesce((
        SELECT json_agg(json_build_object(
                   'id', k.id, 'name', coalesce(p.name, (
                       SELECT n.name FROM {record}.entity_name n
                       WHERE n.entity = k.id AND NOT n.alias ORDER BY n.id LIMIT 1), k.key),
                   'into', g.target, 'cause', g.cause,
                   'recorded_from', to_char(lower(g.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY k.id)
        FROM member m
        CROSS JOIN LATERAL (SELECT id, key FROM {record}.entity k WHERE k.id = m.id OFFSET 0) AS k
        CROSS JOIN LATERAL (
            SELECT * FROM {record}.merge g WHERE g.source = m.id AND upper_inf(g.recorded) OFFSET 0) AS g
        LEFT JOIN LATERAL (
            SELECT name FROM {record}.entity_profile p WHERE p.entity = m.id OFFSET 0) AS p ON true), '[]'),
    'relations', (SELECT count(*) FROM {record}.relation r WHERE r.subject = e.id AND r.current)
                 + (SELECT count(*) FROM {record}.relation r WHERE r.object = e.id AND r.current),
    'weight', (SELECT count(*) FROM mentioned),
    'passages', coalesce((SELECT json_agg(passage ORDER BY passage) FROM (
        SELECT passage FROM mentioned ORDER BY passage LIMIT $2::int) AS first), '[]'))::text AS it
FROM {record}.entity e
LEFT JOIN LATERAL (SELECT * FROM {record}.entity_profile f WHERE f.entity = e.id OFFSET 0) AS f ON true
WHERE e.id = $1::bigint

-- name: show_relation
-- Relation $1 with all its periods, the $2 surest of its statements, and people's words on it.
WITH said AS MATERIALIZED (
    SELECT v.passage, v.recorded, a.id, a.fact, a.stated_from, a.stated_to, a.event, a.confidence, a.span
    FROM {record}.relation_evidence v
    CROSS JOIN LATERAL (SELECT * FROM {record}.assertion a WHERE a.id = v.assertion OFFSET 0) AS a
    WHERE v.relation = $1::bigint AND upper_inf(v.recorded)
), word AS MATERIALIZED (
    -- A word is kept with the entities it was said of, whatever was merged since.
    SELECT o.*
    FROM {record}.relation r
    CROSS JOIN LATERAL (SELECT r.subject AS id UNION ALL SELECT m.id FROM {record}.entity m
                        WHERE m.canonical = r.subject AND m.canonical <> m.id) AS ms
    CROSS JOIN LATERAL (SELECT r.object AS id UNION ALL SELECT m.id FROM {record}.entity m
                        WHERE m.canonical = r.object AND m.canonical <> m.id) AS mo
    CROSS JOIN LATERAL (
        SELECT * FROM {record}.relation_override o
        WHERE o.object = mo.id AND o.subject = ms.id AND o.predicate = r.predicate AND o.negated = r.negated OFFSET 0
    ) AS o
    WHERE r.id = $1::bigint
)
SELECT json_build_object(
    'id', r.id, 'subject', coalesce(s.name, se.key), 'subject_id', r.subject, 'predicate', r.predicate,
    'object', coalesce(o.name, oe.key), 'object_id', r.object, 'negated', r.negated, 'fact', r.fact,
    'space', (SELECT name FROM {record}.space WHERE id = r.space), 'current', r.current,
    'periods', coalesce((
        SELECT json_agg(json_build_object(
                   'start', lower(p.valid) AT TIME ZONE 'UTC', 'end', upper(p.valid) AT TIME ZONE 'UTC',
                   'dated', p.dated, 'closed_by', p.closed_by, 'retracted', p.retracted,
                   'recorded_from', to_char(lower(p.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                   'recorded_to', to_char(upper(p.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               ) ORDER BY lower(p.recorded), p.valid, p.id)
        FROM {record}.relation_period p WHERE p.relation = r.id AND NOT isempty(p.recorded)), '[]'),
    'weight', (SELECT count(DISTINCT passage) FROM said),
    'evidence', coalesce((
        SELECT json_agg(json_build_object(
                   'passage', e.passage, 'fact', e.fact, 'stated_from', e.stated_from, 'stated_to', e.stated_to,
                   'offsets', CASE WHEN e.span IS NOT NULL THEN json_build_array(lower(e.span), upper(e.span)) END,
                   'quote', CASE WHEN e.span IS NOT NULL THEN (
                       SELECT substr(p.text, lower(e.span) + 1, upper(e.span) - lower(e.span))
                       FROM {record}.passage p WHERE p.id = e.passage) END,
                   'confidence', e.confidence, 'start', lower(e.event) AT TIME ZONE 'UTC',
                   'end', upper(e.event) AT TIME ZONE 'UTC',
                   'recorded_from', to_char(lower(e.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                   'documents', (
                       SELECT json_agg(DISTINCT d.key)
                       FROM (SELECT l.version FROM {record}.document_passage l
                             WHERE l.passage = e.passage AND upper_inf(l.recorded) LIMIT 10) AS l
                       CROSS JOIN LATERAL (
                           SELECT document FROM {record}.document_version v WHERE v.id = l.version OFFSET 0) AS v
                       CROSS JOIN LATERAL (SELECT key FROM {record}.document d WHERE d.id = v.document OFFSET 0) AS d)
               ) ORDER BY e.confidence DESC, e.passage, e.id)
        FROM (SELECT * FROM said ORDER BY confidence DESC, passage, id LIMIT $2::int) AS e), '[]'),
    'overrides', coalesce((
        SELECT json_agg(json_build_object(
                   'action', w.action, 'reason', w.reason,
                   'at', ('epoch'::timestamptz + w.at * interval '1 microsecond') AT TIME ZONE 'UTC',
                   'recorded_from', to_char(lower(w.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                   'recorded_to', to_char(upper(w.recorded), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               ) ORDER BY lower(w.recorded), w.id)
        FROM word w), '[]'))::text AS it
FROM {record}.relation r
JOIN {record}.entity se ON se.id = r.subject JOIN {record}.entity oe ON oe.id = r.object
LEFT JOIN {record}.entity_profile s ON s.entity = r.subject
LEFT JOIN {record}.entity_profile o ON o.entity = r.object
WHERE r.id = $1::bigint
