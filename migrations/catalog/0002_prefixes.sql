-- What is put before a question and before a passage when it is embedded: of what the realm's vectors were made with.

ALTER TABLE {catalog}.realm
    ADD COLUMN query_prefix text NOT NULL DEFAULT '',
    ADD COLUMN passage_prefix text NOT NULL DEFAULT '';
