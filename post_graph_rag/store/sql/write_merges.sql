-- name: touched_claims
-- What decides which entities are one, of entities $1 and of all whose fate may follow from theirs: those whose keys
-- they claim, or claimed, their namesakes, those that somebody merged with them or took apart from them, and so on.
-- cause: 'sense': source is of no known kind, and of its namesakes that live passages mention only target is of one;
-- 'alias': else a live claim on the key of source; both unless somebody's word has merged it; 'user': somebody's merge;
-- 'similar': the two are alike, and source has neither claims nor such namesakes; 'apart': somebody took the two apart;
-- 'open': source is of no known kind and has several such namesakes. Claims are read from the names that aliases give,
-- which are few however often an alias is said. types: of what the passages say of the two, a bounded sample chosen by
-- content, so that order does not matter.
WITH RECURSIVE affected AS (
    SELECT unnest($1::bigint[]) AS id
    UNION
    -- Look-ups one by one, so that no plan joins entities by their space alone.
    SELECT next.id
    FROM affected a CROSS JOIN LATERAL (
        SELECT named.id
        FROM (SELECT e.space, e.key FROM {record}.entity e WHERE e.id = a.id OFFSET 0) AS e
        CROSS JOIN LATERAL (
            SELECT e.key
            UNION ALL
            SELECT n.key FROM {record}.entity_name n WHERE n.entity = a.id AND n.alias
        ) AS n
        CROSS JOIN LATERAL (
            SELECT e2.id FROM {record}.entity e2 WHERE e2.space = e.space AND e2.key = n.key OFFSET 0) AS named
        UNION ALL
        SELECT m.source FROM {record}.merge m
        WHERE m.target = a.id AND upper_inf(m.recorded) AND m.cause IN ('user', 'similar')
        UNION ALL
        SELECT m.target FROM {record}.merge m
        WHERE m.source = a.id AND upper_inf(m.recorded) AND m.cause IN ('user', 'similar')
        UNION ALL SELECT x.source FROM {record}.apart x WHERE x.target = a.id AND upper_inf(x.recorded)
        UNION ALL SELECT x.target FROM {record}.apart x WHERE x.source = a.id AND upper_inf(x.recorded)
    ) AS next
), unmerged AS MATERIALIZED (
    SELECT e.id, e.space, e.key, e.sense
    FROM affected a
    CROSS JOIN LATERAL (
        SELECT k.id, k.space, k.key, k.sense FROM {record}.entity k WHERE k.id = a.id OFFSET 0) AS e
    WHERE (SELECT true FROM {record}.merge m
           WHERE m.source = e.id AND upper_inf(m.recorded) AND m.cause = 'user') IS NULL
), senses AS MATERIALIZED (
    SELECT u.id, u.key, min(t.id) AS target, count(*) > 1 AS open
    FROM unmerged u
    CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.entity k WHERE k.space = u.space AND k.key = u.key AND k.sense > 0 OFFSET 0) AS t
    WHERE u.sense = 0
      AND (SELECT true FROM {record}.mention m WHERE m.entity = t.id AND upper_inf(m.recorded) LIMIT 1)
    GROUP BY u.id, u.key
), pairs AS MATERIALIZED (
    SELECT CASE WHEN s.open THEN 'open' ELSE 'sense' END AS cause, s.id AS source, s.key AS source_key,
           s.target, s.key AS target_key, e.canonical
    FROM senses s
    CROSS JOIN LATERAL (SELECT k.canonical FROM {record}.entity k WHERE k.id = s.target OFFSET 0) AS e
    UNION ALL
    SELECT DISTINCT 'alias' AS cause, named.id AS source, named.key AS source_key, claimant.id AS target,
           claimant.key AS target_key, claimant.canonical
    FROM unmerged named
    CROSS JOIN LATERAL (
        SELECT n.entity FROM {record}.entity_name n
        WHERE n.key = named.key AND n.alias AND upper_inf(n.recorded) OFFSET 0
    ) AS n
    CROSS JOIN LATERAL (
        SELECT k.id, k.space, k.key, k.canonical FROM {record}.entity k WHERE k.id = n.entity OFFSET 0) AS claimant
    WHERE claimant.space = named.space AND claimant.id <> named.id
      AND named.id NOT IN (SELECT id FROM senses WHERE NOT open)
    UNION ALL
    SELECT word.cause, a.id, '', word.target, e.key, e.canonical
    FROM affected a
    CROSS JOIN LATERAL (SELECT k.id, k.space, k.key, k.sense FROM {record}.entity k WHERE k.id = a.id OFFSET 0) AS s
    CROSS JOIN LATERAL (
        SELECT m.cause, m.target FROM {record}.merge m
        WHERE m.source = a.id AND upper_inf(m.recorded)
          AND (m.cause = 'user' OR m.cause = 'similar' AND {claimed_by_none})
        UNION ALL
        SELECT 'apart', x.target FROM {record}.apart x WHERE x.source = a.id AND upper_inf(x.recorded)
    ) AS word
    CROSS JOIN LATERAL (SELECT k.key, k.canonical FROM {record}.entity k WHERE k.id = word.target OFFSET 0) AS e
)
SELECT p.cause, p.source, p.source_key, p.target, p.target_key,
       CASE WHEN p.target IN (SELECT id FROM affected) THEN p.target ELSE p.canonical END AS stands,
       s.types AS source_types, t.types AS target_types
