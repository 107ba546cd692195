"""The box office over HTTP.

    POST /shows                {"name": "Faust", "seats": 80}    201 {"show": "…"}
    GET  /shows/<show>                                           200 {"left": 80}
    PUT  /shows/<show>/sales/<sale>    {"seats": 2}              200 {"left": 78}; 409: sold out
    GET  /health                                                 200 {}

503: the database is away; the same request may be sent again, also after no answer at all.
"""

import json
import logging
import os
import re
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
from database import Database
from office import BoxOffice, NoSuchShow, SoldOut

ID = r"([0-9a-f-]{36})"
LONGEST_BODY = 10_000


class Handler(BaseHTTPRequestHandler):
    office: BoxOffice

    def open_show(self, body):
        return 201, {"show": str(self.office.open_show(str(body["name"]), seats_of(body)))}

    def show(self, _body, show):
        return 200, {"left": self.office.seats_left(uuid.UUID(show))}

    def sell(self, body, show, sale):
        return 200, {"left": self.office.sell(uuid.UUID(show), uuid.UUID(sale), seats_of(body))}

    def health(self, _body):
        return 200, {}

    ROUTES = [("POST", "/shows", open_show), ("GET", f"/shows/{ID}", show), ("PUT", f"/shows/{ID}/sales/{ID}", sell),
              ("GET", "/health", health)]

    def answer(self):
        for method, pattern, action in self.ROUTES:
            found = re.fullmatch(pattern, self.path)
            if found and method == self.command:
                return action(self, self.body(), *found.groups())
        return 404, {"error": "there is nothing here"}

    def body(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LONGEST_BODY:
            raise ValueError("the request is too long")
        return json.loads(self.rfile.read(length) or b"{}")

    def handle_request(self):
        try:
            status, answer = self.answer()
        except SoldOut:
            status, answer = 409, {"error": "sold out"}
        except NoSuchShow:
            status, answer = 404, {"error": "no such show"}
        except (KeyError, ValueError, TypeError) as error:
            status, answer = 400, {"error": f"not understood: {error}"}
        except psycopg.Error as error:
            logging.warning("the database: %s", error)
            status, answer = 503, {"error": "try again later"}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = handle_request

    def log_message(self, *_):
        pass


def seats_of(body):
    seats = int(body["seats"])
    if not 0 < seats <= 100_000:
        raise ValueError("seats")
    return seats


def make_server(office, port):
    return ThreadingHTTPServer(("127.0.0.1", port), type("OfficeHandler", (Handler,), {"office": office}))


def main():
    office = BoxOffice(Database())
    office.prepare()
    make_server(office, int(os.environ.get("PORT", "8080"))).serve_forever()


if __name__ == "__main__":
    main()
