-- name: live_rules
SELECT predicate, per, exclusive FROM {record}.predicate_rule WHERE upper_inf(recorded)
ORDER BY predicate, per, exclusive

-- name: put_rules
-- Put rules ($1 predicates, $2 per what, $3 exclusive groups) in the place of those that are live; $4 the stamp.
-- Answers the predicates whose rules changed.
WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS w(predicate, per, exclusive)
), ended AS (
    UPDATE {record}.predicate_rule r SET recorded = tstzrange(lower(r.recorded), $4)
    WHERE upper_inf(r.recorded) AND (r.predicate, r.per, r.exclusive) NOT IN (TABLE wanted)
    RETURNING predicate
), begun AS (
    INSERT INTO {record}.predicate_rule (predicate, per, exclusive, recorded)
    SELECT w.*, tstzrange($4, NULL) FROM wanted w
    WHERE (w.predicate, w.per, w.exclusive) NOT IN (
        SELECT predicate, per, exclusive FROM {record}.predicate_rule WHERE upper_inf(recorded))
    RETURNING predicate
)
SELECT predicate FROM ended UNION SELECT predicate FROM begun

-- name: relations_with_predicates
-- All relations with predicates $1; no index serves this, since rules are set once.
SELECT id FROM {record}.relation WHERE predicate = ANY ($1::text[])

-- name: put_override
-- A person's word on relation $1, in the place of an earlier one: $2 action, $3 moment, $4 reason, $5 the stamp.
-- Answers nothing when there is no such relation.
WITH of AS (
    SELECT subject, predicate, object, negated FROM {record}.relation WHERE id = $1
), ended AS (
    UPDATE {record}.relation_override w SET recorded = tstzrange(lower(w.recorded), $5)
    FROM of WHERE w.subject = of.subject AND w.predicate = of.predicate AND w.object = of.object
      AND w.negated = of.negated AND upper_inf(w.recorded)
)
INSERT INTO {record}.relation_override (subject, predicate, object, negated, action, at, reason, recorded)
SELECT subject, predicate, object, negated, $2, $3, $4, tstzrange($5, NULL) FROM of
RETURNING id
