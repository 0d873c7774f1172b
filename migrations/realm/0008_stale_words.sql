-- Things that are not current any more, while the flags of their words still say so: a question looks at what it finds,
-- and the flags are taken down in bulk later. kind and id as in posting.
CREATE TABLE {record}.stale_word (
    kind smallint NOT NULL,
    id   bigint NOT NULL,
    PRIMARY KEY (kind, id)
);
