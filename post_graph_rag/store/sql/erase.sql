-- What is erased is found and taken away by index, and what is left is put right where it rested on it. Spans of the
-- record are otherwise only ever closed; here, and only here, they are taken away and shortened.

-- name: passages_of
-- Passages that any version of documents $1 held, with what their stored replies and vectors are found by, and whether
-- no other document holds or held them.
SELECT p.id, p.text_hash, p.text, (
    SELECT true FROM {record}.document_passage k JOIN {record}.document_version v ON v.id = k.version
    WHERE k.passage = p.id AND v.document <> ALL ($1::bigint[]) LIMIT 1) IS NULL AS alone
FROM (
    SELECT DISTINCT l.passage FROM {record}.document_version v
    CROSS JOIN LATERAL (SELECT passage FROM {record}.document_passage k WHERE k.version = v.id OFFSET 0) AS l
    WHERE v.document = ANY ($1::bigint[])
) AS l
CROSS JOIN LATERAL (SELECT * FROM {record}.passage k WHERE k.id = l.passage OFFSET 0) AS p

-- name: lone_entities
-- Entities that only passages $1 mention or ever mentioned.
SELECT m.entity FROM (SELECT DISTINCT entity FROM {record}.mention WHERE passage = ANY ($1::bigint[])) AS m
WHERE (SELECT true FROM {record}.mention k WHERE k.entity = m.entity AND upper_inf(k.recorded)
       AND k.passage <> ALL ($1::bigint[]) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.mention k WHERE k.entity = m.entity AND NOT upper_inf(k.recorded)
       AND k.passage <> ALL ($1::bigint[]) LIMIT 1) IS NULL

-- name: forget_findable
-- By what passages $1, entities $2 and the relations that only these passages state are found. They go in the end; that
-- this goes first saves marking it as past. Rows come before their vectors, as for who writes vectors beside commits,
-- so that neither waits for the other.
WITH relation AS (
    SELECT e.relation AS id
    FROM (SELECT DISTINCT relation FROM {record}.relation_evidence WHERE passage = ANY ($1::bigint[])) AS e
    WHERE (SELECT true FROM {record}.relation_evidence k
           WHERE k.relation = e.relation AND k.passage <> ALL ($1::bigint[]) LIMIT 1) IS NULL
), held_profiles AS MATERIALIZED (
    SELECT entity FROM {record}.entity_profile WHERE entity = ANY ($2::bigint[]) FOR UPDATE
), held_relations AS MATERIALIZED (
    SELECT id FROM {record}.relation WHERE id = ANY (ARRAY(SELECT id FROM relation)) FOR UPDATE
), passages AS (
    DELETE FROM {passage_vector} WHERE id = ANY ($1::bigint[])
), entities AS (
    DELETE FROM {entity_vector} WHERE id = ANY (ARRAY(SELECT entity FROM held_profiles))
), relations AS (
    DELETE FROM {relation_vector} WHERE id = ANY (ARRAY(SELECT id FROM held_relations))
)
DELETE FROM {record}.posting p USING (
    SELECT 1::smallint AS kind, unnest($1::bigint[]) AS id
    UNION ALL SELECT 2, id FROM {record}.entity_name WHERE entity = ANY ($2::bigint[])
    UNION ALL SELECT 3, id FROM relation
) AS w
WHERE p.kind = w.kind AND p.id = w.id

-- name: end_merges_with
-- Live merges in which entities $1 take part end at stamp $2; answers who took part.
WITH taking AS (
    SELECT m.id FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT id, recorded FROM {record}.merge k WHERE k.source = w.id OFFSET 0) AS m
    WHERE upper_inf(m.recorded)
    UNION
    SELECT m.id FROM unnest($1::bigint[]) AS w(id)
    CROSS JOIN LATERAL (SELECT id FROM {record}.merge k WHERE k.target = w.id AND upper_inf(k.recorded) OFFSET 0) AS m
), ended AS (
    UPDATE {record}.merge m SET recorded = tstzrange(lower(m.recorded), $2)
    WHERE m.id = ANY (ARRAY(SELECT id FROM taking)) RETURNING m.source, m.target
)
SELECT source AS entity FROM ended UNION SELECT target FROM ended

