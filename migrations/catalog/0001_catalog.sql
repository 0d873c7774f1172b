-- The catalog: one schema a database, which lists what was applied and which realms there are.

CREATE TABLE {catalog}.realm (
    name            text COLLATE "C" PRIMARY KEY,
    schema_name     text COLLATE "C" NOT NULL UNIQUE,
    graph_name      text COLLATE "C" UNIQUE,          -- null: the realm keeps no Apache AGE graph
    embedding_model text NOT NULL,
    dimensions      integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    generation      integer NOT NULL DEFAULT 1,       -- which vector tables are in use
    extractor       text NOT NULL DEFAULT '',         -- name of the model the realm was made with, for people to see
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
