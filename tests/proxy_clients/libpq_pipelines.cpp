// Pipelines of libpq.
#include <array>
#include <string>

#include <sys/select.h>

#include "libpq_session.hpp"

namespace proxy_clients {
namespace {

void several_syncs() {
  Session session;
  session.enter_pipeline();
  for (int unit = 0; unit < 3; ++unit) {
    for (int i = 0; i < 5; ++i) session.send("SELECT $1::int + 1", {std::to_string(unit * 10 + i)});
    session.sync();
  }
  for (int unit = 0; unit < 3; ++unit) {
    for (int i = 0; i < 5; ++i) session.expect_value(std::to_string(unit * 10 + i + 1));
    session.expect(PGRES_PIPELINE_SYNC);
  }
  session.leave_pipeline();
  check_equal(session.one("SELECT 'after'"), "after");
}

void an_error_skips_to_the_sync() {
  Session session;
  session.enter_pipeline();
  session.send("SELECT 1");
  session.send("SELECT 1 / $1::int", {"0"});
  session.send("SELECT 2");
  session.sync();
  session.send("SELECT 3");
  session.sync();
  session.expect_value("1");
  const Answer error = session.next();
  check_equal(error.sqlstate(), "22012");
  session.expect_end();
  session.expect(PGRES_PIPELINE_ABORTED);
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  session.expect_value("3");
  session.expect(PGRES_PIPELINE_SYNC);
  session.leave_pipeline();
}

// Up to its Sync a pipeline is one transaction, unless it says otherwise.
void implicit_transactions() {
  Session session;
  session.run("DROP TABLE IF EXISTS libpq_pipeline; CREATE TABLE libpq_pipeline (id int)");
  session.enter_pipeline();
  session.send("INSERT INTO libpq_pipeline VALUES (1)");
  session.send("SELECT nothing");
  session.sync();
  session.send("INSERT INTO libpq_pipeline VALUES (2)");
  session.sync();
  session.send("BEGIN");
  session.send("INSERT INTO libpq_pipeline VALUES (3)");
  session.sync();
  session.send("SELECT count(*) FROM libpq_pipeline");
  session.send("ROLLBACK");
  session.sync();
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  session.expect(PGRES_FATAL_ERROR);
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  for (int i = 0; i < 2; ++i) {
    session.expect(PGRES_COMMAND_OK);
    session.expect_end();
  }
  session.expect(PGRES_PIPELINE_SYNC);
  session.expect_value("2");
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  session.leave_pipeline();
  check_equal(session.one("SELECT string_agg(id::text, ',') FROM libpq_pipeline"), "2");
}

// A Flush brings answers before any Sync, in the middle of a transaction that nobody began.
void flushes() {
  Session session;
  session.enter_pipeline();
  for (int i = 0; i < 3; ++i) {
    session.send("SELECT $1::text", {"flushed " + std::to_string(i)});
    check(PQsendFlushRequest(session.get()) == 1 && PQflush(session.get()) == 0, session.error());
    session.expect_value("flushed " + std::to_string(i));
  }
  session.sync();
  session.expect(PGRES_PIPELINE_SYNC);
  session.leave_pipeline();
}

// All sessions prepare other texts under one name, in one pipeline with their use, and take turns.
void equal_names() {
  std::vector<Session> sessions(kSessions);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    sessions[i].enter_pipeline();
    sessions[i].send_prepare("same", "SELECT $1::int * " + std::to_string(i));
    sessions[i].send_prepared("same", {"3"});
    sessions[i].sync();
    sessions[i].expect(PGRES_COMMAND_OK);
    sessions[i].expect_end();
    sessions[i].expect_value(std::to_string(3 * i));
    sessions[i].expect(PGRES_PIPELINE_SYNC);
  }
  for (int turn = 0; turn < 10; ++turn) {
    for (Session& session : sessions) {
      session.send_prepared("same", {std::to_string(turn)});
      session.send_prepared("same", {"1"});
      session.sync();
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      sessions[i].expect_value(std::to_string(turn * i));
      sessions[i].expect_value(std::to_string(i));
      sessions[i].expect(PGRES_PIPELINE_SYNC);
    }
  }
}

// A name that is taken, one that is free again, one that failed, and one that never was.
void names_within_a_pipeline() {
  Session session;
  session.enter_pipeline();
  session.send_prepare("name", "SELECT 1");
  session.sync();
  session.send_prepare("name", "SELECT 2");
  session.sync();
  session.send("DEALLOCATE name");
  session.send_prepare("name", "SELECT 3");
  session.send_prepared("name", {});
  session.sync();
  session.send_prepare("broken", "SELECT nothing");
  session.sync();
  session.send_prepared("broken", {});
  session.sync();
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  check_equal(session.next().sqlstate(), "42P05");
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  for (int i = 0; i < 2; ++i) {
    session.expect(PGRES_COMMAND_OK);
    session.expect_end();
  }
  session.expect_value("3");
  session.expect(PGRES_PIPELINE_SYNC);
  for (const char* state : {"42703", "26000"}) {
    check_equal(session.next().sqlstate(), state);
    session.expect_end();
    session.expect(PGRES_PIPELINE_SYNC);
  }
  session.leave_pipeline();
}

void describes() {
  Session session;
  session.enter_pipeline();
  session.send_prepare("described", "SELECT $1::int AS number, $2::text AS word");
  check(PQsendDescribePrepared(session.get(), "described") == 1, session.error());
  session.sync();
  session.expect(PGRES_COMMAND_OK);
  session.expect_end();
  const Answer answer = session.next();
  check(PQnparams(answer.get()) == 2 && PQnfields(answer.get()) == 2, answer.what());
  check_equal(PQfname(answer.get(), 1), "word");
  session.expect_end();
  session.expect(PGRES_PIPELINE_SYNC);
  session.leave_pipeline();
}

// Reads and writes as the socket allows; what is not taken at once waits on either side.
void flood(int count, const std::string& text) {
  Session session;
  session.enter_pipeline();
  check(PQsetnonblocking(session.get(), 1) == 0, session.error());
  int sent = 0;
  int got = 0;
  while (got < count) {
    while (sent < count && sent < got + 300) {
      session.send("SELECT $1::text || " + std::to_string(sent), {text});
      if (++sent % 10 == 0) session.sync();
    }
    const int rest = PQflush(session.get());
    check(rest >= 0, session.error());
    fd_set readable;
    fd_set writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(PQsocket(session.get()), &readable);
    if (rest == 1) FD_SET(PQsocket(session.get()), &writable);
    check(select(PQsocket(session.get()) + 1, &readable, &writable, nullptr, nullptr) > 0,
          "select");
    if (FD_ISSET(PQsocket(session.get()), &readable) == 0) continue;
    check(PQconsumeInput(session.get()) == 1, session.error());
    while (got < count && PQisBusy(session.get()) == 0) {
      const Answer answer = session.next();
      if (answer.is_none() || answer.status() == PGRES_PIPELINE_SYNC) continue;
      check(answer.status() == PGRES_TUPLES_OK, answer.what());
      check_equal(answer.value(), text + std::to_string(got));
      ++got;
    }
  }
}

void many_statements() { flood(3000, "x"); }
void large_statements() { flood(100, std::string(200'000, 'y')); }

}  // namespace

std::vector<Step> pipeline_steps() {
  return {{"several_syncs", several_syncs},
          {"an_error_skips_to_the_sync", an_error_skips_to_the_sync},
          {"implicit_transactions", implicit_transactions},
          {"flushes", flushes},
          {"equal_names", equal_names},
          {"names_within_a_pipeline", names_within_a_pipeline},
          {"describes", describes},
          {"many_statements", many_statements},
          {"large_statements", large_statements}};
}

}  // namespace proxy_clients
