-- Which characters of its passage make a statement, from 0; null: not asked for, or not found.
ALTER TABLE {record}.assertion ADD COLUMN span int4range;