-- name: resting_on_passages
-- What rests, perhaps on nothing else, on passages $1: relations, names, merges, entities, and for whom these ever
-- stood.
WITH said AS (
    SELECT entity, name, false AS alias FROM {record}.observation WHERE passage = ANY ($1::bigint[])
    UNION
    SELECT entity, alias, true FROM {record}.alias_claim WHERE passage = ANY ($1::bigint[])
), claimed AS (
    SELECT DISTINCT entity, key FROM {record}.alias_claim WHERE passage = ANY ($1::bigint[])
), entities AS (
    SELECT DISTINCT entity AS id FROM {record}.mention WHERE passage = ANY ($1::bigint[])
)
SELECT ARRAY(SELECT DISTINCT relation FROM {record}.relation_evidence WHERE passage = ANY ($1::bigint[])) AS relations,
       ARRAY(SELECT n.id FROM said s CROSS JOIN LATERAL (
                 SELECT k.id FROM {record}.entity_name k
                 WHERE k.entity = s.entity AND k.name = s.name AND k.alias = s.alias OFFSET 0) AS n) AS names,
       ARRAY(SELECT m.id FROM claimed c CROSS JOIN LATERAL (
                 SELECT k.id, k.source FROM {record}.merge k
                 WHERE k.target = c.entity AND upper_inf(k.recorded) AND k.cause = 'alias'
                 UNION ALL
                 SELECT k.id, k.source FROM {record}.merge k
                 WHERE k.target = c.entity AND NOT upper_inf(k.recorded) AND k.cause = 'alias') AS m
             WHERE (SELECT k.key FROM {record}.entity k WHERE k.id = m.source) = c.key) AS merges,
       ARRAY(SELECT id FROM entities) AS entities,
       ARRAY(SELECT DISTINCT s.canonical FROM entities e CROSS JOIN LATERAL (
                 SELECT k.canonical FROM {record}.standing k WHERE k.entity = e.id OFFSET 0) AS s) AS stood_for

-- name: resting_on_entity
-- The same for entity $1: what is said of it, and others' claims to its key.
WITH its AS (
    SELECT id, space, key FROM {record}.entity WHERE id = $1
), assertions AS (
    SELECT id FROM {record}.assertion WHERE subject = $1 AND upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE subject = $1 AND NOT upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE object = $1 AND upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE object = $1 AND NOT upper_inf(recorded)
), called AS (
    SELECT n.id, n.entity FROM its CROSS JOIN LATERAL (
        SELECT k.id, k.entity FROM {record}.entity_name k WHERE k.key = its.key AND k.alias AND upper_inf(k.recorded)
        UNION ALL
        SELECT k.id, k.entity FROM {record}.entity_name k
        WHERE k.key = its.key AND k.alias AND NOT upper_inf(k.recorded)
    ) AS n
    WHERE n.entity <> $1 AND (SELECT k.space FROM {record}.entity k WHERE k.id = n.entity) = its.space
)
SELECT ARRAY(SELECT DISTINCT e.relation FROM assertions a CROSS JOIN LATERAL (
                 SELECT k.relation FROM {record}.relation_evidence k
                 WHERE k.assertion = a.id OFFSET 0) AS e) AS relations,
       ARRAY(SELECT id FROM called) AS names, '{}'::bigint[] AS merges,
       ARRAY(SELECT $1 UNION SELECT entity FROM called
             UNION SELECT s.entity FROM (
                 SELECT entity FROM {record}.standing WHERE canonical = $1 OFFSET 0) AS s) AS entities,
       ARRAY(SELECT DISTINCT s.canonical FROM (
                 SELECT canonical FROM {record}.standing WHERE entity = $1 OFFSET 0) AS s) AS stood_for

