-- What is left after something was taken away, put right: what nothing gives any more goes, and spans of belief are cut
-- to the time in which what is left was there to give it.

-- name: unfounded_relations
-- Of relations $1, and of all that end in entities $2: which have nothing any more to rest on.
WITH candidate AS (
    SELECT unnest($1::bigint[]) AS id, false AS lost
    UNION
    SELECT r.id, true FROM unnest($2::bigint[]) AS w(id) CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.relation k WHERE k.subject = w.id AND k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.subject = w.id AND NOT k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.object = w.id AND k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.object = w.id AND NOT k.current) AS r
)
SELECT c.id, bool_or(c.lost) OR (
    SELECT true FROM {record}.relation_evidence e WHERE e.relation = c.id LIMIT 1) IS NULL AS unfounded
FROM candidate c GROUP BY c.id

-- name: forget_relations
-- Relations $1 with all that hangs on them.
WITH relations AS (
    DELETE FROM {record}.relation WHERE id = ANY ($1::bigint[]) RETURNING id, subject, predicate, object, negated
), periods AS (
    DELETE FROM {record}.relation_period WHERE relation = ANY ($1::bigint[])
), evidence AS (
    DELETE FROM {record}.relation_evidence WHERE relation = ANY ($1::bigint[]) RETURNING relation, assertion
), points AS (
    DELETE FROM {record}.slot_point p USING evidence e WHERE p.assertion = e.assertion AND p.relation = e.relation
), verdicts AS (
    DELETE FROM {record}.verdict WHERE one = ANY ($1::bigint[])
), other_verdicts AS (
    DELETE FROM {record}.verdict WHERE other = ANY ($1::bigint[]) AND one <> ALL ($1::bigint[])
), words AS (
    DELETE FROM {record}.posting WHERE kind = 3 AND id = ANY ($1::bigint[])
), said AS (
    SELECT o.id FROM relations r CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.relation_override k WHERE k.subject = r.subject AND k.predicate = r.predicate
           AND k.object = r.object AND k.negated = r.negated AND upper_inf(k.recorded)
        UNION ALL
        SELECT k.id FROM {record}.relation_override k WHERE k.subject = r.subject AND k.predicate = r.predicate
           AND k.object = r.object AND k.negated = r.negated AND NOT upper_inf(k.recorded)) AS o
)
DELETE FROM {record}.relation_override o WHERE o.id = ANY (ARRAY(SELECT id FROM said))

