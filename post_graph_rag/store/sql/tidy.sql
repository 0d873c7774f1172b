-- name: tidy_rows
-- Mark entities and relations as current when the record says so, and ask again for vectors that are missing.
WITH entities AS (
    SELECT e.id, e.canonical = e.id AND EXISTS (
        SELECT FROM {record}.entity m JOIN {record}.mention x ON x.entity = m.id AND upper_inf(x.recorded)
        WHERE m.canonical = e.id
    ) AS current
    FROM {record}.entity e
), relations AS (
    SELECT r.id, EXISTS (
        SELECT FROM {record}.relation_period p
        WHERE p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NULL
    ) AS current
    FROM {record}.relation r
), marked_entities AS (
    UPDATE {record}.entity e SET current = w.current FROM entities w WHERE e.id = w.id AND e.current <> w.current
    RETURNING e.id
), marked_relations AS (
    UPDATE {record}.relation r
    SET current = w.current,
        pending = r.pending OR w.current AND NOT EXISTS (SELECT FROM {relation_vector} v WHERE v.id = r.id)
    FROM relations w
    WHERE r.id = w.id AND (r.current <> w.current OR w.current AND NOT r.pending
                           AND NOT EXISTS (SELECT FROM {relation_vector} v WHERE v.id = r.id))
    RETURNING r.id
), waiting AS (
    UPDATE {record}.entity_profile p SET pending = true FROM entities w
    WHERE p.entity = w.id AND w.current AND NOT p.pending
      AND NOT EXISTS (SELECT FROM {entity_vector} v WHERE v.id = w.id)
    RETURNING p.entity
)
SELECT (SELECT count(*) FROM marked_entities) + (SELECT count(*) FROM marked_relations)
       + (SELECT count(*) FROM waiting)

-- name: tidy_lone
-- What is kept of a relation's only open period, of its beginning and of its end follows from its periods.
WITH lone AS (
    SELECT relation AS id, min(valid::text)::tstzrange AS held, min(lower(recorded)) AS since
    FROM {record}.relation_period WHERE upper_inf(recorded)
    GROUP BY relation HAVING count(*) = 1 AND NOT bool_or(retracted)
), life AS (
    SELECT relation AS id, min(lower(recorded)) AS born, max(upper(recorded)) FILTER (WHERE closed_by IS NULL) AS gone
    FROM {record}.relation_period GROUP BY relation
), wanted AS (
    SELECT r.id, o.held, o.since, l.born, CASE WHEN NOT r.current THEN coalesce(l.gone, l.born) END AS gone
    FROM {record}.relation r JOIN life l ON l.id = r.id LEFT JOIN lone o ON o.id = r.id
), marked AS (
    UPDATE {record}.relation r SET held = w.held, since = w.since, born = w.born, gone = w.gone
    FROM wanted w
    WHERE r.id = w.id AND (r.held, r.since, r.born, r.gone) IS DISTINCT FROM (w.held, w.since, w.born, w.gone)
    RETURNING r.id
)
SELECT count(*) FROM marked

-- name: tidy_beliefs
-- After tidy_rows: what is kept of when entities were current, and for whom they stood, follows them from stamp $1 on.
WITH gone AS (
    UPDATE {record}.entity_presence p SET recorded = tstzrange(lower(p.recorded), $1) FROM {record}.entity e
    WHERE e.id = p.entity AND upper_inf(p.recorded) AND NOT e.current RETURNING p.entity
), come AS (
    INSERT INTO {record}.entity_presence (entity, recorded)
    SELECT e.id, tstzrange($1, NULL) FROM {record}.entity e
    WHERE e.current AND NOT EXISTS (
        SELECT FROM {record}.entity_presence p WHERE p.entity = e.id AND upper_inf(p.recorded))
    RETURNING entity
), ended AS (
    UPDATE {record}.standing s SET recorded = tstzrange(lower(s.recorded), $1) FROM {record}.entity e
    WHERE e.id = s.entity AND upper_inf(s.recorded) AND s.canonical <> e.canonical RETURNING s.entity
), begun AS (
    INSERT INTO {record}.standing (entity, canonical, recorded)
    SELECT e.id, e.canonical, tstzrange($1, NULL) FROM {record}.entity e
    WHERE e.canonical <> e.id AND NOT EXISTS (
        SELECT FROM {record}.standing s
        WHERE s.entity = e.id AND upper_inf(s.recorded) AND s.canonical = e.canonical)
    RETURNING entity
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM come)
       + (SELECT count(*) FROM ended) + (SELECT count(*) FROM begun)

-- name: tidy_vectors
-- After tidy_rows: vectors follow their rows; those without one go.
WITH passages AS (
    UPDATE {passage_vector} v SET current = NOT v.current
    WHERE v.current <> EXISTS (
        SELECT FROM {record}.document_passage l WHERE l.passage = v.id AND upper_inf(l.recorded))
      AND EXISTS (SELECT FROM {record}.passage p WHERE p.id = v.id)
    RETURNING v.id
), entities AS (
    UPDATE {entity_vector} v SET current = e.current FROM {record}.entity e
    WHERE e.id = v.id AND v.current <> e.current RETURNING v.id
), relations AS (
    UPDATE {relation_vector} v SET current = r.current FROM {record}.relation r
    WHERE r.id = v.id AND v.current <> r.current RETURNING v.id
), no_passage AS (
    DELETE FROM {passage_vector} v WHERE NOT EXISTS (SELECT FROM {record}.passage p WHERE p.id = v.id) RETURNING v.id
), no_entity AS (
    DELETE FROM {entity_vector} v WHERE NOT EXISTS (SELECT FROM {record}.entity e WHERE e.id = v.id) RETURNING v.id
), no_relation AS (
    DELETE FROM {relation_vector} v WHERE NOT EXISTS (SELECT FROM {record}.relation r WHERE r.id = v.id)
    RETURNING v.id
)
SELECT (SELECT count(*) FROM passages) + (SELECT count(*) FROM entities) + (SELECT count(*) FROM relations)
       + (SELECT count(*) FROM no_passage) + (SELECT count(*) FROM no_entity) + (SELECT count(*) FROM no_relation)

-- name: tidy_words
-- After tidy_rows: postings follow their rows; those without one go.
WITH owner AS (
    SELECT 1::smallint AS kind, p.id, EXISTS (
        SELECT FROM {record}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded)) AS current
    FROM {record}.passage p
    UNION ALL SELECT 2, n.id, upper_inf(n.recorded) FROM {record}.entity_name n
    UNION ALL SELECT 3, r.id, r.current FROM {record}.relation r
), marked AS (
    UPDATE {record}.posting p SET current = o.current FROM owner o
    WHERE p.kind = o.kind AND p.id = o.id AND p.current <> o.current RETURNING p.id
), gone AS (
    DELETE FROM {record}.posting p
    WHERE NOT EXISTS (SELECT FROM owner o WHERE o.kind = p.kind AND o.id = p.id) RETURNING p.id
), noted AS (
    DELETE FROM {record}.stale_word
)
SELECT (SELECT count(*) FROM marked) + (SELECT count(*) FROM gone)
