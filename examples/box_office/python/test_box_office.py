"""The service on a stand-in of Aurora DSQL:  forebay standin --for python3 -m unittest

Half of this could not be tested on a PostgreSQL: it has no conflicts to give, and its sessions do not end.
"""

import json
import logging
import threading
import unittest
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg
from database import Database, password
from office import BoxOffice, NoSuchShow, SoldOut
from server import make_server


class BoxOfficeTest(unittest.TestCase):
    def setUp(self):
        self.database = Database()
        self.addCleanup(self.database.close)
        self.office = BoxOffice(self.database)
        self.office.prepare()
        # What goes wrong on purpose is switched by the admin, over a session that was there before.
        self.admin = psycopg.connect(password=password(), autocommit=True)
        self.addCleanup(self.admin.close)
        self.addCleanup(lambda: self.admin.closed or self.trouble("calm()"))

    def trouble(self, what):
        self.admin.execute(f"SELECT standin.{what}")

    def sold(self, show):
        query = "SELECT count(*), coalesce(sum(seats), 0) FROM sale WHERE show_id = %s"
        return self.database.transaction(lambda connection: connection.execute(query, [show]).fetchone())


class OfficeTest(BoxOfficeTest):
    def test_seats_are_sold_until_there_are_none(self):
        show = self.office.open_show("Faust", 5)
        self.assertEqual(self.office.sell(show, uuid.uuid4(), 2), 3)
        self.assertEqual(self.office.sell(show, uuid.uuid4(), 3), 0)
        with self.assertRaises(SoldOut):
            self.office.sell(show, uuid.uuid4(), 1)
        self.assertEqual(self.sold(show), (2, 5))

    def test_a_sale_that_is_asked_for_twice_is_made_once(self):
        show, sale = self.office.open_show("Faust", 5), uuid.uuid4()
        self.assertEqual(self.office.sell(show, sale, 2), 3)
        self.assertEqual(self.office.sell(show, sale, 2), 3)
        self.assertEqual(self.sold(show), (1, 2))

    def test_a_crowd_buys_each_seat_once(self):
        show = self.office.open_show("Faust", 15)

        def buy(_):
            try:
                return self.office.sell(show, uuid.uuid4(), 1)
            except SoldOut:
                return None

        with ThreadPoolExecutor(4) as crowd:
            results = list(crowd.map(buy, range(20)))
        left = [each for each in results if each is not None]
        self.assertEqual(sorted(left), list(range(15)))
        self.assertEqual(self.sold(show), (15, 15))

    def test_half_of_all_transactions_conflict(self):
        show = self.office.open_show("Faust", 100)
        self.trouble("conflicts(0.5)")
        for number in range(10):
            self.assertEqual(self.office.sell(show, uuid.uuid4(), 1), 99 - number)
        self.trouble("calm()")
        self.assertEqual(self.sold(show), (10, 10))

    def test_sessions_end_and_nobody_notices(self):
        show = self.office.open_show("Faust", 5)
        with self.assertRaises(psycopg.OperationalError):
            self.trouble("drop_connections()")  # the admin's, too
        self.assertEqual(self.office.sell(show, uuid.uuid4(), 2), 3)

    def test_a_show_that_nobody_opened(self):
        with self.assertRaises(NoSuchShow):
            self.office.sell(uuid.uuid4(), uuid.uuid4(), 1)


class ServerTest(BoxOfficeTest):
    def setUp(self):
        super().setUp()
        server = make_server(self.office, 0)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def call(self, method, path, **body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body else None, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def test_it_sells_over_http(self):
        status, answer = self.call("POST", "/shows", name="Faust", seats=3)
        self.assertEqual(status, 201)
        show = f"/shows/{answer['show']}"
        self.assertEqual(self.call("PUT", f"{show}/sales/{uuid.uuid4()}", seats=2), (200, {"left": 1}))
        self.assertEqual(self.call("PUT", f"{show}/sales/{uuid.uuid4()}", seats=2), (409, {"error": "sold out"}))
        self.assertEqual(self.call("GET", show), (200, {"left": 1}))
        self.assertEqual(self.call("GET", f"/shows/{uuid.uuid4()}"), (404, {"error": "no such show"}))
        self.assertEqual(self.call("POST", "/shows", name="Faust", seats=-1)[0], 400)
        self.assertEqual(self.call("GET", "/health"), (200, {}))

    def test_it_says_that_the_database_is_away(self):
        self.database.close()  # so that it has to connect
        self.trouble("refuse_tokens(true)")
        logging.disable()
        self.addCleanup(logging.disable, logging.NOTSET)
        self.assertEqual(self.call("GET", f"/shows/{uuid.uuid4()}"), (503, {"error": "try again later"}))
        self.trouble("refuse_tokens(false)")
        self.assertEqual(self.call("GET", f"/shows/{uuid.uuid4()}")[0], 404)


if __name__ == "__main__":
    unittest.main()
