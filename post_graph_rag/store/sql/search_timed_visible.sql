-- Parts of statements that look at another time than now, which name them in braces: `at`, and conditions on a row
-- named it (a period is named p). A condition is a scalar query, which stays a look-up for one row where EXISTS might
-- become a join with all rows there are; so only as many are looked up as rows are read before a limit is reached.

-- name: at
-- The first six parameters of each such statement. $1: belief time, null for now; $2: valid time; $3: when
-- sources were written; $4: superseded facts too; $5: dormant entities too; $6: what is asked of sources and facts, as
-- JSON: digests of document keys, sources, for each metadata key the values that pass, predicates.
-- An open span holds infinity, so that now is a mark like any other. past, past_facts: whether anything that is not
-- current can be visible, which at the last stamp or later nothing is, and whether a fact can. picked, narrow: whether
-- something is asked of documents, and whether only some passages are looked at. few: of few documents that are named,
-- all passages they ever had, by which most of what a hub has is passed over without a look-up.
at AS MATERIALIZED (
    SELECT asked.*, few.passages AS few
    FROM ({asked_for}) AS asked CROSS JOIN LATERAL (
        SELECT CASE WHEN asked.documents IS NOT NULL AND count(*) <= 100
                    THEN coalesce(array_agg(told.passage), '{}') END AS passages
        FROM (
            SELECT l.passage
            FROM unnest(asked.documents) AS d(id) CROSS JOIN LATERAL (
                SELECT v.id FROM {record}.document_version v WHERE v.document = d.id OFFSET 0
            ) v CROSS JOIN LATERAL (
                SELECT l.passage FROM {record}.document_passage l WHERE l.version = v.id OFFSET 0
            ) l LIMIT 101
        ) told
    ) few
)

-- name: at_anywhere
at AS MATERIALIZED ({asked_for})

-- name: asked_for
    SELECT coalesce(g.mark, 'infinity') AS mark, $2::text::tstzrange AS as_of, $3::text::tstzrange AS observed,
           $4::boolean AS superseded, $5::boolean AS dormant,
           g.past, g.past OR $4::boolean OR $2::text IS NOT NULL AS past_facts,
           g.asked ?| '{documents,sources,metadata}' AS picked,
           $3::text IS NOT NULL OR g.asked ?| '{documents,sources,metadata}' AS narrow,
           CASE WHEN g.asked ? 'documents' THEN coalesce((
               SELECT array_agg(d.id)
               FROM {record}.space s CROSS JOIN LATERAL (
                   SELECT d.id FROM {record}.document d
                   WHERE d.space = s.id AND d.digest = ANY(ARRAY(
                       SELECT decode(k, 'hex') FROM jsonb_array_elements_text(g.asked -> 'documents') k)) OFFSET 0
               ) d), '{}') END AS documents,
           (SELECT array_agg(k) FROM jsonb_array_elements_text(g.asked -> 'sources') k) AS sources,
           g.asked -> 'metadata' AS metadata,
           (SELECT array_agg(k) FROM jsonb_array_elements_text(g.asked -> 'predicates') k) AS predicates
    FROM (SELECT $1::text::timestamptz AS mark, coalesce($6::text::jsonb, '{}') AS asked,
                 coalesce($1::text::timestamptz < (SELECT stamp FROM {record}.clock), false) AS past) AS g

-- name: version_fits
-- Of a version named v. A list in metadata passes when one of its values does.
(((SELECT documents IS NULL FROM at) OR v.document = ANY((SELECT documents FROM at)::bigint[]))
 AND ((SELECT sources IS NULL FROM at) OR v.source = ANY((SELECT sources FROM at)::text[]))
 AND coalesce((
     SELECT bool_and(coalesce((
         SELECT bool_or(v.metadata -> w.key @> x.value) FROM jsonb_array_elements(w.value) x), false))
     FROM jsonb_each((SELECT metadata FROM at)) w), true))

-- name: version_fits_anywhere
true

-- name: passage_visible
((SELECT true FROM {record}.document_passage l
  WHERE l.passage = it.id AND l.recorded @> (SELECT mark FROM at) LIMIT 1)
 AND ((SELECT NOT narrow FROM at) OR (SELECT {in_window} FROM (SELECT it.id AS passage) AS it)))

-- name: in_window
-- Of whatever has a passage: that it was written then, and stands in a document of those that are asked for.
((SELECT NOT narrow FROM at)
 OR ((SELECT few IS NULL FROM at) OR it.passage = ANY((SELECT few FROM at)::bigint[]))
    AND ((SELECT observed IS NULL FROM at)
     OR (SELECT p.event <@ (SELECT observed FROM at) FROM {record}.passage p WHERE p.id = it.passage))
    AND ((SELECT NOT picked FROM at) OR (
        SELECT true
        FROM {record}.document_passage l CROSS JOIN LATERAL (
            SELECT v.document, v.source, v.metadata FROM {record}.document_version v
            WHERE v.id = l.version AND v.recorded @> (SELECT mark FROM at) OFFSET 0
        ) v
        WHERE l.passage = it.passage AND l.recorded @> (SELECT mark FROM at) AND {version_fits} LIMIT 1)))

-- name: in_window_anywhere
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
 AND ((SELECT NOT narrow FROM at) OR (
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
     ) AS it
     WHERE {mention_visible} LIMIT 1)))

-- name: period_visible
(p.recorded @> (SELECT mark FROM at)
 AND ((SELECT as_of IS NULL FROM at) OR p.valid && (SELECT as_of FROM at))
 AND ((SELECT superseded FROM at)
      OR CASE WHEN (SELECT as_of IS NULL FROM at) THEN p.closed_by IS NULL ELSE NOT p.retracted END))

-- name: relation_in_window
((SELECT NOT narrow FROM at) OR (
     SELECT true
     FROM (SELECT e.passage, e.recorded FROM {record}.relation_evidence e WHERE e.relation = it.id OFFSET 0) AS it
     WHERE {mention_visible} LIMIT 1))

-- name: predicate_fits
((SELECT predicates IS NULL FROM at) OR (
    SELECT r.predicate = ANY((SELECT predicates FROM at)::text[]) FROM {record}.relation r WHERE r.id = it.id))

-- name: predicate_fits_anywhere
true

-- name: relation_visible
({predicate_fits}
 AND (SELECT true FROM {record}.relation_period p WHERE p.relation = it.id AND {period_visible} LIMIT 1)
 AND {relation_in_window})

-- name: edge_fits
((SELECT predicates IS NULL FROM at) OR it.predicate = ANY((SELECT predicates FROM at)::text[]))

-- name: edge_fits_anywhere
true

-- name: edge_visible
-- The same of a row of relations. What it keeps of its only open period, of its beginning and of its end answers for
-- most; only for the rest are periods looked up.
({edge_fits}
 AND CASE WHEN it.held IS NOT NULL AND (SELECT NOT past FROM at)
          THEN CASE WHEN (SELECT as_of IS NULL FROM at) THEN it.current OR (SELECT superseded FROM at)
                    ELSE it.held && (SELECT as_of FROM at) END
          WHEN it.born > (SELECT mark FROM at) THEN false
          WHEN it.gone <= (SELECT mark FROM at) AND (SELECT as_of IS NULL AND NOT superseded FROM at) THEN false
          WHEN it.current AND it.since <= (SELECT mark FROM at)
               AND ((SELECT as_of IS NULL FROM at) OR it.held && (SELECT as_of FROM at)) THEN true
          ELSE (SELECT true FROM {record}.relation_period p WHERE p.relation = it.id AND {period_visible} LIMIT 1) END
 AND {relation_in_window})
