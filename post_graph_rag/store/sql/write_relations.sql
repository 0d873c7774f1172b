-- name: fetch_groups
-- The relations that a change may touch, each with its live assertions, open periods and live evidence.
-- $1 passages whose structure changed, $2 entities that were merged or taken apart.
WITH changed AS (
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM {record}.assertion a WHERE a.passage = ANY ($1::bigint[])
    UNION
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM {record}.assertion a
    WHERE upper_inf(a.recorded) AND (a.subject = ANY ($2::bigint[]) OR a.object = ANY ($2::bigint[]))
), touched AS (
    SELECT s.space, s.canonical AS subject, c.predicate, o.canonical AS object, c.negated
    FROM changed c JOIN {record}.entity s ON s.id = c.subject JOIN {record}.entity o ON o.id = c.object
    UNION
    SELECT r.space, r.subject, r.predicate, r.object, r.negated
    FROM changed c JOIN {record}.relation_evidence e ON e.assertion = c.id AND upper_inf(e.recorded)
    JOIN {record}.relation r ON r.id = e.relation
)
SELECT t.space, t.subject, t.predicate, t.object, t.negated, r.id AS relation, r.fact, r.current, r.pending,
       coalesce(s.name, se.key) AS subject_name, coalesce(o.name, oe.key) AS object_name,
       se.key AS subject_key, oe.key AS object_key,
       live.assertions::text, open.periods::text, carried.evidence::text
FROM touched t JOIN {record}.entity se ON se.id = t.subject JOIN {record}.entity oe ON oe.id = t.object
LEFT JOIN {record}.relation r ON r.subject = t.subject AND r.predicate = t.predicate AND r.object = t.object
                             AND r.negated = t.negated
-- Profiles are written before this, so that a relation is called the same here and where its vector is made later.
LEFT JOIN {record}.entity_profile s ON s.entity = t.subject
LEFT JOIN {record}.entity_profile o ON o.entity = t.object
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
        -- OFFSET 0 keeps this from being joined first, by the predicate alone.
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

-- name: fetch_profiles
-- What live passages say of entities $1 and of those they are merged into: of each that stands for itself, with all
-- that is merged into it, a bounded sample chosen by content. Also whether anything live mentions it.
WITH wanted AS (
    SELECT unnest($1::bigint[]) AS id UNION SELECT canonical FROM {record}.entity WHERE id = ANY ($1::bigint[])
)
SELECT e.id AS entity, e.space, e.key, said.sample::text, mentioned.live, p.name, p.type, p.description, e.current,
       e.canonical = e.id AS stands, p.pending
FROM wanted w JOIN {record}.entity e ON e.id = w.id
LEFT JOIN {record}.entity_profile p ON p.entity = e.id
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(o.name, o.type, o.description, m.id = e.id)) AS sample
    FROM (SELECT e.id WHERE e.canonical = e.id UNION ALL
          SELECT m.id FROM {record}.entity m WHERE m.canonical = e.id AND m.canonical <> m.id) AS m
    CROSS JOIN LATERAL (
        -- From one observation to the next different one by the index: equal ones, however many, cost nothing.
        WITH RECURSIVE walk AS (
            (SELECT name, type, description, -least(length(description), 300) AS place, digest, 1 AS n
             FROM {record}.observation WHERE entity = m.id AND upper_inf(recorded)
             ORDER BY -least(length(description), 300), digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM walk w CROSS JOIN LATERAL (
                SELECT name, type, description, -least(length(description), 300) AS place, digest
                FROM {record}.observation
                WHERE entity = m.id AND upper_inf(recorded)
                  AND (-least(length(description), 300), digest) > (w.place, w.digest)
                ORDER BY -least(length(description), 300), digest LIMIT 1) AS next
            WHERE w.n < 24
        )
        SELECT name, type, description FROM walk) AS o
) AS said ON true
LEFT JOIN LATERAL (
    SELECT EXISTS (SELECT FROM (SELECT e.id WHERE e.canonical = e.id UNION ALL
                                SELECT m.id FROM {record}.entity m WHERE m.canonical = e.id AND m.canonical <> m.id) AS m
                   JOIN {record}.mention x ON x.entity = m.id AND upper_inf(x.recorded)) AS live
) AS mentioned ON true

-- name: settle_names
-- Names and aliases that passages $1 give or gave: written where they are new, ended where no live passage gives them
-- any more; $2 the stamp. Answers those that were written (live) and those that ended.
WITH said AS (
    SELECT entity, name, NULL AS key, bool_or(upper_inf(recorded)) AS live
    FROM {record}.observation WHERE passage = ANY ($1::bigint[]) GROUP BY entity, name
    UNION ALL
    SELECT entity, alias, key, bool_or(upper_inf(recorded))
    FROM {record}.alias_claim WHERE passage = ANY ($1::bigint[]) GROUP BY entity, alias, key
), known AS (
    -- A scalar query stays a look-up by index, where EXISTS might become a hash of all claims there are.
    SELECT s.entity, e.space, s.name, coalesce(s.key, e.key) AS key, s.key IS NOT NULL AS alias, n.id,
           s.live OR CASE WHEN s.key IS NULL
               THEN (SELECT true FROM {record}.observation o WHERE o.entity = s.entity AND md5(o.name) = md5(s.name)
                     AND o.name = s.name AND upper_inf(o.recorded) LIMIT 1)
               ELSE (SELECT true FROM {record}.alias_claim c WHERE c.entity = s.entity AND c.key = s.key
                     AND c.alias = s.name AND upper_inf(c.recorded) LIMIT 1) END IS NOT NULL AS live
    FROM said s JOIN {record}.entity e ON e.id = s.entity
    LEFT JOIN {record}.entity_name n ON n.entity = s.entity AND n.name = s.name AND n.alias = (s.key IS NOT NULL)
                                    AND upper_inf(n.recorded)
), ended AS (
    UPDATE {record}.entity_name n SET recorded = tstzrange(lower(n.recorded), $2)
    FROM known k WHERE n.id = k.id AND NOT k.live
), written AS (
    INSERT INTO {record}.entity_name (entity, name, key, alias, recorded)
    SELECT entity, name, key, alias, tstzrange($2, NULL) FROM known WHERE live AND id IS NULL
    ORDER BY entity, name, alias
    RETURNING id, entity, name, alias
)
SELECT w.id, k.space, w.name, true AS live FROM written w JOIN known k USING (entity, name, alias)
UNION ALL SELECT id, space, name, false FROM known WHERE NOT live AND id IS NOT NULL

-- name: apply_profiles
-- $1 json [{entity, name, type, description, pending, current}].
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS p(entity bigint, name text, type text, description text,
        pending boolean, current boolean)
), flags AS (
    UPDATE {record}.entity e SET current = w.current FROM wanted w
    WHERE e.id = w.entity AND e.current <> w.current AND e.id = ANY (ARRAY(SELECT entity FROM wanted))
)
INSERT INTO {record}.entity_profile AS old (entity, name, type, description, pending)
SELECT entity, name, type, description, pending FROM wanted ORDER BY entity
ON CONFLICT (entity) DO UPDATE SET name = excluded.name, type = excluded.type,
    description = excluded.description, pending = old.pending OR excluded.pending
WHERE (old.name, old.type, old.description) IS DISTINCT FROM (excluded.name, excluded.type, excluded.description)
   OR excluded.pending AND NOT old.pending
