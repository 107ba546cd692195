"""psql: scripts, variables, several commands, \\copy, \\watch, Ctrl-C, notifications."""

import pathlib
import re
import signal
import subprocess
import tempfile
import time

from common import CLIENTS, MEGABYTE, REFUSED, SESSION_STATE, check, check_equal, program, run, together

PSQL = ("psql", "-X", "-q", "-A", "-t")


def psql(text: str, *words: str, expected: int = 0) -> list[str]:
    """What it answers, line by line, without notices."""
    lines = program(*PSQL, "-v", "VERBOSITY=sqlstate", *words, text=text, expected=expected).splitlines()
    return [line for line in lines if not line.startswith("NOTICE")]


def script() -> None:
    lines = psql("""
        DROP TABLE IF EXISTS psql_script;
        CREATE TABLE psql_script (id int PRIMARY KEY, name text);
        INSERT INTO psql_script SELECT n, 'name ' || n FROM generate_series(1, 10) n;
        SELECT count(*) AS rows, max(id) AS last, true AS filled FROM psql_script \\gset got_
        \\echo :got_rows :got_last
        SELECT format('SELECT %s', n) FROM generate_series(1, 3) n \\gexec
        SELECT 'first' \\; SELECT 'second';
        \\if :got_filled
          SELECT name FROM psql_script WHERE id = :got_last;
        \\endif
        SELECT 'described' AS name, 1 AS number \\gdesc
    """)
    check_equal(lines, ["10 10", "1", "2", "3", "first", "second", "name 10", "name|text", "number|integer"], "script")


def transactions() -> None:
    lines = psql("""
        BEGIN;
        INSERT INTO psql_script VALUES (11, 'eleven');
        SAVEPOINT one;
        INSERT INTO psql_script VALUES (11, 'again');
        SELECT 1;
        ROLLBACK TO one;
        SELECT count(*) FROM psql_script;
        ROLLBACK;
        SELECT count(*) FROM psql_script;
        BEGIN;
        SELECT 1 / 0;
        COMMIT;
        SELECT 'well';
    """)
    check_equal(lines, ["ERROR:  23505", "ERROR:  25P02", "11", "10", "ERROR:  22012", "well"], "transactions")
    lines = psql("SELECT 1;\nSELECT nothing;\nSELECT 2;\n", "-v", "ON_ERROR_STOP=1", expected=3)
    check_equal(lines, ["1", "ERROR:  42703"], "a script that ends with its first error")
    lines = psql("\\set ON_ERROR_ROLLBACK on\nBEGIN;\nSELECT nothing;\nSELECT 3;\nCOMMIT;\n")
    check_equal(lines, ["ERROR:  42703", "3"], "savepoints of psql")


def several_commands() -> None:
    commands = ["BEGIN", "SELECT 1; SELECT 2", "\\echo three", "COMMIT", "SELECT 4"]
    lines = psql("", *(word for command in commands for word in ("-c", command)))
    check_equal(lines, ["1", "2", "three", "4"], "several -c")
    # One message with several statements is one transaction.
    psql("", "-c", "INSERT INTO psql_script VALUES (20, ''); SELECT 1 / 0", expected=1)
    check_equal(psql("SELECT count(*) FROM psql_script WHERE id = 20;"), ["0"], "rows of an implicit transaction")
    lines = psql("", "-1", "-c", "INSERT INTO psql_script VALUES (20, 'kept')", "-c", "SELECT 5")
    check_equal(lines, ["5"], "-1")
    psql("", "-c", "DELETE FROM psql_script WHERE id = 20")


def copies() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        psql(f"""
            DROP TABLE IF EXISTS psql_copy;
            CREATE TABLE psql_copy (id int, body text);
            INSERT INTO psql_copy SELECT n, repeat(chr(64 + n), {MEGABYTE}) FROM generate_series(1, 4) n;
            INSERT INTO psql_copy VALUES (5, E'quote " comma , line\\nend'), (6, NULL);
            \\copy psql_copy to '{out}' with csv
            CREATE TABLE psql_copied (LIKE psql_copy);
            \\copy psql_copied from '{out}' with csv
        """)
        lines = psql("SELECT count(*), sum(length(body)) FROM psql_copied NATURAL JOIN psql_copy;"
                     "SELECT count(*) FROM psql_copied WHERE body IS NULL; DROP TABLE psql_copied;")
        check_equal(lines, [f"5|{4 * MEGABYTE + 24}", "1"], "copied rows")
    check_equal(psql("COPY (SELECT n FROM generate_series(1, 3) n) TO STDOUT;"), ["1", "2", "3"], "COPY TO STDOUT")
    lines = psql("COPY psql_copy FROM STDIN;\n7\tseven\nno number\tx\n\\.\nSELECT count(*) FROM psql_copy;\n")
    check_equal(lines, ["ERROR:  22P02", "6"], "a COPY that fails")
    lines = psql("BEGIN;\nCOPY psql_copy FROM STDIN;\n7\tseven\n\\.\nSELECT count(*) FROM psql_copy;\nROLLBACK;\n"
                 "SELECT count(*) FROM psql_copy;\n")
    check_equal(lines, ["7", "6"], "COPY in a transaction")


