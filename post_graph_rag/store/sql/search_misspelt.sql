-- Names that a question means but spells otherwise: pieces that search_words and search_timed_words share. Both have a
-- CTE `sought` of one row: terms, spaces, words (that may be misspelt), named (whether they are written as names),
-- letters (those a slip may bring in), flags (current or not), most (postings of one term that are read).

-- name: misspelt
-- Words that no name has; where they are not written as a name, no passage either: these may be misspelt. With each the
-- words of names before and after it: as many letters as it shares with one of them are right, so a slip comes no
-- later.
unknown AS MATERIALIZED (
    SELECT w.word, w.letters,
           (SELECT p.term FROM {record}.posting p
            WHERE p.kind = 2 AND p.term < w.word ORDER BY p.term DESC LIMIT 1) AS before,
           (SELECT p.term FROM {record}.posting p WHERE p.kind = 2 AND p.term > w.word ORDER BY p.term LIMIT 1) AS after
    FROM sought a CROSS JOIN LATERAL unnest(a.words, a.named, a.letters) AS w(word, named, letters)
    WHERE (SELECT true FROM {record}.posting p WHERE p.kind = 2 AND p.term = w.word
           AND p.current = ANY(a.flags) AND p.space = ANY(a.spaces) LIMIT 1) IS NULL
      AND (w.named OR (SELECT true FROM {record}.posting p WHERE p.kind = 1 AND p.term = w.word
                       AND p.current = ANY(a.flags) AND p.space = ANY(a.spaces) LIMIT 1) IS NULL)
    LIMIT 3
),
doubtful AS MATERIALIZED (
    SELECT w.word, w.letters, (
               SELECT count(*)::int FROM generate_series(1, length(w.word)) AS i
               WHERE left(w.word, i) IN (left(w.before, i), left(w.after, i))) AS right_letters
    FROM unknown w
),
meant AS MATERIALIZED (
    SELECT DISTINCT d.word, v.term
    FROM doubtful d CROSS JOIN LATERAL {one_slip_away} AS v
    WHERE length(v.term) > 3
      AND (SELECT true FROM {record}.posting p WHERE p.kind = 2 AND p.term = v.term LIMIT 1)
),
-- Those come first that share other words with the question, then short ones; a few are looked at. A word of less than
-- five letters is taken for another one only inside a longer name.
likely AS MATERIALIZED (
    SELECT p.id, bool_or(p.sure) AS sure, coalesce(max(s.score), 0) AS score
    FROM (
        SELECT p.id, p.length, least(length(m.word), length(m.term)) > 4 AS sure
        FROM sought a CROSS JOIN meant m CROSS JOIN LATERAL (
            SELECT p.id, p.length FROM {record}.posting p
            WHERE p.kind = 2 AND p.term = m.term AND p.current = ANY(a.flags) AND p.space = ANY(a.spaces) LIMIT a.most
        ) p
    ) p LEFT JOIN scored s ON s.kind = 2 AND s.id = p.id
    GROUP BY p.id ORDER BY max(s.score) DESC NULLS LAST, min(p.length), p.id LIMIT 20
),
-- A name that the question holds whole comes before all that share words with it, and after those spelt as they are.
misspelt AS (
    SELECT l.id, CASE WHEN n.missing = 0 THEN 50 + least(n.letters, 45)
                    ELSE l.score + 5.0 * n.met / (n.met + n.missing) END
           AS score
    FROM likely l CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE t.met) AS met, count(*) FILTER (WHERE NOT t.met) AS missing,
               sum(length(t.term)) AS letters
        FROM (
            SELECT p.term, p.term = ANY(a.terms) OR p.term IN (SELECT m.term FROM meant m) AS met
            FROM sought a CROSS JOIN {record}.posting p WHERE p.kind = 2 AND p.id = l.id OFFSET 0
        ) t
    ) n WHERE l.sure OR n.missing = 0 AND n.met > 1
)

-- name: one_slip_away
-- What d.word becomes by one letter that is left out, put in, exchanged or swapped with the next, or without its
-- ending; the first letter stays. Four of five misspelt words have one such slip (Damerau, CACM 7, 1964), few in the
-- first letter.
(SELECT left(d.word, i - 1) || substr(d.word, i + 1) AS term
 FROM generate_series(2, least(length(d.word), d.right_letters + 1)) AS i
 UNION ALL
 SELECT left(d.word, i - 1) || substr(d.word, i + 1, 1) || substr(d.word, i, 1) || substr(d.word, i + 2)
 FROM generate_series(2, least(length(d.word) - 1, d.right_letters + 1)) AS i
 UNION ALL
 SELECT left(d.word, i - 1) || letter || substr(d.word, i + instead)
 FROM generate_series(2, least(length(d.word), d.right_letters) + 1) AS i CROSS JOIN (VALUES (0), (1)) AS k(instead)
 CROSS JOIN unnest(string_to_array(d.letters, NULL)) AS letter
 UNION ALL
 SELECT left(d.word, length(d.word) - i) FROM generate_series(2, least(3, length(d.word) - 5)) AS i)
