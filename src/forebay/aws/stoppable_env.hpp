// StoppableHttp, StoppableMachine: a transport and a machine of others that can be stopped for one
// user: requests and reads under way then end with Errc::closed for whoever waits for them, and new
// ones are not begun. Confined to the scheduler.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/env/http.hpp"
#include "forebay/env/machine.hpp"
#include "forebay/env/questions.hpp"

namespace forebay::aws {

class StoppableHttp final : public HttpTransport {
 public:
  StoppableHttp(Scheduler& scheduler, HttpTransport& http) : http_(http), questions_(scheduler) {}

  Task<Result<HttpResponse>> send(HttpRequest request, Instant deadline) override {
    Task<Result<HttpResponse>> sending = http_.send(std::move(request), deadline);
    std::optional<Result<HttpResponse>> answer = co_await questions_.ask(std::move(sending));
    if (answer) co_return std::move(*answer);
    co_return failure(Errc::closed, "whoever sent the request is closing");
  }
  void stop() { questions_.end(); }

 private:
  HttpTransport& http_;
  Questions questions_;
};

class StoppableMachine final : public Machine {
 public:
  StoppableMachine(Scheduler& scheduler, Machine& machine)
      : machine_(machine), questions_(scheduler) {}

  std::optional<std::string> variable(std::string_view name) const override {
    return machine_.variable(name);
  }
  std::vector<std::string> variables_that_begin_with(std::string_view prefix) const override {
    return machine_.variables_that_begin_with(prefix);
  }
  Task<Result<std::string>> read_file(std::string path) override {
    Task<Result<std::string>> reading = machine_.read_file(std::move(path));
    std::optional<Result<std::string>> content = co_await questions_.ask(std::move(reading));
    if (content) co_return std::move(*content);
    co_return failure(Errc::closed, "whoever reads the file is closing");
  }
  void stop() { questions_.end(); }

 private:
  Machine& machine_;
  Questions questions_;
};

}  // namespace forebay::aws
