-- name: search_timed_hydrate
-- As search_hydrate, as it was then: $1 to $6: when; $7: passages; $8: entities; $9: relations; $10: how many of each
-- list. words: of entities and of what relations are between, the words kept of them now; where belief time or a window
-- is asked for, or some documents, a sample of what passages said, chosen as fetch_profiles chooses it, from which
-- their words follow.
WITH {at},
asked AS MATERIALIZED (SELECT mark, past, narrow, past OR narrow AS told FROM at),
relation AS MATERIALIZED (
    SELECT r.id, r.space, r.subject, r.predicate, r.object, r.negated, r.fact, p.periods
    FROM {record}.relation r CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object('start', lower(p.valid) AT TIME ZONE 'UTC',
                   'end', upper(p.valid) AT TIME ZONE 'UTC', 'dated', p.dated, 'closed_by', p.closed_by,
                   'retracted', p.retracted) ORDER BY p.valid, p.id) AS periods
        FROM {record}.relation_period p WHERE p.relation = r.id AND {period_visible}
    ) p
    WHERE r.id = ANY($9::bigint[]) AND p.periods IS NOT NULL
),
evidence AS MATERIALIZED (
    SELECT r.id AS relation, e.passages[1 : $10::int] AS passages, cardinality(e.passages) AS weight, e.confidence,
           coalesce(best.fact, r.fact) AS fact
    FROM relation r
    CROSS JOIN LATERAL (
        SELECT array_agg(p.passage ORDER BY array_position($7::bigint[], p.passage), p.confidence DESC, p.passage)
                   AS passages,
               max(p.confidence) AS confidence
        FROM (
            SELECT it.passage, max(a.confidence) AS confidence
            FROM {record}.relation_evidence it JOIN {record}.assertion a ON a.id = it.assertion
            WHERE it.relation = r.id AND {mention_visible} GROUP BY it.passage
        ) p
    ) e
    -- The wording that a write chooses.
    LEFT JOIN LATERAL (
        SELECT a.fact
        FROM {record}.relation_evidence it JOIN {record}.assertion a ON a.id = it.assertion
        WHERE (SELECT told FROM asked) AND it.relation = r.id AND {mention_visible}
        ORDER BY a.confidence DESC, least(length(a.fact), 300) DESC, a.fact COLLATE "C" DESC LIMIT 1
    ) best ON true
    WHERE e.passages IS NOT NULL
),
passage AS MATERIALIZED (
    SELECT p.id, p.text, p.space
    FROM {record}.passage p
    WHERE p.id IN (SELECT unnest($7::bigint[]) UNION SELECT passages[1] FROM evidence)
),
source AS MATERIALIZED (
    SELECT p.id AS passage, s.sources
    FROM passage p CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object(
                   'document', key, 'title', title, 'source', source, 'ordinal', ordinal, 'start', starts, 'end', ends,
                   'metadata', metadata, 'observed', observed_text
               ) ORDER BY id, ordinal) AS sources
        FROM (
            SELECT d.id, d.key, v.title, v.source, it.ordinal, it.starts, it.ends, v.metadata, v.observed_text
            -- Look-ups one by one: a join would go through all documents in the order that is asked for.
            FROM (SELECT l.* FROM {record}.document_passage l WHERE l.passage = p.id OFFSET 0) it
            CROSS JOIN LATERAL (
                SELECT * FROM {record}.document_version k WHERE k.id = it.version AND k.recorded @> mark OFFSET 0) v
            CROSS JOIN LATERAL (SELECT k.id, k.key FROM {record}.document k WHERE k.id = v.document OFFSET 0) d
            WHERE {mention_visible} AND {version_fits}
            ORDER BY d.id, it.ordinal LIMIT $10::int
        ) place
    ) s WHERE s.sources IS NOT NULL
),
entity AS MATERIALIZED (
    SELECT e.id, e.space, e.key, e.id = ANY($8::bigint[]) AS shown
    FROM {record}.entity e
    WHERE e.id IN (SELECT unnest($8::bigint[]) UNION SELECT subject FROM relation UNION SELECT object FROM relation)
),
member AS MATERIALIZED (
    SELECT id AS entity, id, true AS own FROM entity
    UNION ALL
    SELECT e.id, s.entity, false FROM entity e CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT s.entity FROM {record}.standing s WHERE s.canonical = e.id AND s.recorded @> mark OFFSET 0) AS s
),
mentioned AS MATERIALIZED (
    SELECT e.id AS entity, m.passages
    FROM entity e CROSS JOIN LATERAL (
        SELECT array_agg(passage ORDER BY passage) AS passages
        FROM (
            SELECT DISTINCT t.passage
            FROM member m CROSS JOIN LATERAL (
                (SELECT it.passage FROM {record}.mention it
                 WHERE it.entity = m.id AND upper_inf(it.recorded) AND {mention_visible}
                 ORDER BY it.passage LIMIT $10::int)
                UNION ALL
                (SELECT it.passage FROM {record}.mention it
                 WHERE (SELECT past FROM at) AND it.entity = m.id AND NOT upper_inf(it.recorded) AND {mention_visible}
                 ORDER BY it.passage LIMIT $10::int)
            ) t
            WHERE m.entity = e.id ORDER BY t.passage LIMIT $10::int
        ) told
    ) m WHERE e.shown
),
-- Of an entity of which nothing was said any more, what was said when something was said last.
spoken AS MATERIALIZED (
    SELECT m.entity, m.id, m.own, coalesce(silent.since - interval '1 microsecond', mark) AS moment
    FROM member m CROSS JOIN asked LEFT JOIN LATERAL (
        SELECT max(upper(o.recorded)) AS since
        FROM member s JOIN {record}.observation o ON o.entity = s.id AND NOT upper_inf(o.recorded)
        WHERE s.entity = m.entity AND upper(o.recorded) <= mark
    ) silent ON past AND NOT narrow AND m.entity IN (SELECT entity FROM mentioned WHERE passages IS NULL)
    WHERE told
),
sample AS MATERIALIZED (
    SELECT s.entity, json_agg(json_build_array(o.name, o.type, o.description, s.own)) AS said
    FROM spoken s CROSS JOIN LATERAL (
        -- From one observation to the next different one by an index, once through what is said still and once through
        -- what no more is: the first of both together are the first of all.
        WITH RECURSIVE still AS (
            (SELECT name, type, description, -least(length(description), 300) AS place, digest, 1 AS n
             FROM {record}.observation it
             WHERE entity = s.id AND upper_inf(recorded) AND recorded @> s.moment AND {in_window}
             ORDER BY -least(length(description), 300), digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM still w CROSS JOIN LATERAL (
                SELECT name, type, description, -least(length(description), 300) AS place, digest
                FROM {record}.observation it
                WHERE entity = s.id AND upper_inf(recorded) AND recorded @> s.moment AND {in_window}
                  AND (-least(length(description), 300), digest) > (w.place, w.digest)
                ORDER BY -least(length(description), 300), digest LIMIT 1) AS next
            WHERE w.n < 24
        ), no_more AS (
            (SELECT name, type, description, -least(length(description), 300) AS place, digest, 1 AS n
             FROM {record}.observation it
             WHERE (SELECT past FROM at) AND entity = s.id AND NOT upper_inf(recorded) AND recorded @> s.moment
               AND {in_window}
             ORDER BY -least(length(description), 300), digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM no_more w CROSS JOIN LATERAL (
                SELECT name, type, description, -least(length(description), 300) AS place, digest
                FROM {record}.observation it
                WHERE entity = s.id AND NOT upper_inf(recorded) AND recorded @> s.moment AND {in_window}
                  AND (-least(length(description), 300), digest) > (w.place, w.digest)
                ORDER BY -least(length(description), 300), digest LIMIT 1) AS next
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
