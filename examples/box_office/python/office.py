"""The box office: shows have seats, and no seat is sold twice."""

import pathlib
import uuid

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "schema.sql"


class SoldOut(Exception):
    """There are fewer seats left than were asked for."""


class NoSuchShow(Exception):
    """Nobody has opened it."""


def statements(text):
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


class BoxOffice:
    def __init__(self, database):
        self._database = database

    def prepare(self):
        self._database.run_each(statements(SCHEMA.read_text()))

    def open_show(self, name, seats):
        show = uuid.uuid4()
        insert = "INSERT INTO show (id, name, seats_left) VALUES (%s, %s, %s) ON CONFLICT (id) DO NOTHING"
        self._database.transaction(lambda connection: connection.execute(insert, [show, name, seats]))
        return show

    def seats_left(self, show):
        return self._database.transaction(lambda connection: read_seats(connection, show))

    def sell(self, show, sale, seats):
        """How many are left then. The sale is the caller's own id: a sale that is asked for twice is made once."""

        def work(connection):
            left = read_seats(connection, show)
            if connection.execute("SELECT FROM sale WHERE id = %s", [sale]).fetchone() is not None:
                return left
            if left < seats:
                raise SoldOut
            # Whoever else has read the same number meets a conflict, here or at COMMIT.
            connection.execute("UPDATE show SET seats_left = %s WHERE id = %s", [left - seats, show])
            insert = "INSERT INTO sale (id, show_id, seats) VALUES (%s, %s, %s)"
            connection.execute(insert, [sale, show, seats])
            return left - seats

        return self._database.transaction(work)


def read_seats(connection, show):
    row = connection.execute("SELECT seats_left FROM show WHERE id = %s", [show]).fetchone()
    if row is None:
        raise NoSuchShow
    return row[0]