-- name: mend_periods
-- Periods of relations $1, of those that relations $1 or $2 ended, and of those that this commit (stamp $3) changed. A
-- row that is closed stays while its bounds are stated by evidence of its time that is left or follow from somebody's
-- word, and all that ended it has evidence of its time too; it is cut to the time in which that was held and evidence
-- of its span (without a date if it has none), and so is the beginning of what is open. What this commit opened in the
-- place of a row it ended began when the evidence for it was all there, which is known only from when that row began.
-- Answers the relations that were looked at.
WITH touched AS (
    SELECT unnest($1::bigint[]) AS id
    UNION
    SELECT p.relation FROM {record}.relation_period p WHERE NOT upper_inf(p.recorded) AND upper(p.recorded) = $3
    UNION
    SELECT p.relation FROM unnest($1::bigint[] || $2::bigint[]) AS w(id) CROSS JOIN LATERAL (
        SELECT k.relation FROM {record}.relation_period k
        WHERE k.closed_by IS NOT NULL AND k.closed_by -> 'relations' @> to_jsonb(w.id) OFFSET 0) AS p
), row AS MATERIALIZED (
    SELECT p.* FROM touched t CROSS JOIN LATERAL (
        SELECT * FROM {record}.relation_period k WHERE k.relation = t.id OFFSET 0) AS p
    WHERE t.id <> ALL ($2::bigint[])
), closer AS (
    SELECT r.id AS row, c::bigint AS relation FROM row r
    CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(r.closed_by -> 'relations', '[]')) AS c
), closing AS MATERIALIZED (
    -- When all that ended a row was held by something; null where one of it was not.
    SELECT c.row, CASE WHEN bool_and(e.span IS NOT NULL) THEN range_intersect_agg(e.span) END AS span
    FROM closer c JOIN row r ON r.id = c.row
    LEFT JOIN LATERAL (
        SELECT tstzrange(min(lower(e.recorded)),
                         nullif(max(coalesce(upper(e.recorded), 'infinity')), 'infinity')) AS span
        FROM {record}.relation_evidence e WHERE e.relation = c.relation AND e.recorded && r.recorded
        HAVING count(*) > 0) AS e ON true
    GROUP BY c.row
), opened AS MATERIALIZED (
    -- Only where a row was there before whose place they took, and nothing but evidence decides on them.
    SELECT r.id, r.relation, greatest(was.since, held.since) AS since
    FROM row r
    CROSS JOIN LATERAL (SELECT max(lower(k.recorded)) AS since FROM row k
                        WHERE k.relation = r.relation AND upper(k.recorded) = $3) AS was
    CROSS JOIN LATERAL (
        SELECT max(lower(e.recorded)) AS since
        FROM (SELECT r.relation AS id UNION SELECT c.relation FROM closer c WHERE c.row = r.id) AS k
        CROSS JOIN LATERAL (SELECT recorded FROM {record}.relation_evidence e
                            WHERE e.relation = k.id AND upper_inf(e.recorded) OFFSET 0) AS e) AS held
    WHERE lower(r.recorded) = $3 AND was.since IS NOT NULL AND held.since IS NOT NULL
      AND coalesce(r.closed_by ->> 'cause', '') NOT IN ('override', 'verdict')
), closed AS MATERIALIZED (
    SELECT r.id, r.recorded * held.span * coalesce(k.span, '(,)') *
           tstzrange(NULL, CASE WHEN upper(r.recorded) = $3 THEN (
               SELECT min(o.since) FROM opened o WHERE o.relation = r.relation) END) AS span,
           bound.unstated = 0
           AND (k.row IS NULL OR k.span IS NOT NULL) AS sound
    FROM row r
    LEFT JOIN closing k ON k.row = r.id
    CROSS JOIN LATERAL (
        SELECT tstzrange(min(lower(e.recorded)),
                         nullif(max(coalesce(upper(e.recorded), 'infinity')), 'infinity')) AS span,
               count(*) AS rows
        FROM {record}.relation_evidence e
        CROSS JOIN LATERAL (SELECT valid FROM {record}.assertion a WHERE a.id = e.assertion OFFSET 0) AS a
        WHERE e.relation = r.relation AND e.recorded && r.recorded
          AND CASE WHEN r.dated THEN a.valid && r.valid ELSE a.valid IS NULL END) AS held
    CROSS JOIN LATERAL (
        SELECT count(*) AS unstated FROM (VALUES (lower(r.valid), false), (upper(r.valid), true)) AS b(moment, last)
        WHERE b.moment IS NOT NULL AND NOT (b.last AND coalesce(r.closed_by ->> 'cause', '') = 'override')
          AND (SELECT true
               FROM (SELECT r.relation AS id UNION SELECT c.relation FROM closer c WHERE c.row = r.id) AS k
               CROSS JOIN LATERAL (
                   SELECT assertion FROM {record}.relation_evidence e
                   WHERE e.relation = k.id AND e.recorded && r.recorded OFFSET 0) AS e
               CROSS JOIN LATERAL (
                   SELECT valid, event FROM {record}.assertion a WHERE a.id = e.assertion OFFSET 0) AS a
               WHERE b.moment IN (lower(a.valid), upper(a.valid), lower(a.event)) LIMIT 1) IS NULL) AS bound
    WHERE NOT upper_inf(r.recorded) AND held.rows > 0
), open AS MATERIALIZED (
    SELECT r.id, greatest(held.since, lower(k.span)) AS since FROM row r LEFT JOIN closing k ON k.row = r.id
    CROSS JOIN LATERAL (
        SELECT min(lower(e.recorded)) AS since FROM {record}.relation_evidence e
        CROSS JOIN LATERAL (SELECT valid FROM {record}.assertion a WHERE a.id = e.assertion OFFSET 0) AS a
        WHERE e.relation = r.relation AND e.recorded && r.recorded
          AND CASE WHEN r.dated THEN a.valid && r.valid ELSE a.valid IS NULL END) AS held
    WHERE upper_inf(r.recorded) AND lower(r.recorded) < $3 AND lower(r.recorded) < greatest(held.since, lower(k.span))
), joined AS MATERIALIZED (
    -- What was so before a row that is gone, and is so again, was never otherwise.
    SELECT o.id, c.id AS old, lower(c.span) AS since
    FROM opened o JOIN row n ON n.id = o.id JOIN row r ON r.relation = n.relation
    JOIN closed c ON c.id = r.id AND c.sound AND upper(c.span) = o.since
    WHERE (r.valid, r.dated, r.closed_by, r.retracted) IS NOT DISTINCT FROM (n.valid, n.dated, n.closed_by, n.retracted)
), gone AS (
    DELETE FROM {record}.relation_period p USING row r
    WHERE p.id = r.id AND NOT upper_inf(r.recorded)
      AND ((SELECT true FROM closed c WHERE c.id = r.id AND c.sound AND NOT isempty(c.span)) IS NULL
           OR r.id IN (SELECT old FROM joined))
), cut AS (
    UPDATE {record}.relation_period p SET recorded = c.span FROM closed c
    WHERE p.id = c.id AND c.sound AND NOT isempty(c.span) AND p.recorded <> c.span
      AND c.id NOT IN (SELECT old FROM joined)
), later AS (
    UPDATE {record}.relation_period p SET recorded = tstzrange(o.since, NULL) FROM open o WHERE p.id = o.id
), begun AS (
    UPDATE {record}.relation_period p
    SET recorded = tstzrange(coalesce((SELECT min(j.since) FROM joined j WHERE j.id = o.id), o.since), NULL)
    FROM opened o WHERE p.id = o.id AND o.since < $3
)
SELECT id FROM touched WHERE id <> ALL ($2::bigint[])

