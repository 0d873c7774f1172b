-- name: cypher
-- {tag} is a dollar quote that does not occur in the query; {columns} are quoted names.
SELECT {results} FROM ag_catalog.cypher('{graph_name}', {tag}{query}{tag}, $1) AS ({columns})

-- name: cypher_limits
SELECT set_config('statement_timeout', $1, true)