FROM pairs p
CROSS JOIN LATERAL (SELECT array_agg(type) AS types FROM (
    SELECT type FROM {record}.observation WHERE entity = p.source AND upper_inf(recorded) AND p.cause = 'alias'
    ORDER BY -least(length(description), 300), digest LIMIT 24) AS sample) AS s
CROSS JOIN LATERAL (SELECT array_agg(type) AS types FROM (
    SELECT type FROM {record}.observation WHERE entity = p.target AND upper_inf(recorded) AND p.cause = 'alias'
    ORDER BY -least(length(description), 300), digest LIMIT 24) AS sample) AS t

-- name: live_merges
-- Live merges that are nobody's word: those of sources $2, and those in which entities $1 take part on either side.
SELECT source, target FROM {record}.merge
WHERE source = ANY ($1::bigint[] || $2::bigint[]) AND upper_inf(recorded) AND cause <> 'user'
UNION
SELECT source, target FROM {record}.merge
WHERE target = ANY ($1::bigint[]) AND upper_inf(recorded) AND cause <> 'user'

-- name: put_merges
-- $1 sources whose merge ends; $2 sources, $3 targets and $4 causes of new ones; $5 the stamp.
WITH ended AS (
    UPDATE {record}.merge SET recorded = tstzrange(lower(recorded), $5)
    WHERE source = ANY ($1::bigint[]) AND upper_inf(recorded) AND cause <> 'user'
    RETURNING id
)
INSERT INTO {record}.merge (source, target, cause, recorded)
SELECT source, target, cause, tstzrange($5, NULL)
FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS m(source, target, cause)
WHERE (SELECT count(*) FROM ended) >= 0

-- name: put_user_merges
-- Somebody's word: entities $1 are merged into $2 from stamp $3 on, in place of merges that are nobody's word.
WITH ended AS (
    UPDATE {record}.merge SET recorded = tstzrange(lower(recorded), $3)
    WHERE source = ANY ($1::bigint[]) AND upper_inf(recorded) AND cause <> 'user'
    RETURNING id
)
INSERT INTO {record}.merge (source, target, cause, recorded)
SELECT source, $2, 'user', tstzrange($3, NULL) FROM unnest($1::bigint[]) AS m(source)
WHERE (SELECT count(*) FROM ended) >= 0

-- name: end_merge
-- The live merge of entity $1 ends at stamp $2; answers what it was.
UPDATE {record}.merge SET recorded = tstzrange(lower(recorded), $2)
WHERE source = $1 AND upper_inf(recorded) RETURNING target, cause

-- name: put_apart
-- Somebody took entity $1 apart from $2 at stamp $3.
INSERT INTO {record}.apart (source, target, recorded) VALUES ($1, $2, tstzrange($3, NULL))

-- name: merge_component
-- All entities that live merges tie to entities $1, with the merge that leads on from each.
WITH RECURSIVE tied AS (
    SELECT unnest($1::bigint[]) AS id
    UNION
    SELECT CASE WHEN m.source = t.id THEN m.target ELSE m.source END
    FROM tied t JOIN {record}.merge m ON upper_inf(m.recorded) AND (m.source = t.id OR m.target = t.id)
)
SELECT e.id, e.key, e.sense, e.canonical, m.target, m.cause
FROM tied t JOIN {record}.entity e ON e.id = t.id
LEFT JOIN {record}.merge m ON m.source = e.id AND upper_inf(m.recorded)

-- name: put_canonical
-- Entities $1 stand for $2 from stamp $3 on.
WITH wanted AS (
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS w(id, canonical)
), ended AS (
    UPDATE {record}.standing s SET recorded = tstzrange(lower(s.recorded), $3)
    WHERE s.entity = ANY ($1::bigint[]) AND upper_inf(s.recorded)
), begun AS (
    INSERT INTO {record}.standing (entity, canonical, recorded)
    SELECT id, canonical, tstzrange($3, NULL) FROM wanted WHERE id <> canonical
)
UPDATE {record}.entity e SET canonical = w.canonical FROM wanted w WHERE e.id = w.id

-- name: mentioning_passages
SELECT DISTINCT passage FROM {record}.mention WHERE entity = ANY ($1::bigint[]) AND upper_inf(recorded)
