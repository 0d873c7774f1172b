-- name: table_rights
-- For this role and for all who were granted the realm: how many of its tables they cannot read, or not write.
WITH tables AS (
    SELECT c.oid, n.oid AS schema, c.relname, c.relacl, c.relowner, n.nspname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ($1, $2) AND c.relkind = 'r'
), roles AS (
    SELECT r.rolname::text AS role, bool_or(a.privilege_type = 'INSERT') AS writes
    FROM tables t CROSS JOIN LATERAL aclexplode(t.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE t.nspname = $1 AND t.relname = 'document' AND a.grantee <> t.relowner
    GROUP BY r.rolname
    UNION ALL
    SELECT current_user::text, bool_or(has_table_privilege(oid, 'INSERT')) FROM tables
    WHERE nspname = $1 AND relname = 'document' AND NOT EXISTS (
        SELECT FROM aclexplode(tables.relacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE r.rolname = current_user AND a.grantee <> tables.relowner)
    HAVING count(*) > 0
)
SELECT role, writes, count(*) AS tables,
       count(*) FILTER (WHERE NOT (has_schema_privilege(role, t.schema, 'USAGE')
                                   AND has_table_privilege(role, t.oid, 'SELECT'))) AS unreadable,
       count(*) FILTER (WHERE NOT (has_table_privilege(role, t.oid, 'INSERT')
                                   AND has_table_privilege(role, t.oid, 'UPDATE')
                                   AND has_table_privilege(role, t.oid, 'DELETE'))) AS unwritable
FROM roles CROSS JOIN tables t GROUP BY role, writes ORDER BY role

-- name: stray_rows
-- Derived rows that stand for nothing, flags that are not what the record says, and vectors nobody knows are missing.
WITH live AS (
    SELECT DISTINCT passage AS id FROM {record}.document_passage WHERE upper_inf(recorded)
), mentioned AS (
    SELECT DISTINCT e.canonical AS id FROM {record}.mention m JOIN {record}.entity e ON e.id = m.entity
    WHERE upper_inf(m.recorded)
), held AS (
    SELECT DISTINCT relation AS id FROM {record}.relation_period WHERE upper_inf(recorded) AND closed_by IS NULL
), owner AS (
    SELECT 1::smallint AS kind, p.id, l.id IS NOT NULL AS current
    FROM {record}.passage p LEFT JOIN live l ON l.id = p.id
    UNION ALL SELECT 2, n.id, upper_inf(n.recorded) FROM {record}.entity_name n
    UNION ALL SELECT 3, r.id, h.id IS NOT NULL FROM {record}.relation r LEFT JOIN held h ON h.id = r.id
), thing AS (
    SELECT kind, id, current FROM owner WHERE kind <> 2
    UNION ALL
    SELECT 2::smallint, e.id, m.id IS NOT NULL AND e.canonical = e.id
    FROM {record}.entity e LEFT JOIN mentioned m ON m.id = e.id
), vector AS (
    SELECT 1::smallint AS kind, id, current FROM {passage_vector}
    UNION ALL SELECT 2, id, current FROM {entity_vector}
    UNION ALL SELECT 3, id, current FROM {relation_vector}
), word AS (
    -- What is noted as stale counts as marked.
    SELECT DISTINCT p.kind, p.id, p.current AND s.id IS NULL AS current
    FROM {record}.posting p LEFT JOIN {record}.stale_word s USING (kind, id)
), flag AS (
    SELECT 2::smallint AS kind, id, current, pending FROM {record}.entity
    LEFT JOIN {record}.entity_profile ON entity = id
    UNION ALL SELECT 3, id, current, pending FROM {record}.relation
), present AS (
    SELECT entity AS id FROM {record}.entity_presence WHERE upper_inf(recorded)
), standing AS (
    SELECT entity AS id, canonical FROM {record}.standing WHERE upper_inf(recorded)
), stands AS (
    SELECT id, canonical FROM {record}.entity WHERE canonical <> id
), lone AS (
    SELECT relation AS id, min(valid::text)::tstzrange AS held, min(lower(recorded)) AS since
    FROM {record}.relation_period WHERE upper_inf(recorded)
    GROUP BY relation HAVING count(*) = 1 AND NOT bool_or(retracted)
)
SELECT 'vectors without their row' AS what, count(*) AS number
FROM vector v LEFT JOIN thing t USING (kind, id) WHERE t.id IS NULL
UNION ALL
SELECT 'words without their row', count(*) FROM word w LEFT JOIN owner o USING (kind, id) WHERE o.id IS NULL
UNION ALL
SELECT 'rows wrongly marked as current or not', count(*) FROM flag f JOIN thing t USING (kind, id)
WHERE f.current <> t.current
UNION ALL
SELECT 'vectors wrongly marked as current or not', count(*) FROM vector v JOIN thing t USING (kind, id)
WHERE v.current <> t.current
UNION ALL
SELECT 'words wrongly marked as current or not', count(*) FROM word w JOIN owner o USING (kind, id)
WHERE w.current <> o.current
UNION ALL
SELECT 'vectors missing and not marked as pending', count(*)
FROM flag f JOIN thing t USING (kind, id) LEFT JOIN vector v USING (kind, id)
WHERE t.current AND NOT f.pending AND v.id IS NULL
UNION ALL
SELECT 'entities of which it is wrongly kept whether they are current', count(*)
FROM {record}.entity e LEFT JOIN (SELECT DISTINCT id FROM present) p ON p.id = e.id
WHERE e.current <> (p.id IS NOT NULL)
UNION ALL
SELECT 'relations of which it is wrongly kept that they have one open period', count(*)
FROM {record}.relation r LEFT JOIN lone l USING (id) WHERE (r.held, r.since) IS DISTINCT FROM (l.held, l.since)
UNION ALL
SELECT 'entities of which it is wrongly kept for whom they stand', count(DISTINCT id)
FROM ((TABLE stands EXCEPT TABLE standing) UNION ALL (TABLE standing EXCEPT TABLE stands)) AS wrong

-- name: passages_without_vector
SELECT count(DISTINCT l.passage) FROM {record}.document_passage l
WHERE upper_inf(l.recorded) AND NOT EXISTS (SELECT FROM {passage_vector} v WHERE v.id = l.passage)

-- name: unused_indexes
-- Indexes of some size that no query has used since statistics were last reset, and that guard nothing.
SELECT s.indexrelname::text AS name, pg_relation_size(s.indexrelid) AS bytes
FROM pg_stat_user_indexes s JOIN pg_index i ON i.indexrelid = s.indexrelid
WHERE s.schemaname = $1 AND s.idx_scan = 0 AND NOT i.indisunique AND pg_relation_size(s.indexrelid) > $2
ORDER BY 2 DESC, 1

-- name: graph_agreement
-- By label: what the record wants in the graph and what is there, edges with their ends, and what each of them says.
-- $1 label ids by name as json.
WITH label AS (
    SELECT ($1::text::json ->> 'Document')::integer AS document, ($1::text::json ->> 'Passage')::integer AS passage,
           ($1::text::json ->> 'Entity')::integer AS entity, ($1::text::json ->> 'CONTAINS')::integer AS contains,
           ($1::text::json ->> 'MENTIONS')::integer AS mentions, ($1::text::json ->> 'RELATES')::integer AS relates
), wanted (label, id, starts, ends, said) AS (
    SELECT 'Document', ag_catalog._graphid(label.document, v.document), NULL::ag_catalog.graphid,
           NULL::ag_catalog.graphid, d.key
    FROM label, {record}.document_version v JOIN {record}.document d ON d.id = v.document WHERE upper_inf(v.recorded)
    UNION ALL
    SELECT 'Passage', ag_catalog._graphid(label.passage, p.id), NULL, NULL, md5(p.text)
    FROM label, {record}.passage p
    WHERE EXISTS (SELECT FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded))
    UNION ALL
    SELECT 'Entity', ag_catalog._graphid(label.entity, e.id), NULL, NULL,
           md5(concat_ws(chr(10), p.name, p.type, p.description))
    FROM label, {record}.entity e LEFT JOIN {record}.entity_profile p ON p.entity = e.id WHERE e.current
    UNION ALL
    SELECT 'CONTAINS', ag_catalog._graphid(label.contains, l.id), ag_catalog._graphid(label.document, v.document),
           ag_catalog._graphid(label.passage, l.passage), NULL
    FROM label, {record}.document_passage l JOIN {record}.document_version v ON v.id = l.version
    WHERE upper_inf(l.recorded) AND upper_inf(v.recorded)
    UNION ALL
    SELECT 'MENTIONS', ag_catalog._graphid(label.mentions, m.id), ag_catalog._graphid(label.passage, m.passage),
           ag_catalog._graphid(label.entity, e.canonical), NULL
    FROM label, {record}.mention m JOIN {record}.entity e ON e.id = m.entity WHERE upper_inf(m.recorded)
    UNION ALL
    SELECT 'RELATES', ag_catalog._graphid(label.relates, p.id), ag_catalog._graphid(label.entity, r.subject),
           ag_catalog._graphid(label.entity, r.object), md5(concat_ws(chr(10), r.predicate, r.fact))
    FROM label, {record}.relation_period p JOIN {record}.relation r ON r.id = p.relation
    WHERE upper_inf(p.recorded) AND p.closed_by IS NULL
), document AS (
    SELECT id, format('%s', properties)::jsonb AS its FROM {graph}."Document"
), passage AS (
    SELECT id, format('%s', properties)::jsonb AS its FROM {graph}."Passage"
), entity AS (
    SELECT id, format('%s', properties)::jsonb AS its FROM {graph}."Entity"
), relates AS (
    SELECT id, start_id, end_id, format('%s', properties)::jsonb AS its FROM {graph}."RELATES"
), found (label, id, starts, ends, said) AS (
    SELECT 'Document', id, NULL::ag_catalog.graphid, NULL::ag_catalog.graphid, its ->> 'key' FROM document
    UNION ALL SELECT 'Passage', id, NULL, NULL, md5(its ->> 'text') FROM passage
    UNION ALL SELECT 'Entity', id, NULL, NULL,
                     md5(concat_ws(chr(10), its ->> 'name', its ->> 'type', its ->> 'description')) FROM entity
    UNION ALL SELECT 'CONTAINS', id, start_id, end_id, NULL FROM {graph}."CONTAINS"
    UNION ALL SELECT 'MENTIONS', id, start_id, end_id, NULL FROM {graph}."MENTIONS"
    UNION ALL SELECT 'RELATES', id, start_id, end_id,
                     md5(concat_ws(chr(10), its ->> 'predicate', its ->> 'fact')) FROM relates
), counted AS (
    SELECT label, count(*) AS wanted, 0 AS found, 0 AS missing, 0 AS surplus FROM wanted GROUP BY label
    UNION ALL SELECT label, 0, count(*), 0, 0 FROM found GROUP BY label
    UNION ALL SELECT label, 0, 0, count(*), 0
              FROM (SELECT * FROM wanted EXCEPT ALL SELECT * FROM found) AS m GROUP BY label
    UNION ALL SELECT label, 0, 0, 0, count(*)
              FROM (SELECT * FROM found EXCEPT ALL SELECT * FROM wanted) AS s GROUP BY label
)
SELECT label, sum(wanted)::bigint AS wanted, sum(found)::bigint AS found, sum(missing)::bigint AS missing,
       sum(surplus)::bigint AS surplus
FROM counted GROUP BY label ORDER BY label
