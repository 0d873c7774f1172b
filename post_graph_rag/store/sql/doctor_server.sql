-- name: server_facts
SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding, current_user::text AS role, current_database()::text AS base,
       has_database_privilege(current_database(), 'CREATE') AS may_create, pg_is_in_recovery() AS replica

-- name: extension_facts
SELECT w.name, e.extversion AS version, n.nspname::text AS schema, a.default_version AS available
FROM unnest(ARRAY['vector', 'age']) AS w(name)
LEFT JOIN pg_extension e ON e.extname = w.name
LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
LEFT JOIN pg_available_extensions a ON a.name = w.name

-- name: catalog_closed
-- Whether the catalog is there but not for this role.
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE'))
