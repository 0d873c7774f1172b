-- name: fetch_groups
-- The relations that a change may touch, with what is live of each: what its assertions say of when, the best wording,
-- evidence that is new or gone, open periods, rules, verdicts and a person's word; and those they deny or are denied
-- by. $1 passages whose structure changed, $2 entities that were merged or taken apart, $3 further relations; $4 which
-- evidence is wanted: 'new', 'every', or 'none' where none can have changed.
-- OFFSET 0 keeps a look-up one by index, for each row, whatever the planner believes of the number of rows.
WITH changed AS (
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM {record}.assertion a WHERE a.passage = ANY ($1::bigint[])
    UNION
    -- Entity by entity and end by end: otherwise all assertions are read where the planner believes in many entities.
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM unnest($2::bigint[]) AS m(id) CROSS JOIN LATERAL (
        SELECT k.* FROM {record}.assertion k WHERE k.subject = m.id AND upper_inf(k.recorded) OFFSET 0) AS a
    UNION
    SELECT a.id, a.subject, a.predicate, a.object, a.negated
    FROM unnest($2::bigint[]) AS m(id) CROSS JOIN LATERAL (
        SELECT k.* FROM {record}.assertion k WHERE k.object = m.id AND upper_inf(k.recorded) OFFSET 0) AS a
), given AS (
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
    UNION
    SELECT r.space, r.subject, r.predicate, r.object, r.negated
    FROM unnest($3::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = w.id OFFSET 0) AS r
), touched AS (
    TABLE given
    UNION
    SELECT g.space, g.subject, g.predicate, g.object, NOT g.negated
    FROM given g CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.relation k WHERE k.subject = g.subject AND k.predicate = g.predicate
           AND k.object = g.object AND k.negated = NOT g.negated OFFSET 0) AS r
)
SELECT t.space, t.subject, t.predicate, t.object, t.negated, r.id AS relation, r.fact, r.current, r.pending,
       coalesce(s.name, se.key) AS subject_name, coalesce(o.name, oe.key) AS object_name,
       se.key AS subject_key, oe.key AS object_key,
       '[' || live.said || ']' AS said, live.best, live.carried::text, gone.assertions AS gone, open.periods::text,
       (SELECT json_agg(json_build_array(k.per, k.exclusive)) FROM {record}.predicate_rule k
        WHERE k.predicate = t.predicate AND upper_inf(k.recorded) AND NOT t.negated)::text AS rules,
       (SELECT json_agg(json_build_array(v.one, v.other, v.model)) FROM (
            SELECT one, other, model FROM {record}.verdict WHERE one = r.id AND upper_inf(recorded) AND exclusive
            UNION ALL
            SELECT one, other, model FROM {record}.verdict WHERE other = r.id AND upper_inf(recorded) AND exclusive
        ) AS v)::text AS verdicts,
       word.said::text AS word
FROM touched t
CROSS JOIN LATERAL (SELECT e.id, e.key, e.canonical FROM {record}.entity e WHERE e.id = t.subject OFFSET 0) AS se
CROSS JOIN LATERAL (SELECT e.id, e.key, e.canonical FROM {record}.entity e WHERE e.id = t.object OFFSET 0) AS oe
LEFT JOIN LATERAL (
    SELECT * FROM {record}.relation k WHERE k.subject = t.subject AND k.predicate = t.predicate
       AND k.object = t.object AND k.negated = t.negated OFFSET 0) AS r ON true
