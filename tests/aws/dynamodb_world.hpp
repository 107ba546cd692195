// What the tests of the DynamoDB client share: virtual time, a script that answers, and a client.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/scripted_http.hpp"

namespace forebay::aws {

using namespace std::chrono_literals;

inline constexpr char kWorldSecret[] = "wJalrXUtnFEMI/SECRET";
inline constexpr char kWorldSession[] = "FwoGZXIvYXdzSESSION";

// {"__type": ..., "message": ...} with HTTP status 400, unless told otherwise.
inline HttpResponse exception(const std::string& name, const std::string& message = "",
                              int status = 400) {
  boost::json::object body;
  body.emplace("__type", "com.amazonaws.dynamodb.v20120810#" + name);
  body.emplace("message", message);
  return test::response(status, boost::json::serialize(body));
}

// Codes in the order of the writes; "None" is a condition that held.
inline HttpResponse cancellation(const std::vector<std::string>& codes) {
  boost::json::array reasons;
  for (const std::string& code : codes) {
    boost::json::object reason;
    reason.emplace("Code", code);
    reasons.emplace_back(std::move(reason));
  }
  boost::json::object body;
  body.emplace("__type", "com.amazonaws.dynamodb.v20120810#TransactionCanceledException");
  body.emplace("Message", "Transaction cancelled");
  body.emplace("CancellationReasons", std::move(reasons));
  return test::response(400, boost::json::serialize(body));
}

class DynamoDbWorld {
 public:
  using Answer = Result<HttpResponse>;

  // Answers come in this order; the last one is repeated.
  void script(std::vector<Answer> answers) {
    http.handler = [this, answers = std::move(answers),
                    next = std::size_t{0}](const HttpRequest&) mutable {
      times.push_back(scheduler.now() - Instant());
      const std::size_t turn = std::min(next, answers.size() - 1);
      ++next;
      return answers[turn];
    };
  }

  // Runs a task of the client to its end in virtual time.
  template <class T>
  Result<T> run(Task<Result<T>> task) {
    std::optional<Result<T>> result;
    start_detached(scheduler, keep(std::move(task), result));
    scheduler.run();
    FOREBAY_CHECK(result.has_value(), "the task did not end");
    return std::move(*result);
  }

  Instant in(Duration time) const { return scheduler.now() + time; }
  boost::json::object sent(std::size_t number) const {
    return *parse_object(http.requests.at(number).body);
  }

  sim::SimScheduler scheduler;
  SeededRandom random{7};
  sim::SimWallClock wall_clock{scheduler, WallTime(1'440'938'160s)};  // 2015-08-30T12:36:00Z
  test::ScriptedHttp http{scheduler};
  StaticCredentials credentials{Credentials("AKIDEXAMPLE", kWorldSecret, kWorldSession)};
  std::vector<Duration> times;  // of the requests
  DynamoDb client{Env{scheduler, random, wall_clock}, http, credentials,
                  DynamoDbOptions{"eu-west-1", ""}};

 private:
  template <class T>
  static Task<void> keep(Task<Result<T>> task, std::optional<Result<T>>& result) {
    Result<T> value = co_await std::move(task);
    result.emplace(std::move(value));
  }
};

// One that is refused when the counter is full.
inline Write counting_write() {
  Write write(Write::Kind::update, "leases", "counter");
  write.update = "ADD active :n";
  write.condition = "active <= :most";
  write.values.emplace(":n", AttributeValue::number(3));
  write.values.emplace(":most", AttributeValue::number(97));
  return write;
}

}  // namespace forebay::aws
