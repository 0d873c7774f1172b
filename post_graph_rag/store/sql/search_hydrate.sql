-- name: search_hydrate
-- All that is shown of passages $1, entities $2 and relations $3, each best first, as one JSON object; of each relation
-- the passages that state it ($4 at most, those in $1 first), and the first of these whole, as if it stood in $1; and
-- when it holds, as far as nothing superseded it.
WITH relation AS MATERIALIZED (
    SELECT r.* FROM {record}.relation r WHERE r.id = ANY($3::bigint[])
),
evidence AS MATERIALIZED (
    SELECT r.id AS relation, e.passages[1 : $4::int] AS passages, cardinality(e.passages) AS weight, e.confidence
    FROM relation r CROSS JOIN LATERAL (
        SELECT array_agg(p.passage ORDER BY array_position($1::bigint[], p.passage), p.confidence DESC, p.passage)
                   AS passages,
               max(p.confidence) AS confidence
        FROM (
            SELECT e.passage, max(a.confidence) AS confidence
            FROM {record}.relation_evidence e JOIN {record}.assertion a ON a.id = e.assertion
            WHERE e.relation = r.id AND upper_inf(e.recorded) GROUP BY e.passage
        ) p
    ) e
),
passage AS MATERIALIZED (
    SELECT p.id, p.text, p.space
    FROM {record}.passage p
    WHERE p.id IN (SELECT unnest($1::bigint[]) UNION SELECT passages[1] FROM evidence)
),
source AS MATERIALIZED (
    SELECT p.id AS passage, s.sources
    FROM passage p CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object(
                   'document', key, 'title', title, 'source', source, 'ordinal', ordinal, 'start', starts, 'end', ends,
                   'metadata', metadata, 'observed', observed_text
               ) ORDER BY id, ordinal) AS sources
        FROM (
            SELECT d.id, d.key, v.title, v.source, dp.ordinal, dp.starts, dp.ends, v.metadata, v.observed_text
            -- Look-ups one by one: a join would go through all documents in the order that is asked for.
            FROM (SELECT l.* FROM {record}.document_passage l
                  WHERE l.passage = p.id AND upper_inf(l.recorded) OFFSET 0) dp
            CROSS JOIN LATERAL (
                SELECT * FROM {record}.document_version k WHERE k.id = dp.version AND upper_inf(k.recorded) OFFSET 0) v
            CROSS JOIN LATERAL (SELECT k.id, k.key FROM {record}.document k WHERE k.id = v.document OFFSET 0) d
            ORDER BY d.id, dp.ordinal LIMIT $4::int
        ) place
    ) s WHERE s.sources IS NOT NULL
),
entity AS MATERIALIZED (
    SELECT e.id, e.space, o.name, o.type, o.description, m.passages
    FROM {record}.entity e
    JOIN {record}.entity_profile o ON o.entity = e.id
    CROSS JOIN LATERAL (
        SELECT array_agg(passage ORDER BY passage) AS passages
        FROM (
            SELECT DISTINCT m.passage
            FROM (SELECT e.id UNION ALL SELECT s.id FROM {record}.entity s
                  WHERE s.canonical = e.id AND s.canonical <> s.id) member
            CROSS JOIN LATERAL (
                SELECT m.passage FROM {record}.mention m WHERE m.entity = member.id AND upper_inf(m.recorded)
                ORDER BY m.passage LIMIT $4::int
            ) m
            ORDER BY m.passage LIMIT $4::int
        ) told
    ) m
    WHERE e.id = ANY($2::bigint[])
)
SELECT json_build_object(
    'passages', (SELECT json_agg(json_build_object('id', p.id, 'text', p.text, 'space', p.space, 'sources', s.sources))
                 FROM passage p JOIN source s ON s.passage = p.id),
    'entities', (SELECT json_agg(json_build_object('id', e.id, 'space', e.space, 'name', e.name, 'type', e.type,
                     'description', e.description, 'passages', e.passages)) FROM entity e),
    'relations', (SELECT json_agg(json_build_object('id', r.id, 'space', r.space, 'predicate', r.predicate,
                     'subject', coalesce(s.name, sk.key), 'object', coalesce(o.name, ok.key), 'negated', r.negated,
                     'fact', r.fact, 'passages', e.passages, 'weight', e.weight, 'confidence', e.confidence,
                     'periods', (
                         SELECT json_agg(json_build_object('start', lower(p.valid) AT TIME ZONE 'UTC',
                             'end', upper(p.valid) AT TIME ZONE 'UTC', 'dated', p.dated) ORDER BY p.valid, p.id)
                         FROM {record}.relation_period p
                         WHERE p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NULL
                     )))
                  FROM relation r JOIN evidence e ON e.relation = r.id
                  JOIN {record}.entity sk ON sk.id = r.subject JOIN {record}.entity ok ON ok.id = r.object
                  LEFT JOIN {record}.entity_profile s ON s.entity = r.subject
                  LEFT JOIN {record}.entity_profile o ON o.entity = r.object)
)::text
