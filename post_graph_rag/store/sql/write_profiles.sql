-- name: fetch_profiles
-- What live passages say of entities $1 and of those they are merged into: of each that stands for itself, with all
-- that is merged into it, a bounded sample chosen by content; if nothing live says anything, of what was said last.
-- Also whether anything live mentions it, and the name that somebody gave it.
WITH wanted AS (
    SELECT unnest($1::bigint[]) AS id UNION SELECT canonical FROM {record}.entity WHERE id = ANY ($1::bigint[])
)
SELECT e.id AS entity, e.space, e.key, coalesce(said.sample, past.sample)::text AS sample, mentioned.live,
       p.name, p.type,
       p.description, e.current, e.canonical = e.id AS stands, p.pending,
       (SELECT g.name FROM {record}.given_name g WHERE g.entity = e.id AND upper_inf(g.recorded)) AS given
FROM wanted w JOIN {record}.entity e ON e.id = w.id
LEFT JOIN {record}.entity_profile p ON p.entity = e.id
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(o.name, o.type, o.description, m.id = e.id)) AS sample
    FROM (SELECT e.id WHERE e.canonical = e.id UNION ALL
          SELECT m.id FROM {record}.entity m WHERE m.canonical = e.id AND m.canonical <> m.id) AS m
    CROSS JOIN LATERAL (
        -- From one observation to the next different one by the index: equal ones, however many, cost nothing.
        WITH RECURSIVE walk AS (
            (SELECT name, type, description, -least(length(description), 300) AS place, digest, 1 AS n
             FROM {record}.observation WHERE entity = m.id AND upper_inf(recorded)
             ORDER BY -least(length(description), 300), digest LIMIT 1)
            UNION ALL
            SELECT next.*, w.n + 1
            FROM walk w CROSS JOIN LATERAL (
                SELECT name, type, description, -least(length(description), 300) AS place, digest
                FROM {record}.observation
                WHERE entity = m.id AND upper_inf(recorded)
                  AND (-least(length(description), 300), digest) > (w.place, w.digest)
                ORDER BY -least(length(description), 300), digest LIMIT 1) AS next
            WHERE w.n < 24
        )
        SELECT name, type, description FROM walk) AS o
) AS said ON true
LEFT JOIN LATERAL (
    WITH member AS MATERIALIZED (
        SELECT e.id WHERE said.sample IS NULL AND e.canonical = e.id UNION ALL
        SELECT m.id FROM {record}.entity m WHERE said.sample IS NULL AND m.canonical = e.id AND m.canonical <> m.id
    ), silent AS MATERIALIZED (
        SELECT max(upper(o.recorded)) AS since
        FROM member m CROSS JOIN LATERAL (
            SELECT recorded FROM {record}.observation WHERE entity = m.id AND NOT upper_inf(recorded) OFFSET 0) AS o
    )
    SELECT json_agg(json_build_array(o.name, o.type, o.description, m.id = e.id)) AS sample
    FROM member m CROSS JOIN LATERAL (
        SELECT DISTINCT name, type, description, -least(length(description), 300) AS place, digest
        FROM {record}.observation
        WHERE entity = m.id AND NOT upper_inf(recorded) AND upper(recorded) = (SELECT since FROM silent)
        ORDER BY -least(length(description), 300), digest LIMIT 24) AS o
) AS past ON true
LEFT JOIN LATERAL (
    -- As a plain join this may be planned as a scan of all mentions, for each entity.
    SELECT (SELECT true FROM (SELECT e.id WHERE e.canonical = e.id UNION ALL
                              SELECT m.id FROM {record}.entity m WHERE m.canonical = e.id AND m.canonical <> m.id) AS m
            CROSS JOIN LATERAL (SELECT FROM {record}.mention x WHERE x.entity = m.id AND upper_inf(x.recorded)
                                LIMIT 1) AS x
            LIMIT 1) IS NOT NULL AS live
) AS mentioned ON true

