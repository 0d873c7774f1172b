-- The record of one realm. Vector tables, whose width is the realm's, are made beside it (store/sql/vectors.sql).
--
-- recorded: the span of time in which the library held a row to be so; an open upper bound means it still does.
-- Rows with a span are closed, never updated. Columns marked 'derived' are functions of such rows, kept for speed.

-- The realm's clock and its write lock: a writer updates the one row first, so commits, stamps and belief are one order.
CREATE TABLE {record}.clock (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    stamp timestamptz NOT NULL,
    epoch bigint NOT NULL DEFAULT 1
);
INSERT INTO {record}.clock (stamp) VALUES (clock_timestamp());

CREATE TABLE {record}.space (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- ------------------------------------------------------------------ documents and passages

CREATE TABLE {record}.document (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space  integer NOT NULL REFERENCES {record}.space,
    digest bytea NOT NULL,                            -- of the key: keys may be longer than an index row
    key    text NOT NULL,
    UNIQUE (space, digest)
);

CREATE TABLE {record}.document_version (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document      bigint NOT NULL REFERENCES {record}.document,
    text_hash     bytea NOT NULL,                     -- of the text as given
    context_hash  bytea NOT NULL,
    metadata_hash bytea NOT NULL,                     -- of title, source and metadata
    title         text,
    source        text,
    context       jsonb NOT NULL,
    metadata      jsonb NOT NULL,
    observed      tstzrange,                          -- the span the source's date means
    observed_text text,                               -- the date as the source gives it
    recorded      tstzrange NOT NULL
);
CREATE UNIQUE INDEX document_version_live ON {record}.document_version (document) WHERE upper_inf(recorded);
CREATE INDEX document_version_document ON {record}.document_version (document);

CREATE TABLE {record}.passage (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space        integer NOT NULL REFERENCES {record}.space,
    text_hash    bytea NOT NULL,
    context_hash bytea NOT NULL,
    event        tstzrange,                           -- when the source says it was written
    text         text NOT NULL,
    tokens       integer NOT NULL,
    extractor    text,                                -- which extraction its structure is from; null: still pending
    failure      text,                                -- why it is pending
    UNIQUE NULLS NOT DISTINCT (space, text_hash, context_hash, event)
);
CREATE INDEX passage_pending ON {record}.passage (id) WHERE extractor IS NULL;

CREATE TABLE {record}.document_passage (
    id       bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    version  bigint NOT NULL REFERENCES {record}.document_version,
    passage  bigint NOT NULL REFERENCES {record}.passage,
    ordinal  integer NOT NULL,
    starts   integer NOT NULL,
    ends     integer NOT NULL,
    recorded tstzrange NOT NULL,
    PRIMARY KEY (version, ordinal)
);
CREATE INDEX document_passage_passage ON {record}.document_passage (passage);

-- ------------------------------------------------------------------ what passages say

CREATE TABLE {record}.entity (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space     integer NOT NULL REFERENCES {record}.space,
    key       text COLLATE "C" NOT NULL,
    sense     smallint NOT NULL DEFAULT 0,            -- above 0 only where homonyms are kept apart
    canonical bigint NOT NULL,                        -- derived: the entity it is merged into now, else itself
    current   boolean NOT NULL DEFAULT false,         -- derived: canonical, and a live passage mentions it
    UNIQUE (space, key, sense)
);
CREATE INDEX entity_merged ON {record}.entity (canonical) WHERE canonical <> id;

CREATE TABLE {record}.mention (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    passage  bigint NOT NULL REFERENCES {record}.passage,
    entity   bigint NOT NULL REFERENCES {record}.entity,
    recorded tstzrange NOT NULL
);
CREATE INDEX mention_passage ON {record}.mention (passage);
CREATE INDEX mention_entity ON {record}.mention (entity, passage) WHERE upper_inf(recorded);

-- name, type and description as one passage has them; a name that only stands in a relation has no description.
CREATE TABLE {record}.observation (
    passage     bigint NOT NULL REFERENCES {record}.passage,
    entity      bigint NOT NULL REFERENCES {record}.entity,
    name        text NOT NULL,
    type        text NOT NULL,
    description text NOT NULL,
    digest      bytea NOT NULL,                       -- of the three: equal ones count once
    recorded    tstzrange NOT NULL
);
CREATE INDEX observation_passage ON {record}.observation (passage);
-- Fullest first; both columns ascend, so that a scan can go on behind any row.
CREATE INDEX observation_entity ON {record}.observation
    (entity, (-least(length(description), 300)), digest) WHERE upper_inf(recorded);
CREATE INDEX observation_name ON {record}.observation (entity, md5(name)) WHERE upper_inf(recorded);

CREATE TABLE {record}.alias_claim (
    passage  bigint NOT NULL REFERENCES {record}.passage,
    entity   bigint NOT NULL REFERENCES {record}.entity,
    alias    text NOT NULL,
    key      text COLLATE "C" NOT NULL,
    recorded tstzrange NOT NULL
);
CREATE INDEX alias_claim_passage ON {record}.alias_claim (passage);
CREATE INDEX alias_claim_entity ON {record}.alias_claim (entity, key) WHERE upper_inf(recorded);

-- One statement of one passage: immutable, with the entities it was written for, whatever is merged later.
CREATE TABLE {record}.assertion (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    passage     bigint NOT NULL REFERENCES {record}.passage,
    subject     bigint NOT NULL REFERENCES {record}.entity,
    predicate   text COLLATE "C" NOT NULL,
    object      bigint NOT NULL REFERENCES {record}.entity,
    negated     boolean NOT NULL,
    fact        text NOT NULL,
    stated_from text,                                 -- as the passage has it
    stated_to   text,
    valid       tstzrange,                            -- the span these mean; null: no date is stated
    event       tstzrange,                            -- when the source says it was written
    confidence  real NOT NULL,
    recorded    tstzrange NOT NULL
);
CREATE INDEX assertion_passage ON {record}.assertion (passage);
CREATE INDEX assertion_subject ON {record}.assertion (subject, predicate, object) WHERE upper_inf(recorded);
CREATE INDEX assertion_object ON {record}.assertion (object) WHERE upper_inf(recorded);

-- ------------------------------------------------------------------ what follows from it

-- Which entity stands for which other one. cause: 'alias' follows from live claims, 'user' is somebody's word.
CREATE TABLE {record}.merge (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source   bigint NOT NULL REFERENCES {record}.entity,
    target   bigint NOT NULL REFERENCES {record}.entity,
    cause    text NOT NULL,
    recorded tstzrange NOT NULL
);
CREATE UNIQUE INDEX merge_live ON {record}.merge (source) WHERE upper_inf(recorded);
CREATE INDEX merge_target ON {record}.merge (target) WHERE upper_inf(recorded);

CREATE TABLE {record}.entity_name (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entity   bigint NOT NULL REFERENCES {record}.entity,
    name     text NOT NULL,
    key      text COLLATE "C" NOT NULL,
    alias    boolean NOT NULL,
    recorded tstzrange NOT NULL
);
CREATE INDEX entity_name_entity ON {record}.entity_name (entity);
CREATE INDEX entity_name_key ON {record}.entity_name (key) WHERE upper_inf(recorded);

-- Derived from the live observations of an entity and of those merged into it.
CREATE TABLE {record}.entity_profile (
    entity      bigint PRIMARY KEY REFERENCES {record}.entity,
    name        text NOT NULL,
    type        text NOT NULL,
    description text NOT NULL,
    pending     boolean NOT NULL                      -- its vector is not that of this text yet
);
CREATE INDEX entity_profile_pending ON {record}.entity_profile (entity) WHERE pending;

CREATE TABLE {record}.relation (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space     integer NOT NULL REFERENCES {record}.space,
    subject   bigint NOT NULL REFERENCES {record}.entity,
    predicate text COLLATE "C" NOT NULL,
    object    bigint NOT NULL REFERENCES {record}.entity,
    negated   boolean NOT NULL,
    fact      text NOT NULL,                          -- derived: the best wording among its live assertions
    current   boolean NOT NULL DEFAULT false,         -- derived: it has an open period
    pending   boolean NOT NULL DEFAULT true,          -- it has no vector yet
    UNIQUE (subject, predicate, object, negated)
);
CREATE INDEX relation_subject ON {record}.relation (subject, object) WHERE current;
CREATE INDEX relation_object ON {record}.relation (object, subject) WHERE current;
CREATE INDEX relation_pending ON {record}.relation (id) WHERE pending AND current;

-- When a relation holds: a function of the live assertions (periods.py). Disjoint spans are rows of their own.
CREATE TABLE {record}.relation_period (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation  bigint NOT NULL REFERENCES {record}.relation,
    valid     tstzrange NOT NULL,
    dated     boolean NOT NULL,                       -- false: no date is stated, so it matches every moment
    closed_by jsonb,                                  -- what ended its validity, where something did
    recorded  tstzrange NOT NULL
);
CREATE INDEX relation_period_relation ON {record}.relation_period (relation);

-- Which assertions carry a relation: kept, since merges may move an assertion from one relation to another.
CREATE TABLE {record}.relation_evidence (
    relation  bigint NOT NULL REFERENCES {record}.relation,
    assertion bigint NOT NULL REFERENCES {record}.assertion,
    passage   bigint NOT NULL REFERENCES {record}.passage,
    recorded  tstzrange NOT NULL
);
CREATE INDEX relation_evidence_relation ON {record}.relation_evidence (relation, passage);
CREATE INDEX relation_evidence_passage ON {record}.relation_evidence (passage);
CREATE INDEX relation_evidence_assertion ON {record}.relation_evidence (assertion);

-- ------------------------------------------------------------------ words

-- The inverted index. kind: 1 passage, 2 entity name (id of entity_name), 3 relation. length: terms in the whole text.
CREATE TABLE {record}.posting (
    kind      smallint NOT NULL,
    space     integer NOT NULL,
    term      text COLLATE "C" NOT NULL,
    id        bigint NOT NULL,
    frequency smallint NOT NULL,
    length    integer NOT NULL,
    current   boolean NOT NULL
);
CREATE INDEX posting_term ON {record}.posting (kind, term, current, space) INCLUDE (id, frequency, length);
CREATE INDEX posting_id ON {record}.posting (kind, id);

-- ------------------------------------------------------------------ what models said

CREATE TABLE {record}.reply (
    key        bytea PRIMARY KEY,                     -- of model, prompt, schema, parameters, passage, context and round
    role       text NOT NULL,
    model      text NOT NULL,
    passage    bytea,                                 -- text hash of the passage it is about
    names      text[] NOT NULL DEFAULT '{}',          -- known names the model was shown
    text       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX reply_passage ON {record}.reply (passage);
CREATE INDEX reply_created ON {record}.reply (created_at);

CREATE TABLE {record}.stored_vector (
    key        bytea PRIMARY KEY,                     -- of model, width, kind and text
    embedding  {vector} NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX stored_vector_created ON {record}.stored_vector (created_at);

CREATE TABLE {record}.ledger (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    role          text NOT NULL,
    model         text NOT NULL,
    prompt_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    cached_tokens integer NOT NULL,
    milliseconds  integer NOT NULL
);
CREATE INDEX ledger_at ON {record}.ledger (at);