-- name: mend_lone
-- After mend_periods, of the same relations $1: since when the only open period is believed.
UPDATE {record}.relation r SET since = lower(p.recorded)
FROM unnest($1::bigint[]) AS w(id) CROSS JOIN LATERAL (
    SELECT k.recorded FROM {record}.relation_period k WHERE k.relation = w.id AND upper_inf(k.recorded) OFFSET 0) AS p
WHERE r.id = w.id AND r.held IS NOT NULL AND r.since <> lower(p.recorded)

-- name: mend_names
-- Names $1: those that no passage and nobody's word gives go; the others are cut to when something gave them. Answers
-- those that went.
WITH name AS (
    SELECT n.* FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT * FROM {record}.entity_name k WHERE k.id = w.id OFFSET 0) AS n
), given AS (
    SELECT n.id, n.recorded, g.span FROM name n CROSS JOIN LATERAL (
        SELECT tstzrange(min(lower(s.recorded)),
                         nullif(max(coalesce(upper(s.recorded), 'infinity')), 'infinity')) AS span
        FROM (
            SELECT o.recorded FROM {record}.observation o WHERE NOT n.alias AND o.entity = n.entity
               AND md5(o.name) = md5(n.name) AND o.name = n.name AND upper_inf(o.recorded)
            UNION ALL
            SELECT o.recorded FROM {record}.observation o WHERE NOT n.alias AND o.entity = n.entity
               AND md5(o.name) = md5(n.name) AND o.name = n.name AND NOT upper_inf(o.recorded)
            UNION ALL
            SELECT h.recorded FROM {record}.given_name h WHERE NOT n.alias AND h.entity = n.entity AND h.name = n.name
            UNION ALL
            SELECT c.recorded FROM {record}.alias_claim c WHERE n.alias AND c.entity = n.entity AND c.key = n.key
               AND c.alias = n.name AND upper_inf(c.recorded)
            UNION ALL
            SELECT c.recorded FROM {record}.alias_claim c WHERE n.alias AND c.entity = n.entity AND c.key = n.key
               AND c.alias = n.name AND NOT upper_inf(c.recorded)) AS s
        WHERE s.recorded && n.recorded
        HAVING count(*) > 0) AS g
), cut AS (
    UPDATE {record}.entity_name n SET recorded = g.recorded * g.span FROM given g
    WHERE n.id = g.id AND g.recorded <> g.recorded * g.span
), gone AS (
    DELETE FROM {record}.entity_name n WHERE n.id = ANY ($1::bigint[]) AND n.id NOT IN (SELECT id FROM given)
    RETURNING n.id, n.entity, n.key, n.name
), words AS (
    DELETE FROM {record}.posting p USING gone g WHERE p.kind = 2 AND p.id = g.id
)
SELECT entity, key, name FROM gone