-- name: forget_passages
-- Documents $2 with all their versions, and passages $1 with all they say. What calls took stays in the ledger, but not
-- for which of these.
WITH assertions AS (
    DELETE FROM {record}.assertion WHERE passage = ANY ($1::bigint[]) RETURNING id
), points AS (
    DELETE FROM {record}.slot_point WHERE assertion = ANY (ARRAY(SELECT id FROM assertions))
), evidence AS (
    DELETE FROM {record}.relation_evidence WHERE passage = ANY ($1::bigint[])
), mentions AS (
    DELETE FROM {record}.mention WHERE passage = ANY ($1::bigint[])
), observations AS (
    DELETE FROM {record}.observation WHERE passage = ANY ($1::bigint[])
), claims AS (
    DELETE FROM {record}.alias_claim WHERE passage = ANY ($1::bigint[])
), words AS (
    DELETE FROM {record}.posting WHERE kind = 1 AND id = ANY ($1::bigint[])
), vectors AS (
    DELETE FROM {passage_vector} WHERE id = ANY ($1::bigint[])
), versions AS (
    DELETE FROM {record}.document_version WHERE document = ANY ($2::bigint[]) RETURNING id
), links AS (
    DELETE FROM {record}.document_passage WHERE version = ANY (ARRAY(SELECT id FROM versions))
), passages AS (
    DELETE FROM {record}.passage WHERE id = ANY ($1::bigint[])
), calls AS (
    UPDATE {record}.ledger SET document = NULL WHERE document = ANY (ARRAY(
        SELECT substring(sha256(convert_to(s.name, 'UTF8') || '\x00'::bytea || d.digest) FOR 16)
        FROM {record}.document d
        CROSS JOIN LATERAL (SELECT name FROM {record}.space k WHERE k.id = d.space OFFSET 0) AS s
        WHERE d.id = ANY ($2::bigint[])))
)
DELETE FROM {record}.document WHERE id = ANY ($2::bigint[])

-- name: cut_to_links
-- Passages $1, which a document that is no more held, are or were held by others too: what they say is cut to the time
-- in which these, by the links that are left, held them, and goes where that leaves nothing. A passage that is held no
-- more and of which nothing is left as it was let go lacks its structure.
WITH held AS MATERIALIZED (
    SELECT passage, range_agg(recorded) AS spans,
           CASE WHEN NOT bool_or(upper_inf(recorded)) THEN max(upper(recorded)) END AS let_go
    FROM {record}.document_passage WHERE passage = ANY ($1::bigint[]) GROUP BY passage
), late_assertions AS (
    DELETE FROM {record}.assertion a USING held h
    WHERE a.passage = ANY ($1::bigint[]) AND a.passage = h.passage AND NOT a.recorded && h.spans
), assertions AS (
    UPDATE {record}.assertion a SET recorded = range_merge(h.spans * tstzmultirange(a.recorded)) FROM held h
    WHERE a.passage = ANY ($1::bigint[]) AND a.passage = h.passage
      AND a.recorded && h.spans AND NOT a.recorded <@ h.spans
), late_evidence AS (
    DELETE FROM {record}.relation_evidence e USING held h
    WHERE e.passage = ANY ($1::bigint[]) AND e.passage = h.passage AND NOT e.recorded && h.spans
), evidence AS (
    UPDATE {record}.relation_evidence e SET recorded = range_merge(h.spans * tstzmultirange(e.recorded)) FROM held h
    WHERE e.passage = ANY ($1::bigint[]) AND e.passage = h.passage
      AND e.recorded && h.spans AND NOT e.recorded <@ h.spans
), late_mentions AS (
    DELETE FROM {record}.mention m USING held h
    WHERE m.passage = ANY ($1::bigint[]) AND m.passage = h.passage AND NOT m.recorded && h.spans RETURNING m.passage
), mentions AS (
    UPDATE {record}.mention m SET recorded = range_merge(h.spans * tstzmultirange(m.recorded)) FROM held h
    WHERE m.passage = ANY ($1::bigint[]) AND m.passage = h.passage
      AND m.recorded && h.spans AND NOT m.recorded <@ h.spans
), late_observations AS (
    DELETE FROM {record}.observation o USING held h
    WHERE o.passage = ANY ($1::bigint[]) AND o.passage = h.passage AND NOT o.recorded && h.spans
), observations AS (
    UPDATE {record}.observation o SET recorded = range_merge(h.spans * tstzmultirange(o.recorded)) FROM held h
    WHERE o.passage = ANY ($1::bigint[]) AND o.passage = h.passage
      AND o.recorded && h.spans AND NOT o.recorded <@ h.spans
), late_claims AS (
    DELETE FROM {record}.alias_claim c USING held h
    WHERE c.passage = ANY ($1::bigint[]) AND c.passage = h.passage AND NOT c.recorded && h.spans
), claims AS (
    UPDATE {record}.alias_claim c SET recorded = range_merge(h.spans * tstzmultirange(c.recorded)) FROM held h
    WHERE c.passage = ANY ($1::bigint[]) AND c.passage = h.passage
      AND c.recorded && h.spans AND NOT c.recorded <@ h.spans
)
UPDATE {record}.passage p SET extractor = NULL FROM held h
WHERE p.id = ANY ($1::bigint[]) AND p.id = h.passage AND p.id IN (SELECT passage FROM late_mentions)
  AND (SELECT true FROM {record}.mention m WHERE m.passage = p.id AND upper(m.recorded) >= h.let_go LIMIT 1) IS NULL
  AND h.let_go IS NOT NULL

