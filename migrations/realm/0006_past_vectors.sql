-- What is not current lies in no index on vectors, and scattered: to read it whole costs a page for each. Of its vectors
-- the signs alone, a bit a dimension, lie close together here; who is near by them is then compared in full.
-- One list: all of it is read, so that nothing is passed by and no list has to be trained; what goes costs one insert.

DO $$
BEGIN
    IF to_regclass('{passage_vector}') IS NOT NULL THEN
        DROP INDEX IF EXISTS {record}.passage_vector_{generation}_past, {record}.entity_vector_{generation}_past,
            {record}.relation_vector_{generation}_past;
        CREATE INDEX IF NOT EXISTS passage_vector_{generation}_signs ON {passage_vector} USING ivfflat
            (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;
        CREATE INDEX IF NOT EXISTS entity_vector_{generation}_signs ON {entity_vector} USING ivfflat
            (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;
        CREATE INDEX IF NOT EXISTS relation_vector_{generation}_signs ON {relation_vector} USING ivfflat
            (({signs}(embedding)::bit({dimensions})) {sign_operators}) WITH (lists = 1) WHERE NOT current;
    END IF;
END $$;