-- name: mend_merges
-- Merges $1 that followed from aliases: those that no claim carries any more go, the others are cut to when one did.
-- Answers the sources of those that were touched.
WITH claimed AS (
    SELECT m.id, m.source, m.recorded, g.span
    FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT * FROM {record}.merge k WHERE k.id = w.id OFFSET 0) AS m
    CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = m.source OFFSET 0) AS s
    LEFT JOIN LATERAL (
        SELECT tstzrange(min(lower(c.recorded)),
                         nullif(max(coalesce(upper(c.recorded), 'infinity')), 'infinity')) AS span
        FROM (SELECT c.recorded FROM {record}.alias_claim c
              WHERE c.entity = m.target AND c.key = s.key AND upper_inf(c.recorded)
              UNION ALL
              SELECT c.recorded FROM {record}.alias_claim c
              WHERE c.entity = m.target AND c.key = s.key AND NOT upper_inf(c.recorded)) AS c
        WHERE c.recorded && m.recorded HAVING count(*) > 0) AS g ON true
    WHERE m.cause = 'alias'
), gone AS (
    DELETE FROM {record}.merge m USING claimed c
    WHERE m.id = ANY ($1::bigint[]) AND m.id = c.id AND c.span IS NULL RETURNING m.source
), cut AS (
    UPDATE {record}.merge m SET recorded = c.recorded * c.span FROM claimed c
    WHERE m.id = ANY ($1::bigint[]) AND m.id = c.id AND c.span IS NOT NULL AND c.recorded <> c.recorded * c.span
    RETURNING m.source
)
SELECT source FROM gone UNION SELECT source FROM cut

-- name: forget_entities
-- Entities $1 with all that hangs on them; answers those that stood for them or for whom they stood, and their names.
WITH entities AS (
    DELETE FROM {record}.entity WHERE id = ANY ($1::bigint[])
), names AS (
    DELETE FROM {record}.entity_name WHERE entity = ANY ($1::bigint[]) RETURNING id, key, name
), words AS (
    DELETE FROM {record}.posting p USING names n WHERE p.kind = 2 AND p.id = n.id
), profiles AS (
    DELETE FROM {record}.entity_profile WHERE entity = ANY ($1::bigint[])
), presence AS (
    DELETE FROM {record}.entity_presence WHERE entity = ANY ($1::bigint[])
), standing AS (
    DELETE FROM {record}.standing WHERE entity = ANY ($1::bigint[]) RETURNING canonical AS other
), stood AS (
    DELETE FROM {record}.standing
    WHERE canonical = ANY ($1::bigint[]) AND entity <> ALL ($1::bigint[]) RETURNING entity AS other
), sources AS (
    DELETE FROM {record}.merge WHERE source = ANY ($1::bigint[])
), targets AS (
    DELETE FROM {record}.merge
    WHERE target = ANY ($1::bigint[]) AND upper_inf(recorded) AND source <> ALL ($1::bigint[]) RETURNING source AS other
), past_targets AS (
    DELETE FROM {record}.merge
    WHERE target = ANY ($1::bigint[]) AND NOT upper_inf(recorded) AND source <> ALL ($1::bigint[])
    RETURNING source AS other
), apart AS (
    DELETE FROM {record}.apart WHERE source = ANY ($1::bigint[])
), parted AS (
    DELETE FROM {record}.apart WHERE target = ANY ($1::bigint[]) AND source <> ALL ($1::bigint[])
), given AS (
    DELETE FROM {record}.given_name WHERE entity = ANY ($1::bigint[])
), subjects AS (
    DELETE FROM {record}.relation_override WHERE subject = ANY ($1::bigint[]) AND upper_inf(recorded)
), past_subjects AS (
    DELETE FROM {record}.relation_override WHERE subject = ANY ($1::bigint[]) AND NOT upper_inf(recorded)
), objects AS (
    DELETE FROM {record}.relation_override WHERE object = ANY ($1::bigint[]) AND subject <> ALL ($1::bigint[])
)
SELECT ARRAY(SELECT other FROM standing UNION SELECT other FROM stood UNION SELECT other FROM targets
             UNION SELECT other FROM past_targets) AS others,
       (SELECT json_agg(json_build_array(key, name)) FROM names)::text AS names

