-- name: search_timed_words
-- As search_words, of what was visible. $1 to $6: when; $7: terms; $8, $9, $10: kinds of postings, how many things of
-- that kind there are, how many postings of a term are read at most; $11: keys; $12: spaces; $13: hits of each channel;
-- $14, $15, $16: words that may be misspelt, whether they are written as names, letters a slip may bring in.
WITH {at},
kind AS MATERIALIZED (
    SELECT k.*, CASE k.kind WHEN 1 THEN past WHEN 2 THEN past OR dormant ELSE past_facts END AS past
    FROM unnest($8::smallint[], $9::bigint[], $10::int[]) AS k(kind, total, most) CROSS JOIN at
),
term AS MATERIALIZED (
    SELECT k.kind, p.*, cardinality(p.ids) > k.most AS common,
           ln(1 + (greatest(k.total - cardinality(p.ids), 0) + 0.5::float8) / (cardinality(p.ids) + 0.5)) AS rarity
    FROM kind k CROSS JOIN unnest($7::text[]) AS t(term) CROSS JOIN LATERAL (
        SELECT array_agg(id) AS ids, array_agg(frequency) AS frequencies, array_agg(length) AS lengths,
               sum(length)::float8 AS total
        FROM (
            SELECT p.id, p.frequency, p.length FROM {record}.posting p
            WHERE p.kind = k.kind AND p.term = t.term AND p.current AND p.space = ANY($12::int[])
            UNION ALL
            SELECT p.id, p.frequency, p.length FROM {record}.posting p
            WHERE k.past AND p.kind = k.kind AND p.term = t.term AND NOT p.current AND p.space = ANY($12::int[])
            LIMIT k.most + 1
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
    SELECT $7::text[] AS terms, $12::int[] AS spaces, $14::text[] AS words, $15::boolean[] AS named,
           $16::text[] AS letters,
           CASE WHEN k.past THEN ARRAY[true, false] ELSE ARRAY[true] END AS flags, k.most
    FROM kind k WHERE k.kind = 2
),
{misspelt},
-- A dormant entity is found by the names it had.
name AS (
    (SELECT n.entity, s.score, n.live
     FROM (
         SELECT id, score FROM scored WHERE kind = 2 UNION ALL SELECT id, score FROM misspelt
         ORDER BY score DESC, id OFFSET 0
     ) s
     CROSS JOIN LATERAL (
         SELECT n.entity, n.recorded @> mark AS live FROM {record}.entity_name n CROSS JOIN at
         WHERE n.id = s.id AND (n.recorded @> mark OR dormant AND lower(n.recorded) <= mark) OFFSET 0
     ) n LIMIT 2 * $13::int)
    UNION ALL
    SELECT n.entity, 100 + length(n.key), n.recorded @> mark
    FROM at CROSS JOIN LATERAL (
        SELECT n.entity, n.key, n.recorded FROM {record}.entity_name n
        WHERE n.key = ANY($11::text[]) AND upper_inf(n.recorded)
        UNION ALL
        SELECT n.entity, n.key, n.recorded FROM {record}.entity_name n
        WHERE (past OR dormant) AND n.key = ANY($11::text[]) AND NOT upper_inf(n.recorded)
    ) n WHERE n.recorded @> mark OR dormant AND lower(n.recorded) <= mark
),
named AS MATERIALIZED (
    SELECT n.score, n.live, coalesce((
        SELECT s.canonical FROM {record}.standing s
        WHERE s.entity = n.entity AND s.recorded @> (SELECT mark FROM at) LIMIT 1), n.entity) AS id
    FROM name n
),
hit AS (
    (SELECT 'passage_text' AS channel, it.id, it.score
     FROM (SELECT id, score FROM scored WHERE kind = 1 ORDER BY score DESC, id OFFSET 0) it
     WHERE {passage_visible} LIMIT $13::int)
    UNION ALL
    (SELECT 'relation_text', it.id, it.score
     FROM (SELECT id, score FROM scored WHERE kind = 3 ORDER BY score DESC, id OFFSET 0) it
     WHERE {relation_visible} LIMIT $13::int)
    UNION ALL
    (SELECT 'entity_name', it.id, max(it.score) AS score
     FROM named it CROSS JOIN LATERAL (SELECT e.space FROM {record}.entity e WHERE e.id = it.id OFFSET 0) e
     WHERE e.space = ANY($12::int[]) AND (it.live OR {entity_present} IS NULL) AND {entity_visible}
     GROUP BY it.id ORDER BY score DESC, it.id LIMIT $13::int)
)
SELECT channel, array_agg(id ORDER BY score DESC, id) AS ids, array_agg(score ORDER BY score DESC, id) AS scores
FROM hit GROUP BY channel