def watches() -> None:
    """It repeats until the statement fails."""
    lines = psql("DROP SEQUENCE IF EXISTS psql_watch; CREATE SEQUENCE psql_watch;\n"
                 "SELECT 'at ' || 12 / (4 - nextval('psql_watch')) \\watch 0.05\n")
    answers = [line for line in lines if line.startswith(("at", "ERROR"))]
    check_equal(answers, ["at 4", "at 6", "at 12", "ERROR:  22012"], "\\watch")


def cancels() -> None:
    """Ctrl-C sends a cancel on a connection of its own."""
    process = subprocess.Popen([*PSQL, "-v", "VERBOSITY=sqlstate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdin and process.stdout
        process.stdin.write("SELECT 'began';\nSELECT pg_sleep(60);\n")
        process.stdin.flush()
        check_equal(process.stdout.readline(), "began\n", "first answer")
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=20)
        check("57014" in told, f"a cancelled statement says: {told}")
        check(time.monotonic() - began < 10, "a cancel took long")
    finally:
        process.kill()
        process.wait()


def crowd() -> None:
    def work(number: int) -> None:
        lines = psql(f"SET application_name = 'crowd {number}'; SET TimeZone = 'Etc/GMT+{number}';\n"
                     + "SHOW application_name; SHOW TimeZone;\n" * 5
                     + f"PREPARE same AS SELECT {number} + $1::int;\nEXECUTE same(1);\nEXECUTE same(2);\n")
        settings = [f"crowd {number}", f"Etc/GMT+{number}"] * 5
        check_equal(lines, [*settings, str(number + 1), str(number + 2)], f"answers to client {number}")

    together(work, CLIENTS)


def session_state() -> None:
    lines = psql("""
        LISTEN psql_channel;
        CREATE TEMPORARY TABLE psql_temporary AS SELECT 42 AS number;
        SELECT pg_advisory_lock(99);
        DECLARE psql_held CURSOR WITH HOLD FOR SELECT generate_series(1, 3);
        SET work_mem = '123kB';
        SELECT number FROM psql_temporary;
        FETCH 2 FROM psql_held;
        SHOW work_mem;
        NOTIFY psql_channel, 'hello';
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
    """)
    told = [re.sub(r" with PID \d+", "", re.sub(r" received from server process.*", "", line)) for line in lines]
    expected = ["", "42", "1", "2", "123kB", "1"]
    check_equal([line for line in told if "notification" not in line], expected, "session state")
    check(any('"psql_channel" with payload "hello"' in line for line in told), f"no notification: {told}")
    # Nothing of it is left for others.
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    lines = psql("SELECT to_regclass('pg_temp.psql_temporary') IS NULL; SHOW work_mem;"
                 f"{locks} AND pid = pg_backend_pid();")
    check_equal(lines, ["t", "4MB", "0"], "what the next one finds")
    # The session that was left is cleared behind its client's back: a moment later, on a busy machine.
    for _ in range(100):
        if psql(f"{locks};") == ["0"]:
            break
    else:
        check(False, "the lock is held for ever")


def refusals() -> None:
    for statement in SESSION_STATE:
        lines = psql(f"{statement};\nSELECT 'well';\n")
        check_equal(lines, [f"ERROR:  {REFUSED}", "well"], statement)
        lines = psql(f"BEGIN;\n{statement};\nSELECT 1;\nROLLBACK;\nSELECT 'well';\n")
        check_equal(lines, [f"ERROR:  {REFUSED}", "ERROR:  25P02", "well"], f"{statement} in a transaction")
    lines = psql("BEGIN;\nSELECT pg_advisory_xact_lock(4711);\nSET LOCAL work_mem = '123kB';\nSHOW work_mem;\n"
                 "COMMIT;\nSHOW work_mem;\n")
    check_equal(lines, ["", "123kB", "4MB"], "state of a transaction")


if __name__ == "__main__":
    run([script, transactions, several_commands, copies, watches, cancels, crowd, session_state], [refusals])
