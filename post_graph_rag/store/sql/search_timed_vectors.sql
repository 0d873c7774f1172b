-- name: search_timed_vectors
-- As search_vectors, of what was visible. $1 to $5: when; $6: query vectors; $7: their width; $8, $9: in which channel the
-- query of which number is searched; $10: spaces; $11: hits of each channel.
-- Of what is current and of what is not, as many are looked at from the nearest on as it takes to find enough that were
-- visible, within a bound that keeps sorting short where there is no index; without a mark or a window, current passages
-- and entities all are.
WITH {at},
query AS MATERIALIZED (
    SELECT q.channel, q.number, v.embedding, {signs}(v.embedding)::bit({dimensions}) AS signs
    FROM unnest($8::text[], $9::int[]) AS q(channel, number) CROSS JOIN LATERAL (
        SELECT (($6::real[])[q.number * $7::int + 1 : (q.number + 1) * $7::int])::{vector} AS embedding OFFSET 0
    ) v
),
near AS MATERIALIZED (
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($10::int[])
             ORDER BY distance
             LIMIT (SELECT CASE WHEN past OR observed IS NOT NULL THEN 20 ELSE 1 END FROM at) * $11::int
         ) it WHERE {passage_visible} LIMIT $11::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {passage_vector} v
                 WHERE (SELECT past FROM at) AND NOT v.current AND v.space + 0 = ANY($10::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $11::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {passage_visible} LIMIT $11::int)
        ORDER BY distance LIMIT $11::int
    ) near WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($10::int[])
             ORDER BY distance
             LIMIT (SELECT CASE WHEN past OR observed IS NOT NULL THEN 20 ELSE 1 END FROM at) * $11::int
         ) it WHERE {entity_visible} LIMIT $11::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {entity_vector} v
                 WHERE (SELECT past OR dormant FROM at) AND NOT v.current AND v.space + 0 = ANY($10::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $11::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {entity_visible} LIMIT $11::int)
        ORDER BY distance LIMIT $11::int
    ) near WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
             WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($10::int[]) ORDER BY distance LIMIT 20 * $11::int
         ) it WHERE {relation_visible} LIMIT $11::int)
        UNION ALL
        (SELECT it.id, it.distance
         FROM (
             SELECT v.id, v.embedding <=> q.embedding AS distance
             FROM (
                 SELECT v.id, v.embedding FROM {relation_vector} v
                 WHERE (SELECT past_facts FROM at) AND NOT v.current AND v.space + 0 = ANY($10::int[])
                 ORDER BY {signs}(v.embedding)::bit({dimensions}) <~> q.signs LIMIT 4 * $11::int
             ) v ORDER BY distance OFFSET 0
         ) it WHERE {relation_visible} LIMIT $11::int)
        ORDER BY distance LIMIT $11::int
    ) near WHERE q.channel = 'relation_vector'
),
-- What waits to be put into an index on vectors, of which there is never much.
tail AS (
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($10::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0
            LIMIT (SELECT CASE WHEN past OR observed IS NOT NULL THEN 20 ELSE 1 END FROM at) * $11::int
        ) it WHERE {passage_visible} LIMIT $11::int
    ) tail WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($10::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0
            LIMIT (SELECT CASE WHEN past OR observed IS NOT NULL THEN 20 ELSE 1 END FROM at) * $11::int
        ) it WHERE {entity_visible} LIMIT $11::int
    ) tail WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
            WHERE v.current AND v.tail AND v.space = ANY($10::int[])
            ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT 20 * $11::int
        ) it WHERE {relation_visible} LIMIT $11::int
    ) tail WHERE q.channel = 'relation_vector'
),
-- Where that found too little, all of the spaces is looked at.
short AS MATERIALIZED (
    SELECT q.channel, count(*) * $11::int > (SELECT count(*) FROM near n WHERE n.channel = q.channel) AS few
    FROM query q GROUP BY q.channel
),
hit AS (
    TABLE near
    UNION ALL
    TABLE tail
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {passage_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past FROM at)) AND {passage_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'passage_vector' AND (SELECT few FROM short WHERE channel = 'passage_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {entity_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past OR dormant FROM at)) AND {entity_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'entity_vector' AND (SELECT few FROM short WHERE channel = 'entity_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {relation_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past_facts FROM at)) AND {relation_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'relation_vector' AND (SELECT few FROM short WHERE channel = 'relation_vector')
),
once AS (
    SELECT channel, id, distance, row_number() OVER (PARTITION BY channel, number ORDER BY distance, id) AS rank
    FROM (SELECT channel, number, id, min(distance) AS distance FROM hit GROUP BY channel, number, id) found
),
best AS (SELECT channel, id, 1 - min(distance) AS score FROM once WHERE rank <= $11::int GROUP BY channel, id)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM best GROUP BY channel
