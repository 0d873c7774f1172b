-- The Apache AGE picture of what is current. A graph id is a pure function of its label and the record's id, so
-- nothing maps one to the other, and what is to be drawn anew can be named before it is looked up.

-- name: label_ids
-- By AGE's own function, since its tables may be closed to an owner who is no superuser.
SELECT label, ag_catalog._label_id($1::name, label::name)::integer AS id
FROM unnest(ARRAY['Document', 'Passage', 'Entity', 'CONTAINS', 'MENTIONS', 'RELATES']) AS label

-- name: project_vertices
-- Draw documents $1, passages $2 and entities $3 anew. $4 label ids by name as json.
WITH label AS (
    SELECT ($4::text::json ->> 'Document')::integer AS document, ($4::text::json ->> 'Passage')::integer AS passage,
           ($4::text::json ->> 'Entity')::integer AS entity
), document AS (
    SELECT ag_catalog._graphid(label.document, d.id) AS id, v.id IS NOT NULL AS live,
           (json_build_object('key', d.key, 'title', v.title, 'source', v.source, 'space', s.name,
                              'observed_at', v.observed_text)::text)::ag_catalog.agtype AS properties
    FROM label, {record}.document d JOIN {record}.space s ON s.id = d.space
    LEFT JOIN LATERAL (SELECT * FROM {record}.document_version k
                       WHERE k.document = d.id AND upper_inf(k.recorded) OFFSET 0) AS v ON true
    WHERE d.id = ANY ($1::bigint[])
), passage AS (
    SELECT ag_catalog._graphid(label.passage, p.id) AS id,
           (SELECT true FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded) LIMIT 1)
           IS NOT NULL AS live,
           (json_build_object('text', p.text, 'space', s.name)::text)::ag_catalog.agtype AS properties
    FROM label, {record}.passage p JOIN {record}.space s ON s.id = p.space
    WHERE p.id = ANY ($2::bigint[])
), entity AS (
    SELECT ag_catalog._graphid(label.entity, e.id) AS id, e.current AS live,
           (json_build_object('name', p.name, 'type', p.type, 'description', p.description, 'space', s.name
                              )::text)::ag_catalog.agtype AS properties
    FROM label, {record}.entity e JOIN {record}.space s ON s.id = e.space
    LEFT JOIN {record}.entity_profile p ON p.entity = e.id
    WHERE e.id = ANY ($3::bigint[])
), no_document AS (
    DELETE FROM {graph}."Document" g USING document d WHERE g.id = d.id AND NOT d.live
), no_passage AS (
    DELETE FROM {graph}."Passage" g USING passage p WHERE g.id = p.id AND NOT p.live
), no_entity AS (
    DELETE FROM {graph}."Entity" g USING entity e WHERE g.id = e.id AND NOT e.live
), documents AS (
    INSERT INTO {graph}."Document" AS g (id, properties) SELECT id, properties FROM document WHERE live
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
), passages AS (
    INSERT INTO {graph}."Passage" (id, properties) SELECT id, properties FROM passage WHERE live
    ON CONFLICT (id) DO NOTHING
)
INSERT INTO {graph}."Entity" AS g (id, properties) SELECT id, properties FROM entity WHERE live
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE format('%s', g.properties) <> format('%s', excluded.properties) -- AGE 1.5 casts only scalars to text

-- name: erase_edges
-- Take away what hangs on documents $1 and passages $2 and what stands for relations $3. $4 label ids by name as json.
WITH label AS (
    SELECT ($4::text::json ->> 'Document')::integer AS document, ($4::text::json ->> 'Passage')::integer AS passage,
           ($4::text::json ->> 'RELATES')::integer AS relates
), contains AS (
    DELETE FROM {graph}."CONTAINS" g
    WHERE g.start_id = ANY (ARRAY(SELECT ag_catalog._graphid(label.document, d) FROM label, unnest($1::bigint[]) AS d))
), mentions AS (
    DELETE FROM {graph}."MENTIONS" g
    WHERE g.start_id = ANY (ARRAY(SELECT ag_catalog._graphid(label.passage, p) FROM label, unnest($2::bigint[]) AS p))
)
DELETE FROM {graph}."RELATES" g
WHERE g.id = ANY (ARRAY(SELECT ag_catalog._graphid(label.relates, p.id) FROM label, {record}.relation_period p
                        WHERE p.relation = ANY ($3::bigint[])))

