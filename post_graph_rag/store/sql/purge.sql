-- Whole tables are read here: history is purged rarely, and much of it at once.

-- name: purge_spans
-- Rows of the record that ended at moment $1 or before; $2 the stamp of this commit, which the moment cannot be behind.
-- Answers the moment, how many rows these were, and what may have lost its last row.
WITH horizon AS MATERIALIZED (
    UPDATE {record}.clock SET horizon = greatest(horizon, least($1::text::timestamptz, $2)) RETURNING horizon AS at
), links AS (
    DELETE FROM {record}.document_passage x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.passage AS id
), versions AS (
    DELETE FROM {record}.document_version x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.document AS id
), mentions AS (
    DELETE FROM {record}.mention x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.entity AS id
), observations AS (
    DELETE FROM {record}.observation x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.entity AS id
), claims AS (
    DELETE FROM {record}.alias_claim x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.entity AS id
), evidence AS (
    DELETE FROM {record}.relation_evidence x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.relation AS id
), assertions AS (
    DELETE FROM {record}.assertion x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), merges AS (
    DELETE FROM {record}.merge x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.target AS id
), names AS (
    DELETE FROM {record}.entity_name x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), words AS (
    DELETE FROM {record}.posting p USING names n WHERE p.kind = 2 AND p.id = n.id
), periods AS (
    DELETE FROM {record}.relation_period x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.relation AS id
), presence AS (
    DELETE FROM {record}.entity_presence x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.entity AS id
), standing AS (
    DELETE FROM {record}.standing x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.canonical AS id
), rules AS (
    DELETE FROM {record}.predicate_rule x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), words_on_facts AS (
    DELETE FROM {record}.relation_override x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), verdicts AS (
    DELETE FROM {record}.verdict x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), apart AS (
    DELETE FROM {record}.apart x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), given AS (
    DELETE FROM {record}.given_name x USING horizon h
    WHERE NOT upper_inf(x.recorded) AND upper(x.recorded) <= h.at RETURNING x.id
), erasures AS (
    DELETE FROM {record}.erasure x USING horizon h WHERE x.at <= h.at
)
SELECT (SELECT at FROM horizon) AS horizon,
       (SELECT count(*) FROM links) + (SELECT count(*) FROM versions) + (SELECT count(*) FROM mentions)
       + (SELECT count(*) FROM observations) + (SELECT count(*) FROM claims) + (SELECT count(*) FROM evidence)
       + (SELECT count(*) FROM assertions) + (SELECT count(*) FROM merges) + (SELECT count(*) FROM names)
       + (SELECT count(*) FROM periods) + (SELECT count(*) FROM presence) + (SELECT count(*) FROM standing)
       + (SELECT count(*) FROM rules) + (SELECT count(*) FROM words_on_facts) + (SELECT count(*) FROM verdicts)
       + (SELECT count(*) FROM apart) + (SELECT count(*) FROM given) AS rows,
       ARRAY(SELECT DISTINCT id FROM links) AS passages, ARRAY(SELECT DISTINCT id FROM versions) AS documents,
       ARRAY(SELECT id FROM evidence UNION SELECT id FROM periods) AS relations,
       ARRAY(SELECT id FROM mentions UNION SELECT id FROM observations UNION SELECT id FROM claims
             UNION SELECT id FROM merges UNION SELECT id FROM presence UNION SELECT id FROM standing) AS entities

-- name: unheld
-- Of passages $1 those that no version of a document holds any more, with what their replies and vectors are found by,
-- and whether the same text is held elsewhere; and of documents $2 those without a version.
SELECT 'passage' AS kind, p.id, p.text_hash, p.text, (
    SELECT true FROM {record}.space s CROSS JOIN LATERAL (
        SELECT k.id FROM {record}.passage k WHERE k.space = s.id AND k.text_hash = p.text_hash OFFSET 0) AS k
    WHERE k.id <> ALL ($1::bigint[]) LIMIT 1) IS NOT NULL AS elsewhere
FROM unnest($1::bigint[]) AS w(id)
CROSS JOIN LATERAL (SELECT * FROM {record}.passage k WHERE k.id = w.id OFFSET 0) AS p
WHERE (SELECT true FROM {record}.document_passage l WHERE l.passage = p.id LIMIT 1) IS NULL
UNION ALL
SELECT 'document', w.id, NULL, NULL, NULL FROM unnest($2::bigint[]) AS w(id)
WHERE (SELECT true FROM {record}.document_version v WHERE v.document = w.id LIMIT 1) IS NULL

-- name: unmentioned
-- Of entities $1 those that nothing refers to any more, nor anybody's word on what they are or are called.
SELECT w.id FROM unnest($1::bigint[]) AS w(id)
WHERE (SELECT true FROM {record}.mention k WHERE k.entity = w.id AND upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.mention k WHERE k.entity = w.id AND NOT upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.merge k WHERE k.target = w.id AND upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.merge k WHERE k.target = w.id AND NOT upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.merge k
       WHERE k.source = w.id AND upper_inf(k.recorded) AND k.cause = 'user' LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.apart k WHERE k.source = w.id AND upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.apart k WHERE k.target = w.id AND upper_inf(k.recorded) LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.standing k WHERE k.canonical = w.id LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.relation k WHERE k.subject = w.id AND k.current LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.relation k WHERE k.subject = w.id AND NOT k.current LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.relation k WHERE k.object = w.id AND k.current LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.relation k WHERE k.object = w.id AND NOT k.current LIMIT 1) IS NULL
  AND (SELECT true FROM {record}.given_name k WHERE k.entity = w.id AND upper_inf(k.recorded) LIMIT 1) IS NULL
