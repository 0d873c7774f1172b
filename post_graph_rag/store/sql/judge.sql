-- name: unjudged_facts
-- The facts whose periods came into belief since the last judging, and the stamp up to which these are all. The latest
-- come first, so that what is new is asked about in one question and not in those of facts that are only cut anew; what
-- came together is in an order that follows from its words. No row when the realm is not the one that was opened.
SELECT c.stamp, ARRAY(
    SELECT r.id
    FROM (
        SELECT p.relation, max(lower(p.recorded)) AS at FROM {record}.relation_period p
        WHERE lower(p.recorded) > coalesce(c.judged, '-infinity') AND upper_inf(p.recorded) AND NOT p.retracted
        GROUP BY p.relation
    ) AS came
    CROSS JOIN LATERAL (SELECT k.* FROM {record}.relation k WHERE k.id = came.relation AND NOT k.negated OFFSET 0) AS r
    CROSS JOIN LATERAL (SELECT e.key, e.sense FROM {record}.entity e WHERE e.id = r.subject OFFSET 0) AS s
    CROSS JOIN LATERAL (SELECT e.key, e.sense FROM {record}.entity e WHERE e.id = r.object OFFSET 0) AS o
    ORDER BY came.at DESC, r.space, s.key, s.sense, r.predicate, o.key, o.sense
) AS facts
FROM {record}.clock c WHERE c.epoch = {epoch}

-- name: rival_facts
-- For each of the facts $1 the $2 nearest of those about the same subject or object that overlap it in time, the same
-- predicate first, without those that a rule keeps apart from it, and of these the ones on which there is no verdict.
-- What is nearest does not depend on verdicts, so a fact that is looked at again is not compared with ever further
-- ones. Sub-selects with a limit stay look-ups by index; as joins they would be read whole.
SELECT w.id AS fact, near.id AS rival
FROM unnest($1::bigint[]) WITH ORDINALITY AS w(id, n)
CROSS JOIN LATERAL (SELECT k.* FROM {record}.relation k WHERE k.id = w.id OFFSET 0) AS f
CROSS JOIN LATERAL (
    SELECT range_agg(p.valid) AS valid FROM {record}.relation_period p
    WHERE p.relation = w.id AND upper_inf(p.recorded) AND NOT p.retracted
) AS held
CROSS JOIN LATERAL (
    SELECT k.id, row_number() OVER (
               ORDER BY k.predicate <> f.predicate, k.predicate, k.subject <> f.subject, far.key, far.sense) AS place
    FROM (
        SELECT k.*, k.object AS far FROM {record}.relation k WHERE k.subject = f.subject
        UNION ALL
        SELECT k.*, k.subject FROM {record}.relation k
        WHERE k.object = f.object AND k.current AND k.subject <> f.subject
        UNION ALL
        SELECT k.*, k.subject FROM {record}.relation k
        WHERE k.object = f.object AND NOT k.current AND k.subject <> f.subject
    ) AS k
    CROSS JOIN LATERAL (SELECT e.key, e.sense FROM {record}.entity e WHERE e.id = k.far OFFSET 0) AS far
    WHERE k.id <> f.id AND NOT k.negated
      AND (SELECT true FROM {record}.relation_period p
           WHERE p.relation = k.id AND upper_inf(p.recorded) AND NOT p.retracted AND p.valid && held.valid LIMIT 1)
      AND (SELECT true FROM {record}.predicate_rule a CROSS JOIN LATERAL (
               SELECT b.id FROM {record}.predicate_rule b
               WHERE b.predicate = k.predicate AND b.per = a.per AND b.exclusive = a.exclusive AND upper_inf(b.recorded)
               OFFSET 0) AS b
           WHERE a.predicate = f.predicate AND upper_inf(a.recorded)
             AND (a.per = 'object' OR k.subject = f.subject) AND (a.per = 'subject' OR k.object = f.object)
           LIMIT 1) IS NULL
    ORDER BY place LIMIT $2::integer
) AS near
WHERE (SELECT true FROM {record}.verdict v WHERE v.one = least(w.id, near.id) AND v.other = greatest(w.id, near.id)
       AND upper_inf(v.recorded) LIMIT 1) IS NULL
ORDER BY w.n, near.place

-- name: shown_facts
-- What a model is shown of facts $1: names, predicate, and the spans that live sources state, which do not depend on
-- what closed them.
SELECT r.id, coalesce(s.name, se.key) AS subject, r.predicate, coalesce(o.name, oe.key) AS object, stated.dates::text
FROM unnest($1::bigint[]) AS w(id)
CROSS JOIN LATERAL (SELECT k.* FROM {record}.relation k WHERE k.id = w.id OFFSET 0) AS r
CROSS JOIN LATERAL (SELECT e.key FROM {record}.entity e WHERE e.id = r.subject OFFSET 0) AS se
CROSS JOIN LATERAL (SELECT e.key FROM {record}.entity e WHERE e.id = r.object OFFSET 0) AS oe
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = r.subject OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = r.object OFFSET 0) AS o ON true
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_array(lower(said.span) AT TIME ZONE 'UTC', upper(said.span) AT TIME ZONE 'UTC')
                    ORDER BY said.span) AS dates
    FROM (
        SELECT unnest(range_agg(a.valid)) AS span FROM {record}.relation_evidence e
        CROSS JOIN LATERAL (SELECT k.valid FROM {record}.assertion k WHERE k.id = e.assertion OFFSET 0) AS a
        WHERE e.relation = r.id AND upper_inf(e.recorded)
    ) AS said
) AS stated

-- name: put_verdicts
-- What models ($4) say of pairs of facts ($1 the smaller ids, $2 the others): whether they exclude one another ($3); $5
-- the stamp. What somebody said of a pair meanwhile stays, and facts that are erased meanwhile have nothing said of
-- them. Answers the pairs that are new.
WITH put AS (
    INSERT INTO {record}.verdict (one, other, exclusive, model, recorded)
    SELECT w.one, w.other, w.exclusive, w.model, tstzrange($5, NULL)
    FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::text[]) AS w(one, other, exclusive, model)
    CROSS JOIN LATERAL (SELECT k.id FROM {record}.relation k WHERE k.id = w.one OFFSET 0) AS a
    CROSS JOIN LATERAL (SELECT k.id FROM {record}.relation k WHERE k.id = w.other OFFSET 0) AS b
    ORDER BY w.one, w.other
    ON CONFLICT (one, other) WHERE upper_inf(recorded) DO NOTHING
    RETURNING one, other, exclusive
)
SELECT one, other, exclusive FROM put

-- name: note_judged
UPDATE {record}.clock SET judged = $1 WHERE epoch = {epoch} AND coalesce(judged, '-infinity') < $1
