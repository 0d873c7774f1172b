-- name: search_timed_vectors
-- As search_vectors, of what was visible. $1 to $6: when; $7: query vectors; $8: their width; $9, $10: in which channel
-- the query of which number is searched; $11: spaces; $12: hits of each channel.
-- Of what is current and of what is not, as many are looked at from the nearest on as it takes to find enough that were
-- visible, within a bound that keeps sorting short where there is no index; without a mark or a window, current
-- passages and entities all are.
WITH {at},
query AS MATERIALIZED (
    SELECT q.channel, q.number, v.embedding, {signs}(v.embedding)::bit({dimensions}) AS signs
    FROM unnest($9::text[], $10::int[]) AS q(channel, number) CROSS JOIN LATERAL (
        SELECT (($7::real[])[q.number * $8::int + 1 : (q.number + 1) * $8::int])::{vector} AS embedding OFFSET 0
    ) v
),
near AS MATERIALIZED (
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($11::int[])
             ORDER BY distance
             LIMIT (SELECT CASE WHEN past OR narrow THEN 20 ELSE 1 END FROM at) * $12::int
         ) it WHERE {passage_visible} LIMIT $12::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {passage_vector} v
                 WHERE (SELECT past FROM at) AND NOT v.current AND v.space + 0 = ANY($11::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $12::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {passage_visible} LIMIT $12::int)
        ORDER BY distance LIMIT $12::int
    ) near WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($11::int[])
             ORDER BY distance
             LIMIT (SELECT CASE WHEN past OR narrow THEN 20 ELSE 1 END FROM at) * $12::int
         ) it WHERE {entity_visible} LIMIT $12::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {entity_vector} v
                 WHERE (SELECT past OR dormant FROM at) AND NOT v.current AND v.space + 0 = ANY($11::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $12::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {entity_visible} LIMIT $12::int)
        ORDER BY distance LIMIT $12::int
    ) near WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($11::int[]) ORDER BY distance LIMIT 20 * $12::int
         ) it WHERE {relation_visible} LIMIT $12::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {relation_vector} v
                 WHERE (SELECT past_facts FROM at) AND NOT v.current AND v.space + 0 = ANY($11::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $12::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {relation_visible} LIMIT $12::int)
        ORDER BY distance LIMIT $12::int
    ) near WHERE q.channel = 'relation_vector'
),
-- What waits to be put into an index on vectors, of which there is never much.
tail AS (
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($11::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0
            LIMIT (SELECT CASE WHEN past OR narrow THEN 20 ELSE 1 END FROM at) * $12::int
        ) it WHERE {passage_visible} LIMIT $12::int
    ) tail WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($11::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0
            LIMIT (SELECT CASE WHEN past OR narrow THEN 20 ELSE 1 END FROM at) * $12::int
        ) it WHERE {entity_visible} LIMIT $12::int
    ) tail WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($11::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT 20 * $12::int
        ) it WHERE {relation_visible} LIMIT $12::int
    ) tail WHERE q.channel = 'relation_vector'
),
-- Where that found too little, all of the spaces is looked at, or all of the documents that are asked for.
short AS MATERIALIZED (
    SELECT q.channel, picked, count(*) * $12::int > (SELECT count(*) FROM near n WHERE n.channel = q.channel) AS few
    FROM query q CROSS JOIN at GROUP BY q.channel, picked
),
document AS (
    SELECT unnest(documents) AS id FROM at
    UNION ALL
    SELECT d.id FROM {record}.document d
    WHERE (SELECT picked AND documents IS NULL FROM at) AND d.space = ANY($11::int[])
),
passing AS MATERIALIZED (
    SELECT l.passage
    FROM document d CROSS JOIN LATERAL (
        SELECT v.id, v.document, v.source, v.metadata FROM {record}.document_version v
        WHERE v.document = d.id AND v.recorded @> (SELECT mark FROM at) OFFSET 0
    ) v CROSS JOIN LATERAL (
        SELECT l.passage FROM {record}.document_passage l
        WHERE l.version = v.id AND l.recorded @> (SELECT mark FROM at) OFFSET 0
    ) l
    WHERE {version_fits}
),
hit AS (
    TABLE near
    UNION ALL
    TABLE tail
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {passage_vector} it
        WHERE it.space = ANY($11::int[]) AND (it.current OR (SELECT past FROM at)) AND {passage_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'passage_vector'
          AND (SELECT few FROM short WHERE channel = 'passage_vector' AND NOT picked)
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {entity_vector} it
        WHERE it.space = ANY($11::int[]) AND (it.current OR (SELECT past OR dormant FROM at)) AND {entity_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'entity_vector' AND (SELECT few FROM short WHERE channel = 'entity_vector' AND NOT picked)
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {relation_vector} it
        WHERE it.space = ANY($11::int[]) AND (it.current OR (SELECT past_facts FROM at)) AND {relation_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'relation_vector'
          AND (SELECT few FROM short WHERE channel = 'relation_vector' AND NOT picked)
    {nearest_of_documents}
),
once AS (
    SELECT channel, id, distance, row_number() OVER (PARTITION BY channel, number ORDER BY distance, id) AS rank
    FROM (SELECT channel, number, id, min(distance) AS distance FROM hit GROUP BY channel, number, id) found
),
best AS (SELECT channel, id, 1 - min(distance) AS score FROM once WHERE rank <= $12::int GROUP BY channel, id)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM best GROUP BY channel

-- name: nearest_of_documents
-- The nearest of all that some documents hold, without an index on vectors.
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance
        FROM (SELECT DISTINCT passage AS id FROM passing OFFSET 0) told CROSS JOIN LATERAL (
            SELECT v.id, v.embedding FROM {passage_vector} v
            WHERE v.id = told.id AND v.space = ANY($11::int[]) AND (v.current OR (SELECT past FROM at)) OFFSET 0
        ) it
        WHERE {passage_visible} ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'passage_vector' AND (SELECT few FROM short WHERE channel = 'passage_vector' AND picked)
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance
        FROM (
            SELECT DISTINCT coalesce(s.canonical, m.entity) AS id
            FROM passing g CROSS JOIN LATERAL (
                SELECT m.entity FROM {record}.mention m
                WHERE m.passage = g.passage AND m.recorded @> (SELECT mark FROM at) OFFSET 0
            ) m LEFT JOIN LATERAL (
                SELECT s.canonical FROM {record}.standing s
                WHERE s.entity = m.entity AND s.recorded @> (SELECT mark FROM at) OFFSET 0
            ) s ON true OFFSET 0
        ) told CROSS JOIN LATERAL (
            SELECT v.id, v.embedding FROM {entity_vector} v
            WHERE v.id = told.id AND v.space = ANY($11::int[])
              AND (v.current OR (SELECT past OR dormant FROM at)) OFFSET 0
        ) it
        WHERE {entity_visible} ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'entity_vector' AND (SELECT few FROM short WHERE channel = 'entity_vector' AND picked)
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance
        FROM (
            SELECT DISTINCT e.relation AS id
            FROM passing g CROSS JOIN LATERAL (
                SELECT e.relation FROM {record}.relation_evidence e
                WHERE e.passage = g.passage AND e.recorded @> (SELECT mark FROM at) OFFSET 0
            ) e OFFSET 0
        ) told CROSS JOIN LATERAL (
            SELECT v.id, v.embedding FROM {relation_vector} v
            WHERE v.id = told.id AND v.space = ANY($11::int[]) AND (v.current OR (SELECT past_facts FROM at)) OFFSET 0
        ) it
        WHERE {relation_visible} ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $12::int
    ) near WHERE q.channel = 'relation_vector' AND (SELECT few FROM short WHERE channel = 'relation_vector' AND picked)

-- name: nearest_of_documents_anywhere
-- None.