-- Profiles are written before this, so that a relation is called the same here and where its vector is made later.
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = t.subject OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = t.object OFFSET 0) AS o ON true
-- Each end with all that is merged into it, as two index look-ups; an OR of the two would be a scan.
CROSS JOIN LATERAL (
    SELECT array_agg(id) AS ids FROM (
        SELECT se.id WHERE se.canonical = se.id UNION ALL
        SELECT m.id FROM {record}.entity m WHERE m.canonical = t.subject AND m.canonical <> m.id) AS m
) AS subjects
CROSS JOIN LATERAL (
    SELECT array_agg(id) AS ids FROM (
        SELECT oe.id WHERE oe.canonical = oe.id UNION ALL
        SELECT m.id FROM {record}.entity m WHERE m.canonical = t.object AND m.canonical <> m.id) AS m
) AS objects
LEFT JOIN LATERAL (
    SELECT array_agg(a.id) AS ids,
           string_agg(DISTINCT json_build_array(a.valid IS NOT NULL, a.starts, a.ends, a.at)::text COLLATE "C", ',')
               AS said,
           (array_agg(a.fact ORDER BY a.confidence DESC, least(length(a.fact), 300) DESC, a.fact COLLATE "C" DESC))[1]
               AS best,
           json_agg(json_build_array(a.id, a.passage, a.new, a.valid IS NOT NULL, a.starts, a.ends, a.at))
               FILTER (WHERE $4::text = 'every' OR a.new) AS carried
    FROM (
        SELECT a.*, (extract(epoch FROM lower(a.valid)) * 1000000)::bigint AS starts,
               (extract(epoch FROM upper(a.valid)) * 1000000)::bigint AS ends,
               (extract(epoch FROM lower(a.event)) * 1000000)::bigint AS at,
               CASE WHEN $4::text <> 'none' THEN (
                   SELECT true FROM {record}.relation_evidence e WHERE e.assertion = a.id AND e.relation = r.id
                   AND upper_inf(e.recorded) LIMIT 1) IS NULL END AS new
        FROM unnest(subjects.ids) AS ms(id) CROSS JOIN unnest(objects.ids) AS mo(id) CROSS JOIN LATERAL (
            SELECT a.* FROM {record}.assertion a
            -- Between, so that it is not looked up by its object alone, which thousands of others may share.
            WHERE a.subject = ms.id AND a.predicate = t.predicate AND a.object BETWEEN mo.id AND mo.id
              AND a.negated = t.negated AND upper_inf(a.recorded) OFFSET 0
        ) AS a
    ) AS a
) AS live ON t.subject <> t.object -- what two names of one thing have to do with each other is no relation
LEFT JOIN LATERAL (
    SELECT array_agg(assertion) AS assertions FROM (
        SELECT e.assertion FROM {record}.relation_evidence e WHERE e.relation = r.id AND upper_inf(e.recorded)
        EXCEPT SELECT unnest(live.ids)) AS e -- which hashes: a join would compare each with each
) AS gone ON $4::text <> 'none'
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(p.id, p.dated, (extract(epoch FROM lower(p.valid)) * 1000000)::bigint,
               (extract(epoch FROM upper(p.valid)) * 1000000)::bigint, p.closed_by, p.retracted)) AS periods
    FROM {record}.relation_period p WHERE p.relation = r.id AND upper_inf(p.recorded)
) AS open ON true
-- The last word on what is one relation now; the same was perhaps said of several that were merged.
LEFT JOIN LATERAL (
    SELECT json_build_array(w.action, w.at, w.reason) AS said
    FROM unnest(subjects.ids) AS ms(id) CROSS JOIN unnest(objects.ids) AS mo(id) CROSS JOIN LATERAL (
        SELECT k.* FROM {record}.relation_override k WHERE k.subject = ms.id AND k.predicate = t.predicate
           AND k.object = mo.id AND k.negated = t.negated AND upper_inf(k.recorded) OFFSET 0) AS w
    ORDER BY lower(w.recorded) DESC, w.id DESC LIMIT 1
) AS word ON true

-- name: fetch_slots
-- All points of slots $1, as moments beside the relations that are said to hold then.
SELECT slot, array_agg(at) AS moments, array_agg(relation) AS relations
FROM {record}.slot_point WHERE slot = ANY ($1::text[]) GROUP BY slot

