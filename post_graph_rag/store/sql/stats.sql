-- name: realm_stats
SELECT (SELECT count(*) FROM {record}.space) AS spaces,
       (SELECT count(*) FROM {record}.document_version WHERE upper_inf(recorded)) AS documents,
       (SELECT count(DISTINCT passage) FROM {record}.document_passage WHERE upper_inf(recorded)) AS passages,
       (SELECT count(*) FROM {record}.entity WHERE current) AS entities,
       (SELECT count(*) FROM {record}.relation WHERE current) AS relations,
       (SELECT count(*) FROM {record}.passage p WHERE p.extractor IS NULL AND EXISTS (
           SELECT FROM {record}.document_passage d WHERE d.passage = p.id AND upper_inf(d.recorded)
       )) AS pending_passages,
       (SELECT count(*) FROM {record}.entity_profile f JOIN {record}.entity e ON e.id = f.entity
        WHERE f.pending AND e.current)
       + (SELECT count(*) FROM {record}.relation WHERE pending AND current) AS pending_vectors,
       (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ($1, $2) AND c.relkind = 'r') AS bytes
