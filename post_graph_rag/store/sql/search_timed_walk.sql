-- name: search_timed_walk
-- As search_walk, through what was visible. $1 to $6: when; $7: entities; $8: relations; $9: steps; $10: spaces; $11:
-- edges of one entity and direction that are followed at most; $12: entities at most; $13: passages of one entity, and
-- entities merged into it, at most; $14: passages whose entities are wanted too.
-- A relation that was visible ends at entities that stood for themselves, so its ends are taken as they are.
WITH RECURSIVE {at},
start AS MATERIALIZED (
    SELECT r.id, r.subject, r.object FROM {record}.relation r WHERE r.id = ANY($8::bigint[])
),
seed AS MATERIALIZED (SELECT unnest($7::bigint[]) AS id UNION SELECT subject FROM start UNION SELECT object FROM start),
walk(step, frontier, seen, relations, subjects, objects) AS (
    SELECT 0, s.ids, s.ids, r.ids, r.subjects, r.objects
    FROM (SELECT array_agg(id) AS ids FROM seed) s,
         (SELECT array_agg(id) AS ids, array_agg(subject) AS subjects, array_agg(object) AS objects FROM start) r
    UNION ALL
    SELECT w.step + 1, next.frontier, w.seen || next.frontier, next.relations, next.subjects, next.objects
    FROM walk w CROSS JOIN LATERAL (
        WITH edge AS MATERIALIZED (
            SELECT way.*
            FROM unnest(w.frontier) AS f(id) CROSS JOIN LATERAL (
                (SELECT *
                 FROM (
                     (SELECT it.id, it.subject, it.object, it.object AS other FROM {record}.relation it
                      WHERE it.current AND it.subject = f.id AND it.space = ANY($10::int[]) AND {edge_visible}
                      ORDER BY it.object LIMIT $11::int)
                     UNION ALL
                     (SELECT it.id, it.subject, it.object, it.object FROM {record}.relation it
                      WHERE (SELECT past_facts FROM at) AND NOT it.current AND it.subject = f.id
                        AND it.space = ANY($10::int[]) AND {edge_visible}
                      ORDER BY it.object LIMIT $11::int)
                 ) edge ORDER BY other LIMIT $11::int)
                UNION ALL
                (SELECT *
                 FROM (
                     (SELECT it.id, it.subject, it.object, it.subject AS other FROM {record}.relation it
                      WHERE it.current AND it.object = f.id AND it.space = ANY($10::int[]) AND {edge_visible}
                      ORDER BY it.subject LIMIT $11::int)
                     UNION ALL
                     (SELECT it.id, it.subject, it.object, it.subject FROM {record}.relation it
                      WHERE (SELECT past_facts FROM at) AND NOT it.current AND it.object = f.id
                        AND it.space = ANY($10::int[]) AND {edge_visible}
                      ORDER BY it.subject LIMIT $11::int)
                 ) edge ORDER BY other LIMIT $11::int)
            ) way
        )
        SELECT (SELECT array_agg(id) FROM (
                    SELECT edge.other AS id FROM edge LEFT JOIN unnest(w.seen) AS s(id) ON s.id = edge.other
                    WHERE s.id IS NULL GROUP BY edge.other ORDER BY count(*) DESC, edge.other
                    LIMIT greatest($12::int - cardinality(w.seen), 0)
                ) fresh) AS frontier,
               array_agg(edge.id) AS relations, array_agg(edge.subject) AS subjects, array_agg(edge.object) AS objects
        FROM edge
    ) next
    WHERE w.step < $9::int AND w.frontier IS NOT NULL
),
node AS MATERIALIZED (SELECT unnest(frontier) AS id FROM walk),
member AS MATERIALIZED (
    SELECT id, id AS canonical FROM node
    UNION ALL
    SELECT merged.id, node.id FROM node CROSS JOIN LATERAL (
        SELECT s.entity AS id FROM (
            SELECT s.entity FROM {record}.standing s
            WHERE s.canonical = node.id AND s.recorded @> (SELECT mark FROM at) OFFSET 0
        ) s ORDER BY s.entity LIMIT $13::int
    ) merged
),
mention AS (
    SELECT m.passage, member.canonical AS entity
    FROM member CROSS JOIN LATERAL (
        -- The inner limits, which are never reached, have the rows read in the order of the index.
        SELECT passage
        FROM (
            (SELECT it.passage
             FROM (SELECT m.passage, m.recorded FROM {record}.mention m
                   WHERE m.entity = member.id AND upper_inf(m.recorded)
                   ORDER BY m.passage LIMIT 1000000 * $13::bigint) it
             WHERE {mention_visible} LIMIT $13::int)
            UNION ALL
            (SELECT it.passage
             FROM (SELECT m.passage, m.recorded FROM {record}.mention m
                   WHERE (SELECT past FROM at) AND m.entity = member.id AND NOT upper_inf(m.recorded)
                   ORDER BY m.passage LIMIT 1000000 * $13::bigint) it
             WHERE {mention_visible} LIMIT $13::int)
        ) told ORDER BY passage LIMIT $13::int
    ) m
    UNION ALL
    -- Joined before they are looked at: the condition's estimate would make it a loop.
    SELECT it.passage, it.canonical
    FROM (SELECT m.passage, m.recorded, member.canonical
          FROM {record}.mention m JOIN member ON member.id = m.entity
          WHERE m.passage = ANY($14::bigint[]) OFFSET 0) it
    WHERE {mention_visible}
)
SELECT frontier AS entities, relations, subjects, objects, NULL::bigint[] AS passages, NULL::bigint[] AS mentioned
FROM walk
UNION ALL
SELECT NULL, NULL, NULL, NULL, array_agg(passage), array_agg(entity) FROM mention