-- name: one_with
-- Entity $1 and those of the same name that stand with it for one thing.
SELECT k.id FROM (SELECT e.space, e.key, e.canonical FROM {record}.entity e WHERE e.id = $1 OFFSET 0) AS e
CROSS JOIN LATERAL (
    SELECT n.id FROM {record}.entity n
    WHERE n.space = e.space AND n.key = e.key AND n.canonical = e.canonical OFFSET 0) AS k
ORDER BY k.id

-- name: silence_entity
-- Nothing is said of entity $1 any more from stamp $2 on; answers the passages that said something, with its space.
WITH its AS (
    SELECT space, key FROM {record}.entity WHERE id = $1
), callers AS (
    SELECT DISTINCT n.entity FROM its CROSS JOIN LATERAL (
        SELECT k.entity FROM {record}.entity_name k
        WHERE k.key = its.key AND k.alias AND upper_inf(k.recorded) OFFSET 0) AS n
    WHERE (SELECT k.space FROM {record}.entity k WHERE k.id = n.entity) = its.space
), mentions AS (
    UPDATE {record}.mention SET recorded = tstzrange(lower(recorded), $2)
    WHERE entity = $1 AND upper_inf(recorded) RETURNING passage
), observations AS (
    UPDATE {record}.observation SET recorded = tstzrange(lower(recorded), $2)
    WHERE entity = $1 AND upper_inf(recorded) RETURNING passage
), claims AS (
    UPDATE {record}.alias_claim SET recorded = tstzrange(lower(recorded), $2)
    WHERE entity = $1 AND upper_inf(recorded) RETURNING passage
), called AS (
    UPDATE {record}.alias_claim c SET recorded = tstzrange(lower(c.recorded), $2) FROM callers k, its
    WHERE c.entity = ANY (ARRAY(SELECT entity FROM callers)) AND c.entity = k.entity AND c.key = its.key
      AND upper_inf(c.recorded) AND c.entity <> $1
    RETURNING c.passage
), subjects AS (
    UPDATE {record}.assertion SET recorded = tstzrange(lower(recorded), $2)
    WHERE subject = $1 AND upper_inf(recorded) RETURNING passage
), objects AS (
    UPDATE {record}.assertion SET recorded = tstzrange(lower(recorded), $2)
    WHERE object = $1 AND subject <> $1 AND upper_inf(recorded) RETURNING passage
)
SELECT w.passage, its.space FROM its, (
    SELECT passage FROM mentions UNION SELECT passage FROM observations UNION SELECT passage FROM claims
    UNION SELECT passage FROM called UNION SELECT passage FROM subjects UNION SELECT passage FROM objects
) AS w

