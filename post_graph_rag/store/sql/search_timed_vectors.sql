-- name: search_timed_vectors
-- As search_vectors, of what was visible. $1 to $5: when; $6: query vectors; $7: their width; $8, $9: in which channel the
-- query of which number is searched; $10: spaces; $11: hits of each channel.
-- What is not current lies in no index on vectors and is read whole. Of the nearest of both sorts so many are looked at as
-- it takes to find enough that were visible, within a bound that keeps the sorting of a table without such an index short.
WITH {at},
query AS MATERIALIZED (
    SELECT q.channel, (($6::real[])[q.number * $7::int + 1 : (q.number + 1) * $7::int])::{vector} AS embedding
    FROM unnest($8::text[], $9::int[]) AS q(channel, number)
),
near AS MATERIALIZED (
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
             WHERE v.current AND v.space + 0 = ANY($10::int[]) ORDER BY distance LIMIT 50 * $11::int)
            UNION ALL
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
             WHERE (SELECT past FROM at) AND NOT v.current AND v.space = ANY($10::int[])
             ORDER BY distance LIMIT 50 * $11::int)
        ) it WHERE {passage_visible} ORDER BY it.distance LIMIT $11::int
    ) near WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
             WHERE v.current AND v.space + 0 = ANY($10::int[]) ORDER BY distance LIMIT 50 * $11::int)
            UNION ALL
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
             WHERE (SELECT past OR dormant FROM at) AND NOT v.current AND v.space = ANY($10::int[])
             ORDER BY distance LIMIT 50 * $11::int)
        ) it WHERE {entity_visible} ORDER BY it.distance LIMIT $11::int
    ) near WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.distance
        FROM (
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
             WHERE v.current AND v.space + 0 = ANY($10::int[]) ORDER BY distance LIMIT 50 * $11::int)
            UNION ALL
            (SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
             WHERE (SELECT past_facts FROM at) AND NOT v.current AND v.space = ANY($10::int[])
             ORDER BY distance LIMIT 50 * $11::int)
        ) it WHERE {relation_visible} ORDER BY it.distance LIMIT $11::int
    ) near WHERE q.channel = 'relation_vector'
),
-- Where that found too little, all of the spaces is looked at.
short AS MATERIALIZED (
    SELECT q.channel, count(*) * $11::int > (SELECT count(*) FROM near n WHERE n.channel = q.channel) AS few
    FROM query q GROUP BY q.channel
),
hit AS (
    TABLE near
    UNION ALL
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {passage_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past FROM at)) AND {passage_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'passage_vector' AND (SELECT few FROM short WHERE channel = 'passage_vector')
    UNION ALL
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {entity_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past OR dormant FROM at)) AND {entity_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'entity_vector' AND (SELECT few FROM short WHERE channel = 'entity_vector')
    UNION ALL
    SELECT q.channel, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT it.id, it.embedding <=> q.embedding AS distance FROM {relation_vector} it
        WHERE it.space = ANY($10::int[]) AND (it.current OR (SELECT past_facts FROM at)) AND {relation_visible}
        ORDER BY (it.embedding <=> q.embedding) + 0 LIMIT $11::int
    ) near WHERE q.channel = 'relation_vector' AND (SELECT few FROM short WHERE channel = 'relation_vector')
),
best AS (SELECT channel, id, 1 - min(distance) AS score FROM hit GROUP BY channel, id)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM best GROUP BY channel
