-- name: role_exists
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)

-- name: schema_owner
SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = $1

-- name: grant_read
-- Default privileges reach the tables that the owner makes later, such as the next generation of vectors.
GRANT USAGE ON SCHEMA {catalog}, {record} TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA {catalog}, {record} TO {role};
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {record} GRANT SELECT ON TABLES TO {role};

-- name: grant_write
-- The registry is shared by all realms: a writer only reads it.
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {record} TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {record} TO {role};
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {record} GRANT INSERT, UPDATE, DELETE ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {record} GRANT USAGE ON SEQUENCES TO {role};

-- name: grant_graph_read
GRANT USAGE ON SCHEMA {graph} TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA {graph} TO {role};

-- name: grant_graph_write
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {graph} TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {graph} TO {role};

-- name: schema_closed_to
SELECT NOT has_schema_privilege($1, $2::text, 'USAGE')

-- name: grant_schema
GRANT USAGE ON SCHEMA {schema} TO {role}

-- name: may_write
SELECT pg_is_in_recovery() AS replica, current_setting('transaction_read_only') = 'on' AS read_only,
       has_table_privilege('{record}.passage', 'INSERT') AS granted, current_user::text AS role

-- name: readers_and_writers
-- Who was granted a realm, by what its first table allows; owners and superusers need no grant.
SELECT r.rolname AS role, bool_or(a.privilege_type = 'INSERT') AS writes
FROM pg_class c
CROSS JOIN LATERAL aclexplode(c.relacl) a
JOIN pg_roles r ON r.oid = a.grantee
WHERE c.oid = '{record}.document'::regclass AND a.grantee <> c.relowner
GROUP BY r.rolname ORDER BY r.rolname
