-- name: search_scope
-- The spaces a question may see ($1: their names, null for all) and how much the realm holds at most, for rarities.
-- Ids are drawn in order, so the largest is a count that costs nothing; it exceeds the true one by what was discarded.
-- $2: the belief time that is asked for, null for now; horizon: from when on beliefs are kept, if that is later.
SELECT coalesce(array_agg(s.id), '{}') AS ids, coalesce(array_agg(s.name), '{}') AS names,
       NOT EXISTS (SELECT FROM {record}.space) AS nothing,
       EXISTS (SELECT FROM {record}.clock WHERE epoch = {epoch}) AS same,
       (SELECT horizon::text FROM {record}.clock WHERE horizon > $2::text::timestamptz) AS horizon,
       coalesce((SELECT max(id) FROM {record}.passage), 0) AS passages,
       coalesce((SELECT max(id) FROM {record}.entity_name), 0) AS entity_names,
       coalesce((SELECT max(id) FROM {record}.relation), 0) AS relations,
       coalesce((SELECT max(id) FROM {record}.assertion), 0) AS assertions
FROM {record}.space s WHERE $1::text[] IS NULL OR s.name = ANY($1)

-- name: search_vectors
-- Nearest by cosine. $1: query vectors, one after another; $2: their width; $3, $4: in which channel the query of which
-- number is searched (a channel that is not named is not read); $5: spaces; $6: hits of each channel.
WITH query AS MATERIALIZED (
    SELECT q.channel, q.number, (($1::real[])[q.number * $2::int + 1 : (q.number + 1) * $2::int])::{vector} AS embedding
    FROM unnest($3::text[], $4::int[]) AS q(channel, number)
),
-- A scan of an index on vectors passes by what is in other spaces: to read a small space whole costs less, and finds
-- all. Of whole realms nothing is passed by, so that nothing need be counted.
small AS MATERIALIZED (
    SELECT c.channel, cardinality($5::int[]) < (SELECT count(*) FROM {record}.space) AND CASE c.channel
        WHEN 'passage_vector' THEN (
            SELECT true FROM {passage_vector} v WHERE v.space = ANY($5::int[]) OFFSET 4000 LIMIT 1)
        WHEN 'entity_vector' THEN (
            SELECT true FROM {entity_vector} v WHERE v.space = ANY($5::int[]) OFFSET 4000 LIMIT 1)
        ELSE (SELECT true FROM {relation_vector} v WHERE v.space = ANY($5::int[]) OFFSET 4000 LIMIT 1)
    END IS NULL AS whole
    FROM (SELECT DISTINCT channel FROM query) c
),
-- "+ 0" keeps an index on one of the two from being used: here the one on spaces, below the one on vectors.
near AS MATERIALIZED (
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
        WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($5::int[]) ORDER BY distance LIMIT $6::int
    ) near WHERE q.channel = 'passage_vector' AND NOT (SELECT whole FROM small WHERE channel = 'passage_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
        WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($5::int[]) ORDER BY distance LIMIT $6::int
    ) near WHERE q.channel = 'entity_vector' AND NOT (SELECT whole FROM small WHERE channel = 'entity_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
        WHERE v.current AND NOT v.tail AND v.space + 0 = ANY($5::int[]) ORDER BY distance LIMIT $6::int
    ) near WHERE q.channel = 'relation_vector' AND NOT (SELECT whole FROM small WHERE channel = 'relation_vector')
),
-- What waits to be put into an index on vectors, of which there is never much.
tail AS (
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
        WHERE v.current AND v.tail AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) tail WHERE q.channel = 'passage_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
        WHERE v.current AND v.tail AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) tail WHERE q.channel = 'entity_vector'
    UNION ALL
    SELECT q.channel, q.number, tail.id, tail.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
        WHERE v.current AND v.tail AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) tail WHERE q.channel = 'relation_vector'
),
-- Where nothing was found, or too little, spaces are read whole.
short AS MATERIALIZED (
    SELECT q.channel, count(*) * $6::int > (SELECT count(*) FROM near n WHERE n.channel = q.channel) AS few
    FROM query q GROUP BY q.channel
),
hit AS (
    TABLE near
    UNION ALL
    TABLE tail
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {passage_vector} v
        WHERE v.current AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) near WHERE q.channel = 'passage_vector' AND (SELECT few FROM short WHERE channel = 'passage_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {entity_vector} v
        WHERE v.current AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) near WHERE q.channel = 'entity_vector' AND (SELECT few FROM short WHERE channel = 'entity_vector')
    UNION ALL
    SELECT q.channel, q.number, near.id, near.distance
    FROM query q CROSS JOIN LATERAL (
        SELECT v.id, v.embedding <=> q.embedding AS distance FROM {relation_vector} v
        WHERE v.current AND v.space = ANY($5::int[]) ORDER BY (v.embedding <=> q.embedding) + 0 LIMIT $6::int
    ) near WHERE q.channel = 'relation_vector' AND (SELECT few FROM short WHERE channel = 'relation_vector')
),
-- The scan's own order may be approximate, and what is found may be found twice: by one query, and by several.
once AS (
    SELECT channel, id, distance, row_number() OVER (PARTITION BY channel, number ORDER BY distance, id) AS rank
    FROM (SELECT channel, number, id, min(distance) AS distance FROM hit GROUP BY channel, number, id) found
),
best AS (SELECT channel, id, 1 - min(distance) AS score FROM once WHERE rank <= $6::int GROUP BY channel, id)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM best GROUP BY channel