-- name: mend_standing
-- For whom entities stood in the past whose merges, or those of what they were merged into, were touched ($1): what no
-- chain of merges of that time leads to any more goes. Answers all that were looked at.
WITH RECURSIVE upstream AS (
    SELECT unnest($1::bigint[]) AS id
    UNION
    SELECT m.source FROM upstream u CROSS JOIN LATERAL (
        SELECT k.source FROM {record}.merge k WHERE k.target = u.id AND upper_inf(k.recorded)
        UNION ALL SELECT k.source FROM {record}.merge k WHERE k.target = u.id AND NOT upper_inf(k.recorded)) AS m
), stood AS MATERIALIZED (
    SELECT s.* FROM upstream u CROSS JOIN LATERAL (
        SELECT * FROM {record}.standing k WHERE k.entity = u.id OFFSET 0) AS s
    WHERE NOT upper_inf(s.recorded)
), reach AS (
    SELECT entity, canonical, recorded, entity AS at FROM stood
    UNION
    SELECT r.entity, r.canonical, r.recorded, m.target FROM reach r CROSS JOIN LATERAL (
        SELECT k.target, k.recorded FROM {record}.merge k WHERE k.source = r.at OFFSET 0) AS m
    WHERE m.recorded && r.recorded
), gone AS (
    DELETE FROM {record}.standing s USING stood t
    WHERE s.entity = ANY (ARRAY(SELECT id FROM upstream)) AND s.entity = t.entity AND s.canonical = t.canonical
      AND s.recorded = t.recorded
      AND (SELECT true FROM reach r WHERE (r.entity, r.canonical, r.recorded, r.at)
                                          = (t.entity, t.canonical, t.recorded, t.canonical) LIMIT 1) IS NULL
)
SELECT id AS entity FROM upstream UNION SELECT canonical FROM stood

