-- name: put_entities
-- Entities by key and sense, made where they are new: $1 json [{n, space, key, sense}], none twice.
WITH wanted AS (
    SELECT * FROM json_to_recordset($1::text::json) AS w(n integer, space integer, key text, sense smallint)
), known AS (
    SELECT w.n, e.id FROM wanted w CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.entity k
        WHERE k.space = w.space AND k.key = w.key AND k.sense = w.sense OFFSET 0) AS e
), numbered AS (
    -- A new entity stands for itself, so its number is drawn before the row is written.
    SELECT n, space, key, sense, nextval(pg_get_serial_sequence('{record}.entity', 'id')::regclass) AS id
    FROM wanted WHERE n NOT IN (SELECT n FROM known) ORDER BY n
), added AS (
    INSERT INTO {record}.entity (id, space, key, sense, canonical) OVERRIDING SYSTEM VALUE
    SELECT id, space, key, sense, id FROM numbered
)
SELECT n, id FROM known UNION ALL SELECT n, id FROM numbered

-- name: put_structure
-- What passages say, under the lock: $1 json {mentions, observations, claims, assertions}; $2 the stamp.
WITH given AS (
    SELECT $1::text::json AS it
), mentions AS (
    INSERT INTO {record}.mention (passage, entity, recorded)
    SELECT m.*, tstzrange($2, NULL)
    FROM given, json_to_recordset(it -> 'mentions') AS m(passage bigint, entity bigint)
), observations AS (
    INSERT INTO {record}.observation (passage, entity, name, type, description, digest, recorded)
    SELECT o.*, tstzrange($2, NULL) FROM given, json_to_recordset(it -> 'observations') AS o(passage bigint,
        entity bigint, name text, type text, description text, digest bytea)
), claims AS (
    INSERT INTO {record}.alias_claim (passage, entity, alias, key, recorded)
    SELECT c.*, tstzrange($2, NULL)
    FROM given, json_to_recordset(it -> 'claims') AS c(passage bigint, entity bigint, alias text, key text)
)
INSERT INTO {record}.assertion (passage, subject, predicate, object, negated, fact, stated_from, stated_to, valid,
                                event, confidence, span, recorded)
SELECT a.passage, a.subject, a.predicate, a.object, a.negated, a.fact, a.stated_from, a.stated_to, a.valid,
       (SELECT p.event FROM {record}.passage p WHERE p.id = a.passage), a.confidence, a.span, tstzrange($2, NULL)
FROM given, json_to_recordset(it -> 'assertions') AS a(passage bigint, subject bigint, predicate text, object bigint,
    negated boolean, fact text, stated_from text, stated_to text, valid tstzrange, confidence real, span int4range)

-- name: close_structure
-- Passages $1 say nothing any more from stamp $2 on.
WITH mentions AS (
    UPDATE {record}.mention SET recorded = tstzrange(lower(recorded), $2)
    WHERE passage = ANY ($1::bigint[]) AND upper_inf(recorded)
), observations AS (
    UPDATE {record}.observation SET recorded = tstzrange(lower(recorded), $2)
    WHERE passage = ANY ($1::bigint[]) AND upper_inf(recorded)
), claims AS (
    UPDATE {record}.alias_claim SET recorded = tstzrange(lower(recorded), $2)
    WHERE passage = ANY ($1::bigint[]) AND upper_inf(recorded)
)
UPDATE {record}.assertion SET recorded = tstzrange(lower(recorded), $2)
WHERE passage = ANY ($1::bigint[]) AND upper_inf(recorded)

-- name: reopen_structure
-- Passages $1, held by no live document until now, say again from stamp $2 on what they said when they were let go.
WITH let_go AS (
    SELECT passage, max(upper(recorded)) AS at FROM {record}.document_passage
    WHERE passage = ANY ($1::bigint[]) AND upper(recorded) < $2 GROUP BY passage
), mentions AS (
    INSERT INTO {record}.mention (passage, entity, recorded)
    SELECT m.passage, m.entity, tstzrange($2, NULL)
    FROM let_go g JOIN {record}.mention m ON m.passage = g.passage AND upper(m.recorded) = g.at
), observations AS (
    INSERT INTO {record}.observation (passage, entity, name, type, description, digest, recorded)
    SELECT o.passage, o.entity, o.name, o.type, o.description, o.digest, tstzrange($2, NULL)
    FROM let_go g JOIN {record}.observation o ON o.passage = g.passage AND upper(o.recorded) = g.at
), claims AS (
    INSERT INTO {record}.alias_claim (passage, entity, alias, key, recorded)
    SELECT c.passage, c.entity, c.alias, c.key, tstzrange($2, NULL)
    FROM let_go g JOIN {record}.alias_claim c ON c.passage = g.passage AND upper(c.recorded) = g.at
)
INSERT INTO {record}.assertion (passage, subject, predicate, object, negated, fact, stated_from, stated_to, valid,
                                event, confidence, span, recorded)
SELECT a.passage, a.subject, a.predicate, a.object, a.negated, a.fact, a.stated_from, a.stated_to, a.valid,
       a.event, a.confidence, a.span, tstzrange($2, NULL)
FROM let_go g JOIN {record}.assertion a ON a.passage = g.passage AND upper(a.recorded) = g.at

-- name: touched_entities
-- Every entity that passages $1 ever mentioned.
SELECT DISTINCT entity FROM {record}.mention WHERE passage = ANY ($1::bigint[])
