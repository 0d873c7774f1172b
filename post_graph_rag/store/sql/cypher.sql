-- name: cypher
-- {tag} is a dollar quote that does not occur in the query; {columns} are quoted names.
SELECT {results} FROM ag_catalog.cypher('{graph_name}', {tag}{query}{tag}, $1) AS ({columns})

-- name: cypher_limits
-- $1 milliseconds, unless the session is bound more tightly already; 0 is no bound. Answers whether graph $2 is there.
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $2::name) AS there,
       set_config('statement_timeout', least($1::integer, nullif(setting::integer, 0))::text, true)
FROM pg_settings WHERE name = 'statement_timeout'
