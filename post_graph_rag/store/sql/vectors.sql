-- name: create_vector_tables
-- One narrow table a kind and generation: an update beside an HNSW column would cost milliseconds a row.
CREATE TABLE {passage_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL
);
CREATE TABLE {entity_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL
);
CREATE TABLE {relation_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL
);

-- name: create_vector_indexes
CREATE INDEX IF NOT EXISTS {index} ON {table} USING hnsw (embedding {operators}) WHERE current;