-- name: cut_to_standing
-- Evidence by which assertions on entities $1, whose standing was mended, carried relations of what these stood for:
-- cut to when they did. Answers the relations that were looked at.
WITH said AS (
    SELECT a.* FROM unnest($1::bigint[]) AS w(id) CROSS JOIN LATERAL (
        SELECT k.id, k.subject, k.object FROM {record}.assertion k WHERE k.subject = w.id AND upper_inf(k.recorded)
        UNION SELECT k.id, k.subject, k.object FROM {record}.assertion k
              WHERE k.subject = w.id AND NOT upper_inf(k.recorded)
        UNION SELECT k.id, k.subject, k.object FROM {record}.assertion k WHERE k.object = w.id AND upper_inf(k.recorded)
        UNION SELECT k.id, k.subject, k.object FROM {record}.assertion k
              WHERE k.object = w.id AND NOT upper_inf(k.recorded)
    ) AS a
), carried AS MATERIALIZED (
    SELECT e.relation, e.assertion, e.recorded,
           tstzmultirange(e.recorded)
           * CASE WHEN a.subject = r.subject THEN tstzmultirange(tstzrange(NULL, NULL)) - coalesce(s.away, '{}')
                  ELSE coalesce(s.there, '{}') END
           * CASE WHEN a.object = r.object THEN tstzmultirange(tstzrange(NULL, NULL)) - coalesce(o.away, '{}')
                  ELSE coalesce(o.there, '{}') END AS spans
    FROM said a
    CROSS JOIN LATERAL (SELECT * FROM {record}.relation_evidence k WHERE k.assertion = a.id OFFSET 0) AS e
    CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = e.relation OFFSET 0) AS r
    CROSS JOIN LATERAL (SELECT range_agg(k.recorded) AS away,
                               range_agg(k.recorded) FILTER (WHERE k.canonical = r.subject) AS there
                        FROM {record}.standing k WHERE k.entity = a.subject) AS s
    CROSS JOIN LATERAL (SELECT range_agg(k.recorded) AS away,
                               range_agg(k.recorded) FILTER (WHERE k.canonical = r.object) AS there
                        FROM {record}.standing k WHERE k.entity = a.object) AS o
), gone AS (
    DELETE FROM {record}.relation_evidence e USING carried c
    WHERE e.assertion = ANY (ARRAY(SELECT id FROM said)) AND isempty(c.spans)
      AND (e.relation, e.assertion, e.recorded) = (c.relation, c.assertion, c.recorded)
), cut AS (
    UPDATE {record}.relation_evidence e SET recorded = range_merge(c.spans) FROM carried c
    WHERE e.assertion = ANY (ARRAY(SELECT id FROM said)) AND NOT isempty(c.spans)
      AND (e.relation, e.assertion, e.recorded) = (c.relation, c.assertion, c.recorded)
      AND range_merge(c.spans) <> c.recorded
)
SELECT DISTINCT relation FROM carried

-- name: mend_presence
-- When entities $1 were current, anew from their mentions and from for whom they stood.
WITH computed AS MATERIALIZED (
    SELECT e.id, coalesce(own.spans, '{}') - coalesce(away.spans, '{}') + coalesce(others.spans, '{}') AS spans
    FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT k.id FROM {record}.entity k WHERE k.id = w.id OFFSET 0) AS e
    CROSS JOIN LATERAL (SELECT range_agg(m.recorded) AS spans FROM (
        SELECT k.recorded FROM {record}.mention k WHERE k.entity = e.id AND upper_inf(k.recorded)
        UNION ALL SELECT k.recorded FROM {record}.mention k
                  WHERE k.entity = e.id AND NOT upper_inf(k.recorded)) AS m) AS own
    CROSS JOIN LATERAL (SELECT range_agg(s.recorded) AS spans FROM {record}.standing s WHERE s.entity = e.id) AS away
    CROSS JOIN LATERAL (SELECT range_agg(m.recorded * s.recorded) AS spans FROM {record}.standing s CROSS JOIN LATERAL (
        SELECT k.recorded FROM {record}.mention k WHERE k.entity = s.entity AND upper_inf(k.recorded)
        UNION ALL SELECT k.recorded FROM {record}.mention k
                  WHERE k.entity = s.entity AND NOT upper_inf(k.recorded)) AS m
        WHERE s.canonical = e.id) AS others
), wanted AS (
    SELECT id, unnest(spans) AS recorded FROM computed
), gone AS (
    DELETE FROM {record}.entity_presence p USING computed c
    WHERE p.entity = ANY ($1::bigint[]) AND p.entity = c.id
      AND (p.entity, p.recorded) NOT IN (SELECT id, recorded FROM wanted)
)
INSERT INTO {record}.entity_presence (entity, recorded)
SELECT id, recorded FROM wanted w
WHERE (SELECT true FROM {record}.entity_presence p WHERE p.entity = w.id AND p.recorded = w.recorded LIMIT 1) IS NULL

