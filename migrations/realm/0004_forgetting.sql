-- What erasing needs to find everything by index.

-- The server looks for rows that refer to an erased entity one entity at a time, and by a whole index only: what is live
-- and what is past have indexes of their own here, so it would read the tables whole each time. Rows of these tables are
-- written under the write lock, for entities written there too, and go with them (store/sql/erase.sql).
ALTER TABLE {record}.mention DROP CONSTRAINT mention_entity_fkey;
ALTER TABLE {record}.observation DROP CONSTRAINT observation_entity_fkey;
ALTER TABLE {record}.alias_claim DROP CONSTRAINT alias_claim_entity_fkey;
ALTER TABLE {record}.assertion DROP CONSTRAINT assertion_subject_fkey, DROP CONSTRAINT assertion_object_fkey;
ALTER TABLE {record}.relation DROP CONSTRAINT relation_object_fkey;
ALTER TABLE {record}.merge DROP CONSTRAINT merge_target_fkey;
ALTER TABLE {record}.relation_override DROP CONSTRAINT relation_override_subject_fkey;

CREATE INDEX verdict_one ON {record}.verdict (one);
CREATE INDEX relation_override_subject_past ON {record}.relation_override (subject) WHERE NOT upper_inf(recorded);
CREATE INDEX observation_name_past ON {record}.observation (entity, md5(name)) WHERE NOT upper_inf(recorded);

-- What was ended by a relation that is erased, and what a model said that was told an erased name.
CREATE INDEX relation_period_closers ON {record}.relation_period USING gin ((closed_by -> 'relations') jsonb_path_ops)
    WHERE closed_by IS NOT NULL;
CREATE INDEX reply_names ON {record}.reply USING gin (names);
