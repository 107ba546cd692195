// What the callers of a member do, each on a thread: take a session for a while (SessionLoad), or
// move amounts between accounts (TransferLoad).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/json_text.hpp"
#include "forebay/embedded/server_process.hpp"
#include "forebay/env/random.hpp"
#include "forebay/forebay.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class MemberLoad {
 public:
  virtual ~MemberLoad() = default;
  virtual void end() = 0;  // waits for its callers; the destructor does so, too
  virtual std::string figures_json() const = 0;
};

// Callers who come again and again: turn(number of the caller).
class Callers {
 public:
  Callers(int count, std::function<void(int)> turn) : turn_(std::move(turn)) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, i] {
        while (!is_over_) turn_(i);
      });
    }
  }
  ~Callers() { end(); }

  void end() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  const std::function<void(int)> turn_;
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

class SessionLoad final : public MemberLoad {
 public:
  SessionLoad(postgres::PostgresPool& pool, int callers, double seconds)
      : pool_(pool),
        statement_(fmt::format("SELECT pg_sleep({})", seconds)),
        callers_(callers, [this](int number) { call(number); }) {}

  void end() override { callers_.end(); }
  std::string figures_json() const override {
    return fmt::format(R"("acquires":{},"failed_acquires":{},"failed_statements":{})",
                       acquires_.load(), failed_acquires_.load(), failed_statements_.load());
  }

 private:
  void call(int number) {
    Result<postgres::PooledSession> session = pool_.acquire_blocking(1s);
    if (session) {
      ++acquires_;
      if (!(*session)->exec_blocking(statement_, 60s)) ++failed_statements_;
      embedded::pause(std::chrono::milliseconds(10 + 5 * number));
    } else {
      ++failed_acquires_;
    }
    session = failure(Errc::closed, "given back");
    embedded::pause(std::chrono::milliseconds(20));
  }

  postgres::PostgresPool& pool_;
  const std::string statement_;
  std::atomic<std::uint64_t> acquires_ = 0;
  std::atomic<std::uint64_t> failed_acquires_ = 0;
  std::atomic<std::uint64_t> failed_statements_ = 0;
  Callers callers_;
};

// Each transfer takes from one account, gives to another and is noted in a journal, in one
// transaction. So the journal explains every balance, whatever becomes of the processes.
class TransferLoad final : public MemberLoad {
 public:
  TransferLoad(postgres::PostgresPool& pool, std::string member, int callers, int accounts)
      : pool_(pool), member_(std::move(member)), accounts_(accounts), options_(retried(metrics_)) {
    const std::uint64_t seed = std::hash<std::string>()(member_);
    for (int i = 0; i < callers; ++i)
      books_.push_back({.random = SeededRandom(seed + static_cast<std::uint64_t>(i))});
    callers_.emplace(callers, [this](int number) { transfer(number); });
  }

  void end() override { callers_->end(); }
  std::string figures_json() const override {
    const OperationSnapshot done =
        metrics_.snapshot(options_.operation).value_or(OperationSnapshot());
    std::uint64_t other_errors = 0;  // attempts that failed, and not by a conflict
    for (const ErrorClass each : kAllErrorClasses)
      other_errors += each == ErrorClass::retryable ? 0 : done.errors_of(each);
    const std::lock_guard lock(mutex_);
    return fmt::format(
        R"("transfers":{},"conflicts":{},"other_errors":{},"failed_transfers":{},"why":{})",
        done.succeeded, done.conflicts, other_errors, done.failed, json_quoted(why_));
  }

 private:
  struct Book {  // of one caller
    int below(int bound) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(bound)));
    }
    SeededRandom random;
    int number = 0;
  };

  static postgres::TransactionOptions retried(TransactionMetrics& metrics) {
    postgres::TransactionOptions options("transfer");
    options.policy.max_retries = 100;
    options.policy.backoff = {5ms, 200ms, 25};
    options.metrics = &metrics;
    return options;
  }

  void transfer(int caller) {
    Book& book = books_[static_cast<std::size_t>(caller)];
    const std::string id = fmt::format("{}/{}/{}", member_, caller, ++book.number);
    const int source = book.below(accounts_);
    const int target = (source + 1 + book.below(accounts_ - 1)) % accounts_;
    const int amount = 1 + book.below(100);
    const auto body = [&](postgres::Transaction& transaction) -> Result<void> {
      const Result<void> taken = transaction.exec_exactly_blocking(
          1, "UPDATE accounts SET balance = balance - $1 WHERE id = $2",
          postgres::parameters(amount, source));
      if (!taken) return taken;
      const Result<void> given = transaction.exec_exactly_blocking(
          1, "UPDATE accounts SET balance = balance + $1 WHERE id = $2",
          postgres::parameters(amount, target));
      if (!given) return given;
      return transaction.exec_exactly_blocking(1, "INSERT INTO journal VALUES ($1, $2, $3, $4)",
                                               postgres::parameters(id, source, target, amount));
    };
    const Result<void> done = run_transaction_blocking(pool_, options_, body);
    if (!done) {
      const std::lock_guard lock(mutex_);
      why_ = done.error().text();
    }
    embedded::pause(100ms);
  }

  postgres::PostgresPool& pool_;
  const std::string member_;
  const int accounts_;
  TransactionMetrics metrics_;
  const postgres::TransactionOptions options_;
  std::vector<Book> books_;
  mutable std::mutex mutex_;
  std::string why_;                 // the last one failed
  std::optional<Callers> callers_;  // last: they use all of it
};

}  // namespace forebay::test