-- name: words_of_past
-- Of entities $1 those that are not current but have a profile, with a sample of what is left that was said of them.
SELECT e.id AS entity, e.space, p.name, p.type, p.description, p.pending, (
    SELECT json_agg(json_build_array(o.name, o.type, o.description, true)) FROM (
        SELECT DISTINCT s.name, s.type, s.description, s.place, s.digest FROM (
            (SELECT name, type, description, -least(length(description), 300) AS place, digest
             FROM {record}.observation WHERE entity = e.id AND upper_inf(recorded)
             ORDER BY -least(length(description), 300), digest LIMIT 24)
            UNION ALL
            (SELECT name, type, description, -least(length(description), 300), digest
             FROM {record}.observation WHERE entity = e.id AND NOT upper_inf(recorded)
             ORDER BY -least(length(description), 300), digest LIMIT 24)) AS s
        ORDER BY s.place, s.digest LIMIT 24) AS o)::text AS sample, (
    SELECT g.name FROM {record}.given_name g WHERE g.entity = e.id AND upper_inf(g.recorded) LIMIT 1) AS given
FROM unnest($1::bigint[]) AS w(id)
CROSS JOIN LATERAL (SELECT * FROM {record}.entity k WHERE k.id = w.id OFFSET 0) AS e
CROSS JOIN LATERAL (SELECT * FROM {record}.entity_profile k WHERE k.entity = e.id OFFSET 0) AS p
WHERE NOT e.current

-- name: put_words_of_past
-- What such entities were called and said to be, json $1 [{entity, name, type, description}]; null: nothing is left.
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS w(entity bigint, name text, type text, description text)
), none AS (
    DELETE FROM {record}.entity_profile p WHERE p.entity = ANY (ARRAY(SELECT entity FROM wanted WHERE name IS NULL))
)
UPDATE {record}.entity_profile p SET name = w.name, type = w.type, description = w.description,
    pending = p.pending OR (p.name, p.description) IS DISTINCT FROM (w.name, w.description)
FROM wanted w
WHERE p.entity = ANY (ARRAY(SELECT entity FROM wanted)) AND p.entity = w.entity AND w.name IS NOT NULL

-- name: wordings_of_past
-- Of relations $1 those that no live passage states, worded by the best of what is left; only where that is another.
SELECT r.id, r.space, s.key AS subject, r.predicate, o.key AS object, best.fact
FROM unnest($1::bigint[]) AS w(id)
CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = w.id OFFSET 0) AS r
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.subject OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.object OFFSET 0) AS o
CROSS JOIN LATERAL (
    SELECT a.fact FROM {record}.relation_evidence e
    CROSS JOIN LATERAL (SELECT fact, confidence FROM {record}.assertion k WHERE k.id = e.assertion OFFSET 0) AS a
    WHERE e.relation = r.id
    ORDER BY a.confidence DESC, least(length(a.fact), 300) DESC, a.fact COLLATE "C" DESC LIMIT 1) AS best
WHERE best.fact <> r.fact
  AND (SELECT true FROM {record}.relation_evidence e WHERE e.relation = r.id AND upper_inf(e.recorded) LIMIT 1) IS NULL

-- name: put_wordings_of_past
-- Relations $1 are worded $2.
UPDATE {record}.relation r SET fact = w.fact FROM unnest($1::bigint[], $2::text[]) AS w(id, fact) WHERE r.id = w.id

