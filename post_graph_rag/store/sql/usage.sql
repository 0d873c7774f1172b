-- name: put_calls
-- Lines of the ledger. $1: do not wait for the disk; $2 json [{role, model, prompt_tokens, output_tokens,
-- cached_tokens, milliseconds, document, question, failed, age}], age in seconds.
WITH quick AS (
    SELECT CASE WHEN $1 THEN set_config('synchronous_commit', 'off', true) END
)
INSERT INTO {record}.ledger
    (at, role, model, prompt_tokens, output_tokens, cached_tokens, milliseconds, document, question, failed)
SELECT clock_timestamp() - make_interval(secs => w.age), w.role, w.model, w.prompt_tokens, w.output_tokens,
       w.cached_tokens, w.milliseconds, w.document, w.question, w.failed
FROM quick, json_to_recordset($2::text::json) AS w(
    role text, model text, prompt_tokens integer, output_tokens integer, cached_tokens integer, milliseconds integer,
    document bytea, question bytea, failed boolean, age double precision)

-- name: usage
-- What calls took since $1, a timestamptz literal, by model and by $2: 'model', 'role', 'day' in UTC, or 'document'.
WITH spent AS MATERIALIZED (
    SELECT CASE $2 WHEN 'model' THEN model WHEN 'role' THEN role
                   WHEN 'day' THEN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS of,
           CASE WHEN $2 = 'document' THEN document END AS mark, model, count(*) AS calls,
           count(*) FILTER (WHERE failed) AS failed_calls,
           sum(prompt_tokens)::bigint AS prompt_tokens, sum(output_tokens)::bigint AS output_tokens,
           sum(cached_tokens)::bigint AS cached_tokens, sum(milliseconds)::bigint AS milliseconds
    FROM {record}.ledger WHERE at >= $1::text::timestamptz GROUP BY 1, 2, 3
), marked AS MATERIALIZED (
    SELECT d.key, s.name AS space,
           substring(sha256(convert_to(s.name, 'UTF8') || '\x00'::bytea || d.digest) FOR 16) AS mark
    FROM {record}.document d JOIN {record}.space s ON s.id = d.space WHERE $2 = 'document'
)
SELECT coalesce(m.key, u.of) AS of, m.space, u.model, u.calls, u.failed_calls, u.prompt_tokens, u.output_tokens,
       u.cached_tokens, u.milliseconds
FROM spent u LEFT JOIN marked m ON m.mark = u.mark

-- name: usual_calls
-- What the last calls took that were made to read passages: tokens of a reply, where the model told.
SELECT avg(output_tokens)::float8 AS output_tokens, count(*) AS calls
FROM (SELECT output_tokens FROM {record}.ledger WHERE role = 'extraction' AND output_tokens > 0
      ORDER BY at DESC LIMIT 1000) AS l