-- name: draw_edges
-- Draw them again as the record has them now; the same parameters. One RELATES edge an open period that nothing
-- superseded, so that spans which lie apart are seen apart; its fact is the relation's, its dates are ISO dates of the
-- first and the last day.
WITH label AS (
    SELECT ($4::text::json ->> 'Document')::integer AS document, ($4::text::json ->> 'Passage')::integer AS passage,
           ($4::text::json ->> 'Entity')::integer AS entity, ($4::text::json ->> 'CONTAINS')::integer AS contains,
           ($4::text::json ->> 'MENTIONS')::integer AS mentions, ($4::text::json ->> 'RELATES')::integer AS relates
), contains AS (
    INSERT INTO {graph}."CONTAINS" (id, start_id, end_id, properties)
    SELECT ag_catalog._graphid(label.contains, l.id), ag_catalog._graphid(label.document, v.document),
           ag_catalog._graphid(label.passage, l.passage),
           (json_build_object('ordinal', l.ordinal)::text)::ag_catalog.agtype
    FROM label, {record}.document_version v JOIN {record}.document_passage l ON l.version = v.id
    WHERE v.document = ANY ($1::bigint[]) AND upper_inf(v.recorded) AND upper_inf(l.recorded)
), mentions AS (
    INSERT INTO {graph}."MENTIONS" (id, start_id, end_id, properties)
    SELECT ag_catalog._graphid(label.mentions, m.id), ag_catalog._graphid(label.passage, m.passage),
           ag_catalog._graphid(label.entity, e.canonical), '{}'::ag_catalog.agtype
    FROM label, {record}.mention m JOIN {record}.entity e ON e.id = m.entity
    WHERE m.passage = ANY ($2::bigint[]) AND upper_inf(m.recorded)
)
INSERT INTO {graph}."RELATES" (id, start_id, end_id, properties)
SELECT ag_catalog._graphid(label.relates, p.id), ag_catalog._graphid(label.entity, r.subject),
       ag_catalog._graphid(label.entity, r.object),
       (json_build_object('predicate', r.predicate, 'fact', r.fact, 'negated', r.negated, 'space', s.name,
                          'valid_from', first.sign || to_char(first.moment, 'YYYY-MM-DD'),
                          'valid_to', last.sign || to_char(last.moment, 'YYYY-MM-DD'),
                          'dated', p.dated)::text)::ag_catalog.agtype
FROM label, {record}.relation r JOIN {record}.space s ON s.id = r.space
JOIN {record}.relation_period p ON p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NULL
CROSS JOIN LATERAL (
    SELECT lower(p.valid) AT TIME ZONE 'UTC' AS moment,
           CASE WHEN lower(p.valid) < '0001-01-01' THEN '-'
                WHEN lower(p.valid) >= '10000-01-01' THEN '+' ELSE '' END AS sign
) AS first
CROSS JOIN LATERAL (
    SELECT (upper(p.valid) - interval '1 microsecond') AT TIME ZONE 'UTC' AS moment,
           CASE WHEN upper(p.valid) <= '0001-01-01' THEN '-'
                WHEN upper(p.valid) > '10000-01-01' THEN '+' ELSE '' END AS sign
) AS last
WHERE r.id = ANY ($3::bigint[])

-- name: project_everything
-- Every id that the graph may hold, for drawing it anew from the record.
SELECT (SELECT coalesce(array_agg(id), '{}') FROM {record}.document) AS documents,
       (SELECT coalesce(array_agg(id), '{}') FROM {record}.passage) AS passages,
       (SELECT coalesce(array_agg(id), '{}') FROM {record}.entity WHERE current) AS entities,
       (SELECT coalesce(array_agg(id), '{}') FROM {record}.relation WHERE current) AS relations
