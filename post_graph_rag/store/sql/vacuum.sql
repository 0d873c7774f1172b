-- name: tables_not_mine
-- How many of the realm's tables belong to somebody else: who owns nothing may not clear them, and is only warned.
SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ($1, $2) AND c.relkind = 'r' AND NOT pg_has_role(c.relowner, 'USAGE')

-- name: older_snapshots
-- Who may still see rows that are dead for all others: transactions of this database, prepared ones, and slots. Of
-- other roles' sessions the server tells only who may read all statistics.
SELECT (SELECT count(*) FROM pg_stat_activity
        WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database())
       + (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())
       + (SELECT count(*) FROM pg_replication_slots WHERE xmin IS NOT NULL)
