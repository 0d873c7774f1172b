-- name: watermark
SELECT stamp FROM {record}.clock WHERE epoch = {epoch}

-- name: changes_since
-- What came and went at or after $1, behind kind $2 and id $3 there, in the order (at, kind, id), of the kinds $4 (1
-- document, 2 entity, 3 relation), $5 at most. One row: clock, where to go on, and the changes as JSON.
-- What an erasure put right, without taking it away, is noted with what it erased: it is told as it stands.
-- Each source gives its first $5 + 1 rows and all that share the last one's stamp, so it is complete up to there.
WITH came AS MATERIALIZED (
    (SELECT 1 AS source, lower(recorded) AS at, 1 AS kind, document AS id FROM {record}.document_version
     WHERE 1 = ANY ($4::int[]) AND lower(recorded) >= $1::timestamptz
       AND (lower(recorded), 1, document) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY lower(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 2, upper(recorded), 1, document FROM {record}.document_version
     WHERE 1 = ANY ($4::int[]) AND NOT upper_inf(recorded) AND upper(recorded) >= $1::timestamptz
       AND (upper(recorded), 1, document) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY upper(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 3, lower(recorded), 2, entity FROM {record}.entity_presence
     WHERE 2 = ANY ($4::int[]) AND lower(recorded) >= $1::timestamptz
       AND (lower(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY lower(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 4, upper(recorded), 2, entity FROM {record}.entity_presence
     WHERE 2 = ANY ($4::int[]) AND NOT upper_inf(recorded) AND upper(recorded) >= $1::timestamptz
       AND (upper(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY upper(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 5, lower(recorded), 2, entity FROM {record}.standing
     WHERE 2 = ANY ($4::int[]) AND lower(recorded) >= $1::timestamptz
       AND (lower(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY lower(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 6, upper(recorded), 2, entity FROM {record}.standing
     WHERE 2 = ANY ($4::int[]) AND NOT upper_inf(recorded) AND upper(recorded) >= $1::timestamptz
       AND (upper(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY upper(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 7, lower(recorded), 2, entity FROM {record}.given_name
     WHERE 2 = ANY ($4::int[]) AND lower(recorded) >= $1::timestamptz
       AND (lower(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY lower(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 8, upper(recorded), 2, entity FROM {record}.given_name
     WHERE 2 = ANY ($4::int[]) AND NOT upper_inf(recorded) AND upper(recorded) >= $1::timestamptz
       AND (upper(recorded), 2, entity) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY upper(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 9, lower(recorded), 3, relation FROM {record}.relation_period
     WHERE 3 = ANY ($4::int[]) AND lower(recorded) >= $1::timestamptz
       AND (lower(recorded), 3, relation) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY lower(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 10, upper(recorded), 3, relation FROM {record}.relation_period
     WHERE 3 = ANY ($4::int[]) AND NOT upper_inf(recorded) AND upper(recorded) >= $1::timestamptz
       AND (upper(recorded), 3, relation) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY upper(recorded) FETCH FIRST ($5::int + 1) ROWS WITH TIES)
    UNION ALL
    (SELECT 11, e.at, k.kind, e.id
     FROM {record}.erasure e
     JOIN (VALUES (1, 'document'), (2, 'entity'), (3, 'relation')) AS k(kind, name) ON k.name = e.kind
     WHERE k.kind = ANY ($4::int[]) AND e.at >= $1::timestamptz
       AND (e.at, k.kind, e.id) > ($1::timestamptz, $2::int, $3::bigint)
     ORDER BY e.at FETCH FIRST ($5::int + 1) ROWS WITH TIES)
),
-- Behind the earliest stamp at which a source broke off, others may be ahead of it.
complete AS MATERIALIZED (
    SELECT min(last) AS until
    FROM (SELECT max(at) AS last FROM came GROUP BY source HAVING count(*) > $5::int) AS broken_off
),
step AS MATERIALIZED (
    SELECT at, kind, id, bool_or(source = 11) AS erased
    FROM came WHERE at <= coalesce((SELECT until FROM complete), 'infinity')
    GROUP BY at, kind, id ORDER BY at, kind, id LIMIT $5::int + 1
),
page AS MATERIALIZED (
    SELECT * FROM step ORDER BY at, kind, id LIMIT $5::int
),
told AS (
    SELECT p.at, p.kind, p.id, d.space, d.key AS text, NULL::bigint AS other, NULL::jsonb AS closings,
           CASE WHEN p.erased AND d.space IS NULL THEN 'erased' WHEN v.came AND v.went THEN 'changed'
                WHEN v.came THEN 'new' WHEN v.went THEN 'deleted' END AS change
    FROM page p
    LEFT JOIN LATERAL (SELECT space, key FROM {record}.document k WHERE k.id = p.id OFFSET 0) AS d ON true
    CROSS JOIN LATERAL (
        SELECT bool_or(lower(k.recorded) = p.at) AS came, bool_or(upper(k.recorded) = p.at) AS went
        FROM {record}.document_version k WHERE k.document = p.id) AS v
    WHERE p.kind = 1
    UNION ALL
    SELECT p.at, p.kind, p.id, e.space, coalesce(f.name, (
               SELECT n.name FROM {record}.entity_name n WHERE n.entity = p.id AND NOT n.alias ORDER BY n.id LIMIT 1
           ), e.key), CASE WHEN p.erased OR s.begun THEN s.stands ELSE s.out_of END, NULL,
           CASE WHEN p.erased AND e.space IS NULL THEN 'erased'
                WHEN s.stands IS NOT NULL AND (p.erased OR s.begun) THEN 'merged'
                WHEN p.erased THEN CASE WHEN n.holds THEN 'revived' ELSE 'dormant' END
                WHEN s.out_of IS NOT NULL AND n.came THEN 'split'
                WHEN n.came AND NOT n.went THEN CASE WHEN n.before THEN 'revived' ELSE 'new' END
                WHEN n.went AND NOT n.came OR s.out_of IS NOT NULL THEN 'dormant'
                WHEN g.given THEN 'renamed' END
    FROM page p
    LEFT JOIN LATERAL (SELECT space, key FROM {record}.entity k WHERE k.id = p.id OFFSET 0) AS e ON true
    LEFT JOIN LATERAL (SELECT name FROM {record}.entity_profile k WHERE k.entity = p.id OFFSET 0) AS f ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(lower(k.recorded) = p.at), false) AS came,
               coalesce(bool_or(upper(k.recorded) = p.at), false) AS went,
               coalesce(bool_or(lower(k.recorded) < p.at), false) AS before,
               coalesce(bool_or(k.recorded @> p.at), false) AS holds
        FROM {record}.entity_presence k WHERE k.entity = p.id) AS n
    CROSS JOIN LATERAL (
        SELECT max(k.canonical) FILTER (WHERE k.recorded @> p.at) AS stands,
               max(k.canonical) FILTER (WHERE upper(k.recorded) = p.at) AS out_of,
               coalesce(bool_or(lower(k.recorded) = p.at), false) AS begun
        FROM {record}.standing k WHERE k.entity = p.id) AS s
    CROSS JOIN LATERAL (
        SELECT bool_or(lower(k.recorded) = p.at OR upper(k.recorded) = p.at) AS given
        FROM {record}.given_name k WHERE k.entity = p.id) AS g
    WHERE p.kind = 2
    UNION ALL
    SELECT p.at, p.kind, p.id, r.space, r.fact, NULL, CASE WHEN NOT t.holds THEN t.closings END,
           CASE WHEN p.erased AND r.space IS NULL THEN 'erased'
                WHEN t.holds AND NOT t.known THEN 'new'
                WHEN p.erased THEN CASE WHEN t.holds THEN 'reopened' ELSE 'closed' END
                WHEN t.holds AND NOT t.held THEN 'reopened'
                WHEN NOT t.holds AND (t.held OR NOT t.known) THEN 'closed' ELSE 'changed' END
    FROM page p
    LEFT JOIN LATERAL (SELECT space, fact FROM {record}.relation k WHERE k.id = p.id OFFSET 0) AS r ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(lower(k.recorded) < p.at), false) AS known,
               coalesce(bool_or(k.closed_by IS NULL AND lower(k.recorded) < p.at
                                AND coalesce(upper(k.recorded), 'infinity') >= p.at), false) AS held,
               coalesce(bool_or(k.closed_by IS NULL AND k.recorded @> p.at), false) AS holds,
               jsonb_agg(DISTINCT k.closed_by) FILTER (WHERE k.closed_by IS NOT NULL AND k.recorded @> p.at) AS closings
        FROM {record}.relation_period k WHERE k.relation = p.id) AS t
    WHERE p.kind = 3
)
SELECT c.stamp, c.horizon, (SELECT until FROM complete) AS until, (SELECT count(*) FROM step) > $5::int AS over,
       last.at, last.kind, last.id,
       (SELECT json_agg(json_build_object(
                   'at', to_char(t.at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'kind', t.kind, 'id', t.id, 'change', t.change,
                   'space', (SELECT s.name FROM {record}.space s WHERE s.id = t.space), 'text', t.text,
                   'other', t.other, 'closings', t.closings
               ) ORDER BY t.at, t.kind, t.id)
        FROM told t WHERE t.change IS NOT NULL)::text AS changes
FROM {record}.clock c
LEFT JOIN (SELECT at, kind, id FROM page ORDER BY at DESC, kind DESC, id DESC LIMIT 1) AS last ON true
WHERE c.epoch = {epoch}
