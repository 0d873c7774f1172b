-- name: lock_migrations
SELECT set_config('lock_timeout', $1, true), pg_advisory_xact_lock(hashtextextended('post_graph_rag', 0))

-- name: limit_lock_wait
SELECT set_config('lock_timeout', $1, true)

-- name: catalog_migration
SELECT max(number) FROM {catalog}.migration WHERE scope = 'catalog'

-- name: may_migrate
SELECT bool_and(pg_has_role(n.nspowner, 'USAGE')) FROM pg_namespace n
WHERE n.nspname IN ($1, (SELECT schema_name FROM {catalog}.realm WHERE name = $2))

-- name: all_applied_migrations
SELECT scope, number, checksum FROM {catalog}.migration ORDER BY scope, number

-- name: realm_schemas
SELECT name, schema_name FROM {catalog}.realm ORDER BY name

-- name: catalog_exists
SELECT to_regclass('{catalog}.migration') IS NOT NULL

-- name: create_catalog
-- The list of migrations is needed before the first of them can be applied.
CREATE SCHEMA IF NOT EXISTS {catalog};
CREATE TABLE IF NOT EXISTS {catalog}.migration (
    scope      text COLLATE "C" NOT NULL,
    number     integer NOT NULL,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (scope, number)
);

-- name: applied_migrations
SELECT number, name, checksum FROM {catalog}.migration WHERE scope = $1 ORDER BY number

-- name: note_migration
INSERT INTO {catalog}.migration (scope, number, name, checksum) VALUES ($1, $2, $3, $4)

-- name: forget_migrations
DELETE FROM {catalog}.migration WHERE scope = $1

-- name: registered_prefixes
-- A registry that has not been brought up to date has none yet, and can be listed all the same.
coalesce(to_jsonb(r) ->> 'query_prefix', '') AS query_prefix,
coalesce(to_jsonb(r) ->> 'passage_prefix', '') AS passage_prefix

-- name: find_realm
SELECT r.name, r.schema_name, r.graph_name, r.embedding_model, r.dimensions, r.generation, r.extractor,
       {registered_prefixes},
       (SELECT max(number) FROM {catalog}.migration m WHERE m.scope = r.schema_name) AS migration,
       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'vector') AS vectors_in
FROM {catalog}.realm r WHERE r.name = $1

-- name: vectors_in
SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'

-- name: list_realms
SELECT r.name, r.schema_name, r.graph_name, r.embedding_model, r.dimensions, r.generation, r.extractor,
       {registered_prefixes},
       (SELECT max(number) FROM {catalog}.migration m WHERE m.scope = r.schema_name) AS migration
FROM {catalog}.realm r ORDER BY r.name

-- name: register_realm
INSERT INTO {catalog}.realm (name, schema_name, graph_name, embedding_model, dimensions, extractor)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: register_prefixes
UPDATE {catalog}.realm SET query_prefix = $2, passage_prefix = $3 WHERE name = $1

-- name: register_generation
-- The swap: from its commit on whoever looks up realm $1 finds the vectors of model $2.
UPDATE {catalog}.realm SET embedding_model = $2, dimensions = $3, generation = $4, query_prefix = $5,
    passage_prefix = $6
WHERE name = $1

-- name: unregister_realm
DELETE FROM {catalog}.realm WHERE name = $1

-- name: extensions
SELECT e.extname AS name, e.extversion AS version, n.nspname AS schema
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname IN ('vector', 'age', 'pg_textsearch')

-- name: epoch
SELECT epoch FROM {record}.clock

-- name: begin_epoch
-- No two realms of one name, one after the other, share it; so whoever still has the first one open notices.
UPDATE {record}.clock SET epoch = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- name: create_schema
CREATE SCHEMA {record}

-- name: drop_schema
DROP SCHEMA IF EXISTS {record} CASCADE
