-- What belief time, supersession, people's own words and forgetting need beside the record.

-- ------------------------------------------------------------------ what was, kept so that a past belief is a look-up

-- derived: when an entity was current, which is to be canonical and mentioned.
CREATE TABLE {record}.entity_presence (
    entity   bigint NOT NULL REFERENCES {record}.entity,
    recorded tstzrange NOT NULL
);
CREATE INDEX entity_presence_entity ON {record}.entity_presence (entity);

-- derived: for whom an entity stood while it did not stand for itself.
CREATE TABLE {record}.standing (
    entity    bigint NOT NULL REFERENCES {record}.entity,
    canonical bigint NOT NULL REFERENCES {record}.entity,
    recorded  tstzrange NOT NULL
);
CREATE INDEX standing_entity ON {record}.standing (entity);
CREATE INDEX standing_canonical ON {record}.standing (canonical);

INSERT INTO {record}.entity_presence (entity, recorded)
SELECT e.id, tstzrange(min(lower(m.recorded)), NULL)
FROM {record}.entity e
JOIN {record}.entity s ON s.canonical = e.id
JOIN {record}.mention m ON m.entity = s.id AND upper_inf(m.recorded)
WHERE e.current GROUP BY e.id;

INSERT INTO {record}.standing (entity, canonical, recorded)
SELECT e.id, e.canonical, tstzrange(lower(m.recorded), NULL)
FROM {record}.entity e JOIN {record}.merge m ON m.source = e.id AND upper_inf(m.recorded)
WHERE e.canonical <> e.id;

-- What is no more: the indexes of 0001 hold what is live, these the rest.
CREATE INDEX mention_entity_past ON {record}.mention (entity, passage) WHERE NOT upper_inf(recorded);
CREATE INDEX observation_entity_past ON {record}.observation
    (entity, (-least(length(description), 300)), digest) WHERE NOT upper_inf(recorded);
CREATE INDEX entity_name_key_past ON {record}.entity_name (key) WHERE NOT upper_inf(recorded);
CREATE INDEX relation_subject_past ON {record}.relation (subject, object) WHERE NOT current;
CREATE INDEX relation_object_past ON {record}.relation (object, subject) WHERE NOT current;
DO $$
BEGIN
    IF to_regclass('{passage_vector}') IS NOT NULL THEN
        CREATE INDEX IF NOT EXISTS passage_vector_{generation}_past ON {passage_vector} (space) WHERE NOT current;
        CREATE INDEX IF NOT EXISTS entity_vector_{generation}_past ON {entity_vector} (space) WHERE NOT current;
        CREATE INDEX IF NOT EXISTS relation_vector_{generation}_past ON {relation_vector} (space) WHERE NOT current;
    END IF;
END $$;

-- What came and went since a moment.
CREATE INDEX document_version_came ON {record}.document_version (lower(recorded));
CREATE INDEX document_version_went ON {record}.document_version (upper(recorded)) WHERE NOT upper_inf(recorded);
CREATE INDEX relation_period_came ON {record}.relation_period (lower(recorded));
CREATE INDEX relation_period_went ON {record}.relation_period (upper(recorded)) WHERE NOT upper_inf(recorded);
CREATE INDEX entity_presence_came ON {record}.entity_presence (lower(recorded));
CREATE INDEX entity_presence_went ON {record}.entity_presence (upper(recorded)) WHERE NOT upper_inf(recorded);
CREATE INDEX standing_came ON {record}.standing (lower(recorded));

-- ------------------------------------------------------------------ supersession

-- retracted: somebody says it never held; it is shown only where superseded facts are asked for.
ALTER TABLE {record}.relation_period ADD COLUMN retracted boolean NOT NULL DEFAULT false;

-- Of the facts with one of the predicates of a group only one holds at a time: per 'subject', per 'object', or per 'pair'
-- of the two. A group's name is the predicate's own unless several share one.
CREATE TABLE {record}.predicate_rule (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    predicate text COLLATE "C" NOT NULL,
    per       text NOT NULL CHECK (per IN ('subject', 'object', 'pair')),
    exclusive text COLLATE "C" NOT NULL,
    recorded  tstzrange NOT NULL
);
CREATE UNIQUE INDEX predicate_rule_live ON {record}.predicate_rule (predicate, per, exclusive) WHERE upper_inf(recorded);

