// What libpq does beside pipelines: statements one by one, rows one by one, COPY, cancels, reports.
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <poll.h>

#include "libpq_session.hpp"

namespace proxy_clients {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

void rows_one_by_one() {
  Session session;
  session.send("SELECT generate_series(1, 1000)");
  check(PQsetSingleRowMode(session.get()) == 1, session.error());
  for (int i = 1; i <= 1000; ++i) {
    const Answer answer = session.next();
    check(answer.status() == PGRES_SINGLE_TUPLE, answer.what());
    check_equal(answer.value(), std::to_string(i));
  }
  session.expect(PGRES_TUPLES_OK);
  session.expect_end();
}

void several_answers() {
  Session session;
  check(
      PQsendQuery(session.get(), "SELECT 1; ; SELECT 2; SET LOCAL work_mem = '1MB'; SELECT 3") == 1,
      session.error());
  for (const char* value : {"1", "2"}) check_equal(session.next().value(), value);
  session.expect(PGRES_COMMAND_OK);
  check_equal(session.next().value(), "3");
  session.expect_end();
  check(session.query("").status() == PGRES_EMPTY_QUERY, "an empty query");
  check(session.query(";").status() == PGRES_EMPTY_QUERY, "an empty statement");
}

void equal_names() {
  std::vector<Session> sessions(kSessions);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const std::string text = "SELECT $1::text || ' of " + std::to_string(i) + "'";
    const Answer answer(PQprepare(sessions[i].get(), "same", text.c_str(), 0, nullptr));
    check(answer.status() == PGRES_COMMAND_OK, answer.what());
  }
  const char* const value = "row";
  for (int turn = 0; turn < 10; ++turn) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      const Answer answer(
          PQexecPrepared(sessions[i].get(), "same", 1, &value, nullptr, nullptr, 0));
      check_equal(answer.value(), "row of " + std::to_string(i));
    }
  }
  sessions[0].run("DEALLOCATE ALL");
  const Answer gone(PQexecPrepared(sessions[0].get(), "same", 1, &value, nullptr, nullptr, 0));
  check_equal(gone.sqlstate(), "26000");
  const Answer kept(PQexecPrepared(sessions[1].get(), "same", 1, &value, nullptr, nullptr, 0));
  check_equal(kept.value(), "row of 1");
  sessions[2].run("DISCARD ALL");
  const Answer discarded(PQexecPrepared(sessions[2].get(), "same", 1, &value, nullptr, nullptr, 0));
  check_equal(discarded.sqlstate(), "26000");
}

// Types that the client gives go with the name; what the server finds out comes back the same.
void parameter_types() {
  Session session;
  const std::array<Oid, 1> types{23};  // int4
  const Answer prepared(PQprepare(session.get(), "typed", "SELECT $1", 1, types.data()));
  check(prepared.status() == PGRES_COMMAND_OK, prepared.what());
  for (int turn = 0; turn < 3; ++turn) {
    Session other;
    check_equal(other.one("SELECT 1"), "1");
    const Answer described(PQdescribePrepared(session.get(), "typed"));
    check(PQparamtype(described.get(), 0) == 23 && PQftype(described.get(), 0) == 23,
          described.what());
  }
}

// In a transaction a portal outlives its statement; outside of one it is gone.
void portals() {
  Session session;
  session.run("BEGIN");
  session.run("DECLARE same CURSOR FOR SELECT generate_series(1, 5)");
  const Answer described(PQdescribePortal(session.get(), "same"));
  check(PQnfields(described.get()) == 1, described.what());
  check_equal(session.query("FETCH 2 FROM same").value(1), "2");
  session.run("MOVE 1 FROM same");
  check_equal(session.one("FETCH 1 FROM same"), "4");
  session.run("COMMIT");
  session.fails("FETCH 1 FROM same", "34000");
}

void reports() {
  Session one("application_name=one options='-c DateStyle=German'");
  Session two("application_name=two");
  check_equal(one.parameter("application_name"), "one");
  check_equal(one.parameter("DateStyle").substr(0, 6), "German");
  check_equal(two.parameter("DateStyle").substr(0, 3), "ISO");
  check(PQserverVersion(one.get()) >= 150000, "version of the server");
  for (int turn = 0; turn < 5; ++turn) {
    one.run("SET application_name = 'one " + std::to_string(turn) + "'");
    two.run("SET application_name = 'two " + std::to_string(turn) + "'");
    check_equal(one.parameter("application_name"), "one " + std::to_string(turn));
    check_equal(one.one("SHOW application_name"), "one " + std::to_string(turn));
    check_equal(two.one("SHOW application_name"), "two " + std::to_string(turn));
  }
  one.run("BEGIN; SET application_name = 'rolled back'");
  check_equal(one.parameter("application_name"), "rolled back");
  one.run("ROLLBACK");
  check_equal(one.parameter("application_name"), "one 4");
  // With a server for a whole session it goes back to what the server was opened with.
  const char* const mode = std::getenv("PROXY_MODE");
  if (mode == nullptr || std::string_view(mode) != "session") {
    one.run("RESET application_name");
    check_equal(one.one("SHOW application_name"), "one");
    check_equal(one.parameter("application_name"), "one");
  }
  one.run("SET client_encoding = 'LATIN1'");
  check_equal(one.one("SELECT chr(228)"), "\xe4");
  check_equal(two.one("SELECT chr(228)"), "\xc3\xa4");
}