-- name: search_words
-- BM25 (Robertson et al., TREC-3: k1 1.2, b 0.75) over the postings, and entities whose name's key is given. The usual
-- length is that of all postings read, common words' among them, since no index knows that of everything.
-- $1: terms; $2, $3, $4: kinds of postings, how many things of that kind there are, how many postings of a term are
-- read at most; $5: keys; $6: spaces; $7: hits of each channel; $8, $9, $10: words that may be misspelt, whether they
-- are written as names, letters a slip may bring in.
-- A term with more postings says little and is left out, unless a kind would be left without any; then those are read
-- that come first in the index. To choose among them would mean to read and sort them all.
WITH term AS MATERIALIZED (
    SELECT k.kind, p.*, cardinality(p.ids) > k.most AS common,
           ln(1 + (greatest(k.total - cardinality(p.ids), 0) + 0.5::float8) / (cardinality(p.ids) + 0.5)) AS rarity
    FROM unnest($2::smallint[], $3::bigint[], $4::int[]) AS k(kind, total, most)
    CROSS JOIN unnest($1::text[]) AS t(term) CROSS JOIN LATERAL (
        SELECT array_agg(id) AS ids, array_agg(frequency) AS frequencies, array_agg(length) AS lengths,
               sum(length)::float8 AS total
        FROM (
            SELECT p.id, p.frequency, p.length FROM {record}.posting p
            WHERE p.kind = k.kind AND p.term = t.term AND p.current AND p.space = ANY($6::int[]) LIMIT k.most + 1
        ) read
    ) p WHERE p.ids IS NOT NULL
),
kept AS MATERIALIZED (
    SELECT t.*, k.usual
    FROM term t JOIN (
        SELECT kind, bool_and(common) AS common, sum(total) / sum(cardinality(ids)) AS usual FROM term GROUP BY kind
    ) k USING (kind, common)
),
scored AS MATERIALIZED (
    SELECT t.kind, p.id, sum(t.rarity * p.frequency * 2.2 / (p.frequency + 0.3 + 0.9 * p.length / t.usual)) AS score
    FROM kept t CROSS JOIN LATERAL unnest(t.ids, t.frequencies, t.lengths) AS p(id, frequency, length)
    GROUP BY t.kind, p.id
),
sought AS MATERIALIZED (
    SELECT $1::text[] AS terms, $6::int[] AS spaces, $8::text[] AS words, $9::boolean[] AS named,
           $10::text[] AS letters,
           ARRAY[true] AS flags, k.most
    FROM unnest($2::smallint[], $4::int[]) AS k(kind, most) WHERE k.kind = 2
),
{misspelt},
-- Words of what is not current any more may still be flagged: each is looked at, from the best on, until enough are
-- found.
name AS (
    (SELECT n.entity, s.score
     FROM (
         SELECT id, score FROM scored WHERE kind = 2 UNION ALL SELECT id, score FROM misspelt
         ORDER BY score DESC, id OFFSET 0
     ) s
     CROSS JOIN LATERAL (
         SELECT n.entity FROM {record}.entity_name n WHERE n.id = s.id AND upper_inf(n.recorded) OFFSET 0
     ) n LIMIT 2 * $7::int)
    UNION ALL
    -- A name that stands in the question as a whole comes first, the longest of them at the head.
    SELECT n.entity, 100 + length(n.key) FROM {record}.entity_name n
    WHERE n.key = ANY($5::text[]) AND upper_inf(n.recorded)
),
hit AS (
    (SELECT 'passage_text' AS channel, it.id, it.score
     FROM (SELECT id, score FROM scored WHERE kind = 1 ORDER BY score DESC, id OFFSET 0) it
     WHERE (SELECT true FROM {record}.document_passage l WHERE l.passage = it.id AND upper_inf(l.recorded) LIMIT 1)
     LIMIT $7::int)
    UNION ALL
    (SELECT 'relation_text', it.id, it.score
     FROM (SELECT id, score FROM scored WHERE kind = 3 ORDER BY score DESC, id OFFSET 0) it
     WHERE (SELECT r.current FROM {record}.relation r WHERE r.id = it.id) LIMIT $7::int)
    UNION ALL
    (SELECT 'entity_name', e.id, max(n.score) AS score
     FROM name n JOIN {record}.entity source ON source.id = n.entity JOIN {record}.entity e ON e.id = source.canonical
     WHERE e.current AND e.space = ANY($6::int[]) GROUP BY e.id ORDER BY score DESC, e.id LIMIT $7::int)
)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM hit GROUP BY channel
