-- A generation of vectors that is built beside the one that answers: {passage_vector} and the like name the new one
-- here, {old_passage_vector} and the like the other.

-- name: generation_begun
SELECT to_regclass('{plan}') IS NOT NULL

-- name: generation_planned
-- What is being built, and how many vectors of it are made.
SELECT embedding_model, dimensions, query_prefix, passage_prefix,
       (SELECT count(*) FROM {passage_made}) + (SELECT count(*) FROM {entity_made})
       + (SELECT count(*) FROM {relation_made}) AS made
FROM {plan}

-- name: plan_generation
INSERT INTO {plan} (embedding_model, dimensions, query_prefix, passage_prefix) VALUES ($1, $2, $3, $4)

-- name: create_generation
-- With create_vector_tables before it. What is made follows what answers: a vector that is erased there goes here with
-- it, in the same statement, through two foreign keys. These end with the swap. There are two since to end one takes a
-- moment in which nobody uses either table, and what answers is always in use.
-- digest: of the words that a vector was made of, where these may change.
CREATE TABLE {plan} (
    embedding_model text NOT NULL, dimensions integer NOT NULL, query_prefix text NOT NULL, passage_prefix text NOT NULL
);
CREATE TABLE {passage_made} (id bigint PRIMARY KEY REFERENCES {old_passage_vector} ON DELETE CASCADE);
CREATE TABLE {entity_made} (
    id bigint PRIMARY KEY REFERENCES {old_entity_vector} ON DELETE CASCADE, digest text NOT NULL);
CREATE TABLE {relation_made} (id bigint PRIMARY KEY REFERENCES {old_relation_vector} ON DELETE CASCADE);
ALTER TABLE {passage_vector} ADD CONSTRAINT made FOREIGN KEY (id) REFERENCES {passage_made} ON DELETE CASCADE;
ALTER TABLE {entity_vector} ADD CONSTRAINT made FOREIGN KEY (id) REFERENCES {entity_made} ON DELETE CASCADE;
ALTER TABLE {relation_vector} ADD CONSTRAINT made FOREIGN KEY (id) REFERENCES {relation_made} ON DELETE CASCADE;

-- name: own_generation
-- Whoever may build need not be the owner himself.
ALTER TABLE {plan} OWNER TO {owner};
ALTER TABLE {passage_made} OWNER TO {owner};
ALTER TABLE {entity_made} OWNER TO {owner};
ALTER TABLE {relation_made} OWNER TO {owner};
ALTER TABLE {passage_vector} OWNER TO {owner};
ALTER TABLE {entity_vector} OWNER TO {owner};
ALTER TABLE {relation_vector} OWNER TO {owner};

-- name: grant_vectors_read
-- What is not finished may be looked at by all who may look at the realm.
GRANT SELECT ON {plan}, {passage_made}, {entity_made}, {relation_made}, {passage_vector}, {entity_vector},
    {relation_vector}
TO {role}

-- name: grant_vectors_write
GRANT SELECT, INSERT, UPDATE, DELETE
ON {plan}, {passage_made}, {entity_made}, {relation_made}, {passage_vector}, {entity_vector}, {relation_vector}
TO {role}

-- name: drop_generation
DROP TABLE {plan}, {passage_vector}, {entity_vector}, {relation_vector}, {passage_made}, {entity_made}, {relation_made}

-- name: unmade_passages
-- What of the vectors that answer, from id $1 on, $2 at most, has none in the new generation yet.
SELECT v.id, p.text
FROM {old_passage_vector} v CROSS JOIN LATERAL (SELECT text FROM {record}.passage k WHERE k.id = v.id OFFSET 0) AS p
WHERE v.id > $1 AND NOT EXISTS (SELECT FROM {passage_made} m WHERE m.id = v.id)
ORDER BY v.id LIMIT $2

-- name: unmade_entities
-- The same, or one of other words than it has now.
SELECT v.id, p.name, p.description, p.digest
FROM {old_entity_vector} v
CROSS JOIN LATERAL (
    SELECT name, description, md5(name || chr(10) || description) AS digest
    FROM {record}.entity_profile k WHERE k.entity = v.id OFFSET 0) AS p
LEFT JOIN {entity_made} m ON m.id = v.id
WHERE v.id > $1 AND m.digest IS DISTINCT FROM p.digest
ORDER BY v.id LIMIT $2

-- name: relation_words
-- Names of what relation r is between, as far as they are known, and what tells whether they changed.
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.subject OFFSET 0) AS se
CROSS JOIN LATERAL (SELECT key FROM {record}.entity k WHERE k.id = r.object OFFSET 0) AS oe
LEFT JOIN LATERAL (SELECT name FROM {record}.entity_profile k WHERE k.entity = r.subject OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT name FROM {record}.entity_profile k WHERE k.entity = r.object OFFSET 0) AS o ON true
CROSS JOIN LATERAL (
    SELECT coalesce(s.name, se.key) AS subject, coalesce(o.name, oe.key) AS object,
           md5(coalesce(s.name, se.key) || chr(10) || coalesce(o.name, oe.key)) AS digest) AS n

-- name: unmade_relations
SELECT v.id, n.subject, r.predicate, n.object, r.negated, n.digest
FROM {old_relation_vector} v
CROSS JOIN LATERAL (SELECT * FROM {record}.relation k WHERE k.id = v.id OFFSET 0) AS r
{relation_words}
WHERE v.id > $1 AND NOT EXISTS (SELECT FROM {relation_made} m WHERE m.id = v.id)
ORDER BY v.id LIMIT $2