-- name: passages_of_entity
-- Passages that mention entity $1 or ever did, or claim or claimed its key, and the documents that hold or held them.
WITH its AS (
    SELECT space, key FROM {record}.entity WHERE id = $1
), callers AS (
    SELECT DISTINCT n.entity, its.key FROM its CROSS JOIN LATERAL (
        SELECT k.entity FROM {record}.entity_name k WHERE k.key = its.key AND k.alias AND upper_inf(k.recorded)
        UNION SELECT k.entity FROM {record}.entity_name k
              WHERE k.key = its.key AND k.alias AND NOT upper_inf(k.recorded)
    ) AS n
    WHERE (SELECT k.space FROM {record}.entity k WHERE k.id = n.entity) = its.space
), mentioned AS (
    SELECT passage FROM {record}.mention WHERE entity = $1 AND upper_inf(recorded)
    UNION SELECT passage FROM {record}.mention WHERE entity = $1 AND NOT upper_inf(recorded)
    UNION SELECT c.passage FROM callers k CROSS JOIN LATERAL (
        SELECT passage, key FROM {record}.alias_claim c WHERE c.entity = k.entity AND upper_inf(c.recorded)
        UNION ALL
        SELECT passage, key FROM {record}.alias_claim c WHERE c.entity = k.entity AND NOT upper_inf(c.recorded)) AS c
    WHERE c.key = k.key
)
SELECT ARRAY(SELECT DISTINCT p.text_hash FROM mentioned m CROSS JOIN LATERAL (
                 SELECT text_hash FROM {record}.passage k WHERE k.id = m.passage OFFSET 0) AS p) AS hashes,
       ARRAY(SELECT DISTINCT d.key FROM mentioned m
             CROSS JOIN LATERAL (
                 SELECT version FROM {record}.document_passage k WHERE k.passage = m.passage OFFSET 0) AS l
             CROSS JOIN LATERAL (SELECT document FROM {record}.document_version k WHERE k.id = l.version OFFSET 0) AS v
             CROSS JOIN LATERAL (SELECT key FROM {record}.document k WHERE k.id = v.document OFFSET 0) AS d
             ORDER BY d.key) AS documents

-- name: forget_sayings
-- All that was ever said of entity $1, and all claims to its key.
WITH its AS (
    SELECT space, key FROM {record}.entity WHERE id = $1
), callers AS (
    SELECT DISTINCT n.entity FROM its CROSS JOIN LATERAL (
        SELECT k.entity FROM {record}.entity_name k WHERE k.key = its.key AND k.alias AND upper_inf(k.recorded)
        UNION SELECT k.entity FROM {record}.entity_name k
              WHERE k.key = its.key AND k.alias AND NOT upper_inf(k.recorded)
    ) AS n
    WHERE (SELECT k.space FROM {record}.entity k WHERE k.id = n.entity) = its.space
), assertions AS (
    SELECT id FROM {record}.assertion WHERE subject = $1 AND upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE subject = $1 AND NOT upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE object = $1 AND upper_inf(recorded)
    UNION SELECT id FROM {record}.assertion WHERE object = $1 AND NOT upper_inf(recorded)
), no_assertions AS (
    DELETE FROM {record}.assertion k USING assertions a WHERE k.id = a.id
), points AS (
    DELETE FROM {record}.slot_point k USING assertions a WHERE k.assertion = a.id
), evidence AS (
    DELETE FROM {record}.relation_evidence k USING assertions a WHERE k.assertion = a.id
), mentions AS (
    DELETE FROM {record}.mention WHERE entity = $1 AND upper_inf(recorded)
), past_mentions AS (
    DELETE FROM {record}.mention WHERE entity = $1 AND NOT upper_inf(recorded)
), observations AS (
    DELETE FROM {record}.observation WHERE entity = $1 AND upper_inf(recorded)
), past_observations AS (
    DELETE FROM {record}.observation WHERE entity = $1 AND NOT upper_inf(recorded)
), claims AS (
    DELETE FROM {record}.alias_claim WHERE entity = $1 AND upper_inf(recorded)
), past_claims AS (
    DELETE FROM {record}.alias_claim WHERE entity = $1 AND NOT upper_inf(recorded)
), called AS (
    DELETE FROM {record}.alias_claim c USING callers k, its
    WHERE c.entity = ANY (ARRAY(SELECT entity FROM callers)) AND c.entity = k.entity AND c.entity <> $1
      AND c.key = its.key AND upper_inf(c.recorded)
)
DELETE FROM {record}.alias_claim c USING callers k, its
WHERE c.entity = ANY (ARRAY(SELECT entity FROM callers)) AND c.entity = k.entity AND c.entity <> $1
  AND c.key = its.key AND NOT upper_inf(c.recorded)
