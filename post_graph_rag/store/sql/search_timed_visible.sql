-- Parts of statements that look at another time than now, which name them in braces: `at`, and conditions on a row named
-- it (a period is named p). A condition is a scalar query, which stays a look-up for one row where EXISTS might become a
-- join with all rows there are; so only as many are looked up as rows are read before a limit is reached.

-- name: at
-- The first five parameters of each such statement. $1: belief time, null for now; $2: valid time; $3: when
-- sources were written; $4: superseded facts too; $5: dormant entities too.
-- An open span holds infinity, so that now is a mark like any other. past, past_facts: whether anything that is not
-- current can be visible, which at the last stamp or later nothing is, and whether a fact can.
at AS MATERIALIZED (
    SELECT coalesce(g.mark, 'infinity') AS mark, $2::text::tstzrange AS as_of, $3::text::tstzrange AS observed,
           $4::boolean AS superseded, $5::boolean AS dormant,
           g.past, g.past OR $4::boolean OR $2::text IS NOT NULL AS past_facts
    FROM (SELECT $1::text::timestamptz AS mark,
                 coalesce($1::text::timestamptz < (SELECT stamp FROM {record}.clock), false) AS past) AS g
)

-- name: passage_visible
((SELECT true FROM {record}.document_passage l
  WHERE l.passage = it.id AND l.recorded @> (SELECT mark FROM at) LIMIT 1)
 AND ((SELECT observed IS NULL FROM at)
      OR (SELECT p.event <@ (SELECT observed FROM at) FROM {record}.passage p WHERE p.id = it.id)))

-- name: in_window
-- Of whatever has a passage.
((SELECT observed IS NULL FROM at)
 OR (SELECT p.event <@ (SELECT observed FROM at) FROM {record}.passage p WHERE p.id = it.passage))

-- name: mention_visible
(it.recorded @> (SELECT mark FROM at) AND {in_window})

-- name: entity_present
(SELECT true FROM {record}.entity_presence p WHERE p.entity = it.id AND p.recorded @> (SELECT mark FROM at) LIMIT 1)

-- name: entity_visible
-- A dormant one was known by then and stood for itself. In a window something must have mentioned it.
(({entity_present} OR (SELECT dormant FROM at)
  AND (SELECT true FROM {record}.standing s
       WHERE s.entity = it.id AND s.recorded @> (SELECT mark FROM at) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.entity_name n
       WHERE n.entity = it.id AND lower(n.recorded) <= (SELECT mark FROM at) LIMIT 1))
 AND ((SELECT observed IS NULL FROM at) OR (
     SELECT true
     FROM (SELECT it.id AS entity UNION ALL
           SELECT s.entity FROM {record}.standing s
           WHERE s.canonical = it.id AND s.recorded @> (SELECT mark FROM at)) AS member
     CROSS JOIN LATERAL (
         SELECT m.passage, m.recorded FROM {record}.mention m
         WHERE m.entity = member.entity AND upper_inf(m.recorded)
         UNION ALL
         SELECT m.passage, m.recorded FROM {record}.mention m
         WHERE (SELECT past FROM at) AND m.entity = member.entity AND NOT upper_inf(m.recorded)
     ) AS m
     CROSS JOIN LATERAL (SELECT p.event FROM {record}.passage p WHERE p.id = m.passage OFFSET 0) AS p
     WHERE m.recorded @> (SELECT mark FROM at) AND p.event <@ (SELECT observed FROM at) LIMIT 1)))

-- name: period_visible
(p.recorded @> (SELECT mark FROM at)
 AND ((SELECT as_of IS NULL FROM at) OR p.valid && (SELECT as_of FROM at))
 AND ((SELECT superseded FROM at)
      OR CASE WHEN (SELECT as_of IS NULL FROM at) THEN p.closed_by IS NULL ELSE NOT p.retracted END))

-- name: relation_in_window
((SELECT observed IS NULL FROM at) OR (
     SELECT true
     FROM {record}.relation_evidence e
     CROSS JOIN LATERAL (SELECT p.event FROM {record}.passage p WHERE p.id = e.passage OFFSET 0) AS p
     WHERE e.relation = it.id AND e.recorded @> (SELECT mark FROM at) AND p.event <@ (SELECT observed FROM at)
     LIMIT 1))

-- name: relation_visible
((SELECT true FROM {record}.relation_period p WHERE p.relation = it.id AND {period_visible} LIMIT 1)
 AND {relation_in_window})

-- name: edge_visible
-- The same of a row of relations. What it keeps of its only open period, of its beginning and of its end answers for most;
-- only for the rest are periods looked up.
(CASE WHEN it.held IS NOT NULL AND (SELECT NOT past FROM at)
      THEN CASE WHEN (SELECT as_of IS NULL FROM at) THEN it.current OR (SELECT superseded FROM at)
                ELSE it.held && (SELECT as_of FROM at) END
      WHEN it.born > (SELECT mark FROM at) THEN false
      WHEN it.gone <= (SELECT mark FROM at) AND (SELECT as_of IS NULL AND NOT superseded FROM at) THEN false
      WHEN it.current AND it.since <= (SELECT mark FROM at)
           AND ((SELECT as_of IS NULL FROM at) OR it.held && (SELECT as_of FROM at)) THEN true
      ELSE (SELECT true FROM {record}.relation_period p WHERE p.relation = it.id AND {period_visible} LIMIT 1) END
 AND {relation_in_window})
