-- name: load_age
-- The first value of the type loads the library into this session, for any role (LOAD wants a superuser).
SELECT '0'::ag_catalog.agtype

-- name: graph_exists
-- A graph is a schema; AGE's own list of them may be closed to an owner who is no superuser.
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)

-- name: create_graph
SELECT ag_catalog.create_graph($1::name)

-- name: create_labels
-- All labels at once: a label made at first use races with itself. create_graph came before, in this transaction.
-- Literals, since the parameters are names up to AGE 1.5 and cstrings from there.
SELECT ag_catalog.create_vlabel('{graph_name}', 'Document');
SELECT ag_catalog.create_vlabel('{graph_name}', 'Passage');
SELECT ag_catalog.create_vlabel('{graph_name}', 'Entity');
SELECT ag_catalog.create_vlabel('{graph_name}', 'Community');
SELECT ag_catalog.create_vlabel('{graph_name}', 'Pointer');
SELECT ag_catalog.create_vlabel('{graph_name}', 'Concept');
SELECT ag_catalog.create_elabel('{graph_name}', 'CONTAINS');
SELECT ag_catalog.create_elabel('{graph_name}', 'MENTIONS');
SELECT ag_catalog.create_elabel('{graph_name}', 'RELATES');
SELECT ag_catalog.create_elabel('{graph_name}', 'MEMBER_OF');
SELECT ag_catalog.create_elabel('{graph_name}', 'CHILD_OF');
SELECT ag_catalog.create_elabel('{graph_name}', 'LINKS');

-- name: create_graph_indexes
-- AGE makes none of these before 1.7, and from there its own under other names; ours serve the projection's deletes.
CREATE UNIQUE INDEX IF NOT EXISTS pgr_document_id ON {graph}."Document" (id);
CREATE UNIQUE INDEX IF NOT EXISTS pgr_passage_id ON {graph}."Passage" (id);
CREATE UNIQUE INDEX IF NOT EXISTS pgr_entity_id ON {graph}."Entity" (id);
CREATE UNIQUE INDEX IF NOT EXISTS pgr_contains_id ON {graph}."CONTAINS" (id);
CREATE UNIQUE INDEX IF NOT EXISTS pgr_mentions_id ON {graph}."MENTIONS" (id);
CREATE UNIQUE INDEX IF NOT EXISTS pgr_relates_id ON {graph}."RELATES" (id);
CREATE INDEX IF NOT EXISTS pgr_contains_start ON {graph}."CONTAINS" (start_id);
CREATE INDEX IF NOT EXISTS pgr_contains_end ON {graph}."CONTAINS" (end_id);
CREATE INDEX IF NOT EXISTS pgr_mentions_start ON {graph}."MENTIONS" (start_id);
CREATE INDEX IF NOT EXISTS pgr_mentions_end ON {graph}."MENTIONS" (end_id);
CREATE INDEX IF NOT EXISTS pgr_relates_start ON {graph}."RELATES" (start_id);
CREATE INDEX IF NOT EXISTS pgr_relates_end ON {graph}."RELATES" (end_id);

-- name: drop_graph
SELECT ag_catalog.drop_graph($1::name, true)