-- name: forget_vectors
-- Vectors of entities $1 and relations $2 that are no more; those of entities $3 whose words are others now; and those
-- of relations that may have been made when one of entities $4 was called what it is not called any more. Answers
-- these.
WITH renamed AS (
    SELECT unnest($4::bigint[]) AS id
    UNION SELECT s.canonical FROM unnest($4::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT canonical FROM {record}.standing k WHERE k.entity = w.id OFFSET 0) AS s
), relation AS (
    SELECT r.id FROM renamed w CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.relation k WHERE k.subject = w.id AND k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.subject = w.id AND NOT k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.object = w.id AND k.current
        UNION ALL SELECT k.id FROM {record}.relation k WHERE k.object = w.id AND NOT k.current) AS r
), relations AS (
    DELETE FROM {relation_vector} v WHERE v.id = ANY ($2::bigint[] || ARRAY(SELECT id FROM relation))
), entities AS (
    DELETE FROM {entity_vector} v WHERE v.id = ANY ($1::bigint[] || ARRAY(
        SELECT w.id FROM unnest($3::bigint[]) AS w(id)
        LEFT JOIN LATERAL (SELECT pending FROM {record}.entity_profile k WHERE k.entity = w.id OFFSET 0) AS p ON true
        WHERE p.pending IS DISTINCT FROM false))
), waiting AS (
    UPDATE {record}.relation r SET pending = true WHERE r.id = ANY (ARRAY(SELECT id FROM relation)) AND NOT r.pending
)
SELECT r.id, r.space, coalesce(s.name, se.key) AS subject, r.predicate, coalesce(o.name, oe.key) AS object, r.negated
FROM (SELECT DISTINCT id FROM relation) AS w
CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = w.id OFFSET 0) AS r
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.subject OFFSET 0) AS se
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.object OFFSET 0) AS oe
LEFT JOIN LATERAL (SELECT name FROM {record}.entity_profile k WHERE k.entity = r.subject OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT name FROM {record}.entity_profile k WHERE k.entity = r.object OFFSET 0) AS o ON true
WHERE r.id <> ALL ($2::bigint[])

-- name: forget_replies
-- What models said of passages with text hashes $1, what they said when they were shown a name that nothing bears any
-- more ($2 keys, $3 names), and stored vectors of texts with hashes $4 or by keys $5. Answers how many replies went.
WITH unborne AS (
    SELECT w.name FROM unnest($2::text[], $3::text[]) AS w(key, name)
    WHERE (SELECT true FROM {record}.entity_name n
           WHERE n.key = w.key AND n.name = w.name AND upper_inf(n.recorded) LIMIT 1) IS NULL
      AND (SELECT true FROM {record}.entity_name n
           WHERE n.key = w.key AND n.name = w.name AND NOT upper_inf(n.recorded) LIMIT 1) IS NULL
), vectors AS (
    DELETE FROM {record}.stored_vector WHERE source = ANY ($4::bytea[])
), older_vectors AS (
    DELETE FROM {record}.stored_vector WHERE key = ANY ($5::bytea[]) AND source IS NULL
), wanted AS (
    SELECT r.key FROM unnest($1::bytea[]) AS w(passage) CROSS JOIN LATERAL (
        SELECT key FROM {record}.reply k WHERE k.passage = w.passage OFFSET 0) AS r
    UNION
    SELECT r.key FROM unborne u CROSS JOIN LATERAL (
        SELECT key FROM {record}.reply k WHERE k.names @> ARRAY[u.name] OFFSET 0) AS r
), gone AS (
    DELETE FROM {record}.reply r WHERE r.key = ANY (ARRAY(SELECT key FROM wanted)) RETURNING r.key
)
SELECT count(*) FROM gone

-- name: unsettle_passages
-- Passages of space $1 with text hashes $2 lost some of what they say: none of those that read now has read them, so
-- that reading anew brings it back, and nothing else does.
UPDATE {record}.passage SET extractor = '' WHERE id = ANY (ARRAY(
    SELECT p.id FROM unnest($2::bytea[]) AS w(text_hash) CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.passage k
        WHERE k.space = $1 AND k.text_hash = w.text_hash AND k.extractor IS NOT NULL OFFSET 0) AS p))

-- name: put_erasures
-- $1 kinds and $2 ids of what was erased at stamp $3.
INSERT INTO {record}.erasure (kind, id, at) SELECT kind, id, $3 FROM unnest($1::text[], $2::bigint[]) AS w(kind, id)