void copies() {
  Session session;
  session.run("DROP TABLE IF EXISTS libpq_copy; CREATE TABLE libpq_copy (id int, body text)");
  const auto copy_in = [&](const std::string& data, const char* error) {
    check(session.query("COPY libpq_copy FROM STDIN").status() == PGRES_COPY_IN, session.error());
    check(PQputCopyData(session.get(), data.data(), static_cast<int>(data.size())) == 1,
          session.error());
    check(PQputCopyEnd(session.get(), error) == 1, session.error());
    const Answer answer = session.next();
    session.expect_end();
    return answer.sqlstate();
  };
  check_equal(copy_in("1\tone\n2\t" + std::string(kMegabyte, 'z') + "\n", nullptr), "");
  check_equal(copy_in("3\tthree\n", "the client has had enough"), "57014");
  check_equal(copy_in("three\tthree\n", nullptr), "22P02");
  check(session.query("COPY libpq_copy TO STDOUT").status() == PGRES_COPY_OUT, session.error());
  std::size_t bytes = 0;
  char* buffer = nullptr;
  int length = 0;
  while ((length = PQgetCopyData(session.get(), &buffer, 0)) > 0) {
    bytes += static_cast<std::size_t>(length);
    PQfreemem(buffer);
  }
  check(length == -1 && bytes == 6 + 2 + kMegabyte + 1, std::to_string(bytes) + " bytes");
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  check_equal(session.one("SELECT count(*) FROM libpq_copy"), "2");
}

void cancels() {
  Session session;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == 1) session.run("BEGIN");
    session.send("SELECT pg_sleep(30)");
    check(PQflush(session.get()) == 0, session.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> cancel(PQgetCancel(session.get()),
                                                                    &PQfreeCancel);
    std::array<char, 256> error{};
    check(PQcancel(cancel.get(), error.data(), error.size()) == 1, error.data());
    check_equal(session.next().sqlstate(), "57014");
    session.expect_end();
    // Nothing runs any more: this one hits nobody, and certainly no other session.
    check(PQcancel(cancel.get(), error.data(), error.size()) == 1, error.data());
  }
  check(PQtransactionStatus(session.get()) == PQTRANS_INERROR, "state of the transaction");
  session.run("ROLLBACK");
  check_equal(session.one("SELECT 1"), "1");
}

void large_rows() {
  Session session;
  const std::string body(kMegabyte, 'q');
  check_equal(session.one("SELECT repeat('q', 1048576)"), body);
  session.send("SELECT $1::text", {body});
  session.expect_value(body);
  check_equal(session.one("SELECT '" + body + "'"), body);
}

void notifications() {
  Session listener;
  Session other;
  listener.run("LISTEN libpq_channel");
  other.run("NOTIFY libpq_channel, 'hello'");
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::unique_ptr<PGnotify, decltype(&PQfreemem)> notify(nullptr, &PQfreemem);
  while (notify == nullptr && std::chrono::steady_clock::now() < limit) {
    pollfd waiting{PQsocket(listener.get()), POLLIN, 0};
    poll(&waiting, 1, 100);
    check(PQconsumeInput(listener.get()) == 1, listener.error());
    notify.reset(PQnotifies(listener.get()));
  }
  check(notify != nullptr, "no notification");
  check_equal(notify->extra, "hello");
}

void refusals() {
  Session session;
  for (const char* text :
       {"LISTEN refused_channel", "CREATE TEMPORARY TABLE refused_table (id int)",
        "SELECT pg_advisory_lock(4711)"}) {
    session.fails(text, "0A000");
    check_equal(session.one("SELECT 1"), "1");
    session.enter_pipeline();
    session.send("SELECT 1");
    session.send(text);
    session.send("SELECT 2");
    session.sync();
    session.send("SELECT 3");
    session.sync();
    session.expect_value("1");
    check_equal(session.next().sqlstate(), "0A000");
    session.expect_end();
    session.expect(PGRES_PIPELINE_ABORTED);
    session.expect_end();
    session.expect(PGRES_PIPELINE_SYNC);
    session.expect_value("3");
    session.expect(PGRES_PIPELINE_SYNC);
    session.leave_pipeline();
  }
}

}  // namespace

std::vector<Step> plain_steps() {
  return {{"rows_one_by_one", rows_one_by_one},
          {"several_answers", several_answers},
          {"equal_names", equal_names},
          {"parameter_types", parameter_types},
          {"portals", portals},
          {"reports", reports},
          {"copies", copies},
          {"cancels", cancels},
          {"large_rows", large_rows},
          {"notifications", notifications}};
}

std::vector<Step> refused_steps() { return {{"refusals", refusals}}; }

}  // namespace proxy_clients