-- name: apply_groups
-- Write the difference: $1 json {relations: [{n, relation, space, subject, predicate, object, negated, fact, current,
-- alone, period, starts, ends}], of which the last four tell of its only open period, with its id if it is written,
-- periods: [{n, dated, starts, ends, cause, closers, reason, retracted}], evidence: [{n, assertion, passage}],
-- points: [{n, slot, at, assertion}]}, $2 periods and $3 relations with $4 assertions whose evidence ends, $5 relations
-- whose points are all written anew, $6 the stamp. A closer is a relation's id, or -1 - n for one that is new here.
-- Answers the relation behind each n.
WITH given AS (
    SELECT $1::text::json AS it
), wanted AS (
    -- The number of a new relation is drawn before its row is written: to look for the row by what the relation is
    -- would compare each new one with each.
    SELECT r.*, coalesce(r.relation, nextval(pg_get_serial_sequence('{record}.relation', 'id')::regclass)) AS id,
           CASE WHEN alone THEN tstzrange('epoch'::timestamptz + starts * interval '1 microsecond',
                                          'epoch'::timestamptz + ends * interval '1 microsecond') END AS held,
           CASE WHEN alone AND period IS NULL THEN $6 WHEN alone THEN (
               SELECT lower(p.recorded) FROM {record}.relation_period p WHERE p.id = period) END AS since
    FROM given, json_to_recordset(it -> 'relations') AS r(n integer, relation bigint, space integer,
        subject bigint, predicate text, object bigint, negated boolean, fact text, current boolean, alone boolean,
        period bigint, starts bigint, ends bigint)
), added AS (
    INSERT INTO {record}.relation (
        id, space, subject, predicate, object, negated, fact, current, held, since, born, gone)
    OVERRIDING SYSTEM VALUE
    SELECT id, space, subject, predicate, object, negated, fact, current, held, since, $6,
           CASE WHEN NOT current THEN $6 END
    FROM wanted WHERE relation IS NULL ORDER BY n
), changed AS (
    UPDATE {record}.relation r SET fact = w.fact, current = w.current, held = w.held, since = w.since,
           gone = CASE WHEN NOT w.current THEN CASE WHEN r.current THEN $6 ELSE r.gone END END
    FROM wanted w
    WHERE r.id = ANY (ARRAY(SELECT relation FROM wanted)) AND r.id = w.relation
      AND (r.fact, r.current, r.held, r.since) IS DISTINCT FROM (w.fact, w.current, w.held, w.since)
), numbered AS (
    SELECT n, id AS relation FROM wanted
), ended AS (
    UPDATE {record}.relation_period SET recorded = tstzrange(lower(recorded), $6) WHERE id = ANY ($2::bigint[])
), periods AS (
    INSERT INTO {record}.relation_period (relation, valid, dated, closed_by, retracted, recorded)
    SELECT m.relation, tstzrange('epoch'::timestamptz + p.starts * interval '1 microsecond',
                                 'epoch'::timestamptz + p.ends * interval '1 microsecond'), p.dated,
           CASE WHEN p.cause IS NOT NULL THEN jsonb_build_object('cause', p.cause, 'reason', p.reason, 'relations', (
               SELECT coalesce(jsonb_agg(coalesce(k.relation, c.id) ORDER BY coalesce(k.relation, c.id)), '[]')
               FROM unnest(p.closers) AS c(id) LEFT JOIN numbered k ON k.n = -1 - c.id)) END,
           p.retracted, tstzrange($6, NULL)
    FROM given, json_to_recordset(it -> 'periods') AS p(n integer, dated boolean, starts bigint, ends bigint,
        cause text, closers bigint[], reason text, retracted boolean)
    JOIN numbered m USING (n)
), lost AS (
    UPDATE {record}.relation_evidence e SET recorded = tstzrange(lower(e.recorded), $6)
    FROM unnest($3::bigint[], $4::bigint[]) AS w(relation, assertion)
    WHERE e.relation = w.relation AND e.assertion = w.assertion AND upper_inf(e.recorded)
), no_points AS (
    DELETE FROM {record}.slot_point p USING unnest($3::bigint[], $4::bigint[]) AS w(relation, assertion)
    WHERE p.assertion = w.assertion AND p.relation = w.relation
), old_points AS (
    DELETE FROM {record}.slot_point p USING {record}.relation_evidence e
    WHERE e.relation = ANY ($5::bigint[]) AND p.assertion = e.assertion AND p.relation = e.relation
      AND NOT e.assertion = ANY ($4::bigint[])
), evidence AS (
    INSERT INTO {record}.relation_evidence (relation, assertion, passage, recorded)
    SELECT m.relation, v.assertion, v.passage, tstzrange($6, NULL)
    FROM given, json_to_recordset(it -> 'evidence') AS v(n integer, assertion bigint, passage bigint)
    JOIN numbered m USING (n)
), points AS (
    INSERT INTO {record}.slot_point (slot, at, relation, assertion)
    SELECT v.slot, v.at, m.relation, v.assertion
    FROM given, json_to_recordset(it -> 'points') AS v(n integer, slot text, at bigint, assertion bigint)
    JOIN numbered m USING (n)
)
SELECT n, relation FROM numbered
