-- name: search_walk
-- What can be reached from $1 (entities) and from both ends of $2 (relations) within $3 steps, in both directions and
-- inside the spaces $4. $5: edges of one entity and direction that are followed at most; $6: entities at most;
-- $7: passages of one entity, and entities merged into it, at most. $8: passages whose entities are wanted too.
WITH RECURSIVE start AS MATERIALIZED (
    SELECT r.id, r.subject, r.object FROM {record}.relation r WHERE r.id = ANY($2::bigint[])
),
seed AS MATERIALIZED (
    SELECT DISTINCT e.canonical AS id
    FROM (
        SELECT unnest($1::bigint[]) AS id UNION SELECT subject FROM start UNION SELECT object FROM start
    ) given JOIN {record}.entity e USING (id)
),
-- Of a hub the same are followed every time: those that come first in the index, which costs no sorting.
-- One row a step; all that was seen goes along, so that no entity is walked from twice.
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
                (SELECT r.id, r.subject, r.object, r.object AS other FROM {record}.relation r
                 WHERE r.current AND r.subject = f.id AND r.space = ANY($4::int[]) ORDER BY r.object LIMIT $5::int)
                UNION ALL
                (SELECT r.id, r.subject, r.object, r.subject FROM {record}.relation r
                 WHERE r.current AND r.object = f.id AND r.space = ANY($4::int[]) ORDER BY r.subject LIMIT $5::int)
            ) way
        )
        SELECT (SELECT array_agg(id) FROM (
                    SELECT edge.other AS id FROM edge LEFT JOIN unnest(w.seen) AS s(id) ON s.id = edge.other
                    WHERE s.id IS NULL GROUP BY edge.other ORDER BY count(*) DESC, edge.other
                    LIMIT greatest($6::int - cardinality(w.seen), 0)
                ) fresh) AS frontier,
               array_agg(edge.id) AS relations, array_agg(edge.subject) AS subjects, array_agg(edge.object) AS objects
        FROM edge
    ) next
    WHERE w.step < $3::int AND w.frontier IS NOT NULL
),
node AS MATERIALIZED (SELECT unnest(frontier) AS id FROM walk),
-- A passage mentions the entity under which it was written; those merged into a reached one count as that one.
member AS MATERIALIZED (
    SELECT id, id AS canonical FROM node
    UNION ALL
    SELECT merged.id, node.id FROM node CROSS JOIN LATERAL (
        SELECT e.id FROM {record}.entity e WHERE e.canonical = node.id AND e.canonical <> e.id
        ORDER BY e.id LIMIT $7::int
    ) merged
),
mention AS (
    SELECT m.passage, member.canonical AS entity
    FROM member CROSS JOIN LATERAL (
        SELECT passage FROM {record}.mention m WHERE m.entity = member.id AND upper_inf(m.recorded)
        ORDER BY m.passage LIMIT $7::int
    ) m
    UNION ALL
    SELECT m.passage, member.canonical
    FROM {record}.mention m JOIN member ON member.id = m.entity
    WHERE m.passage = ANY($8::bigint[]) AND upper_inf(m.recorded)
)
-- A row a step, then one for the mentions; relations and mentions may come twice, and a relation's end may lie outside.
SELECT frontier AS entities, relations, subjects, objects, NULL::bigint[] AS passages, NULL::bigint[] AS mentioned
FROM walk
UNION ALL
SELECT NULL, NULL, NULL, NULL, array_agg(passage), array_agg(entity) FROM mention
