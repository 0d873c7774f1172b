-- name: search_timed_hydrate
-- All that is shown of passages $1, entities $2 and relations $3 as search_hydrate shows it ($4 of each list at most), but
-- as the record had it at $5 (null: now) and as sources written in $6 have it (null: all). Of relations the periods that
-- overlap $7; where that is null, those that nothing superseded; with $8 the superseded and retracted ones as well.
-- words: of entities and of what relations are between, the words kept of them now; where $5 or $6 is asked, a sample of
-- what passages said, chosen as fetch_profiles chooses it, from which their words follow.
WITH asked AS MATERIALIZED (
    SELECT coalesce($5::text::timestamptz, 'infinity') AS mark, $5::text IS NOT NULL AS past,
           $6::text::tstzrange AS observed, num_nonnulls($5::text, $6::text) > 0 AS told
),
relation AS MATERIALIZED (
    SELECT r.id, r.space, r.subject, r.predicate, r.object, r.negated, r.fact, p.periods
    FROM {record}.relation r CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object('start', lower(p.valid) AT TIME ZONE 'UTC',
                   'end', upper(p.valid) AT TIME ZONE 'UTC', 'dated', p.dated, 'closed_by', p.closed_by,
                   'retracted', p.retracted) ORDER BY p.valid, p.id) AS periods
        FROM {record}.relation_period p
        WHERE p.relation = r.id AND p.recorded @> (SELECT mark FROM asked)
          AND ($7::text IS NULL OR p.valid && $7::text::tstzrange)
          AND ($8::bool OR CASE WHEN $7::text IS NULL THEN p.closed_by IS NULL ELSE NOT p.retracted END)
    ) p
    WHERE r.id = ANY($3::bigint[]) AND p.periods IS NOT NULL
),
evidence AS MATERIALIZED (
    SELECT r.id AS relation, e.passages[1 : $4::int] AS passages, cardinality(e.passages) AS weight, e.confidence,
           coalesce(best.fact, r.fact) AS fact
    FROM relation r CROSS JOIN asked
    CROSS JOIN LATERAL (
        SELECT array_agg(p.passage ORDER BY array_position($1::bigint[], p.passage), p.confidence DESC, p.passage)
                   AS passages,
               max(p.confidence) AS confidence
        FROM (
            SELECT e.passage, max(a.confidence) AS confidence
            FROM {record}.relation_evidence e JOIN {record}.assertion a ON a.id = e.assertion
            WHERE e.relation = r.id AND e.recorded @> mark AND (observed IS NULL OR a.event <@ observed)
            GROUP BY e.passage
        ) p
    ) e
    -- The wording that a write chooses.
    LEFT JOIN LATERAL (
        SELECT a.fact
        FROM {record}.relation_evidence e JOIN {record}.assertion a ON a.id = e.assertion
        WHERE told AND e.relation = r.id AND e.recorded @> mark AND (observed IS NULL OR a.event <@ observed)
        ORDER BY a.confidence DESC, least(length(a.fact), 300) DESC, a.fact COLLATE "C" DESC LIMIT 1
    ) best ON true
    WHERE e.passages IS NOT NULL
),
passage AS MATERIALIZED (
    SELECT p.id, p.text, p.space
    FROM {record}.passage p CROSS JOIN asked
    WHERE p.id IN (SELECT unnest($1::bigint[]) UNION SELECT passages[1] FROM evidence)
      AND (observed IS NULL OR p.event <@ observed)
),
source AS MATERIALIZED (
    SELECT p.id AS passage, s.sources
    FROM passage p CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object(
                   'document', key, 'title', title, 'source', source, 'ordinal', ordinal, 'start', starts, 'end', ends,
                   'metadata', metadata, 'observed', observed_text
               ) ORDER BY id, ordinal) AS sources
        FROM (
            SELECT d.id, d.key, v.title, v.source, dp.ordinal, dp.starts, dp.ends, v.metadata, v.observed_text
            FROM {record}.document_passage dp
            JOIN {record}.document_version v ON v.id = dp.version AND v.recorded @> mark
            JOIN {record}.document d ON d.id = v.document
            WHERE dp.passage = p.id AND dp.recorded @> mark
            ORDER BY d.id, dp.ordinal LIMIT $4::int
        ) place
    ) s WHERE s.sources IS NOT NULL
),
entity AS MATERIALIZED (
    SELECT e.id, e.space, e.key, e.id = ANY($2::bigint[]) AS shown
    FROM {record}.entity e
    WHERE e.id IN (SELECT unnest($2::bigint[]) UNION SELECT subject FROM relation UNION SELECT object FROM relation)
),
member AS MATERIALIZED (
    SELECT e.id AS entity, e.id, true AS own FROM entity e
    UNION ALL
    SELECT e.id, s.entity, false FROM entity e CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT s.entity FROM {record}.standing s WHERE s.canonical = e.id AND s.recorded @> mark OFFSET 0) AS s
),
mentioned AS MATERIALIZED (
    SELECT e.id AS entity, m.passages
    FROM entity e CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT array_agg(passage ORDER BY passage) AS passages
        FROM (
            SELECT DISTINCT t.passage
            FROM member m CROSS JOIN LATERAL (
                (SELECT t.passage FROM {record}.mention t
                 WHERE t.entity = m.id AND upper_inf(t.recorded) AND t.recorded @> mark
                   AND (observed IS NULL
                        OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = t.passage))
                 ORDER BY t.passage LIMIT $4::int)
                UNION ALL
                (SELECT t.passage FROM {record}.mention t
                 WHERE past AND t.entity = m.id AND NOT upper_inf(t.recorded) AND t.recorded @> mark
                   AND (observed IS NULL
                        OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = t.passage))
                 ORDER BY t.passage LIMIT $4::int)
            ) t
            WHERE m.entity = e.id ORDER BY t.passage LIMIT $4::int
        ) told
    ) m WHERE e.shown
),
-- What was said last of an entity of which nothing was said any more at the mark: its words are kept.
spoken AS MATERIALIZED (
    SELECT m.entity, m.id, m.own, coalesce(silent.since - interval '1 microsecond', mark) AS at
    FROM member m CROSS JOIN asked LEFT JOIN LATERAL (
        SELECT max(upper(o.recorded)) AS since
        FROM member s JOIN {record}.observation o ON o.entity = s.id AND NOT upper_inf(o.recorded)
        WHERE s.entity = m.entity AND upper(o.recorded) <= mark
    ) silent ON past AND observed IS NULL AND m.entity IN (SELECT entity FROM mentioned WHERE passages IS NULL)
    WHERE told
),
sample AS MATERIALIZED (
    SELECT s.entity, json_agg(json_build_array(o.name, o.type, o.description, s.own)) AS said
    FROM spoken s CROSS JOIN asked CROSS JOIN LATERAL (
        -- From one observation to the next different one by an index, once through what is said still and once through
        -- what no more is: the first of both together are the first of all.
        WITH RECURSIVE still AS (
            (SELECT o.name, o.type, o.description, -least(length(o.description), 300) AS place, o.digest, 1 AS n
             FROM {record}.observation o
             WHERE o.entity = s.id AND upper_inf(o.recorded) AND o.recorded @> s.at
               AND (observed IS NULL OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = o.passage))
             ORDER BY -least(length(o.description), 300), o.digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM still w CROSS JOIN LATERAL (
                SELECT o.name, o.type, o.description, -least(length(o.description), 300) AS place, o.digest
                FROM {record}.observation o
                WHERE o.entity = s.id AND upper_inf(o.recorded) AND o.recorded @> s.at
                  AND (-least(length(o.description), 300), o.digest) > (w.place, w.digest)
                  AND (observed IS NULL OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = o.passage))
                ORDER BY -least(length(o.description), 300), o.digest LIMIT 1) AS next
            WHERE w.n < 24
        ), no_more AS (
            (SELECT o.name, o.type, o.description, -least(length(o.description), 300) AS place, o.digest, 1 AS n
             FROM {record}.observation o
             WHERE past AND o.entity = s.id AND NOT upper_inf(o.recorded) AND o.recorded @> s.at
               AND (observed IS NULL OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = o.passage))
             ORDER BY -least(length(o.description), 300), o.digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM no_more w CROSS JOIN LATERAL (
                SELECT o.name, o.type, o.description, -least(length(o.description), 300) AS place, o.digest
                FROM {record}.observation o
                WHERE o.entity = s.id AND NOT upper_inf(o.recorded) AND o.recorded @> s.at
                  AND (-least(length(o.description), 300), o.digest) > (w.place, w.digest)
                  AND (observed IS NULL OR (SELECT p.event <@ observed FROM {record}.passage p WHERE p.id = o.passage))
                ORDER BY -least(length(o.description), 300), o.digest LIMIT 1) AS next
            WHERE w.n < 24
        )
        SELECT name, type, description
        FROM (SELECT name, type, description, place, digest FROM still
              UNION SELECT name, type, description, place, digest FROM no_more) AS both_ways
        ORDER BY place, digest LIMIT 24
    ) o GROUP BY s.entity
),
word AS (
    SELECT e.id, e.key, p.name, p.type, p.description, s.said, CASE WHEN told THEN (
               SELECT g.name FROM {record}.given_name g WHERE g.entity = e.id AND g.recorded @> mark LIMIT 1
           ) END AS given
    FROM entity e CROSS JOIN asked
    LEFT JOIN {record}.entity_profile p ON p.entity = e.id AND NOT told
    LEFT JOIN sample s ON s.entity = e.id
)
SELECT json_build_object(
    'passages', (SELECT json_agg(json_build_object('id', p.id, 'text', p.text, 'space', p.space, 'sources', s.sources))
                 FROM passage p JOIN source s ON s.passage = p.id),
    'entities', (SELECT json_agg(json_build_object('id', e.id, 'space', e.space, 'passages', m.passages))
                 FROM entity e JOIN mentioned m ON m.entity = e.id),
    'relations', (SELECT json_agg(json_build_object('id', r.id, 'space', r.space, 'predicate', r.predicate,
                      'subject', r.subject, 'object', r.object, 'negated', r.negated, 'fact', e.fact,
                      'passages', e.passages, 'weight', e.weight, 'confidence', e.confidence, 'periods', r.periods))
                  FROM relation r JOIN evidence e ON e.relation = r.id),
    'words', (SELECT json_agg(json_build_object('id', w.id, 'key', w.key, 'name', w.name, 'type', w.type,
                  'description', w.description, 'said', w.said, 'given', w.given)) FROM word w)
)::text