-- name: settle_names
-- Names and aliases that passages $1 give or gave: written where they are new, ended where neither a live passage nor
-- somebody's word gives them any more; $2 the stamp. Answers those that were written (live) and those that ended.
WITH said AS (
    SELECT entity, name, NULL AS key, bool_or(upper_inf(recorded)) AS live
    FROM {record}.observation WHERE passage = ANY ($1::bigint[]) GROUP BY entity, name
    UNION ALL
    SELECT entity, alias, key, bool_or(upper_inf(recorded))
    FROM {record}.alias_claim WHERE passage = ANY ($1::bigint[]) GROUP BY entity, alias, key
), known AS (
    -- A scalar query stays a look-up by index, where EXISTS might become a hash of all claims there are.
    SELECT s.entity, e.space, s.name, coalesce(s.key, e.key) AS key, s.key IS NOT NULL AS alias, n.id,
           s.live OR CASE WHEN s.key IS NULL
               THEN coalesce(
                   (SELECT true FROM {record}.observation o WHERE o.entity = s.entity AND md5(o.name) = md5(s.name)
                    AND o.name = s.name AND upper_inf(o.recorded) LIMIT 1),
                   (SELECT true FROM {record}.given_name g WHERE g.entity = s.entity AND g.name = s.name
                    AND upper_inf(g.recorded)))
               ELSE (SELECT true FROM {record}.alias_claim c WHERE c.entity = s.entity AND c.key = s.key
                     AND c.alias = s.name AND upper_inf(c.recorded) LIMIT 1) END IS NOT NULL AS live
    FROM said s
    CROSS JOIN LATERAL (SELECT k.space, k.key FROM {record}.entity k WHERE k.id = s.entity OFFSET 0) AS e
    LEFT JOIN LATERAL (
        SELECT k.id FROM {record}.entity_name k WHERE k.entity = s.entity AND k.name = s.name
           AND k.alias = (s.key IS NOT NULL) AND upper_inf(k.recorded) OFFSET 0) AS n ON true
), ended AS (
    UPDATE {record}.entity_name n SET recorded = tstzrange(lower(n.recorded), $2)
    FROM known k WHERE n.id = ANY (ARRAY(SELECT id FROM known WHERE NOT live)) AND n.id = k.id AND NOT k.live
), written AS (
    INSERT INTO {record}.entity_name (entity, name, key, alias, recorded)
    SELECT entity, name, key, alias, tstzrange($2, NULL) FROM known WHERE live AND id IS NULL
    ORDER BY entity, name, alias
    RETURNING id, entity, name, alias
)
SELECT w.id, k.space, w.name, true AS live FROM written w JOIN known k USING (entity, name, alias)
UNION ALL SELECT id, space, name, false FROM known WHERE NOT live AND id IS NOT NULL

-- name: put_given_name
-- Entity $1 is called $2 (null: what texts call it), with the key $3, from stamp $4 on. Answers the names under which
-- it is found that are new (live) or ended with this: what a live passage calls it stays.
WITH before AS (
    SELECT id, name FROM {record}.given_name WHERE entity = $1 AND upper_inf(recorded)
), ended AS (
    UPDATE {record}.given_name g SET recorded = tstzrange(lower(g.recorded), $4)
    FROM before b WHERE g.id = b.id AND b.name IS DISTINCT FROM $2
), given AS (
    INSERT INTO {record}.given_name (entity, name, recorded)
    SELECT $1, $2, tstzrange($4, NULL)
    WHERE $2::text IS NOT NULL AND NOT EXISTS (SELECT FROM before WHERE name = $2)
), lost AS (
    UPDATE {record}.entity_name n SET recorded = tstzrange(lower(n.recorded), $4)
    FROM before b
    WHERE n.entity = $1 AND n.name = b.name AND NOT n.alias AND upper_inf(n.recorded) AND b.name IS DISTINCT FROM $2
      AND (SELECT true FROM {record}.observation o WHERE o.entity = $1 AND md5(o.name) = md5(b.name)
           AND o.name = b.name AND upper_inf(o.recorded) LIMIT 1) IS NULL
    RETURNING n.id, n.name
), found AS (
    INSERT INTO {record}.entity_name (entity, name, key, alias, recorded)
    SELECT $1, $2, $3, false, tstzrange($4, NULL)
    WHERE $2::text IS NOT NULL AND NOT EXISTS (
        SELECT FROM {record}.entity_name n
        WHERE n.entity = $1 AND n.name = $2 AND NOT n.alias AND upper_inf(n.recorded))
    RETURNING id, name
)
SELECT f.id, e.space, f.name, true AS live FROM found f JOIN {record}.entity e ON e.id = $1
UNION ALL SELECT l.id, e.space, l.name, false FROM lost l JOIN {record}.entity e ON e.id = $1

-- name: apply_profiles
-- $1 json [{entity, name, type, description, pending, current}]; $2 the stamp.
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS p(entity bigint, name text, type text, description text,
        pending boolean, current boolean)
), flags AS (
    UPDATE {record}.entity e SET current = w.current FROM wanted w
    WHERE e.id = w.entity AND e.current <> w.current AND e.id = ANY (ARRAY(SELECT entity FROM wanted))
    RETURNING e.id, e.current
), gone AS (
    UPDATE {record}.entity_presence p SET recorded = tstzrange(lower(p.recorded), $2)
    FROM flags f WHERE p.entity = f.id AND NOT f.current AND upper_inf(p.recorded)
), come AS (
    INSERT INTO {record}.entity_presence (entity, recorded) SELECT id, tstzrange($2, NULL) FROM flags WHERE current
)
INSERT INTO {record}.entity_profile AS old (entity, name, type, description, pending)
SELECT entity, name, type, description, pending FROM wanted ORDER BY entity
ON CONFLICT (entity) DO UPDATE SET name = excluded.name, type = excluded.type,
    description = excluded.description, pending = old.pending OR excluded.pending
WHERE (old.name, old.type, old.description) IS DISTINCT FROM (excluded.name, excluded.type, excluded.description)
   OR excluded.pending AND NOT old.pending
