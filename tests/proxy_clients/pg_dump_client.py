"""pg_dump and pg_restore: a schema goes out and comes back the same, in one piece and over several connections."""

import pathlib
import tempfile

from common import program, run

SCHEMA = """
DROP SCHEMA IF EXISTS dumped CASCADE;
CREATE SCHEMA dumped;
CREATE TYPE dumped.mood AS ENUM ('good', 'bad');
CREATE TABLE dumped.owner (id serial PRIMARY KEY, name text UNIQUE, mood dumped.mood);
CREATE TABLE dumped.thing (id bigint PRIMARY KEY, owner int REFERENCES dumped.owner, body text, data bytea);
CREATE INDEX ON dumped.thing (owner, id);
CREATE VIEW dumped.moods AS SELECT mood, count(*) FROM dumped.owner GROUP BY mood;
CREATE FUNCTION dumped.twice(n int) RETURNS int LANGUAGE sql AS 'SELECT 2 * n';
INSERT INTO dumped.owner (name, mood) SELECT 'owner ' || n, 'good' FROM generate_series(1, 100) n;
INSERT INTO dumped.thing SELECT n, 1 + n % 100, E'line\\n' || n, decode(md5(n::text), 'hex')
  FROM generate_series(1, 5000) n;
INSERT INTO dumped.thing SELECT 5001, 1, repeat('x', 1048576), NULL;
"""
DIGEST = """
SELECT md5(string_agg(t::text, '|' ORDER BY id)) FROM dumped.thing t;
SELECT md5(string_agg(o::text, '|' ORDER BY id)) FROM dumped.owner o;
SELECT mood, count FROM dumped.moods;
SELECT dumped.twice(21), nextval('dumped.owner_id_seq') > 100;
SELECT indexname FROM pg_indexes WHERE schemaname = 'dumped' ORDER BY 1;
SELECT conname FROM pg_constraint WHERE connamespace = 'dumped'::regnamespace ORDER BY 1;
"""


def psql(text: str) -> str:
    return program("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", text=text)


def round_trip(dump: list[str], restore: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "dump")
        psql(SCHEMA)
        before = psql(DIGEST)
        program("pg_dump", "-n", "dumped", "-f", path, *dump)
        psql("DROP SCHEMA dumped CASCADE")
        program("pg_restore", "--exit-on-error", "-d", "clients", *restore, path)
        after = psql(DIGEST)
        if before != after:
            raise AssertionError(f"before:\n{before}\nafter:\n{after}")


def custom() -> None:
    round_trip(["-Fc"], [])


def custom_in_a_transaction() -> None:
    round_trip(["-Fc"], ["--single-transaction"])


def folder_in_parallel() -> None:
    round_trip(["-Fd", "-j", "2"], ["-j", "2"])


def inserts_as_text() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "dump.sql")
        psql(SCHEMA)
        before = psql(DIGEST)
        program("pg_dump", "-n", "dumped", "--clean", "--inserts", "--rows-per-insert=100", "-f", path)
        program("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", path)
        if before != psql(DIGEST):
            raise AssertionError("the text brings back something else")


if __name__ == "__main__":
    run([custom, custom_in_a_transaction, folder_in_parallel, inserts_as_text], [])
