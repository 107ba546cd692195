// What the steps of the libpq client share: a connection, results, and how a check fails.
#pragma once

#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

namespace proxy_clients {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Here = std::source_location;

inline void check(bool is_so, const std::string& text, Here here = Here::current()) {
  if (!is_so) throw Failure("line " + std::to_string(here.line()) + ": " + text);
}

inline void check_equal(std::string_view actual, std::string_view expected,
                        Here here = Here::current()) {
  const auto shown = [](std::string_view text) { return std::string(text.substr(0, 300)); };
  check(actual == expected, "\"" + shown(actual) + "\", not \"" + shown(expected) + "\"", here);
}

class Answer {
 public:
  explicit Answer(PGresult* result) : result_(result, &PQclear) {}

  bool is_none() const { return result_ == nullptr; }
  ExecStatusType status() const { return PQresultStatus(result_.get()); }
  int rows() const { return PQntuples(result_.get()); }
  std::string_view value(int row = 0, int column = 0) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::string sqlstate() const {
    const char* state = PQresultErrorField(result_.get(), PG_DIAG_SQLSTATE);
    return state == nullptr ? "" : state;
  }
  std::string what() const {
    return std::string(PQresStatus(status())) + " " + PQresultErrorMessage(result_.get());
  }
  const PGresult* get() const { return result_.get(); }

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

using Values = std::vector<std::string>;

// A connection as the environment describes it; words are more of a connection string.
class Session {
 public:
  explicit Session(const std::string& words = "")
      : connection_(PQconnectdb(words.c_str()), &PQfinish) {
    check(PQstatus(get()) == CONNECTION_OK, PQerrorMessage(get()));
  }

  PGconn* get() const { return connection_.get(); }
  std::string error() const { return PQerrorMessage(get()); }
  std::string parameter(const char* name) const {
    const char* value = PQparameterStatus(get(), name);
    return value == nullptr ? "(none)" : value;
  }

  Answer query(const std::string& text) { return Answer(PQexec(get(), text.c_str())); }
  std::string one(const std::string& text, Here here = Here::current()) {
    const Answer answer = query(text);
    check(answer.status() == PGRES_TUPLES_OK, text + ": " + answer.what(), here);
    return std::string(answer.value());
  }
  void run(const std::string& text, Here here = Here::current()) {
    const Answer answer = query(text);
    check(answer.status() == PGRES_COMMAND_OK || answer.status() == PGRES_TUPLES_OK,
          text + ": " + answer.what(), here);
  }
  void fails(const std::string& text, std::string_view state, Here here = Here::current()) {
    const Answer answer = query(text);
    check(answer.sqlstate() == state, text + ": " + answer.what(), here);
  }

  Answer next() { return Answer(PQgetResult(get())); }
  void expect(ExecStatusType status, Here here = Here::current()) {
    const Answer answer = next();
    check(answer.status() == status,
          std::string(PQresStatus(status)) + " expected: " + answer.what() +
              (answer.is_none() ? "none" : ""),
          here);
  }
  // One row of one column, and the end of the answers to its statement.
  void expect_value(std::string_view value, Here here = Here::current()) {
    const Answer answer = next();
    check(answer.status() == PGRES_TUPLES_OK, "a row expected: " + answer.what(), here);
    check_equal(answer.value(), value, here);
    expect_end(here);
  }
  void expect_end(Here here = Here::current()) {
    const Answer answer = next();
    check(answer.is_none(), "no more answers expected: " + answer.what(), here);
  }

  void send(const std::string& text, const Values& values = {}) {
    const std::vector<const char*> pointers = pointers_to(values);
    check(PQsendQueryParams(get(), text.c_str(), static_cast<int>(values.size()), nullptr,
                            pointers.data(), nullptr, nullptr, 0) == 1,
          error());
  }
  void send_prepare(const char* name, const std::string& text) {
    check(PQsendPrepare(get(), name, text.c_str(), 0, nullptr) == 1, error());
  }
  void send_prepared(const char* name, const Values& values) {
    const std::vector<const char*> pointers = pointers_to(values);
    check(PQsendQueryPrepared(get(), name, static_cast<int>(values.size()), pointers.data(),
                              nullptr, nullptr, 0) == 1,
          error());
  }
  void enter_pipeline() { check(PQenterPipelineMode(get()) == 1, error()); }
  void leave_pipeline() { check(PQexitPipelineMode(get()) == 1, error()); }
  void sync() { check(PQpipelineSync(get()) == 1, error()); }

 private:
  static std::vector<const char*> pointers_to(const Values& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    return pointers;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

struct Step {
  const char* name;
  void (*run)();
};

// What libpq does beside pipelines.
std::vector<Step> plain_steps();
std::vector<Step> pipeline_steps();
// What must not go well where session state is refused.
std::vector<Step> refused_steps();

// Several sessions, so many that they have to share servers in transactions.
inline constexpr int kSessions = 8;

}  // namespace proxy_clients
