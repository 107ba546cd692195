// A server that exists only in memory, on whatever scheduler: it counts its sessions, refuses and
// delays as told, and fails any chosen step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "forebay/env/loop_group.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/pool/connection.hpp"

namespace forebay::test {

// What the fake server does, changed by tests as they go.
struct FakeServer {
  explicit FakeServer(Scheduler& server_scheduler) : scheduler(server_scheduler) {}

  Scheduler& scheduler;
  Duration connect_time = std::chrono::milliseconds(5);
  Duration reset_time{};
  Duration check_time = std::chrono::milliseconds(1);
  Duration close_time = std::chrono::milliseconds(1);
  bool needs_reset = false;
  bool holds_sessions = false;       // it does not let go of those that are closed
  int limit = 1'000'000;             // sessions; one more is refused and recorded
  std::optional<Error> refuses_all;  // after the time of a connect, with this
  ServerKind kind = ServerKind::other;

  // Called before each step of that kind with its number, from 1: true makes it fail.
  std::function<bool(const std::string& step, int number)> fails;

  int sessions = 0;  // open, opening or closing: all that a real server would count
  int most_sessions = 0;
  int refusals = 0;  // for being one too many
  int connecting = 0;
  int most_connecting = 0;
  std::vector<Instant> connect_starts;
  std::vector<std::string> passwords;    // of all attempts, in order
  std::set<std::string> expired_tokens;  // refused as such
  std::map<std::string, int> steps;      // how often each kind of step ran

  bool step_fails(const std::string& step) {
    const int number = ++steps[step];
    return fails && fails(step, number);
  }
};

class FakeConnection final : public Connection {
 public:
  explicit FakeConnection(FakeServer& server) : server_(server) {}
  ~FakeConnection() override {
    if (is_open_) --server_.sessions;
  }

  bool is_usable() const noexcept override { return !is_broken && !is_interrupted; }
  bool needs_reset() const noexcept override { return server_.needs_reset; }

  Task<Result<void>> reset(Instant deadline) override {
    return answer("reset", server_.reset_time, deadline);
  }
  bool needs_cancel() const noexcept override { return is_interrupted; }
  Task<Result<void>> cancel(Instant deadline) override {
    const bool fails = server_.step_fails("cancel");
    if (fails) {
      co_await sleep_until(here(server_.scheduler), deadline);
      co_return failure(Errc::timed_out, "the server did not answer");
    }
    is_interrupted = false;
    co_return Result<void>();
  }
  Task<Result<void>> check(Instant deadline) override {
    return answer("check", server_.check_time, deadline);
  }
  // A close that fails is one that the server does not answer before the deadline.
  Task<bool> close(Instant deadline) override {
    if (server_.holds_sessions) {
      co_await sleep_until(here(server_.scheduler), deadline);
      if (server_.holds_sessions) co_return false;
    } else if (server_.step_fails("close")) {
      co_await sleep_until(here(server_.scheduler), deadline);
    } else if (server_.close_time > Duration::zero())
      co_await sleep_for(here(server_.scheduler), server_.close_time);
    is_open_ = false;
    --server_.sessions;
    co_return true;
  }

  bool is_broken = false;
  bool is_interrupted = false;  // a statement ran into its deadline

 private:
  Task<Result<void>> answer(std::string step, Duration time, Instant deadline) {
    const bool fails = server_.step_fails(step);
    if (time > Duration::zero()) {
      const Instant until = std::min(deadline, server_.scheduler.now() + time);
      co_await sleep_until(here(server_.scheduler), until);
    }
    if (fails) co_return failure(Errc::connection_lost, step + " failed");
    co_return Result<void>();
  }

  FakeServer& server_;
  bool is_open_ = true;
};

class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(FakeServer& server) : server_(server) {}

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override {
    server_.passwords.push_back(std::move(password));
    server_.connect_starts.push_back(server_.scheduler.now());
    const bool fails = server_.step_fails("connect");
    if (server_.expired_tokens.contains(server_.passwords.back())) {
      co_return failure(Errc::token_expired, "access denied");
    }
    if (server_.sessions >= server_.limit) {
      ++server_.refusals;
      co_return failure(Errc::limit_reached, "sorry, too many clients already");
    }
    ++server_.sessions;
    server_.most_sessions = std::max(server_.most_sessions, server_.sessions);
    ++server_.connecting;
    server_.most_connecting = std::max(server_.most_connecting, server_.connecting);
    const Instant done = server_.scheduler.now() + server_.connect_time;
    if (done > server_.scheduler.now())
      co_await sleep_until(here(server_.scheduler), std::min(done, deadline));
    --server_.connecting;
    if (fails || done > deadline || server_.refuses_all) {
      --server_.sessions;
      if (server_.refuses_all) co_return failure(*server_.refuses_all);
      if (fails) co_return failure(Errc::connect_failed, "the server is away");
      co_return failure(Errc::timed_out, "connect timed out");
    }
    std::unique_ptr<Connection> connection = std::make_unique<FakeConnection>(server_);
    co_return connection;
  }
  void close() override {}
  ServerKind server() const override { return server_.kind; }

 private:
  FakeServer& server_;
};

}  // namespace forebay::test
