-- name: tables_not_mine
-- How many of the realm's tables belong to somebody else: who owns nothing may not clear them, and is only warned.
SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ($1, $2) AND c.relkind = 'r' AND NOT pg_has_role(c.relowner, 'USAGE')
