-- name: fetch_groups
-- The relations that a change may touch, each with its live assertions, open periods and live evidence.
-- $1 passages whose structure changed, $2 entities that were merged or taken apart.
-- OFFSET 0 keeps a look-up one by index, for each row, whatever the planner believes of the number of rows.
WITH changed AS (
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM {record}.assertion a WHERE a.passage = ANY ($1::bigint[])
    UNION
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM {record}.assertion a
    WHERE upper_inf(a.recorded) AND (a.subject = ANY ($2::bigint[]) OR a.object = ANY ($2::bigint[]))
), touched AS (
    SELECT s.space, s.canonical AS subject, c.predicate, o.canonical AS object, c.negated
    FROM changed c
    CROSS JOIN LATERAL (SELECT e.space, e.canonical FROM {record}.entity e WHERE e.id = c.subject OFFSET 0) AS s
    CROSS JOIN LATERAL (SELECT e.canonical FROM {record}.entity e WHERE e.id = c.object OFFSET 0) AS o
    UNION
    SELECT r.space, r.subject, r.predicate, r.object, r.negated
    FROM changed c
    CROSS JOIN LATERAL (SELECT v.relation FROM {record}.relation_evidence v
                        WHERE v.assertion = c.id AND upper_inf(v.recorded) OFFSET 0) AS e
    CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = e.relation OFFSET 0) AS r
)
SELECT t.space, t.subject, t.predicate, t.object, t.negated, r.id AS relation, r.fact, r.current, r.pending,
       coalesce(s.name, se.key) AS subject_name, coalesce(o.name, oe.key) AS object_name,
       se.key AS subject_key, oe.key AS object_key,
       live.assertions::text, open.periods::text, carried.evidence::text
FROM touched t
CROSS JOIN LATERAL (SELECT e.id, e.key, e.canonical FROM {record}.entity e WHERE e.id = t.subject OFFSET 0) AS se
CROSS JOIN LATERAL (SELECT e.id, e.key, e.canonical FROM {record}.entity e WHERE e.id = t.object OFFSET 0) AS oe
LEFT JOIN LATERAL (
    SELECT * FROM {record}.relation k WHERE k.subject = t.subject AND k.predicate = t.predicate
       AND k.object = t.object AND k.negated = t.negated OFFSET 0) AS r ON true
-- Profiles are written before this, so that a relation is called the same here and where its vector is made later.
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = t.subject OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = t.object OFFSET 0) AS o ON true
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(a.id, a.passage, a.valid IS NOT NULL,
               (extract(epoch FROM lower(a.valid)) * 1000000)::bigint,
               (extract(epoch FROM upper(a.valid)) * 1000000)::bigint, a.fact, a.confidence)) AS assertions
    -- Each end with all that is merged into it, as two index look-ups; an OR of the two would be a scan.
    FROM (SELECT se.id WHERE se.canonical = se.id UNION ALL
          SELECT m.id FROM {record}.entity m WHERE m.canonical = t.subject AND m.canonical <> m.id) AS ms
    CROSS JOIN (SELECT oe.id WHERE oe.canonical = oe.id UNION ALL
                SELECT m.id FROM {record}.entity m WHERE m.canonical = t.object AND m.canonical <> m.id) AS mo
    CROSS JOIN LATERAL (
        SELECT a.* FROM {record}.assertion a
        WHERE a.subject = ms.id AND a.predicate = t.predicate AND a.object = mo.id AND a.negated = t.negated
          AND upper_inf(a.recorded) OFFSET 0
    ) AS a
) AS live ON t.subject <> t.object -- what two names of one thing have to do with each other is no relation
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(p.id, p.dated, (extract(epoch FROM lower(p.valid)) * 1000000)::bigint,
               (extract(epoch FROM upper(p.valid)) * 1000000)::bigint)) AS periods
    FROM {record}.relation_period p WHERE p.relation = r.id AND upper_inf(p.recorded)
) AS open ON true
LEFT JOIN LATERAL (
    SELECT json_agg(e.assertion) AS evidence
    FROM {record}.relation_evidence e WHERE e.relation = r.id AND upper_inf(e.recorded)
) AS carried ON true

-- name: apply_groups
-- Write the difference: $1 json {relations: [{n, relation, space, subject, predicate, object, negated, fact, current}],
-- periods: [{n, dated, starts, ends}], evidence: [{n, assertion, passage}]}, $2 periods and $3 relations with
-- $4 assertions whose evidence ends, $5 the stamp. Answers the relation behind each n.
WITH given AS (
    SELECT $1::text::json AS it
), wanted AS (
    SELECT r.* FROM given, json_to_recordset(it -> 'relations') AS r(n integer, relation bigint, space integer,
        subject bigint, predicate text, object bigint, negated boolean, fact text, current boolean)
), added AS (
    INSERT INTO {record}.relation (space, subject, predicate, object, negated, fact, current)
    SELECT space, subject, predicate, object, negated, fact, current FROM wanted WHERE relation IS NULL ORDER BY n
    RETURNING id, subject, predicate, object, negated
), changed AS (
    UPDATE {record}.relation r SET fact = w.fact, current = w.current
    FROM wanted w WHERE r.id = w.relation AND (r.fact, r.current) IS DISTINCT FROM (w.fact, w.current)
), numbered AS (
    SELECT n, relation FROM wanted WHERE relation IS NOT NULL
    UNION ALL
    SELECT w.n, a.id FROM wanted w JOIN added a USING (subject, predicate, object, negated) WHERE w.relation IS NULL
), ended AS (
    UPDATE {record}.relation_period SET recorded = tstzrange(lower(recorded), $5) WHERE id = ANY ($2::bigint[])
), periods AS (
    INSERT INTO {record}.relation_period (relation, valid, dated, recorded)
    SELECT m.relation, tstzrange('epoch'::timestamptz + p.starts * interval '1 microsecond',
                                 'epoch'::timestamptz + p.ends * interval '1 microsecond'), p.dated, tstzrange($5, NULL)
    FROM given, json_to_recordset(it -> 'periods') AS p(n integer, dated boolean, starts bigint, ends bigint)
    JOIN numbered m USING (n)
), lost AS (
    UPDATE {record}.relation_evidence e SET recorded = tstzrange(lower(e.recorded), $5)
    FROM unnest($3::bigint[], $4::bigint[]) AS w(relation, assertion)
    WHERE e.relation = w.relation AND e.assertion = w.assertion AND upper_inf(e.recorded)
), evidence AS (
    INSERT INTO {record}.relation_evidence (relation, assertion, passage, recorded)
    SELECT m.relation, v.assertion, v.passage, tstzrange($5, NULL)
    FROM given, json_to_recordset(it -> 'evidence') AS v(n integer, assertion bigint, passage bigint)
    JOIN numbered m USING (n)
)
SELECT n, relation FROM numbered