-- derived from live evidence: at which moments (microseconds since 1970, UTC) a relation is said to hold, in each slot
-- of which only one relation can have its turn at a time.
CREATE TABLE {record}.slot_point (
    slot      text COLLATE "C" NOT NULL,
    at        bigint NOT NULL,
    relation  bigint NOT NULL,
    assertion bigint NOT NULL
);
CREATE INDEX slot_point_slot ON {record}.slot_point (slot) INCLUDE (at, relation, assertion);
CREATE INDEX slot_point_assertion ON {record}.slot_point (assertion);

-- What people say of a relation against what follows from its evidence. at: when it ended; null: it never held.
CREATE TABLE {record}.relation_override (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject   bigint NOT NULL REFERENCES {record}.entity,
    predicate text COLLATE "C" NOT NULL,
    object    bigint NOT NULL REFERENCES {record}.entity,
    negated   boolean NOT NULL,
    action    text NOT NULL CHECK (action IN ('close', 'reopen')),
    at        bigint,
    reason    text NOT NULL,
    recorded  tstzrange NOT NULL
);
CREATE INDEX relation_override_subject ON {record}.relation_override (subject, predicate, object)
    WHERE upper_inf(recorded);
CREATE INDEX relation_override_object ON {record}.relation_override (object);

-- What a model said of two relations: whether they exclude one another. one is the smaller id.
CREATE TABLE {record}.verdict (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    one       bigint NOT NULL REFERENCES {record}.relation,
    other     bigint NOT NULL REFERENCES {record}.relation,
    exclusive boolean NOT NULL,
    model     text NOT NULL,
    recorded  tstzrange NOT NULL,
    CHECK (one < other)
);
CREATE UNIQUE INDEX verdict_live ON {record}.verdict (one, other) WHERE upper_inf(recorded);
CREATE INDEX verdict_other ON {record}.verdict (other);

-- ------------------------------------------------------------------ people's words on entities

-- Somebody took these two apart: aliases do not make them one again.
CREATE TABLE {record}.apart (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source   bigint NOT NULL REFERENCES {record}.entity,
    target   bigint NOT NULL REFERENCES {record}.entity,
    recorded tstzrange NOT NULL
);
CREATE INDEX apart_source ON {record}.apart (source);
CREATE INDEX apart_target ON {record}.apart (target);

-- The name somebody gave an entity, which its profile bears while it is live.
CREATE TABLE {record}.given_name (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entity   bigint NOT NULL REFERENCES {record}.entity,
    name     text NOT NULL,
    recorded tstzrange NOT NULL
);
CREATE INDEX given_name_entity ON {record}.given_name (entity);

-- For looking up all that hangs on an entity, whatever its time.
CREATE INDEX merge_source ON {record}.merge (source);
CREATE INDEX merge_target_past ON {record}.merge (target) WHERE NOT upper_inf(recorded);
CREATE INDEX assertion_subject_past ON {record}.assertion (subject) WHERE NOT upper_inf(recorded);
CREATE INDEX assertion_object_past ON {record}.assertion (object) WHERE NOT upper_inf(recorded);
CREATE INDEX alias_claim_entity_past ON {record}.alias_claim (entity) WHERE NOT upper_inf(recorded);

-- ------------------------------------------------------------------ forgetting

-- What was erased, without a word of it: so that whoever follows the changes can forget it too.
CREATE TABLE {record}.erasure (
    kind text NOT NULL,
    id   bigint NOT NULL,
    at   timestamptz NOT NULL
);
CREATE INDEX erasure_at ON {record}.erasure (at);

-- No belief before this moment is kept any more; null: all is kept.
ALTER TABLE {record}.clock ADD COLUMN horizon timestamptz;

-- The hash of the text a stored vector is of, so that both go together. Vectors stored before have none.
ALTER TABLE {record}.stored_vector ADD COLUMN source bytea;
CREATE INDEX stored_vector_source ON {record}.stored_vector (source);
