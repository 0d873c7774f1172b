-- tail: a current vector that no HNSW index holds yet. To put one in costs milliseconds, so what is written or comes back
-- waits and is searched exactly until many are put in at once. Where there is no such index nothing waits.
-- An HNSW index from before holds what waits as well, so that writing stays as slow as it was until `optimize` makes it anew.

DO $$
BEGIN
    IF to_regclass('{passage_vector}') IS NOT NULL THEN
        ALTER TABLE {passage_vector} ADD COLUMN IF NOT EXISTS tail boolean NOT NULL DEFAULT false;
        ALTER TABLE {entity_vector} ADD COLUMN IF NOT EXISTS tail boolean NOT NULL DEFAULT false;
        ALTER TABLE {relation_vector} ADD COLUMN IF NOT EXISTS tail boolean NOT NULL DEFAULT false;
        CREATE INDEX IF NOT EXISTS passage_vector_{generation}_tail ON {passage_vector} (space) WHERE current AND tail;
        CREATE INDEX IF NOT EXISTS entity_vector_{generation}_tail ON {entity_vector} (space) WHERE current AND tail;
        CREATE INDEX IF NOT EXISTS relation_vector_{generation}_tail ON {relation_vector} (space) WHERE current AND tail;
    END IF;
END $$;
