-- name: named_entities
-- Which entities are meant: in each place either by id $1, or by a name of key $2 in spaces $3. A name means the entity
-- whose own key it is, unless nothing mentions that one any more while others bear the name; of namesakes that are one,
-- that which stands for them. Only the best are answered.
WITH wanted AS (
    SELECT * FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS w(id, key, n)
), found AS (
    SELECT n, id, true AS own FROM wanted WHERE id IS NOT NULL
    UNION ALL
    SELECT w.n, e.id, true
    FROM wanted w CROSS JOIN unnest($3::integer[]) AS s(id)
    CROSS JOIN LATERAL (SELECT k.id FROM {record}.entity k WHERE k.space = s.id AND k.key = w.key OFFSET 0) AS e
    UNION ALL
    SELECT w.n, k.entity, false
    FROM wanted w
    CROSS JOIN LATERAL (
        SELECT DISTINCT n.entity FROM {record}.entity_name n
        WHERE n.key = w.key AND upper_inf(n.recorded) OFFSET 0) AS k
    CROSS JOIN LATERAL (SELECT e.space FROM {record}.entity e WHERE e.id = k.entity OFFSET 0) AS e
    WHERE e.space = ANY ($3::integer[])
), ranked AS (
    SELECT f.n, e.id, e.space, e.key, e.canonical,
           rank() OVER (PARTITION BY f.n ORDER BY CASE WHEN NOT f.own THEN 2
                                                       WHEN e.current OR e.canonical <> e.id THEN 1 ELSE 3 END) AS place
    FROM (SELECT n, id, bool_or(own) AS own FROM found GROUP BY n, id) AS f
    CROSS JOIN LATERAL (
        SELECT k.id, k.space, k.key, k.canonical, k.current FROM {record}.entity k WHERE k.id = f.id OFFSET 0) AS e
)
SELECT r.n, r.id, r.space, s.name AS space_name, r.canonical,
       -- What was merged since it was first mentioned has no profile.
       coalesce(p.name, (SELECT k.name FROM {record}.entity_name k
                         WHERE k.entity = r.id AND NOT k.alias AND upper_inf(k.recorded)
                         ORDER BY length(k.name) DESC, k.name DESC LIMIT 1), r.key) AS name
FROM ranked r JOIN {record}.space s ON s.id = r.space
LEFT JOIN LATERAL (SELECT p.name FROM {record}.entity_profile p WHERE p.entity = r.id OFFSET 0) AS p ON true
WHERE r.place = 1 AND NOT EXISTS (
    SELECT FROM ranked o WHERE o.n = r.n AND o.place = 1 AND o.id = r.canonical AND o.id <> r.id AND o.key = r.key)
ORDER BY r.n, r.id