-- name: not_swapped
-- What has begun to answer is no longer ours to fill.
EXISTS (SELECT FROM {record}.clock WHERE epoch = {epoch})

-- name: make_passages
-- $1 ids, $2 vectors as text. What somebody is taking away or moving is passed over, so that this never waits and can
-- be no part of a deadlock; the next round finds it, if it is still there. Answers how many were written.
WITH there AS MATERIALIZED (
    SELECT v.id, v.space, v.current, w.embedding
    FROM {old_passage_vector} v JOIN unnest($1::bigint[], $2::text[]) AS w(id, embedding) ON w.id = v.id
    WHERE v.id = ANY ($1::bigint[]) AND {not_swapped} FOR KEY SHARE OF v SKIP LOCKED
), noted AS (
    INSERT INTO {passage_made} (id) SELECT id FROM there ORDER BY id ON CONFLICT DO NOTHING
), made AS (
    INSERT INTO {passage_vector} (id, space, current, tail, embedding)
    SELECT id, space, current, current AND {passage_waits}, embedding::{vector} FROM there ORDER BY id
    ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding RETURNING id
)
SELECT count(*) FROM made

-- name: make_entities
-- $3 digests of the words they were made of. Words that have changed since are embedded anew by the next round.
WITH there AS MATERIALIZED (
    SELECT v.id, v.space, v.current, w.embedding, w.digest
    FROM {old_entity_vector} v
    JOIN unnest($1::bigint[], $2::text[], $3::text[]) AS w(id, embedding, digest) ON w.id = v.id
    WHERE v.id = ANY ($1::bigint[])
      AND w.digest = (SELECT md5(name || chr(10) || description) FROM {record}.entity_profile k WHERE k.entity = v.id)
      AND {not_swapped}
    FOR KEY SHARE OF v SKIP LOCKED
), noted AS (
    INSERT INTO {entity_made} (id, digest) SELECT id, digest FROM there ORDER BY id
    ON CONFLICT (id) DO UPDATE SET digest = excluded.digest
), made AS (
    INSERT INTO {entity_vector} (id, space, current, tail, embedding)
    SELECT id, space, current, current AND {entity_waits}, embedding::{vector} FROM there ORDER BY id
    ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding RETURNING id
)
SELECT count(*) FROM made

-- name: make_relations
WITH there AS MATERIALIZED (
    SELECT v.id, v.space, v.current, w.embedding
    FROM {old_relation_vector} v
    JOIN unnest($1::bigint[], $2::text[], $3::text[]) AS w(id, embedding, digest) ON w.id = v.id
    WHERE v.id = ANY ($1::bigint[])
      AND w.digest = (SELECT n.digest FROM (SELECT * FROM {record}.relation k WHERE k.id = v.id OFFSET 0) AS r
                      {relation_words})
      AND {not_swapped}
    FOR KEY SHARE OF v SKIP LOCKED
), noted AS (
    INSERT INTO {relation_made} (id) SELECT id FROM there ORDER BY id ON CONFLICT DO NOTHING
), made AS (
    INSERT INTO {relation_vector} (id, space, current, tail, embedding)
    SELECT id, space, current, current AND {relation_waits}, embedding::{vector} FROM there ORDER BY id
    ON CONFLICT (id) DO UPDATE SET embedding = excluded.embedding RETURNING id
)
SELECT count(*) FROM made

-- name: follow_current
-- Under the write lock: what came or went while the generation was built comes and goes in it too, and an entity whose
-- vector here is of its words needs no other.
WITH passages AS (
    UPDATE {passage_vector} v SET current = o.current, tail = o.current AND {passage_waits}
    FROM {old_passage_vector} o WHERE o.id = v.id AND o.current <> v.current
), entities AS (
    UPDATE {entity_vector} v SET current = o.current, tail = o.current AND {entity_waits}
    FROM {old_entity_vector} o WHERE o.id = v.id AND o.current <> v.current
), relations AS (
    UPDATE {relation_vector} v SET current = o.current, tail = o.current AND {relation_waits}
    FROM {old_relation_vector} o WHERE o.id = v.id AND o.current <> v.current
)
UPDATE {record}.entity_profile p SET pending = false FROM {entity_made} m WHERE p.entity = m.id AND p.pending

-- name: release_generation
ALTER TABLE {passage_vector} DROP CONSTRAINT made;
ALTER TABLE {entity_vector} DROP CONSTRAINT made;
ALTER TABLE {relation_vector} DROP CONSTRAINT made;
DROP TABLE {plan};

-- name: database_time
SELECT clock_timestamp()

-- name: forget_stored_vectors
-- What was stored for another model before $1 is of no use any more.
DELETE FROM {record}.stored_vector WHERE created_at < $1

-- name: past_generations
-- Tables of schema $1 that no generation from $2 on uses.
SELECT c.relname AS name
FROM pg_class c
CROSS JOIN LATERAL regexp_match(c.relname, '^(?:passage|entity|relation)_(vector|made)_([0-9]{1,9})$') AS m
WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r'
  AND m[2]::integer <= CASE m[1] WHEN 'made' THEN $2 ELSE $2 - 1 END
ORDER BY 1
