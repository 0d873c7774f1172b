-- name: create_vector_tables
-- One narrow table a kind and generation: an update beside an HNSW column would cost milliseconds a row.
-- tail: a current vector that no HNSW index holds yet; it waits until many are put in at once, and is searched exactly.
CREATE TABLE {passage_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL,
    tail boolean NOT NULL DEFAULT false
);
CREATE TABLE {entity_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL,
    tail boolean NOT NULL DEFAULT false
);
CREATE TABLE {relation_vector} (
    id bigint PRIMARY KEY, space integer NOT NULL, current boolean NOT NULL, embedding {vector}({dimensions}) NOT NULL,
    tail boolean NOT NULL DEFAULT false
);
-- For spaces that are small beside the others, which a scan of an HNSW index passes by. Whole, not partial: it must be
-- of no use to a search that is not by space, or it would be weighed against the HNSW index.
CREATE INDEX ON {passage_vector} (space);
CREATE INDEX ON {entity_vector} (space);
CREATE INDEX ON {relation_vector} (space);
CREATE INDEX passage_vector_{generation}_tail ON {passage_vector} (space) WHERE current AND tail;
CREATE INDEX entity_vector_{generation}_tail ON {entity_vector} (space) WHERE current AND tail;
CREATE INDEX relation_vector_{generation}_tail ON {relation_vector} (space) WHERE current AND tail;
-- For what was: a past belief, a fact that was superseded. All of it is read by the signs of its vectors, which lie
-- close together (one list), and who is near by them is then compared in full.
CREATE INDEX passage_vector_{generation}_signs ON {passage_vector} USING ivfflat
    (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;
CREATE INDEX entity_vector_{generation}_signs ON {entity_vector} USING ivfflat
    (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;
CREATE INDEX relation_vector_{generation}_signs ON {relation_vector} USING ivfflat
    (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;

-- name: create_vector_indexes
CREATE INDEX IF NOT EXISTS {index} ON {table} USING hnsw (embedding {operators}) WHERE current AND NOT tail;
